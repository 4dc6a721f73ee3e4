// The strip: a chip for each capture over the running balance, a lane for each way that the rule
// sets go.

import { get, make, signClass, signed } from './dom.js';
import { common, forkReason, lanes, sideAt, sideName } from './words.js';

/** @import { Exchange, Step } from './answers.js' */
/** @import { Lane } from './words.js' */

/** Where a chip is: a rule set of its lane, and how many captures are made with it.
 * @typedef {{ rules: string, ply: number }} Place */

export class Strip {
  /** @param {{ go: (place: Place) => void, light: (place: Place | null) => void }} calls */
  constructor({ go, light }) {
    this.element = get('strip');
    /** @type {unknown} */
    this.shown = null;
    const place = (/** @type {Event} */ { target }) => {
      const chip = /** @type {HTMLElement} */ (target).closest?.('button[data-ply]');
      if (!(chip instanceof HTMLElement)) return null;
      return { rules: chip.dataset.rules ?? '', ply: Number(chip.dataset.ply) };
    };
    this.element.addEventListener('click', event => {
      const at = place(event);
      if (at) go(at);
    });
    for (const name of ['mouseover', 'focusin']) this.element.addEventListener(name, event => light(place(event)));
    for (const name of ['mouseleave', 'focusout']) this.element.addEventListener(name, () => light(null));
  }

  /** @param {Exchange[]} exchanges @param {string[]} profiles @param {Place} at */
  show(exchanges, profiles, at) {
    if (this.shown !== exchanges) {
      this.shown = exchanges;
      this.element.replaceChildren(...exchanges.length ? drawn(lanes(exchanges, profiles)) : []);
    }
    this.mark('data-on', at);
  }

  /** Marks a chip, and its lane.
   * @param {'data-on' | 'data-lit'} name @param {Place | null} at */
  mark(name, at) {
    for (const marked of this.element.querySelectorAll(`[${name}]`)) {
      marked.removeAttribute(name);
      marked.removeAttribute('aria-current');
    }
    if (!at) return;
    const lane = [...this.element.querySelectorAll('[data-of]')].find(one => one.getAttribute('data-of')?.split(' ').includes(at.rules));
    lane?.setAttribute(name, '');
    const chips = [...this.element.querySelectorAll(`button[data-ply="${at.ply}"]`)];
    // A capture that all lanes share is on the trunk, which is no lane.
    const chip = chips.find(one => one.closest('[data-of]') === lane) ?? chips.find(one => !one.closest('[data-of]'));
    chip?.setAttribute(name, '');
    if (name !== 'data-on') return;
    chip?.setAttribute('aria-current', 'step');
    // The strip scrolls, and never the page.
    const strip = chip?.closest('.chips');
    if (!chip || !strip) return;
    const [inner, outer] = [chip, strip].map(one => one.getBoundingClientRect());
    strip.scrollBy({ left: inner.left + inner.width / 2 - outer.left - outer.width / 2 });
  }
}

/** How much further from 0 unplayed captures may take the curve than played ones do. */
const BEYOND_PLAYED = 1.7;
/** Per cent of the height that stay free above the curve, and below it. */
const MARGIN = 8;

/** @param {Lane[]} all */
function drawn(all) {
  const played = all.flatMap(({ exchange }) => exchange.steps.slice(0, exchange.played).map(({ balance }) => Math.abs(balance)));
  const most = BEYOND_PLAYED * Math.max(...played);
  const balances = [0, ...all.flatMap(({ exchange }) => exchange.steps.map(({ balance }) => Math.max(-most, Math.min(most, balance))))];
  const [low, high] = [Math.min(...balances), Math.max(...balances)];
  /** Per cent from the top.
   * @param {number} balance */
  const y = balance => {
    if (high === low) return 50;
    const shown = Math.max(low, Math.min(high, balance));
    return MARGIN + (100 - 2 * MARGIN) * (high - shown) / (high - low);
  };
  if (all.length === 1) return [lane(all[0], 0, y, [])];
  // How many captures the trunk has, before the lanes part.
  const fork = common(all);
  const { exchange } = all[0];
  const chips = exchange.steps.slice(0, fork).map((step, i) => column(exchange, step, i, '', y));
  const trunk = make('div', { className: 'trunk' }, make('p', { className: 'lane-name' }, 'all rule sets'), make('ol', { className: 'chips', style: `--zero: ${y(0)}%` }, ...chips));
  const branches = all.map(one => lane(one, fork, y, all));
  // Beside a longer trunk the branches would have no room; they go below it.
  const isBeside = fork > 0 && fork < 4;
  return [make('div', { className: isBeside ? 'tree' : '' }, ...(fork ? [trunk] : []), make('div', { className: 'branches' }, ...branches))];
}

