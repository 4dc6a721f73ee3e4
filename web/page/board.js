// The board: moves are shown by touching pieces, and in a mode of its own it is edited.

import { Chessground } from './vendor/chessground.min.js';
import { get, signed } from './dom.js';

/** @import { Exchange, LegalMove, Role } from './answers.js' */
/** @import { DrawShape, Key } from './vendor/chessground.min.js' */

/** What is put on a square that is touched; nothing moves pieces.
 * @typedef {{ role: Role, color: 'white' | 'black' } | 'none' | null} Brush */

/** @typedef {{ placement: string, turn: 'white' | 'black', inCheck?: boolean, moves: LegalMove[], profile: number,
 *   exchange?: Exchange, ply: number, beyond: boolean, lit?: { exchange: Exchange, ply: number } | null,
 *   recaptures?: string[] }} View */

/** Pieces, the most valuable first. */
export const ROLES = /** @type {const} */ (['king', 'queen', 'rook', 'bishop', 'knight', 'pawn']);

export class Board {
  /** `replied` is told of each square that is touched; it returns true if it has answered instead of
   * the board.
   * @param {{ chosen: (from: string, to: string) => void, rewind: () => void, replied: (from: string) => boolean,
   *   edited: (placement: string) => void }} calls */
  constructor({ chosen, rewind, replied, edited }) {
    const still = matchMedia('(prefers-reduced-motion: reduce)').matches;
    this.isEdited = false;
    /** @type {Brush} */
    this.brush = null;
    /** The square that keys edit, once they have.
     * @type {Key | ''} */
    this.cursor = '';
    /** @type {View | null} */
    this.view = null;
    this.edited = edited;
    this.ground = Chessground(get('board'), {
      fen: '8/8/8/8/8/8/8/8', // so that pieces of the first position do not come from others
      animation: { enabled: !still, duration: 180 },
      autoCastle: false,
      movable: { free: false, showDests: false, events: { after: (/** @type {string} */ from, /** @type {string} */ to) => { if (!this.isEdited) chosen(from, to); } } },
      premovable: { enabled: false },
      drawable: { enabled: true },
      highlight: { lastMove: true },
      events: {
        select: key => this.touched(key),
        change: () => this.changed(),
      },
    });
    const frame = get('board-frame');
    // Before the board sees them.
    const early = { capture: true };
    frame.addEventListener('mousedown', event => {
      // The right button draws on what is shown.
      if (!this.isEdited && this.view && event.button === 0) {
        const isBetween = this.view.ply > 0, square = this.squareAt(event);
        if (square && replied(square)) event.stopPropagation();
        else if (isBetween) rewind();
      }
      frame.focus(/** @type {FocusOptions} */ ({ preventScroll: true, focusVisible: false }));
    }, early);
    // A finger scrolls. A tap comes as a click of the mouse; only a piece that is already chosen
    // is dragged.
    frame.addEventListener('touchstart', event => {
      const square = event.touches.length === 1 && this.squareAt(event.touches[0]);
      if (this.isEdited || !square || square !== this.ground.state.selected) event.stopPropagation();
    }, { capture: true, passive: false }); // else the browser scrolls, whatever the board says
    for (const name of ['mouseup', 'touchend']) addEventListener(name, () => setTimeout(() => this.lights(), 10));
    get('flip').addEventListener('click', () => this.turn());
  }

  turn() {
    this.ground.toggleOrientation();
  }

  /** After the page around it has changed: drags and arrows need the board's place. */
  moved() {
    this.ground.redrawAll();
  }

  /** Hidden before the next frame, arrows that it draws then have no place. */
  left() {
    this.ground.setAutoShapes([]);
  }

  /** Hidden, it had no size. */
  appeared() {
    this.moved();
    if (this.view) this.show(this.view);
  }

  /** What stands on a square of the board that is shown.
   * @param {string} square */
  pieceOn(square) {
    return this.ground.state.pieces.get(/** @type {Key} */ (square));
  }

  /** @param {{ clientX: number, clientY: number }} point */
  squareAt({ clientX, clientY }) {
    return this.ground.getKeyAtDomPos([clientX, clientY]);
  }

  /** Shows a position, or what an exchange leaves of it.
   * @param {View} view */
  show(view) {
    this.view = view;
    // A hidden board has no place for pieces and arrows; `appeared` shows them.
    if (!get('board').offsetWidth) return;
    const { placement, turn, inCheck = false, moves, exchange, ply } = view;
    const step = exchange?.steps[ply - 1];
    const fen = step?.placement ?? placement, isSame = fen === this.ground.getFen();
    /** @type {Map<Key, Key[]>} */
    const dests = new Map();
    for (const { from, to } of ply ? [] : moves) dests.set(from, [...dests.get(from) ?? [], to]);
    this.ground.set({
      fen,
      drawable: { shapes: isSame ? this.ground.state.drawable.shapes : [] },
      turnColor: turn,
      check: inCheck && !ply,
      lastMove: step && exchange ? [step.from, exchange.to] : undefined,
      movable: { free: this.isEdited, color: this.isEdited ? this.brush ? undefined : 'both' : turn, dests },
      draggable: { deleteOnDropOff: this.isEdited },
    });
    if (ply || !isSame) this.ground.selectSquare(null);
    this.lights();
    get('board').setAttribute('aria-label', described(this.ground.state.pieces) + (inCheck && !ply ? ' Check.' : ''));
  }

