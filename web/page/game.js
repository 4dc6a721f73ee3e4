// A game's captures and promotions, those first that a player wants to see.

import { PROFILES } from './address.js';
import { differsMark, get, grouped, make, signClass, signed, visible } from './dom.js';

/** @import { Game, Played } from './answers.js' */
/** @import { Swaplist } from './wasm.js' */
/** @typedef {{ profile: string, values: string }} Rules */

/** Rows that are listed. */
const LISTED = 300;

export class GameList {
  /** @param {Swaplist} wasm
   * @param {{ choose: (row: Played) => void, left: () => void, closed: () => void }} calls `choose`
   *   shows a move; `left` follows whatever ends the list, `closed` its button */
  constructor(wasm, { choose, left, closed }) {
    this.wasm = wasm;
    this.choose = choose;
    this.left = left;
    this.closed = closed;
    this.text = '';
    /** Lists all half-moves in their order, instead of captures and promotions. */
    this.all = /** @type {HTMLInputElement} */ (make('input', { type: 'checkbox' }));
    this.all.addEventListener('change', () => this.listAll());
    /** @type {Rules} */
    this.rules = { profile: '', values: '' };
    this.asked = '';
    /** @type {Game | null} */
    this.found = null;
    /** The row that is shown. */
    this.at = -1;
    /** The position that was shown last. */
    this.fen = '';
  }

  /** Whether the shown position is one of a game. */
  get isListed() {
    return !get('game').hidden;
  }

  /** The players, as the tags name them; empty for several games. */
  get players() {
    const [white, black] = ['White', 'Black'].map(name => new RegExp(`\\[${name}\\s+"([^"\\n]*)"`).exec(this.text)?.[1]);
    return white && black && this.found?.games === 1 ? visible(`${white} – ${black}`) : '';
  }

  /** Reads a game and shows its first capture; returns what is wrong if nothing can be read.
   * @param {string} text @param {Rules} rules @param {string} fen a position that stays instead
   * @param {boolean} isInside whether this position is known to be one of the game */
  read(text, rules, fen = '', isInside = false) {
    this.text = text;
    this.fen = '';
    this.all.checked = false;
    this.ask(rules);
    // A position without a capture is in the list of all half-moves.
    if (!this.found?.rows.some(row => !fen || isSame(row.fen, fen))) {
      this.all.checked = true;
      this.ask(rules);
    }
    const { faults, rows: [row] } = /** @type {Game} */ (this.found);
    if (!row) this.leave();
    get('game').hidden = !row;
    if (!row) return faults[0] ? `The game cannot be read: ${visible(faults[0])}` : 'There is no move in this game';
    this.at = fen ? -1 : 0;
    if (fen) return this.follow(rules, fen, isInside || this.found?.rows.some(row => isSame(row.fen, fen)) || false) ? '' : 'This position is not in the game, which is left out';
    // Who shows a row also draws the list, by `follow`.
    this.choose(row);
    get('game').scrollIntoView({ block: 'nearest' });
    return '';
  }

  /** @param {Rules} rules */
  ask(rules) {
    this.rules = rules;
    this.asked = JSON.stringify(rules);
    this.found = this.wasm.json('game', { text: this.text, rules, all: this.all.checked });
  }

  /** The switch between all half-moves and captures was moved: the same move stays marked. */
  listAll() {
    this.ask(this.rules);
    this.at = this.found?.rows.findIndex(({ fen }) => fen === this.fen) ?? -1;
    this.draw();
    this.all.focus({ preventScroll: true });
    const scroll = get('game').querySelector('.scroll'), row = /** @type {HTMLElement | null} */ (scroll?.querySelector('tr.on'));
    if (scroll && row) scroll.scrollTop = row.offsetTop - scroll.clientHeight / 2;
  }

