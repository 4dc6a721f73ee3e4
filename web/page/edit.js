// The editor: what a touch puts on the board, undo, an empty board, the start.

import { get, make } from './dom.js';

/** @import { Board, Brush } from './board.js' */

const ROLES = /** @type {const} */ (['king', 'queen', 'rook', 'bishop', 'knight', 'pawn']);
const EMPTY = '8/8/8/8/8/8/8/8';

export class Editor {
  /** @param {Board} board
   * @param {{ toggled: () => void, edit: (what: { placement?: string, turn?: string }) => void, replace: (fen: string) => void }} calls */
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
  }

  /** The palette: a tool is chosen by a touch; with the mouse, a piece can also be dragged. */
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
    this.toggled();
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
