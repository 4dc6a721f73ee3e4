// The board: a position to be edited, and an exchange step by step.

import { Chessground } from './vendor/chessground.min.js';
import { get, make } from './dom.js';

/** @typedef {{ color: string, from: string | null, becomes: string | null, words: string, wins: number, gain: number }} Step */
/** @typedef {{ ply: number, square: string, words: string, by: string | null, on: string | null }} Barred */
/** @typedef {{ uci: string, san: string, from: string, to: string,
 *   see: number, swap_list: number[], steps: Step[], settled: string | null, barred: Barred[],
 *   decisions: { step: number, color: string, stop: number, go_on: number, captures: boolean, value: number }[] }} Exchange */

const ROLES = /** @type {const} */ (['king', 'queen', 'rook', 'bishop', 'knight', 'pawn']);
const LETTERS = /** @type {Record<string, (typeof ROLES)[number]>} */ ({ n: 'knight', b: 'bishop', r: 'rook', q: 'queen' });

export class Board {
  /** @param {(placement: string) => void} edited */
  constructor(edited) {
    this.placement = '';
    this.ply = 0;
    const still = matchMedia('(prefers-reduced-motion: reduce)').matches;
    this.ground = Chessground(get('board'), {
      animation: { enabled: !still, duration: 180 },
      movable: { free: true, color: 'both' },
      premovable: { enabled: false },
      draggable: { deleteOnDropOff: true },
      drawable: { enabled: false, visible: true },
      highlight: { lastMove: true },
      events: {
        change: () => {
          const placement = this.ground.getFen();
          if (this.ply === 0 && placement !== this.placement) edited(placement);
        },
      },
    });
    this.fillSpare();
    get('flip').addEventListener('click', () => this.ground.toggleOrientation());
  }

  /** Pieces to be dragged onto the board. */
  fillSpare() {
    const spare = get('spare');
    spare.classList.add('cg-wrap'); // for the pieces' pictures
    for (const color of /** @type {const} */ (['white', 'black'])) {
      for (const role of ROLES) {
        const piece = make('piece', { className: `${role} ${color}` });
        const drag = (/** @type {any} */ event) => {
          event.preventDefault();
          if (this.ply === 0) this.ground.dragNewPiece({ role, color }, event, true);
        };
        piece.addEventListener('mousedown', drag);
        piece.addEventListener('touchstart', drag, { passive: false });
        spare.append(piece);
      }
    }
  }

  /** Shows a position with an exchange after so many captures.
   * @param {string} placement @param {string} turn @param {Exchange | undefined} exchange
   * @param {number} ply */
  show(placement, turn, exchange, ply) {
    this.placement = placement;
    this.ply = 1; // what follows is not an edit
    this.ground.set({
      fen: placement,
      turnColor: turn === 'white' ? 'white' : 'black',
      lastMove: undefined,
      movable: { free: ply === 0, color: ply === 0 ? 'both' : undefined },
    });
    if (exchange && ply) this.play(exchange, ply);
    this.ground.setAutoShapes(exchange ? shapes(exchange, ply) : []);
    this.ply = ply;
    get('board').setAttribute('aria-label', described(this.ground.state.pieces));
  }

  /** After the page around it has changed: drags and arrows need the board's place. */
  moved() {
    this.ground.redrawAll();
  }

  /** @param {Exchange} exchange @param {number} ply */
  play({ steps, from, to }, ply) {
    const pieces = new Map(this.ground.state.pieces);
    const mover = pieces.get(/** @type {any} */ (from));
    // En passant: the pawn that is captured stands elsewhere.
    if (mover?.role === 'pawn' && from[0] !== to[0] && !pieces.has(/** @type {any} */ (to))) {
      pieces.delete(/** @type {any} */ (to[0] + from[1]));
    }
    const own = pieces.get(/** @type {any} */ (to));
    if (mover?.role === 'king' && own?.role === 'rook' && own.color === mover.color) {
      castle(pieces, from, to);
      return this.place(pieces, from, to);
    }
    let last = from;
    for (const step of steps.slice(0, ply)) {
      if (!step.from) continue;
      const piece = pieces.get(/** @type {any} */ (step.from));
      pieces.delete(/** @type {any} */ (step.from));
      if (piece) pieces.set(/** @type {any} */ (to), step.becomes ? { ...piece, role: LETTERS[step.becomes] } : piece);
      last = step.from;
    }
    this.place(pieces, last, to);
  }

  /** @param {Map<any, any>} pieces @param {string} from @param {string} to */
  place(pieces, from, to) {
    const diff = new Map();
    for (const key of new Set([...this.ground.state.pieces.keys(), ...pieces.keys()])) {
      diff.set(key, pieces.get(key));
    }
    this.ground.setPieces(diff);
    this.ground.set({ lastMove: /** @type {any} */ ([from, to]) });
  }
}

/** A king that takes its own rook: both go to their squares.
 * @param {Map<any, any>} pieces @param {string} from @param {string} to */
function castle(pieces, from, to) {
  const [king, rook] = [pieces.get(from), pieces.get(to)];
  const files = to > from ? ['g', 'f'] : ['c', 'd'];
  pieces.delete(from);
  pieces.delete(to);
  pieces.set(files[0] + from[1], king);
  pieces.set(files[1] + from[1], rook);
}

/** The board in words, the most valuable pieces first.
 * @param {Map<string, { role: string, color: string }>} pieces */
function described(pieces) {
  const side = (/** @type {string} */ color) => ROLES.flatMap(role => [...pieces]
    .filter(([, piece]) => piece.role === role && piece.color === color)
    .map(([square]) => `${role} ${square}`)).join(', ');
  return `White: ${side('white')}. Black: ${side('black')}.`;
}

/** Arrows for the captures to come, rings around those who may not recapture now.
 * @param {Exchange} exchange @param {number} ply */
function shapes({ steps, to, barred }, ply) {
  /** @type {any[]} */
  const all = [];
  steps.slice(ply).forEach((step, i) => {
    if (step.from) all.push({ orig: step.from, dest: to, brush: i ? 'paleGrey' : 'green' });
  });
  for (const { ply: at, square, by, on } of barred) {
    if (at !== ply - 1) continue;
    all.push({ orig: square, brush: 'red' });
    if (by && on && by !== on) all.push({ orig: by, dest: on, brush: 'paleRed' });
  }
  return all;
}