  /** Other rules or values give other figures. A position that is not of the game ends the list.
   * @param {Rules} rules @param {string} fen the position that is shown @param {boolean} isInside
   * @returns {boolean} whether a game is still listed */
  follow(rules, fen, isInside) {
    if (!this.found || !this.isListed) return false;
    if (this.asked !== JSON.stringify(rules)) this.ask(rules);
    const { rows } = this.found;
    if (!isSame(rows[this.at]?.fen, fen)) this.at = rows.findIndex(row => isSame(row.fen, fen));
    if (isInside) this.draw();
    else this.leave();
    this.fen = fen;
    return this.isListed;
  }

  draw() {
    const { found, rules: { profile } } = this;
    if (!found) return;
    const { rows, games, moves, noisy, faults } = found;
    const all = games > 1 ? `${grouped(games)} games` : this.players || 'This game';
    const first = this.all.checked ? 0 : rows.filter(({ differs, loses }) => differs || loses).length;
    const order = !first ? '.' : first === 1 ? '; the first one loses material, or the rule sets value it differently.'
      : `; the first ${grouped(first)} lose material, or the rule sets value them differently.`;
    const captures = noisy > 1 ? `${grouped(noisy)} captures and promotions` : noisy ? '1 capture or promotion' : 'no capture and no promotion';
    const head = `${all}: ${captures} in ${grouped(moves)} half-move${moves > 1 ? 's' : ''}${order}`;
    const line = (/** @type {Played} */ row, /** @type {number} */ i) => {
      const { san, see, differs, game, number } = row;
      const button = make('button', { type: 'button', 'aria-pressed': String(i === this.at), onclick: () => { this.at = i; this.choose(row); } }, `${games > 1 ? `game ${game}, ` : ''}${number} ${san}`);
      const mark = differs ? differsMark() : '';
      return make('tr', { className: i === this.at ? 'on' : '' }, make('th', { scope: 'row' }, button, mark), ...see.map((one, at) => make('td', { className: `${signClass(one)}${PROFILES[at] === profile ? ' rules' : ''}` }, signed(one))));
    };
    const table = make('table', {},
      make('thead', {}, make('tr', {}, make('th', { scope: 'col' }, 'Played'), ...PROFILES.map(name => make('th', { scope: 'col' }, name)))),
      make('tbody', {}, ...rows.slice(0, LISTED).map(line)));
    const place = get('game').querySelector('.scroll')?.scrollTop ?? 0;
    const focus = get('game').contains(document.activeElement);
    get('game').replaceChildren(
      make('p', {}, head, ' ', make('label', {}, this.all, ' All half-moves'), ' ', make('button', { type: 'button', className: 'link', onclick: () => this.close() }, 'Close the game')),
      ...faults.length ? [make('p', { className: 'error' }, `Not all was read: ${visible(faults[0])}.`)] : [],
      ...rows.length ? [make('div', { className: 'scroll', tabIndex: 0, role: 'region', 'aria-label': 'Moves of the game' }, table)] : [],
      ...rows.length > LISTED ? [make('p', { className: 'quiet' }, `These are the first ${LISTED}.`)] : [],
    );
    const scroll = get('game').querySelector('.scroll');
    if (scroll) scroll.scrollTop = place;
    if (focus) /** @type {HTMLElement | null} */ (get('game').querySelector('[aria-pressed=true]'))?.focus({ preventScroll: true });
  }

  /** Another position is shown, or none. */
  leave() {
    if (!this.isListed) return;
    if (get('game').contains(document.activeElement)) get('fen').focus({ preventScroll: true });
    get('game').hidden = true;
    this.left();
  }

  close() {
    this.leave();
    this.closed();
  }
}

/** Whether two FENs are of the same position in a game: counters and en-passant squares are written in more
 * than one way.
 * @param {string | undefined} one @param {string} other */
function isSame(one, other) {
  const [a, b] = [one ?? '', other].map(fen => fen.split(' '));
  return [0, 1, 5].every(field => a[field] === b[field]);
}
