// The keyboard.

import { get } from './dom.js';

/** @import { Explain } from './explain.js' */

/** @type {Record<string, number>} */
const ALONG = { ArrowLeft: -1, ArrowRight: 1, Home: -99, End: 99 };
/** @type {Record<string, number>} */
const ACROSS = { ArrowUp: -1, ArrowDown: 1 };

/** @param {Explain} explain */
export function listenToKeys(explain) {
  addEventListener('keydown', event => pressed(explain, event));
  const list = get('key-list', HTMLDialogElement);
  get('show-keys').addEventListener('click', () => list.showModal());
  get('close-keys').addEventListener('click', () => list.close());
}

/** @param {Explain} explain @param {KeyboardEvent} event */
function pressed({ board, editor, playing, state }, event) {
  const { key } = event, at = /** @type {HTMLElement} */ (event.target);
  const typing = at.matches('input[type=text], select, textarea');
  if (get('explain').hidden || typing || document.querySelector('dialog[open]') || event.altKey) return;
  if (event.ctrlKey || event.metaKey) {
    if (key === 'z' && !event.shiftKey) editor.undo();
    else if (key === 'y' || key.toLowerCase() === 'z') editor.redo();
    else return;
    event.preventDefault();
    return;
  }
  if (editor.isOpen && at.closest('#board-frame') && editor.key(event)) {
    event.preventDefault();
    return;
  }
  if (key === 'f') board.turn();
  if (key === '?') get('key-list', HTMLDialogElement).showModal();
  // With a list of moves, the board's keys walk it, and the other two arrows the exchange.
  const isGame = !state.tree.isBare && !!at.closest('#board-frame, #line');
  const by = ALONG[key] ?? (isGame ? ACROSS[key] : 0);
  if (!by || !at.closest('#board-frame, #exchange, #now, #line')) return;
  event.preventDefault();
  if (isGame && ALONG[key]) playing.walk(by);
  else playing.step(by);
  if (at.closest('#strip')) /** @type {HTMLElement | null} */ (document.querySelector('#strip [aria-current]'))?.focus({ preventScroll: true });
}
