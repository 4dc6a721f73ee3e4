// The benchmark's result as an image to share.

import { get, make } from './dom.js';

const NAME = 'swaplist-bench.png';
/** The card looks the same wherever it is seen. */
const INK = '#1c2733', SOFT = '#566575', BACK = '#fbfbfa', BLUE = '#2266aa';
const COLORS = /** @type {Record<string, string>} */ ({ kept: BLUE, dropped: '#c85c3c', read: '#b0becd' });

/** @param {import('./bench.js').Result} result @param {{ headline: string, more: string, number: string, on: string }} said
 * @param {{ name: string, color: string, verdicts: number }[]} bars */
export function drawCard({ swaplist, date, cores, adapter }, { headline, more, number, on }, bars) {
  const canvas = get('card', HTMLCanvasElement);
  canvas.setAttribute('aria-label', `${headline}. ${more}`);
  const draw = canvas.getContext('2d');
  if (!draw) return;
  const text = (/** @type {string} */ words, /** @type {number} */ x, /** @type {number} */ y, /** @type {number} */ size, color = INK, weight = 400) => {
    draw.fillStyle = color;
    draw.font = `${weight} ${size}px system-ui, sans-serif`;
    draw.fillText(words, x, y, 1200 - x - 60);
    return draw.measureText(words).width;
  };
  draw.fillStyle = BACK;
  draw.fillRect(0, 0, 1200, 630);
  draw.fillStyle = BLUE;
  draw.fillRect(0, 0, 14, 630);
  const brand = text('swaplist', 60, 84, 34, INK, 700);
  text('Static Exchange Evaluation in the browser', 84 + brand, 84, 28, SOFT);
  const width = text(number, 60, 230, 130, INK, 700);
  text('million positions', 90 + width, 180, 40);
  text(`a second, ${on}`, 90 + width, 230, 40);
  text(more, 60, 300, 28, SOFT);
  // Software says nothing about GPUs.
  const real = adapter?.isSoftware ? bars.slice(0, 1) : bars;
  const most = Math.max(...real.map(({ verdicts }) => verdicts));
  real.forEach(({ name, color, verdicts }, i) => {
    const y = 350 + 62 * i;
    text(name, 60, y + 30, 26);
    const long = Math.max(4, 560 * verdicts / most);
    draw.fillStyle = COLORS[color];
    draw.fillRect(420, y, long, 42);
    text(verdicts.toPrecision(3), 436 + long, y + 31, 26, INK, 600);
  });
  text([`${cores} worker${cores > 1 ? 's' : ''}`, adapter?.isSoftware ? '' : adapter?.name, browser(), date.slice(0, 10), `swaplist ${swaplist}`].filter(Boolean).join(' · '), 60, 590, 24, SOFT);
}

/** The browser's name and version. */
function browser() {
  const found = /(Firefox|Edg|OPR|Chrome|Version)\/(\d+)/.exec(navigator.userAgent);
  const names = /** @type {Record<string, string>} */ ({ Edg: 'Edge', OPR: 'Opera', Version: 'Safari' });
  return found ? `${names[found[1]] ?? found[1]} ${found[2]}` : '';
}

/** @returns {Promise<File>} */
function image() {
  return new Promise((done, fail) => get('card', HTMLCanvasElement).toBlob(blob => (blob ? done(new File([blob], NAME, { type: 'image/png' })) : fail(new Error('this browser makes no image of it')))));
}

/** The buttons below the card.
 * @param {HTMLElement} status */
export function saveCard(status) {
  const on = (/** @type {string} */ id, /** @type {(file: File) => Promise<string>} */ work) => get(id).addEventListener('click', async () => {
    try {
      status.textContent = await work(await image());
    } catch (error) {
      if (!(error instanceof DOMException && error.name === 'AbortError')) status.textContent = `That did not work: ${error instanceof Error ? error.message : error}.`;
    }
  });
  on('card-save', async file => {
    const link = make('a', { href: URL.createObjectURL(file), download: NAME });
    link.click();
    URL.revokeObjectURL(/** @type {HTMLAnchorElement} */ (link).href);
    return 'Saved.';
  });
  get('card-copy').hidden = !('ClipboardItem' in window);
  on('card-copy', async file => {
    await navigator.clipboard.write([new ClipboardItem({ 'image/png': file })]);
    return 'Copied.';
  });
  const empty = new File([''], NAME, { type: 'image/png' });
  get('card-share').hidden = !navigator.canShare?.({ files: [empty] });
  on('card-share', async file => {
    await navigator.share({ files: [file], title: 'swaplist', text: `${get('headline').textContent}. ${get('headline-more').textContent}` });
    return '';
  });
}