  /** @param {boolean} isEdited @param {Brush} brush */
  edit(isEdited, brush) {
    this.isEdited = isEdited;
    this.brush = brush;
    if (!isEdited) this.cursor = '';
    this.ground.selectSquare(null);
    if (this.view) this.show(this.view);
  }

  /** @param {Key} key */
  touched(key) {
    if (this.isEdited && this.brush) {
      const pieces = new Map(this.ground.state.pieces);
      const { brush } = this;
      const before = pieces.get(key);
      const isSame = brush !== 'none' && before?.role === brush.role && before.color === brush.color;
      this.ground.setPieces(new Map([[key, isSame || brush === 'none' ? undefined : brush]]));
      this.changed();
    }
    this.lights();
  }

  /** Puts a piece on a square, or nothing.
   * @param {Key} key @param {{ role: Role, color: 'white' | 'black' } | undefined} piece */
  put(key, piece) {
    this.ground.setPieces(new Map([[key, piece]]));
    this.changed();
    this.lights();
  }

  /** Moves the square that keys edit, as it is seen.
   * @param {number} right @param {number} up @returns {Key} */
  moveCursor(right, up) {
    const sign = this.ground.state.orientation === 'white' ? 1 : -1;
    const before = this.cursor || (sign > 0 ? 'a1' : 'h8');
    const at = [before.charCodeAt(0) - 97, Number(before[1]) - 1];
    const [file, rank] = this.cursor ? [at[0] + sign * right, at[1] + sign * up] : at;
    const within = (/** @type {number} */ n) => Math.max(0, Math.min(7, n));
    const square = /** @type {Key} */ ('abcdefgh'[within(file)] + (within(rank) + 1));
    this.cursor = square;
    this.lights();
    return square;
  }

  changed() {
    const placement = this.ground.getFen();
    if (this.isEdited && placement !== this.view?.placement) this.edited(placement);
  }

  /** Lights the squares of the chosen piece's moves, and arrows without one. */
  lights() {
    const { view } = this;
    if (!view || !get('board').offsetWidth) return;
    /** @type {Map<Key, string>} */
    const squares = new Map();
    /** @type {DrawShape[]} */
    let shapes = [];
    const { selected } = this.ground.state;
    if (this.isEdited && this.cursor) squares.set(this.cursor, 'cursor');
    if (selected && !this.isEdited && !view.ply) {
      // The best of several promotions comes first.
      for (const { from, to, is_noisy, see } of [...view.moves].reverse()) {
        if (from !== selected) continue;
        const value = see[view.profile];
        const sign = value > 0 ? 'good' : value < 0 ? 'bad' : 'even';
        squares.set(to, `${sign} ${is_noisy ? 'noisy' : 'calm'}`);
        shapes = shapes.filter(({ orig }) => orig !== to);
        if (is_noisy || value) shapes.push(label(to, value, sign, is_noisy));
      }
    } else if (view.lit) {
      shapes = lit(view.lit.exchange, view.lit.ply);
    } else if (view.exchange && !this.isEdited) {
      shapes = arrows(view.exchange, view.ply, view.beyond);
      for (const square of view.recaptures ?? []) squares.set(/** @type {Key} */ (square), 'recaptures');
    }
    this.ground.set({ highlight: { custom: squares }, drawable: { autoShapes: shapes } });
  }
}

/** A value on a square.
 * @param {Key} orig @param {number} value @param {string} sign @param {boolean} isNoisy */
function label(orig, value, sign, isNoisy) {
  const text = signed(value);
  const width = 16 + (isNoisy ? 17 : 14) * text.length;
  const size = isNoisy ? 26 : 20;
  const html = `<g class="value ${sign}${isNoisy ? '' : ' calm'}"><rect x="${50 - width / 2}" y="62" width="${width}" height="34" rx="8"/><text x="50" y="87" font-size="${size}" text-anchor="middle">${text}</text></g>`;
  return { orig, customSvg: { html } };
}

/** The board in words, the most valuable pieces first.
 * @param {Map<string, { role: string, color: string }>} pieces */
function described(pieces) {
  const side = (/** @type {string} */ color) => ROLES.flatMap(role => [...pieces]
    .filter(([, piece]) => piece.role === role && piece.color === color)
    .map(([square]) => `${role} ${square}`)).join(', ');
  return `White: ${side('white') || 'nothing'}. Black: ${side('black') || 'nothing'}.`;
}

/** Arrows for the captures that are played, rings around those who may not capture now.
 * @param {Exchange} exchange @param {number} ply @param {boolean} beyond */
function arrows({ steps, to, played, barred }, ply, beyond) {
  const coming = steps.slice(ply, beyond ? steps.length : played);
  return [
    ...coming.map(({ from }, i) => ({ orig: from, dest: to, brush: i ? 'paleGrey' : 'green' })),
    ...rings({ barred }, ply),
  ];
}

/** One capture, and those that may not be in its place.
 * @param {Exchange} exchange @param {number} ply */
function lit(exchange, ply) {
  const step = exchange.steps[ply - 1];
  return [...rings(exchange, ply - 1), { orig: step.from, dest: exchange.to, brush: 'blue' }, { orig: step.from, brush: 'blue' }];
}

/** @param {Pick<Exchange, 'barred'>} exchange @param {number} step */
function rings({ barred }, step) {
  return barred.filter(one => one.step === step).flatMap(({ square, by, on }) => [
    { orig: square, brush: 'red' },
    ...(by && on && by.square !== on ? [{ orig: by.square, dest: on, brush: 'paleRed' }] : []),
  ]);
}
