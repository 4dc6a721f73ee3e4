// One position: its noisy moves under four rule sets, and one exchange step by step.

import { PROFILES, read, written } from './address.js';
import { Board } from './board.js';
import { edited } from './edit.js';
import { miniature } from './cards.js';
import { copy, fill, get, make, quoted, signClass, signed } from './dom.js';
import { EXAMPLES } from './examples.js';
import { Failure } from './wasm.js';

/** @import { Exchange } from './board.js' */
/** @import { Swaplist } from './wasm.js' */
/** @typedef {{ fen: string, full_fen: string, turn: string, in_check: boolean, values: number[],
 *   moves: { uci: string, san: string, from: string, to: string, see: number[] }[],
 *   exchanges: Exchange[] }} Explained */

/** Browsers refuse to write the address too often; then it is written when typing rests. */
const REST_MS = 500;

/** @type {[string, string][]} */
export const VALUES = [
  ['cpw', 'Chess Programming Wiki: 100 325 325 500 1000'],
  ['stockfish', 'Stockfish: 208 781 825 1276 2538'],
  ['1-3-3-5-9', 'Classical: 1 3 3 5 9'],
];

/** @type {Record<string, string>} */
export const ABOUT = {
  swap: 'swap: the Chess Programming Wiki’s swap algorithm. Pins are ignored.',
  sf8: 'sf8: Stockfish 8 to 10. Pinned pieces may not recapture while all their pinners stand.',
  sf: 'sf: Stockfish since 2019. Pinned pieces may not recapture while any pinner stands; en passant and promotions are 0.',
  legal: 'legal: every recapture must be a legal move.',
};

export class Explain {
  /** @param {Swaplist} wasm */
  constructor(wasm) {
    this.wasm = wasm;
    this.shown = EXAMPLES[0].shown;
    this.ply = 0;
    this.timer = 0;
    this.failed = false;
    /** @type {Explained | null} */
    this.found = null;
    this.board = new Board(placement => this.edit({ placement }));
    this.fen = get('fen', HTMLInputElement);
    this.values = get('values', HTMLSelectElement);
    this.own = get('own-values', HTMLInputElement);
    fill(this.values, [...VALUES, ['own', 'Own values …']]);
    this.fillExamples();
    this.listen();
  }

  get link() {
    return written(this.shown);
  }

  /** Shows what the address says, or the first example. */
  open() {
    this.shown = read(location.hash) ?? { ...this.shown };
    this.fen.value = this.shown.fen;
    const named = VALUES.some(([name]) => name === this.shown.values);
    this.values.value = named ? this.shown.values : 'own';
    this.own.hidden = named;
    this.own.value = named ? '' : this.shown.values;
    this.ply = 0;
    this.update();
  }

  listen() {
    this.fen.addEventListener('input', () => this.change(this.withMove(this.fen.value)));
    this.values.addEventListener('change', () => {
      const isOwn = this.values.value === 'own';
      this.own.hidden = !isOwn;
      if (isOwn) {
        this.own.value = (this.found?.values ?? [100, 325, 325, 500, 1000]).join(',');
        this.own.focus();
      }
      this.change({ values: isOwn ? this.ownValues() : this.values.value });
    });
    this.own.addEventListener('input', () => this.change({ values: this.ownValues() }));
    for (const radio of document.querySelectorAll('input[name=turn]')) {
      radio.addEventListener('change', () => this.edit({ turn: /** @type {HTMLInputElement} */ (radio).value }));
    }
    const steps = { first: -99, back: -1, next: 1, last: 99 };
    for (const [id, by] of Object.entries(steps)) get(id).addEventListener('click', () => this.step(by));
    /** @type {Record<string, number>} */
    const keys = { ArrowLeft: -1, ArrowRight: 1, Home: -99, End: 99 };
    addEventListener('keydown', event => {
      const at = /** @type {HTMLElement} */ (event.target);
      const typing = at.matches('input[type=text], select, textarea, input[type=radio]');
      if (get('explain').hidden || typing || event.altKey || event.ctrlKey || event.metaKey) return;
      const by = keys[event.key];
      if (!by) return;
      event.preventDefault();
      this.step(by);
    });
    const copied = get('copied');
    get('copy-link').addEventListener('click', () => copy(new URL(this.link, location.href).href, copied));
    get('copy-text').addEventListener('click', () => copy(this.wasm.text('explain_text', this.asked()), copied));
    get('copy-command').addEventListener('click', () => { if (this.found) copy(this.command(this.found), copied); });
  }

  fillExamples() {
    get('examples').replaceChildren(...EXAMPLES.map(({ shown, why }) => make('li', {}, make('a', { href: written(shown), className: 'card' }, miniature(shown.fen, { arrow: shown.move }), why))));
  }

  ownValues() {
    return this.own.value.trim().toLowerCase().split(/[\s,]+/).join(',');
  }

