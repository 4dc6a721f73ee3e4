// The list of the moves that were played, with variations: clicked, or walked by keys.

import { get, make } from './dom.js';
import { numbered } from './tree.js';

/** @import { Tree } from './tree.js' */

export class MoveList {
  /** @param {{ show: (node: number) => void, walk: (by: number) => void }} calls `show` is told of a move,
   *   `walk` how many moves on */
  constructor({ show, walk }) {
    this.place = get('line-moves');
    /** What is drawn: a game, and how many moves it had. */
    this.drawn = { tree: /** @type {Tree | null} */ (null), moves: 0 };
    this.place.addEventListener('click', ({ target }) => {
      const button = /** @type {Element} */ (target).closest('button');
      if (button) show(Number(button.dataset.node));
    });
    get('line-back').addEventListener('click', () => walk(-1));
    get('line-on').addEventListener('click', () => walk(1));
  }

  /** @param {Tree} tree @param {number} at the move that is shown */
  show(tree, at) {
    get('line').hidden = tree.isBare;
    if (tree.isBare) return;
    if (this.drawn.tree !== tree || this.drawn.moves !== tree.nodes.length) this.draw(tree);
    this.drawn = { tree, moves: tree.nodes.length };
    const hasFocus = this.place.contains(document.activeElement);
    for (const one of this.place.querySelectorAll('[aria-current]')) {
      one.removeAttribute('aria-current');
      /** @type {HTMLElement} */ (one).tabIndex = -1;
    }
    const current = /** @type {HTMLElement | null} */ (this.place.querySelector(`[data-node="${at}"]`));
    current?.setAttribute('aria-current', 'step');
    // One of them is reached by Tab, the others by arrows.
    const reached = current ?? /** @type {HTMLElement} */ (this.place.querySelector('button'));
    reached.tabIndex = 0;
    if (hasFocus) reached.focus({ preventScroll: true });
    get('line-back', HTMLButtonElement).disabled = at === 0;
    get('line-on', HTMLButtonElement).disabled = !tree.nodes[at].children.length;
    this.scroll(at ? reached : null);
  }

  /** The list scrolls, and never the page: by whole rows, so that none is cut where few have room.
   * @param {HTMLElement | null} move to be in the middle; the beginning without */
  scroll(move) {
    if (!move) return this.place.scrollTo(0, 0);
    const row = parseFloat(getComputedStyle(this.place).lineHeight);
    const [inner, outer] = [move, this.place].map(one => one.getBoundingClientRect());
    const top = this.place.scrollTop + inner.top + inner.height / 2 - outer.top - outer.height / 2;
    this.place.scrollTo(0, row * Math.round(top / row));
  }

  /** @param {Tree} tree */
  draw(tree) {
    /** @type {HTMLElement[]} */
    const places = [make('span')];
    tree.walk({
      move: (node, isStart) => {
        const button = make('button', { type: 'button', tabIndex: -1, 'data-node': node }, tree.nodes[node].san);
        places[places.length - 1].append(make('span', { className: 'move' }, numbered(tree, node, isStart), button), ' ');
      },
      open: () => {
        const side = make('span', { className: 'side' }, '(');
        places[places.length - 1].append(side);
        places.push(side);
      },
      close: () => places.pop()?.append(') '),
    });
    this.place.replaceChildren(places[0]);
  }
}
