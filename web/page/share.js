// What is shown, to be shared: a picture of board, strip and sentence, the link, words for a chat.

import { PROFILES, written } from './address.js';
import { arrow, classOf, pieces, place, ROLES } from './cards.js';
import { copy, get, signed } from './dom.js';
import { EXAMPLES, pageOf } from './examples.js';
import { address, begun, HEIGHT, INK, MARGIN, saving, SOFT, WIDTH } from './picture.js';
import { inShort, lanes, sentence, sideAt, sideName } from './words.js';

/** @import { Shown } from './address.js' */
/** @import { Exchange, Explained } from './answers.js' */
/** @import { Lane } from './words.js' */

const BOARD = 510, SQUARE = BOARD / 8, LIGHT = '#f0d9b5', DARK = '#b58863';
const GREEN = '#1c6b34', RED = '#a3262a', ARROW = '#15781bcc';
const RIGHT = MARGIN + BOARD + 45, MOST = WIDTH - RIGHT - 40;
/** How wide the names of rule sets are. */
const NAMED = 70;

/** What is shared now. */
let shared = { text: '', url: '' };
let isReady = false;

/** Opens the dialog.
 * @param {Shown} shown the position @param {string} link to all that is shown @param {Explained} found */
export async function share(shown, link, found) {
  const dialog = get('sharing', HTMLDialogElement), canvas = get('picture', HTMLCanvasElement);
  const pawn = found.values[0];
  const text = inShort(found.exchanges, PROFILES, pawn);
  const position = written({ ...shown, step: 0, move: found.chosen ?? '' });
  // An example has a page of its own, whose preview shows it.
  const example = link.includes('line=') ? -1 : EXAMPLES.findIndex(one => written(one.shown) === position);
  shared = { text, url: new URL(example < 0 ? location.pathname + link : pageOf(example), location.href).href };
  canvas.setAttribute('aria-label', text);
  get('share-words').textContent = text;
  get('share-copied').textContent = '';
  if (!isReady) listen(dialog, canvas);
  isReady = true;
  dialog.showModal();
  await picture(canvas, found, shown.rules);
  canvas.dataset.drawn = found.full_fen;
}


/** @param {HTMLDialogElement} dialog @param {HTMLCanvasElement} canvas */
function listen(dialog, canvas) {
  const status = get('share-copied');
  get('close-sharing').addEventListener('click', () => dialog.close());
  get('share-link').addEventListener('click', () => copy(shared.url, status));
  get('share-chat').addEventListener('click', () => copy(`${shared.text}\n${shared.url}`, status));
  saving('picture', canvas, 'swaplist.png', status, () => shared);
}

/** Board, strip, sentence and the page's address.
 * @param {HTMLCanvasElement} canvas @param {Explained} found @param {string} rules
 * @param {string} [where] the address, unless it is this page's */
export async function picture(canvas, found, rules, where = address()) {
  const { draw, text, wrapped } = begun(canvas);
  const exchange = found.exchanges[PROFILES.indexOf(rules)], pawn = found.values[0];
  await board(draw, found, exchange);
  text(`${sideName(found.turn)} to move`, MARGIN, MARGIN + BOARD + 36, 24, SOFT);
  const isOfAll = found.exchanges.every(({ see }) => see === exchange.see);
  const words = sentence(exchange, pawn, rules);
  let y = wrapped(isOfAll ? words : `Under ${rules}, ${words}`, RIGHT, MARGIN + 30, words.length > 110 ? 26 : 30, MOST, INK, 600) + 14;
  const all = lanes(found.exchanges, PROFILES);
  const tall = Math.min(190, (HEIGHT - MARGIN - 40 - y) / all.length);
  for (const lane of all) {
    await strip(draw, text, lane, all.length > 1, y, tall);
    y += tall;
  }
  text(where || 'swaplist', RIGHT, HEIGHT - 34, 24, SOFT, 600, MOST);
}