  /** Of what was parsed alone: a link may hold anything.
   * @param {Explained} found */
  command(found) {
    const profile = this.shown.rules;
    const values = VALUES.find(([name]) => name === this.shown.values)?.[0] ?? found.values.join(',');
    const words = ['swaplist', 'explain', found.fen, this.exchange()?.uci ?? '', ...(profile === 'swap' ? [] : ['--profile', profile]), ...(values === 'cpw' ? [] : ['--values', values])];
    return words.filter(Boolean).map(quoted).join(' ');
  }

  asked() {
    const { fen, move, rules, values } = this.shown;
    return { line: fen, name: move || this.found?.exchanges[0]?.uci || '', rules: { profile: rules, values } };
  }

  /** Changes what is shown.
   * @param {Partial<import('./address.js').Shown>} what */
  change(what) {
    this.shown = { ...this.shown, ...what };
    if (what.fen !== undefined || what.move !== undefined) this.ply = 0;
    this.update();
  }

  /** Another board or side to move.
   * @param {{ placement?: string, turn?: string }} what */
  edit(what) {
    const fen = edited(this.found?.full_fen ?? this.shown.fen, what);
    this.fen.value = fen;
    this.change(this.withMove(fen));
  }

  /** The chosen move stays chosen where it is still legal.
   * @param {string} fen */
  withMove(fen) {
    const { move, rules, values } = this.shown;
    try {
      this.wasm.json('explain', { line: fen, name: move, rules: { profile: rules, values } });
      return { fen, move };
    } catch {
      return { fen, move: '' };
    }
  }

  /** @param {number} by */
  step(by) {
    const steps = this.exchange()?.steps.filter(step => step.from).length ?? 0;
    this.ply = Math.max(0, Math.min(steps, this.ply + by));
    this.draw();
  }

  /** Asks swaplist, and shows its answer or its error. */
  update() {
    const { fen, move, rules, values } = this.shown;
    const errors = { fen: '', values: '' };
    try {
      const asked = { line: fen, name: move, rules: { profile: rules, values } };
      this.found = /** @type {Explained} */ (this.wasm.json('explain', asked));
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      if (error.field === 'values') errors.values = error.message;
      else errors.fen = error.message;
    }
    get('fen-error').textContent = errors.fen;
    get('values-error').textContent = errors.values;
    this.fen.setAttribute('aria-invalid', String(!!errors.fen));
    this.own.setAttribute('aria-invalid', String(!!errors.values));
    get('to-explain', HTMLAnchorElement).href = this.link;
    const failed = !!(errors.fen || errors.values);
    for (const id of ['copy-text', 'copy-command', 'first', 'back', 'next', 'last']) get(id, HTMLButtonElement).disabled = failed;
    if (failed) {
      // A board that is being edited stays as it is, with the error beside it.
      this.found = null;
      this.drawEmpty(fen);
    } else {
      this.draw();
    }
    if (failed !== this.failed) this.board.moved();
    this.failed = failed;
    this.address();
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.address(), REST_MS);
  }

  address() {
    if (get('explain').hidden) return;
    try {
      history.replaceState(null, '', this.link);
    } catch {
      // Refused this time.
    }
  }

  exchange() {
    return this.found?.exchanges[PROFILES.indexOf(this.shown.rules)];
  }

  /** @param {string} fen */
  drawEmpty(fen) {
    get('moves').querySelector('tbody')?.replaceChildren();
    get('exchange').replaceChildren();
    get('step').textContent = '';
    get('at').textContent = '';
    for (const id of ['none', 'legend']) get(id).hidden = true;
    const placement = fen.trim().split(/\s+/)[0];
    if (/^([1-8pnbrqk]+\/){7}[1-8pnbrqk]+$/i.test(placement)) this.board.show(placement, 'white', undefined, 0);
  }

  draw() {
    const { found, ply } = this;
    if (!found) return;
    const exchange = this.exchange();
    const [placement] = found.full_fen.split(' ');
    this.board.show(placement, found.turn, exchange, ply);
    for (const radio of document.querySelectorAll('input[name=turn]')) {
      const input = /** @type {HTMLInputElement} */ (radio);
      input.checked = input.value === found.turn;
    }
    this.drawMoves(found, exchange);
    get('about-rules').textContent = ABOUT[this.shown.rules];
    this.drawStep(exchange);
    drawExchange(exchange, this.shown.rules, ply, at => {
      this.ply = at;
      this.draw();
      /** @type {HTMLElement | null} */ (document.querySelector('#exchange [aria-current]'))?.focus();
    });
  }

  /** @param {Explained} found @param {Exchange | undefined} exchange */
  drawMoves(found, exchange) {
    const table = get('moves');
    const focused = document.activeElement?.getAttribute('data-focus');
    const heads = PROFILES.map(profile => {
      const pressed = String(profile === this.shown.rules);
      const button = make('button', { type: 'button', title: ABOUT[profile], 'aria-pressed': pressed, 'data-focus': profile, onclick: () => this.change({ rules: profile }) }, profile);
      return make('th', { scope: 'col' }, button);
    });
    table.querySelector('thead')?.replaceChildren(make('tr', {}, make('th', { scope: 'col' }, 'Noisy move'), ...heads));
    const rows = found.moves.map(move => {
      const differs = move.see.some(see => see !== move.see[0]);
      const isOn = move.uci === exchange?.uci;
      const name = make('button', { type: 'button', 'aria-pressed': String(isOn), 'data-focus': move.uci }, move.san);
      const mark = differs ? make('span', { className: 'differs', title: 'the rule sets differ' }, ' ≠') : '';
      const cells = move.see.map((see, i) => make('td', { className: `${signClass(see)}${PROFILES[i] === this.shown.rules ? ' rules' : ''}`, 'data-rules': PROFILES[i] }, signed(see)));
      const row = make('tr', { className: isOn ? 'on' : '' }, make('th', { scope: 'row' }, name, make('span', { className: 'quiet uci' }, ` ${move.uci}`), mark), ...cells);
      row.addEventListener('click', event => {
        const rules = /** @type {HTMLElement} */ (event.target).dataset.rules ?? this.shown.rules;
        this.change({ move: move.uci, rules });
      });
      return row;
    });
    table.querySelector('tbody')?.replaceChildren(...rows);
    get('none').hidden = rows.length > 0;
    get('legend').hidden = !found.moves.some(({ see }) => see.some(one => one !== see[0]));
    if (focused) /** @type {HTMLElement | null} */ (document.querySelector(`[data-focus="${focused}"]`))?.focus();
  }

  /** @param {Exchange | undefined} exchange */
  drawStep(exchange) {
    const steps = exchange?.steps.filter(step => step.from) ?? [];
    const { ply } = this;
    get('at').textContent = exchange ? `${ply} of ${steps.length} captures` : '';
    const barred = exchange?.barred.filter(one => one.ply === ply - 1).map(one => one.words) ?? [];
    const now = ply ? steps[ply - 1]?.words : exchange && `${exchange.san} is worth ${signed(exchange.see)}: step through it.`;
    get('step').textContent = [now ?? '', ...barred].filter(Boolean).join('. ');
    for (const id of ['first', 'back']) get(id, HTMLButtonElement).disabled = !ply;
    for (const id of ['next', 'last']) get(id, HTMLButtonElement).disabled = ply >= steps.length;
  }
}

