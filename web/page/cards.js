// Small boards that only show.

import { make } from './dom.js';

const ROLES = /** @type {Record<string, string>} */ ({ p: 'pawn', n: 'knight', b: 'bishop', r: 'rook', q: 'queen', k: 'king' });
const COLORS = { move: '#15781b', threat: '#882020' };

/** A square's place on the board, from its top left corner, in squares.
 * @param {string} square @param {boolean} isTurned */
function place(square, isTurned) {
  const [x, y] = [square.charCodeAt(0) - 97, 8 - Number(square[1])];
  return isTurned ? [7 - x, 7 - y] : [x, y];
}

/** A board, seen by the side that moves, with an arrow.
 * @param {string} fen @param {{ arrow?: string, isThreat?: boolean, label?: string }} [about]
 *   the arrow as two squares, such as e2e4 */
export function miniature(fen, { arrow = '', isThreat = false, label = '' } = {}) {
  const [placement, turn] = fen.split(' ');
  const isTurned = turn === 'b';
  const pieces = [];
  placement.split('/').forEach((rank, row) => {
    let file = 0;
    for (const letter of rank) {
      if (/\d/.test(letter)) {
        file += Number(letter);
        continue;
      }
      const piece = make('piece', { className: `${ROLES[letter.toLowerCase()]} ${letter < 'a' ? 'white' : 'black'}` });
      const [x, y] = place('abcdefgh'[file] + (8 - row), isTurned);
      piece.style.left = `${12.5 * x}%`;
      piece.style.top = `${12.5 * y}%`;
      pieces.push(piece);
      file++;
    }
  });
  if (arrow) pieces.push(drawn(arrow, isTurned, isThreat ? COLORS.threat : COLORS.move));
  return make('span', { className: 'cg-wrap mini', role: 'img', 'aria-label': label || fen }, make('cg-board', {}, ...pieces));
}

/** @param {string} arrow @param {boolean} isTurned @param {string} color */
function drawn(arrow, isTurned, color) {
  const [from, to] = [arrow.slice(0, 2), arrow.slice(2, 4)].map(square => place(square, isTurned).map(at => at + 0.5));
  const [dx, dy] = [to[0] - from[0], to[1] - from[1]];
  const length = Math.hypot(dx, dy) || 1;
  const [ux, uy] = [dx / length, dy / length];
  const at = (/** @type {number} */ along, /** @type {number} */ aside) => `${(to[0] - along * ux - aside * uy).toFixed(3)},${(to[1] - along * uy + aside * ux).toFixed(3)}`;
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  svg.setAttribute('viewBox', '0 0 8 8');
  const shape = document.createElementNS('http://www.w3.org/2000/svg', 'polygon');
  shape.setAttribute('points', [at(length, 0.1), at(0.5, 0.1), at(0.5, 0.3), at(0, 0), at(0.5, -0.3), at(0.5, -0.1), at(length, -0.1)].join(' '));
  shape.setAttribute('fill', color);
  svg.append(shape);
  return svg;
}