/** @param {CanvasRenderingContext2D} draw @param {Explained} found @param {Exchange} exchange */
async function board(draw, found, exchange) {
  const isTurned = found.turn === 'black';
  const pixels = (/** @type {number[]} */ squares) => squares.map(at => MARGIN + SQUARE * at);
  for (let rank = 8; rank >= 1; rank--) {
    for (const file of 'abcdefgh') {
      draw.fillStyle = (file.charCodeAt(0) + rank) % 2 ? LIGHT : DARK;
      const [x, y] = pixels(place(file + rank, isTurned));
      draw.fillRect(x, y, SQUARE + 1, SQUARE + 1);
    }
  }
  for (const [letter, square] of pieces(found.placement)) {
    const [x, y] = pixels(place(square, isTurned));
    draw.drawImage(await piece(letter), x, y, SQUARE, SQUARE);
  }
  draw.fillStyle = ARROW;
  draw.beginPath();
  for (const corner of arrow(exchange.steps[0].from, exchange.to, isTurned)) {
    const [x, y] = pixels(corner);
    draw.lineTo(x, y);
  }
  draw.fill();
}

/** @type {Map<string, Promise<HTMLImageElement>>} */
const pictures = new Map();

/** A piece's picture, from the board's style.
 * @param {string} letter */
function piece(letter) {
  const found = pictures.get(letter) ?? (async () => {
    const frame = document.createElement('div'), one = document.createElement('piece');
    frame.className = 'cg-wrap hidden';
    one.className = classOf(letter);
    frame.append(one);
    document.body.append(frame);
    const [, source = ''] = /url\("?(.*?)"?\)/.exec(getComputedStyle(one).backgroundImage) ?? [];
    frame.remove();
    const image = new Image(90, 90);
    image.src = source;
    await image.decode();
    return image;
  })();
  pictures.set(letter, found);
  return found;
}

/** The captures of a lane, with the balance after each, to where it stops.
 * @param {CanvasRenderingContext2D} draw @param {ReturnType<typeof begun>['text']} text @param {Lane} lane
 * @param {boolean} isNamed @param {number} y @param {number} tall */
async function strip(draw, text, { rules, exchange }, isNamed, y, tall) {
  const { steps, played, see, stop } = exchange;
  const left = RIGHT + (isNamed ? NAMED : 0);
  if (isNamed) rules.forEach((rule, i) => text(rule, RIGHT, y + 30 + 22 * i, 20, SOFT, 600, NAMED - 10));
  const top = y + 6, room = Math.min(tall - 14, 120);
  const shown = steps.slice(0, Math.max(played, Math.min(steps.length, 5)));
  const wide = Math.min(92, (RIGHT + MOST - left) / (shown.length + 1.6)), small = Math.min(20, wide / 3.4);
  const color = (/** @type {number} */ amount) => (amount > 0 ? GREEN : amount < 0 ? RED : INK);
  let x = left;
  for (const [i, { role, color: side, from, balance }] of [...shown.entries()]) {
    if (i === played) x = flag(x);
    draw.globalAlpha = i < played ? 1 : 0.45;
    text(signed(balance), x + 4, top + small, small, color(balance), 600, wide - 6);
    const letter = Object.entries(ROLES).find(([, name]) => name === role)?.[0] ?? 'p';
    const size = Math.min(wide * 0.62, room - small - 12);
    draw.drawImage(await piece(side === 'white' ? letter.toUpperCase() : letter), x, top + small + 6, size, size);
    text(from, x + size, top + small + 6 + size * 0.7, small * 0.9, INK, 400, wide - size);
    x += wide;
  }
  draw.globalAlpha = 1;
  if (played >= shown.length) flag(x);

  /** @param {number} x */
  function flag(x) {
    draw.globalAlpha = 1;
    text(signed(see), x + 4, top + small * 1.2, small * 1.25, color(see), 700, wide * 1.5);
    const side = sideName(sideAt(exchange, played));
    text(`⚑ ${side} ${stop === 'cannot' ? 'cannot' : 'stops'}`, x + 4, top + small * 2.6, small * 0.85, INK, 600, wide * 1.5);
    return x + wide * 1.6;
  }
}
