// The board: a touched piece shows its moves and is moved; in a mode of its own the board is edited.

import { Chessground } from './vendor/chessground.min.js';
import { get, make, signed } from './dom.js';

/** @import { Exchange, LegalMove, Role } from './answers.js' */
/** @import { DrawShape, Key } from './vendor/chessground.min.js' */

/** What is put on a square that is touched; nothing moves pieces.
 * @typedef {{ role: Role, color: 'white' | 'black' } | 'none' | null} Brush */

/** What the board shows: a position of its own, or what an exchange leaves of it; `turn`, `inCheck` and
 * `moves` are of what is seen.
 * @typedef {{ placement: string, turn: 'white' | 'black', inCheck?: boolean, moves: Pick<LegalMove, 'from' | 'to' | 'is_noisy' | 'see'>[],
 *   profile: number, exchange?: Exchange, ply: number, beyond: boolean, lit?: { exchange: Exchange, ply: number } | null,
 *   recaptures?: string[], refused?: Refused | null }} View */
/** A piece that cannot move, and the piece that attacks the square for which it cannot.
 * @typedef {{ from: string, by: string | null, on: string | null }} Refused */

/** Pieces, the most valuable first. */
export const ROLES = /** @type {const} */ (['king', 'queen', 'rook', 'bishop', 'knight', 'pawn']);

export class Board {
  /** @param {{ chosen: (from: string, to: string) => void, pressed: (square: string) => void,
   *   refused: (from: string, to: string) => void, edited: (placement: string) => void }} calls `chosen` is
   *   told of a legal move, `refused` of another one, `pressed` of each square that is touched */
  constructor({ chosen, pressed, refused, edited }) {
    const still = matchMedia('(prefers-reduced-motion: reduce)').matches;
    this.isEdited = false;
    /** @type {Brush} */
    this.brush = null;
    /** The square that keys edit, once they have.
     * @type {Key | ''} */
    this.cursor = '';
    /** @type {View | null} */
    this.view = null;
    /** Where the pointer went down on a piece. */
    this.pressed = '';
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
      if (!this.isEdited && this.view && event.button === 0 && !/** @type {Element} */ (event.target).closest('#promotion')) {
        const square = this.squareAt(event), { selected } = this.ground.state;
        this.pressed = square && this.pieceOn(square) ? square : '';
        if (selected && square && this.isIllegal(selected, square) && this.pieceOn(square)?.color !== this.view.turn) refused(selected, square);
        else if (square) pressed(square);
      }
      frame.focus(/** @type {FocusOptions} */ ({ preventScroll: true, focusVisible: false }));
    }, early);
    // A finger scrolls. A tap comes as a click of the mouse; only a piece that is already chosen
    // is dragged.
    frame.addEventListener('touchstart', event => {
      const square = event.touches.length === 1 && this.squareAt(event.touches[0]);
      if (this.isEdited || !square || square !== this.ground.state.selected) event.stopPropagation();
    }, { capture: true, passive: false }); // else the browser scrolls, whatever the board says
    for (const name of ['mouseup', 'touchend']) {
      // Before the board moves the piece.
      addEventListener(name, event => {
        const at = event instanceof MouseEvent ? event : /** @type {TouchEvent} */ (event).changedTouches[0];
        const from = this.pressed || (event instanceof MouseEvent ? '' : this.ground.state.selected), to = this.squareAt(at);
        this.pressed = '';
        if (from && to && to !== from && this.isIllegal(from, to)) setTimeout(() => refused(from, to));
        setTimeout(() => this.lights(), 10);
      }, early);
    }
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

  /** @param {string} from @param {string} to */
  isIllegal(from, to) {
    return !this.isEdited && !!this.view && !this.view.moves.some(move => move.from === from && move.to === to);
  }

  /** Asks on the board what a pawn becomes.
   * @param {string} square @param {'white' | 'black'} color @param {Role[]} roles
   * @returns {Promise<Role | null>} none: the move is not made after all */
  promotion(square, color, roles) {
    const isWhiteBelow = this.ground.state.orientation === 'white', isUp = (color === 'white') === isWhiteBelow;
    const file = square.charCodeAt(0) - 97;
    return new Promise(done => {
      const end = (/** @type {Role | null} */ role) => {
        shade.remove();
        done(role);
      };
      const buttons = roles.map((role, i) => {
        const button = make('button', { type: 'button', 'aria-label': role, title: role, onclick: () => end(role) }, make('piece', { className: `${role} ${color}` }));
        button.style.left = `${12.5 * (isWhiteBelow ? file : 7 - file)}%`;
        button.style[isUp ? 'top' : 'bottom'] = `${12.5 * i}%`;
        return button;
      });
      const shade = make('div', { id: 'promotion', className: 'cg-wrap', role: 'group', 'aria-label': 'The pawn becomes' }, ...buttons);
      shade.addEventListener('click', ({ target }) => { if (target === shade) end(null); });
      shade.addEventListener('keydown', event => {
        if (event.key === 'Escape') end(null);
        event.stopPropagation();
      });
      document.getElementById('promotion')?.remove();
      get('board-frame').append(shade);
      buttons[0].focus({ preventScroll: true });
    });
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
    for (const { from, to } of moves) dests.set(from, [...dests.get(from) ?? [], to]);
    this.ground.set({
      fen,
      drawable: { shapes: isSame ? this.ground.state.drawable.shapes : [] },
      turnColor: turn,
      check: inCheck,
      lastMove: step && exchange ? [step.from, exchange.to] : undefined,
      movable: { free: this.isEdited, color: this.isEdited ? this.brush ? undefined : 'both' : turn, dests },
      draggable: { deleteOnDropOff: this.isEdited },
    });
    if (!isSame) this.ground.selectSquare(null);
    this.lights();
    get('board').setAttribute('aria-label', described(this.ground.state.pieces) + (inCheck ? ' Check.' : ''));
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
    if (selected && !this.isEdited) {
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
    if (view.refused && !this.isEdited) shapes.push(...refusal(view.refused));
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

/** A ring around the piece, and a line from the piece that prevents its move.
 * @param {Refused} refused */
function refusal({ from, by, on }) {
  /** @type {DrawShape[]} */
  const shapes = [{ orig: /** @type {Key} */ (from), brush: 'red' }];
  if (by && on && by !== on) shapes.push({ orig: /** @type {Key} */ (by), dest: /** @type {Key} */ (on), brush: 'paleRed' });
  return shapes;
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
