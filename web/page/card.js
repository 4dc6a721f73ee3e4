// The benchmark's result as an image to share.

import { get } from './dom.js';
import { address, begun, BLUE, INK, saving, SOFT } from './picture.js';

const COLORS = /** @type {Record<string, string>} */ ({ kept: BLUE, dropped: '#c85c3c', read: '#b0becd' });
/** Where the bars are, and how much room they have. */
const BARS = { top: 335, room: 215 };

/** @param {import('./bench.js').Result} result @param {{ headline: string, more: string, number: string, on: string }} said
 * @param {{ name: string, color: string, verdicts: number }[]} bars */
export function drawCard({ swaplist, date, cores, adapter }, { headline, more, number, on }, bars) {
  const canvas = get('card', HTMLCanvasElement);
  canvas.setAttribute('aria-label', `${headline}. ${more}`);
  const { draw, text } = begun(canvas);
  const brand = text('swaplist', 60, 84, 34, INK, 700);
  text('Static Exchange Evaluation in the browser', 84 + brand, 84, 28, SOFT);
  const width = text(number, 60, 230, 130, INK, 700);
  text('million positions', 90 + width, 180, 40);
  text(`a second, ${on}`, 90 + width, 230, 40);
  text(more, 60, 300, 28, SOFT);
  // Software says nothing about GPUs.
  const real = adapter?.isSoftware ? bars.slice(0, 1) : bars;
  const most = Math.max(...real.map(({ verdicts }) => verdicts));
  // Fewer bars are taller, so that the card is full.
  const step = BARS.room / Math.max(real.length, 2), tall = Math.min(step - 18, 90);
  real.forEach(({ name, color, verdicts }, i) => {
    const y = BARS.top + (BARS.room - step * real.length) / 2 + step * i;
    text(name, 60, y + tall / 2 + 9, 26);
    const long = Math.max(4, 560 * verdicts / most);
    draw.fillStyle = COLORS[color];
    draw.fillRect(420, y, long, tall);
    // From 999.5 on, three digits would be written 1.00e+3.
    text(verdicts < 999.5 ? verdicts.toPrecision(3) : verdicts.toFixed(0), 436 + long, y + tall / 2 + 9, 26, INK, 600);
  });
  text([`${cores} worker${cores > 1 ? 's' : ''}`, adapter?.isSoftware ? '' : adapter?.name, browser(), date.slice(0, 10), `swaplist ${swaplist}`, address()].filter(Boolean).join(' · '), 60, 596, 24, SOFT);
}

/** The browser's name and version. */
function browser() {
  const found = /(Firefox|Edg|OPR|Chrome|Version)\/(\d+)/.exec(navigator.userAgent);
  const names = /** @type {Record<string, string>} */ ({ Edg: 'Edge', OPR: 'Opera', Version: 'Safari' });
  return found ? `${names[found[1]] ?? found[1]} ${found[2]}` : '';
}

/** The buttons below the card.
 * @param {HTMLElement} status */
export function saveCard(status) {
  saving('card', get('card', HTMLCanvasElement), 'swaplist-bench.png', status, () => ({ text: `${get('headline').textContent}. ${get('headline-more').textContent}`, url: new URL('bench.html', location.href).href }));
}
