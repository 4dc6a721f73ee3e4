// Small boards that only show.

import { make } from './dom.js';

/** @import { Role } from './answers.js' */

/** What the letters of a FEN stand for.
 * @type {Record<string, Role>} */
export const ROLES = { p: 'pawn', n: 'knight', b: 'bishop', r: 'rook', q: 'queen', k: 'king' };
const COLORS = { move: '#15781b', threat: '#882020' };

/** A square's place on the board, from its top left corner, in squares.
 * @param {string} square @param {boolean} isTurned */
export function place(square, isTurned) {
  const [x, y] = [square.charCodeAt(0) - 97, 8 - Number(square[1])];
  return isTurned ? [7 - x, 7 - y] : [x, y];
}

/** The class of a piece in the board's style.
 * @param {string} letter */
export function classOf(letter) {
  return `${ROLES[letter.toLowerCase()]} ${letter < 'a' ? 'white' : 'black'}`;
}

/** The letters of a FEN's pieces, with their squares.
 * @param {string} placement @returns {[string, string][]} */
export function pieces(placement) {
  return placement.split('/').flatMap((rank, row) => {
    // A digit stands for so many empty squares.
    const letters = [...rank.replace(/\d/g, empty => ' '.repeat(Number(empty)))];
    return letters.map((letter, file) => /** @type {[string, string]} */ ([letter, 'abcdefgh'[file] + (8 - row)])).filter(([letter]) => letter !== ' ');
  });
}

/** The corners of an arrow between the middles of two squares, in squares.
 * @param {string} from @param {string} to @param {boolean} isTurned */
export function arrow(from, to, isTurned) {
  const [start, end] = [from, to].map(square => place(square, isTurned).map(at => at + 0.5));
  const [dx, dy] = [end[0] - start[0], end[1] - start[1]];
  const length = Math.hypot(dx, dy) || 1;
  const [ux, uy] = [dx / length, dy / length];
  // How far each corner is from the tip, along the arrow and aside.
  const corners = [[length, 0.1], [0.5, 0.1], [0.5, 0.3], [0, 0], [0.5, -0.3], [0.5, -0.1], [length, -0.1]];
  return corners.map(([along, aside]) => /** @type {[number, number]} */ ([end[0] - along * ux - aside * uy, end[1] - along * uy + aside * ux]));
}

/** A board, seen by the side that moves, with an arrow.
 * @param {string} fen @param {{ arrow?: string, isThreat?: boolean, label?: string }} [about]
 *   the arrow as two squares, such as e2e4 */
export function miniature(fen, { arrow: move = '', isThreat = false, label = '' } = {}) {
  const [placement, turn] = fen.split(' ');
  const isTurned = turn === 'b';
  /** @type {Element[]} */
  const shown = pieces(placement).map(([letter, square]) => {
    const piece = make('piece', { className: classOf(letter) });
    const [x, y] = place(square, isTurned);
    piece.style.left = `${12.5 * x}%`;
    piece.style.top = `${12.5 * y}%`;
    return piece;
  });
  if (move) shown.push(drawn(move, isTurned, isThreat ? COLORS.threat : COLORS.move));
  return make('span', { className: 'cg-wrap mini', role: 'img', 'aria-label': label || fen }, make('cg-board', {}, ...shown));
}

/** @param {string} move @param {boolean} isTurned @param {string} color */
function drawn(move, isTurned, color) {
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  svg.setAttribute('viewBox', '0 0 8 8');
  const shape = document.createElementNS('http://www.w3.org/2000/svg', 'polygon');
  shape.setAttribute('points', arrow(move.slice(0, 2), move.slice(2, 4), isTurned).map(corner => corner.map(at => at.toFixed(3)).join()).join(' '));
  shape.setAttribute('fill', color);
  svg.append(shape);
  return svg;
}
