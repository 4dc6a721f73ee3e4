// Bars, as in the tool's report.

import { grouped, make } from './dom.js';

/** @typedef {{ name: string, figure: string, parts: [number, string][] }} Bar */

// In pixels: the height of a bar's row, that of a line of text above it, and the width of a letter.
const ROW = 24, LINE = 20, LETTER = 8;

/** Rounded as the command does.
 * @param {number} count @param {number} of */
export function percent(count, of) {
  const all = Math.max(of, 1), tenths = Math.floor((2000 * count + all) / (2 * all));
  return `${(tenths / 10).toFixed(1)} %`;
}

/** A count and its share.
 * @param {number} count @param {number} of */
export function share(count, of) {
  return `${grouped(count)} (${percent(count, of)})`;
}

/** @param {HTMLElement} within @param {string} title @param {[string, string][]} key @param {Bar[]} bars */
export function plot(within, title, key, bars) {
  const entries = key.map(([name, color]) => make('span', {}, make('i', { style: `background: var(--${color})` }), name));
  const drawn = bars.length ? draw(Math.min(720, within.clientWidth || 720), title, bars) : make('p', {}, 'none');
  return make('div', {}, make('h2', {}, title), make('p', { className: 'key quiet' }, ...entries), drawn);
}

/** In pixels of the screen, so that letters do not shrink. Where there is no room beside the bars,
 * their names and figures stand above them.
 * @param {number} width @param {string} title @param {Bar[]} bars */
function draw(width, title, bars) {
  const longest = (/** @type {(bar: Bar) => string} */ text) => Math.max(...bars.map(bar => text(bar).length)) * LETTER + 12;
  const names = longest(bar => bar.name), figures = longest(bar => bar.figure), both = longest(bar => bar.name + bar.figure);
  const isBeside = names + 120 + figures <= width;
  const lines = isBeside ? 0 : both <= width ? 1 : 2;
  const left = isBeside ? names : 0, room = isBeside ? width - names - figures : width;
  const row = lines * LINE + ROW;
  const most = Math.max(1, ...bars.flatMap(bar => bar.parts.map(part => part[0])));
  const svg = element('svg', { viewBox: `0 0 ${width} ${bars.length * row}`, role: 'img', 'aria-label': `${title}: ${bars.map(bar => `${bar.name} ${bar.figure}`).join('; ')}` });
  bars.forEach((bar, i) => {
    const top = i * row + lines * LINE;
    let end = left;
    for (const [count, color] of bar.parts) {
      // A count above 0 stays visible.
      const width = count ? Math.max(3, count / most * room) : 0;
      svg.append(element('rect', { x: left, y: top + 4, width, height: ROW - 8, fill: `var(--${color})` }));
      end = Math.max(end, left + width);
    }
    if (isBeside) svg.append(text(bar.name, left - 8, top + 17, 'end', 'name'), text(bar.figure, end + 8, top + 17, 'start', 'figure'));
    else svg.append(text(bar.name, 0, i * row + 17, 'start', 'name'), text(bar.figure, width, top - 3, 'end', 'figure'));
  });
  return svg;
}

/** @param {string} words @param {number} x @param {number} y @param {string} anchor @param {string} of */
function text(words, x, y, anchor, of) {
  const found = element('text', { x, y, 'text-anchor': anchor, class: of });
  found.textContent = words;
  return found;
}

/** @param {string} tag @param {Record<string, string | number>} attributes */
function element(tag, attributes) {
  const made = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, String(value));
  return made;
}
