// Positions worth seeing. The first one is shown at first.

/** A page that shows an example, for a link with a preview of its own.
 * @param {number} example */
export function pageOf(example) {
  return `example-${example + 1}.html`;
}

/** @type {{ shown: import('./address.js').Shown, why: string }[]} */
export const EXAMPLES = [
  {
    shown: { fen: '1k1r3q/1ppn3p/p4b2/4p3/8/P2N2P1/1PP1R1BP/2K1Q3 w - - 0 1', move: 'd3e5', rules: 'swap', values: 'cpw' },
    why: 'The Chess Programming Wiki’s example: six captures, best to stop after the second.',
  },
  {
    shown: { fen: '8/4Q1pk/p1b2p2/2P5/3Bn3/7p/1KB3q1/8 w - - 0 48', move: 'e7f6', rules: 'sf', values: 'cpw' },
    why: 'Queen takes pawn: −9, −9, +1 or −8 pawns? In Stockfish’s rules one pinner keeps all pins alive.',
  },
  {
    shown: { fen: '8/4r1pk/1p3p1p/3P1R2/2p5/2P3qP/6P1/1Q2rRK1 w - - 4 33', move: 'f5f6', rules: 'legal', values: 'cpw' },
    why: 'A discovered check: the pawn that guards f6 may not capture.',
  },
  {
    shown: { fen: '4k3/4b3/8/2p5/4N3/8/8/4R2K w - - 0 1', move: 'e4c5', rules: 'legal', values: 'cpw' },
    why: 'The knight’s move itself pins the bishop.',
  },
  {
    shown: { fen: 'k5Rr/1p5P/pR6/P2pPB2/8/2P2N1K/5qP1/5b2 b - - 2 73', move: 'h8g8', rules: 'legal', values: 'cpw' },
    why: 'A pawn recaptures on the last rank, and becomes a queen only under the legal rules.',
  },
  {
    shown: { fen: '8/6b1/5k2/4p3/4KP2/8/8/8 w - - 0 1', move: 'f4e5', rules: 'swap', values: 'cpw' },
    why: 'A king may recapture only if nothing guards the square.',
  },
];
