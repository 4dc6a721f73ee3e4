// The field of the position: what is typed, what is wrong with it, and notes on what was understood.

import { get, make } from './dom.js';

/** Of what is left out, so much is shown on each side. */
const SHOWN = 60;

/** A part of a text, from one place to another.
 * @typedef {[number, number]} Part */

export class Field {
  /** @param {{ typed: (text: string, isNew: boolean) => void, ended: (text: string) => void,
   *   pasted: (text: string) => void }} calls `typed` is told of each change, and whether it is the first
   *   one; `pasted` of a text that came at once */
  constructor({ typed, ended, pasted }) {
    this.input = get('fen', HTMLInputElement);
    this.mark = get('fen-mark');
    this.isWritten = false;
    this.input.addEventListener('input', event => {
      const isWhole = ['insertFromPaste', 'insertFromDrop', 'insertReplacementText'].includes(/** @type {InputEvent} */ (event).inputType);
      const isNew = !this.isWritten;
      this.isWritten = true;
      if (isWhole) pasted(this.value);
      else typed(this.value, isNew);
    });
    this.input.addEventListener('change', () => {
      this.isWritten = false;
      ended(this.value);
    });
    // The field has one line, a game has several.
    this.input.addEventListener('paste', event => {
      event.preventDefault();
      pasted(event.clipboardData?.getData('text') ?? '');
    });
    this.input.addEventListener('scroll', () => { this.mark.scrollLeft = this.input.scrollLeft; });
  }

  get value() {
    return this.input.value;
  }

  /** Another text, that nobody typed.
   * @param {string} text */
  write(text) {
    this.input.value = text;
    this.isWritten = false;
  }

  /** @param {{ fen?: string, notes?: string[], at?: Part }} what `at` is where the fault is */
  tell({ fen = '', notes = [], at }) {
    this.mark.replaceChildren();
    for (const id of ['fen-error', 'board-error']) get(id).textContent = fen && !/[.…?]$/.test(fen) ? `${fen}.` : fen;
    this.input.setAttribute('aria-invalid', String(!!fen));
    get('read-game').hidden = true;
    get('notes').replaceChildren(...[...new Set(notes)].map(note => make('li', {}, `${note}.`)));
    if (at) this.over([at], (text, isPart) => (isPart ? make('mark', {}, text) : text));
  }

  /** Draws parts of the field's text, and what is between them, over it.
   * @param {Part[]} parts @param {(text: string, isPart: boolean) => string | HTMLElement} drawn */
  over(parts, drawn) {
    this.mark.replaceChildren(...cut(this.value, parts).map(([text, isPart]) => drawn(text, isPart)));
    this.mark.scrollLeft = this.input.scrollLeft;
  }

  /** Pales what was left out of the field's text, or shows it beside the text that was used if the field
   * has another one now.
   * @param {string} text @param {Part[]} used */
  left(text, used) {
    const isTyped = text === this.value, pieces = cut(text, used);
    get('pasted').replaceChildren();
    if (!pieces.some(([part, isUsed]) => !isUsed && /[^\s\p{Cf}"'`,;|()[\]]/u.test(part))) return;
    if (isTyped) this.over(used, (part, isUsed) => (isUsed ? part : make('i', {}, part)));
    else get('pasted').append('Read: ', ...pieces.map(([part, isUsed]) => make(isUsed ? 'b' : 'i', {}, clipped(part))));
  }
}

/** A text in parts, and what is between them.
 * @param {string} text @param {Part[]} parts @returns {[string, boolean][]} */
function cut(text, parts) {
  /** @type {[string, boolean][]} */
  const pieces = [];
  let at = 0;
  for (const [start, end] of parts) {
    if (start < at || end <= start) continue;
    pieces.push([text.slice(at, start), false], [text.slice(start, end), true]);
    at = end;
  }
  return [...pieces, /** @type {[string, boolean]} */ ([text.slice(at), false])].filter(([part]) => part);
}

/** The beginning and the end of a long part, on one line.
 * @param {string} part */
function clipped(part) {
  const line = part.replace(/\s+/g, ' ');
  return line.length > 2 * SHOWN + 1 ? `${line.slice(0, SHOWN)} … ${line.slice(-SHOWN)}` : line;
}
