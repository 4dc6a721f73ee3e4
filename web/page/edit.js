// The editor: what a touch puts on the board, undo, an empty board, the start.

import { ROLES } from './board.js';
import { ROLES as LETTERS } from './cards.js';
import { fill, get, make } from './dom.js';

/** @import { Explained } from './answers.js' */
/** @import { Board, Brush } from './board.js' */

/** Castling on the king's and the queen's side, White's first. */
const CASTLING = ['White O-O', 'White O-O-O', 'Black O-O', 'Black O-O-O'];
/** @type {Record<string, [number, number]>} */
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };

const EMPTY = '8/8/8/8/8/8/8/8';

/** A change of a position; a castling right by its place in `CASTLING`, an en-passant square, or none.
 * @typedef {{ placement?: string, turn?: string, castle?: number, has?: boolean, passing?: string }} Edit */

export class Editor {
  /** @param {Board} board
   * @param {{ toggled: (isOpen: boolean) => void, edit: (what: Edit) => void, replace: (fen: string) => void }} calls */
  constructor(board, { toggled, edit, replace }) {
    this.board = board;
    this.toggled = toggled;
    this.isOpen = false;
    /** @type {[HTMLElement, Brush][]} */
    this.tools = [];
    this.fill();
    get('pencil').addEventListener('click', () => this.open(!this.isOpen));
    get('edit-done').addEventListener('click', () => this.open(false));
    get('clear').addEventListener('click', () => edit({ placement: EMPTY }));
    get('start').addEventListener('click', () => replace('startpos'));
    get('undo').addEventListener('click', () => this.undo());
    get('redo').addEventListener('click', () => this.redo());
    for (const radio of document.querySelectorAll('input[name=turn]')) {
      radio.addEventListener('change', () => edit({ turn: /** @type {HTMLInputElement} */ (radio).value }));
    }
    /** @type {HTMLInputElement[]} */
    this.rights = CASTLING.map((name, castle) => {
      const input = /** @type {HTMLInputElement} */ (make('input', { type: 'checkbox' }));
      input.addEventListener('change', () => edit({ castle, has: input.checked }));
      get('castling').append(make('label', {}, input, ` ${name}`));
      return input;
    });
    this.passing = get('passing', HTMLSelectElement);
    this.passing.addEventListener('change', () => edit({ passing: this.passing.value }));
  }

  /** The castling rights and the en-passant square of a position; without one there is no choice.
   * @param {Pick<Explained, 'castles' | 'passing'> | null} found */
  show(found) {
    this.rights.forEach((input, i) => {
      const has = found?.castles[i] ?? null;
      input.disabled = has === null;
      input.checked = has === true;
    });
    const { at = null, can = [] } = found?.passing ?? {};
    fill(this.passing, [['', 'none'], ...new Set([...can, ...(at ? [at] : [])])]);
    this.passing.value = at ?? '';
    this.passing.disabled = !found || !at && !can.length;
  }

  /** A key on the board that is edited: arrows choose a square, letters put pieces on it, as in a FEN.
   * @param {KeyboardEvent} event @returns {boolean} whether it did something */
  key({ key }) {
    const { board } = this, arrow = ARROWS[key];
    const role = key.length === 1 ? LETTERS[key.toLowerCase()] : undefined;
    const isRemoved = key === 'Delete' || key === 'Backspace', isTool = key === 'Enter' || key === ' ';
    if (!arrow && !role && !isRemoved && !isTool) return false;
    const square = arrow ? board.moveCursor(...arrow) : board.cursor || board.moveCursor(0, 0);
    if (role) board.put(square, { role, color: key < 'a' ? 'white' : 'black' });
    else if (isRemoved || isTool && board.brush === 'none') board.put(square, undefined);
    else if (isTool && board.brush && board.brush !== 'none') board.put(square, board.brush);
    const piece = board.pieceOn(square);
    get('cursor-said').textContent = `${square}: ${piece ? `${piece.color} ${piece.role}` : 'empty'}`;
    return true;
  }

  /** The palette: a tool is chosen by a click; with the mouse, a piece can also be dragged. */
  fill() {
    const tool = (/** @type {string} */ name, /** @type {Brush} */ brush, /** @type {(Node | string)[]} */ ...content) => {
      const button = make('button', { type: 'button', 'aria-label': name, title: name, 'aria-pressed': 'false' }, ...content);
      button.addEventListener('click', () => this.take(brush));
      this.tools.push([button, brush]);
      return button;
    };
    const piece = (/** @type {'white' | 'black'} */ color, /** @type {typeof ROLES[number]} */ role) => {
      const button = tool(`Put a ${color} ${role}`, { role, color }, make('piece', { className: `${role} ${color}` }));
      button.addEventListener('mousedown', event => {
        if (event.button === 0) this.board.ground.dragNewPiece({ role, color }, event, true);
      });
      return button;
    };
    const spare = get('spare');
    spare.classList.add('cg-wrap'); // for the pieces' pictures
    spare.append(
      ...ROLES.map(role => piece('white', role)), tool('Move pieces', null, '✥'),
      ...ROLES.map(role => piece('black', role)), tool('Remove pieces', 'none', '✕'),
    );
  }

  /** @param {boolean} isOpen */
  open(isOpen) {
    this.isOpen = isOpen;
    get('pencil').setAttribute('aria-pressed', String(isOpen));
    get('editor').hidden = !isOpen;
    this.take(null);
    this.toggled(isOpen);
  }

  /** @param {Brush} brush */
  take(brush) {
    for (const [button, one] of this.tools) button.setAttribute('aria-pressed', String(one === brush));
    this.board.edit(this.isOpen, brush);
  }

  /** Back to the position before the last change, if it was made here. */
  undo() {
    if (history.state?.depth) history.back();
  }

  /** What is ahead may be another page. */
  redo() {
    if (!get('redo', HTMLButtonElement).disabled) history.forward();
  }
}
