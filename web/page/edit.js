// A FEN after its board or its side to move was edited: the rest stays as far as it fits.

/** @param {string} fen @param {{ placement?: string, turn?: string }} what */
export function edited(fen, { placement, turn }) {
  const [before, mover, rights, passing, halfmoves, fullmoves] = fen.trim().split(/\s+/);
  const after = placement ?? before;
  const moves = turn?.[0] ?? mover ?? 'w';
  const ep = moves === mover && fits(after, passing ?? '-', moves) ? passing : '-';
  return [after, moves, kept(before, after, rights ?? '-'), ep, halfmoves ?? '0', fullmoves ?? '1'].join(' ');
}

/** Its ranks from the eighth down, a space for each empty square.
 * @param {string} placement */
function ranks(placement) {
  return placement.split('/').map(rank => rank.replace(/\d/g, digit => ' '.repeat(Number(digit))));
}

/** The castling rights whose king and rook still stand where they stood; in Chess960, too.
 * @param {string} before @param {string} after @param {string} rights */
function kept(before, after, rights) {
  const [old, now] = [ranks(before), ranks(after)];
  const stays = (/** @type {string} */ right) => {
    const white = right === right.toUpperCase();
    const rank = white ? 7 : 0;
    const line = old[rank] ?? '';
    const [king, rook] = white ? ['K', 'R'] : ['k', 'r'];
    const named = 'ABCDEFGH'.indexOf(right.toUpperCase());
    const outer = right.toUpperCase() === 'K' ? line.lastIndexOf(rook) : line.indexOf(rook);
    const at = [line.indexOf(king), named < 0 ? outer : named];
    return at.every((file, i) => file >= 0 && now[rank]?.[file] === [king, rook][i]);
  };
  return [...rights].filter(stays).join('') || '-';
}

/** Whether a pawn that the given side could take en passant still stands there.
 * @param {string} placement @param {string} square @param {string} moves */
function fits(placement, square, moves) {
  if (square === '-') return false;
  const [file, rank] = ['abcdefgh'.indexOf(square[0]), 8 - Number(square[1])];
  const at = (/** @type {number} */ rank) => ranks(placement)[rank]?.[file];
  const [behind, before, pawn] = moves === 'w' ? [rank + 1, rank - 1, 'p'] : [rank - 1, rank + 1, 'P'];
  return at(behind) === pawn && at(rank) === ' ' && at(before) === ' ';
}
