// The address, and the way back: what is new gets an entry in the browser's history.

import { get } from './dom.js';

/** Browsers refuse to write the address too often; then it is written when typing rests. */
const REST_MS = 500;

/** What is kept with an entry: its depth, whether it was played on from the one before, which game of a
 * pasted text it is of, and all of a link that is too long for an address.
 * @typedef {{ depth: number, isPlayed: boolean, game: number, whole?: string }} Entry */

export class Trail {
  constructor() {
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
