// The address, and the way back: what is new gets an entry in the browser's history.

import { LONGEST, written } from './address.js';
import { get } from './dom.js';

/** @import { Shown } from './address.js' */
/** @import { Explain } from './explain.js' */

/** Browsers refuse to write the address too often; then it is written when typing rests. */
const REST_MS = 500;

/** What is kept with an entry: its depth, whether it was played on from the one before, which game of a
 * pasted text it is of, and all of a link that is too long for an address.
 * @typedef {{ depth: number, isPlayed: boolean, game: number, whole?: string }} Entry */

export class Trail {
  /** @param {Explain} explain */
  constructor(explain) {
    this.explain = explain;
    this.timer = 0;
    /** The depth of the last change: up to it, what was undone can be done again. */
    this.reach = 0;
    addEventListener('popstate', () => clearTimeout(this.timer));
  }

  /** The entry that is shown.
   * @returns {Partial<Entry>} */
  get entry() {
    return history.state ?? {};
  }

  /** What the address says, or more than it has room for. */
  get hash() {
    return this.entry.whole ?? location.hash;
  }

  /** The position with its move alone.
   * @returns {Shown} */
  get shown() {
    const { move, rules, values, at_least, ply } = this.explain.state;
    // What is being written may be anything.
    return { fen: this.explain.fen.slice(0, 500), move, rules, values, at_least, step: ply };
  }

  /** All that is shown.
   * @returns {Shown} */
  get whole() {
    const { tree, node, ply } = this.explain.state;
    if (tree.isBare) return this.shown;
    const { text, numbers } = tree.packed(), at = this.explain.reached;
    const isWalked = at > 0 && tree.nodes[at].parent === node && ply === 1;
    const number = numbers[isWalked ? at : node];
    const game = tree.text && this.explain.reading.game?.isListed ? this.explain.reading.game.players || '-' : undefined;
    const shown = { ...this.shown, fen: tree.nodes[0].fen, line: text, game };
    return isWalked ? { ...shown, move: '', step: undefined, at: number === numbers.length - 1 ? undefined : number } : { ...shown, at: number };
  }

  get link() {
    const whole = written(this.whole);
    return whole.length <= LONGEST ? whole : written(this.shown);
  }

  get copiedWords() {
    if (written(this.whole).length > LONGEST) return 'Copied: this position alone. The game is too long for a link.';
    const { games = 1 } = this.explain.reading.game?.isListed && this.explain.reading.game.found || {};
    return games > 1 ? 'Copied: this game alone. All games are too long for a link.' : 'Copied.';
  }

  /** @param {boolean} [isNew] */
  address(isNew = false) {
    const { link } = this, { isPlayed, tree } = this.explain.state, whole = written(this.whole);
    get('to-explain', HTMLAnchorElement).href = link;
    // What is seen on the board, or the position at hand where no game could stand so.
    const { fen = this.explain.fen } = this.explain.stage.standing(this.explain.state.ply) ?? {};
    get('to-lichess', HTMLAnchorElement).href = `https://lichess.org/analysis/standard/${encodeURI(fen.replaceAll(' ', '_'))}`;
    this.write(link, { isPlayed, game: this.explain.reading.game?.isListed ? tree.game : 0, ...(whole === link ? {} : { whole }) }, isNew);
  }

  /** @param {string} link @param {Omit<Entry, 'depth'>} about @param {boolean} isNew whether it gets an
   *   entry of its own, to go back from */
  write(link, about, isNew) {
    if (get('explain').hidden) return;
    const depth = this.entry.depth ?? 0;
    clearTimeout(this.timer);
    try {
      // Without a question that was asked for a position, too.
      const address = location.pathname + link;
      if (isNew && new URL(about.whole ?? link, location.href).hash !== this.hash) history.pushState({ ...about, depth: this.reach = depth + 1 }, '', address);
      else history.replaceState({ ...about, isPlayed: !!this.entry.isPlayed, depth }, '', address);
    } catch {
      // Refused, as after very many: once more when they rest.
      this.timer = setTimeout(() => this.write(link, about, false), REST_MS);
    }
    get('return').hidden = !this.entry.isPlayed;
    able('undo', !!this.entry.depth);
    able('redo', (this.entry.depth ?? 0) < this.reach);
  }
}

/** Keys go to the board where a button with the focus has nothing left to do.
 * @param {string} id @param {boolean} isAble */
export function able(id, isAble) {
  const button = get(id, HTMLButtonElement);
  if (!isAble && document.activeElement === button) get('board-frame').focus({ preventScroll: true });
  button.disabled = !isAble;
}
