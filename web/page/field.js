// The field of the position: what is typed, what is wrong with it, and notes on what was understood.

import { get, make } from './dom.js';

export class Field {
  /** @param {{ typed: (text: string, isWhole: boolean, isNew: boolean) => void, ended: (text: string) => void,
   *   pasted: (text: string) => boolean }} calls `typed` is told of each change, and whether the text came
   *   at once and whether it is the first change; `pasted` returns whether it took the text */
  constructor({ typed, ended, pasted }) {
    this.input = get('fen', HTMLInputElement);
    this.mark = get('fen-mark');
    this.isWritten = false;
    this.input.addEventListener('input', event => {
      const isWhole = ['insertFromPaste', 'insertFromDrop', 'insertReplacementText'].includes(/** @type {InputEvent} */ (event).inputType);
      const isNew = !this.isWritten;
      this.isWritten = true;
      // What is not seen comes with what is copied.
      typed(this.input.value.replace(/\p{Cf}/gu, ''), isWhole, isNew);
    });
    this.input.addEventListener('change', () => {
      this.isWritten = false;
      ended(this.input.value);
    });
    // The field has one line, a game has several.
    this.input.addEventListener('paste', event => {
      if (pasted(event.clipboardData?.getData('text') ?? '')) event.preventDefault();
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

  /** @param {{ fen?: string, notes?: string[], at?: [string, string] }} what `at` is what is before the
   *   fault, and the fault */
  tell({ fen = '', notes = [], at }) {
    this.mark.replaceChildren();
    for (const id of ['fen-error', 'board-error']) get(id).textContent = fen && !/[.…?]$/.test(fen) ? `${fen}.` : fen;
    this.input.setAttribute('aria-invalid', String(!!fen));
    get('read-game').hidden = true;
    get('notes').replaceChildren(...notes.map(note => make('li', {}, `${note}.`)));
    if (at) this.underline(at);
  }

  /** @param {[string, string]} at */
  underline([before, fault]) {
    const text = this.input.value, start = text.replaceAll('_', ' ').indexOf(before + fault) + before.length;
    if (!fault || start < before.length) return;
    const end = start + fault.length;
    this.mark.replaceChildren(text.slice(0, start), make('mark', {}, text.slice(start, end)), text.slice(end));
    this.mark.scrollLeft = this.input.scrollLeft;
  }
}
