// Pictures to share: drawing on a canvas, and saving, copying and sharing what is drawn.

import { get, make } from './dom.js';

/** A picture looks the same wherever it is seen. */
export const INK = '#1c2733', SOFT = '#566575', BLUE = '#2266aa';
const BACK = '#fbfbfa';
export const WIDTH = 1200, HEIGHT = 630, MARGIN = 60;

/** The page's address, as people say it. */
export function address() {
  return (location.host + location.pathname).replace(/(index\.html)?$/, '').replace(/\/$/, '');
}

/** An empty picture, with a function that writes and one that writes as many lines as are needed.
 * @param {HTMLCanvasElement} canvas */
export function begun(canvas) {
  const draw = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'));
  /** @param {string} words @param {number} x @param {number} y @param {number} size @param {number} [most] the greatest width */
  const text = (words, x, y, size, color = INK, weight = 400, most = WIDTH - x - MARGIN) => {
    draw.fillStyle = color;
    draw.font = `${weight} ${size}px system-ui, sans-serif`;
    draw.fillText(words, x, y, most);
    return draw.measureText(words).width;
  };
  /** Returns where the next line would be.
   * @param {string} words @param {number} x @param {number} y @param {number} size @param {number} most */
  const wrapped = (words, x, y, size, most, color = INK, weight = 400) => {
    draw.font = `${weight} ${size}px system-ui, sans-serif`;
    let line = '';
    for (const word of words.split(' ')) {
      const longer = line ? `${line} ${word}` : word;
      if (line && draw.measureText(longer).width > most) {
        text(line, x, y, size, color, weight, most);
        y += 1.3 * size;
        line = word;
      } else {
        line = longer;
      }
    }
    text(line, x, y, size, color, weight, most);
    return y + 1.3 * size;
  };
  draw.fillStyle = BACK;
  draw.fillRect(0, 0, WIDTH, HEIGHT);
  draw.fillStyle = BLUE;
  draw.fillRect(0, 0, 14, HEIGHT);
  return { draw, text, wrapped };
}

/** @param {HTMLCanvasElement} canvas @param {string} name @returns {Promise<File>} */
function file(canvas, name) {
  return new Promise((done, fail) => canvas.toBlob(blob => (blob ? done(new File([blob], name, { type: 'image/png' })) : fail(new Error('this browser makes no image of it')))));
}

/** The buttons below a picture, by the first part of their names: Save, Copy and Share.
 * @param {string} prefix @param {HTMLCanvasElement} canvas @param {string} name of the file @param {HTMLElement} status
 * @param {() => { text: string, url?: string }} words what is sent with it */
export function saving(prefix, canvas, name, status, words) {
  const on = (/** @type {string} */ id, /** @type {(file: File) => Promise<string>} */ work) => get(`${prefix}-${id}`).addEventListener('click', async () => {
    try {
      status.textContent = await work(await file(canvas, name));
    } catch (error) {
      if (!(error instanceof DOMException && error.name === 'AbortError')) status.textContent = `That did not work: ${error instanceof Error ? error.message : error}.`;
    }
  });
  on('save', async file => {
    const link = make('a', { href: URL.createObjectURL(file), download: name });
    link.click();
    URL.revokeObjectURL(/** @type {HTMLAnchorElement} */ (link).href);
    return 'Saved.';
  });
  get(`${prefix}-copy`).hidden = !('ClipboardItem' in window);
  on('copy', async file => {
    await navigator.clipboard.write([new ClipboardItem({ 'image/png': file })]);
    return 'Copied.';
  });
  const empty = new File([''], name, { type: 'image/png' });
  get(`${prefix}-share`).hidden = !navigator.canShare?.({ files: [empty] });
  on('share', async file => {
    await navigator.share({ files: [file], title: 'swaplist', ...words() });
    return '';
  });
}