/** The swap list, and how the value follows from it.
 * @param {Exchange | undefined} exchange @param {string} rules @param {number} ply
 * @param {(ply: number) => void} go */
function drawExchange(exchange, rules, ply, go) {
  const section = get('exchange');
  if (!exchange) {
    section.replaceChildren();
    return;
  }
  /** @type {HTMLElement[]} */
  const lines = [];
  exchange.steps.forEach((step, d) => {
    for (const { words } of exchange.barred.filter(one => one.ply === d - 1)) {
      lines.push(make('li', { className: 'barred' }, words));
    }
    const parts = [make('span', { className: 'quiet' }, String(d)), make('span', {}, step.words), make('span', {}, `${signed(step.gain)}${step.from ? '' : ' if it could'}`)];
    const line = step.from
      ? make('button', { type: 'button', className: 'line', onclick: () => go(d + 1), ...(ply === d + 1 ? { 'aria-current': 'step' } : {}) }, ...parts)
      : make('span', { className: 'line out' }, ...parts);
    lines.push(make('li', {}, line));
  });
  const list = make('div', {}, make('h2', {}, `${exchange.san} under ${rules}, as long as anyone can capture`), make('p', { className: 'quiet' }, 'Right: the best-case gain, what is won minus the gain before.'), make('ol', {}, ...lines), make('p', { className: 'quiet' }, `Swap list: ${exchange.swap_list.map(gain => String(gain).replace('-', '−')).join(', ')}`));
  const decisions = exchange.decisions.map(({ step, color, stop, go_on, captures }) => {
    const who = `${step}: ${color === 'white' ? 'White' : 'Black'} ${captures ? 'captures' : 'stops'}`;
    return make('li', {}, make('span', { className: 'line two' }, make('span', {}, who), make('span', {}, `stop ${signed(stop)}, capture ${signed(go_on)}`)));
  });
  const why = exchange.settled ? make('p', {}, `${exchange.settled}.`) : make('ol', {}, ...decisions);
  const choices = make('div', {}, make('h2', {}, 'From the end back, each captures only if that is better'), why, make('p', { className: 'answer' }, `SEE of ${exchange.san} = ${signed(exchange.see)}`));
  section.replaceChildren(make('div', { className: 'halves' }, list, choices));
}
