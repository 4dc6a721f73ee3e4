// Rule sets and piece values, and what they are called.

/** @type {[string, string][]} */
export const VALUES = [
  ['cpw', '100 325 325 500 1000: Chess Programming Wiki'],
  ['stockfish', '208 781 825 1276 2538: Stockfish'],
  ['1-3-3-5-9', '1 3 3 5 9: classical'],
];

/** @type {Record<string, string>} */
export const UNITS = { cpw: 'centipawns', stockfish: 'Stockfish’s units, 208 a pawn', '1-3-3-5-9': 'pawns' };

/** @type {Record<string, string>} */
export const ABOUT = {
  swap: 'swap: the Chess Programming Wiki’s swap algorithm. Pins are ignored.',
  sf8: 'sf8: Stockfish 8 to 10. Pinned pieces may not recapture while all their pinners stand.',
  sf: 'sf: Stockfish since 2019. Pinned pieces may not recapture while any pinner stands; en passant and promotions are 0.',
  legal: 'legal: every recapture must be a legal move.',
};

/** In a sentence, so that nobody has to look it up.
 * @type {Record<string, string>} */
export const SHORT = { swap: 'pins ignored', sf8: 'Stockfish 8 to 10', sf: 'Stockfish since 2019', legal: 'legal moves only' };

/** Values as swaplist reads them. @param {string} text */
export function listed(text) {
  return text.trim().toLowerCase().split(/[\s,]+/).join(',');
}
