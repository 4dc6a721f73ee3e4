// Bars, as in the tool's report.

import { grouped, make } from './dom.js';

/** @typedef {{ name: string, figure: string, parts: [number, string][] }} Bar */

const ROW = 24, LETTER = 8;

/** A count and its share.
 * @param {number} count @param {number} of */
export function share(count, of) {
  return `${grouped(count)} (${(100 * count / Math.max(of, 1)).toFixed(1)} %)`;
}

/** @param {string} title @param {[string, string][]} key @param {Bar[]} bars */
export function plot(title, key, bars) {
  const entries = key.map(([name, color]) => make('span', {}, make('i', { style: `background: var(--${color})` }), name));
  const drawn = bars.length ? draw(title, bars) : make('p', {}, 'none');
  return make('div', {}, make('h2', {}, title), make('p', { className: 'key quiet' }, ...entries), drawn);
}

/** @param {string} title @param {Bar[]} bars */
function draw(title, bars) {
  const longest = (/** @type {(bar: Bar) => string} */ text) => Math.max(...bars.map(bar => text(bar).length)) * LETTER;
  // On a phone the letters must not shrink with the bars.
  const width = Math.max(360, Math.min(720, document.documentElement.clientWidth - 32));
  const left = longest(bar => bar.name) + 12;
  const room = Math.max(120, width - left - longest(bar => bar.figure) - 12);
  const most = Math.max(1, ...bars.flatMap(bar => bar.parts.map(part => part[0])));
  const svg = element('svg', { viewBox: `0 0 ${Math.max(width, left + room + longest(bar => bar.figure) + 12)} ${bars.length * ROW}`, role: 'img', 'aria-label': `${title}: ${bars.map(bar => `${bar.name} ${bar.figure}`).join('; ')}` });
  bars.forEach((bar, i) => {
    const middle = i * ROW + ROW / 2 + 5;
    svg.append(text(bar.name, left - 8, middle, 'end'));
    let end = left;
    for (const [count, color] of bar.parts) {
      // A count above 0 stays visible.
      const width = count ? Math.max(3, count / most * room) : 0;
      svg.append(element('rect', { x: left, y: i * ROW + 4, width, height: ROW - 8, fill: `var(--${color})` }));
      end = Math.max(end, left + width);
    }
    svg.append(text(bar.figure, end + 8, middle, 'start'));
  });
  return svg;
}

/** @param {string} words @param {number} x @param {number} y @param {string} anchor */
function text(words, x, y, anchor) {
  const found = element('text', { x, y, 'text-anchor': anchor });
  found.textContent = words;
  return found;
}

/** @param {string} tag @param {Record<string, string | number>} attributes */
function element(tag, attributes) {
  const made = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, String(value));
  return made;
}