/** A lane, from its capture number `fork` on. `all` are all lanes; if it is the only one, the list is
 * empty, and the lane has no name.
 * @param {Lane} one @param {number} fork @param {(balance: number) => number} y
 * @param {Lane[]} all */
function lane(one, fork, y, all) {
  const { exchange, rules } = one;
  const { steps, played } = exchange;
  const chips = steps.slice(fork).map((step, i) => column(exchange, step, fork + i, rules[0], y));
  // The captures of the trunk are played in all lanes, so `fork` is at most `played`.
  chips.splice(played - fork, 0, flag(exchange, y));
  const why = all.length ? forkReason(one, fork, all) : '';
  const name = all.length ? [make('p', { className: 'lane-name' }, ...rules.map(rule => make('b', {}, rule)), why && make('span', {}, why))] : [];
  return make('div', { className: 'lane', 'data-of': rules.join(' ') }, ...name, make('ol', { className: 'chips', style: `--zero: ${y(0)}%` }, ...chips));
}

/** A capture: its piece, and the balance after it.
 * @param {Exchange} exchange @param {Step} step @param {number} i @param {string} rules
 * @param {(balance: number) => number} y */
function column({ steps, played }, { color, role, becomes, from, words, balance }, i, rules, y) {
  const isPlayed = i < played;
  const before = i ? steps[i - 1].balance : 0;
  const curve = line(y(before), y(balance), y(0), signClass(balance));
  const number = make('b', { className: `number ${signClass(balance)}` }, signed(balance));
  const told = make('span', { className: 'hidden' }, `${isPlayed ? '' : 'not played: '}${words}`);
  const face = make('span', { className: 'face cg-wrap' }, make('piece', { className: `${becomes ?? role} ${color}` }), make('span', {}, from));
  const chip = make('button', { type: 'button', className: isPlayed ? 'chip' : 'chip hatched', 'data-ply': i + 1, 'data-rules': rules, title: words }, told, make('span', { className: 'curve' }, ...curve), number, face);
  return make('li', {}, chip);
}

/** Where the captures end, and with what.
 * @param {Exchange} exchange @param {(balance: number) => number} y */
function flag(exchange, y) {
  const { stop, see, played, settled } = exchange;
  const side = sideName(sideAt(exchange, played));
  const isOver = stop === 'cannot';
  // `settled`: no recapture counts, since the rules end the exchange at once, or since nobody may.
  const words = settled && settled !== 'Nobody may recapture' ? 'settled' : isOver ? `${side} cannot` : `${side} stops`;
  const curve = line(y(see), y(see), y(0), signClass(see));
  const number = make('b', { className: `number ${signClass(see)}` }, signed(see));
  return make('li', { className: 'flag' }, make('span', { className: 'curve' }, ...curve), number, make('span', { className: 'face' }, make('span', { 'aria-hidden': 'true' }, '⚑'), ` ${words}`));
}

/** A stair of the curve, from the height before.
 * @param {number} from @param {number} to @param {number} zero @param {string} sign */
function line(from, to, zero, sign) {
  const span = (/** @type {number} */ a, /** @type {number} */ b) => `top: ${Math.min(a, b)}%; height: ${Math.abs(a - b)}%`;
  return [
    make('i', { className: `area ${sign}`, style: span(to, zero) }),
    make('i', { className: 'rise', style: span(from, to) }),
    make('i', { className: 'level', style: `top: ${to}%` }),
  ];
}
