// Small helpers for the document.

import { unloaded } from './wasm.js';

/** @template {HTMLElement} T
 * @param {string} id @param {new () => T} [type] @returns {T} */
export function get(id, type) {
  const found = document.getElementById(id);
  if (!found || type && !(found instanceof type)) throw new Error(`the page lacks ${id}`);
  return /** @type {T} */ (found);
}

/** @param {string} tag @param {Record<string, any>} [properties]
 * @param {...(Node | string)} content */
export function make(tag, properties = {}, ...content) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name in element) /** @type {any} */ (element)[name] = value;
    else element.setAttribute(name, value);
  }
  element.append(...content);
  return element;
}

/** @param {HTMLSelectElement} select @param {(string | [string, string])[]} choices */
export function fill(select, choices) {
  select.replaceChildren(...choices.map(choice => {
    const [value, text] = typeof choice === 'string' ? [choice, choice] : choice;
    return make('option', { value }, text);
  }));
}

/** Whether a file is rather to be looked at than to be filtered: a game or a position, and not very many.
 * @param {File} file */
export function isForBoard({ name, size }) {
  return /\.(pgn|fen|epd)$/i.test(name) && size < 1 << 20;
}

/** Why a worker failed: an error in it has a message, a file that did not come has none.
 * @param {ErrorEvent} event @param {string} name */
export function failure({ message }, name) {
  return message || unloaded(name);
}

/** Copies text and says so. Only what is printed: a terminal obeys control characters.
 * @param {string} words @param {HTMLElement} status */
export async function copy(words, status, said = 'Copied.') {
  const text = words.replace(/[^\P{C}\n]/gu, '');
  try {
    await navigator.clipboard.writeText(text);
    status.textContent = said;
  } catch {
    // Without https there is no clipboard: the text is shown to be copied by hand.
    const box = make('textarea', { value: text, readOnly: true });
    document.body.append(box);
    /** @type {HTMLTextAreaElement} */ (box).select();
    const done = document.execCommand('copy');
    box.remove();
    status.textContent = done ? said : 'This browser does not let the page copy.';
  }
  setTimeout(() => { status.textContent = ''; }, 4000);
}

/** What others have named, for a sentence: nothing in it is unseen, or turns what stands beside it.
 * @param {string} text */
export function visible(text) {
  return text.replace(/\p{C}/gu, '�');
}

/** Its start, if it is long.
 * @param {string} text */
export function clipped(text) {
  return visible(text.length > 20 ? `${text.slice(0, 20)}…` : text);
}

/** A word of a command, quoted if a shell would read more into it.
 * @param {string} text */
export function quoted(text) {
  if (/^[\w.,=+/-]+$/.test(text)) return text;
  // Windows' shell knows double quotes only.
  return /["$`\\!\n]/.test(text) ? `'${text.replaceAll("'", "'\\''")}'` : `"${text}"`;
}

/** The sign of a row in which the rule sets differ. */
export function differsMark() {
  return make('span', { className: 'differs', role: 'img', 'aria-label': ', the rule sets differ', title: 'the rule sets differ' }, ' ≠');
}

/** @param {number} number */
export function grouped(number) {
  return number.toLocaleString('en-US');
}

/** A number with its sign, as chess players write it.
 * @param {number} number */
export function signed(number) {
  return number > 0 ? `+${number}` : String(number).replace('-', '−');
}

/** @param {number} number */
export function signClass(number) {
  return number > 0 ? 'plus' : number < 0 ? 'minus' : '';
}
