//! Whether a position can arise in a game, and which castling rights it can have. Files may hold
//! positions that cannot; formats whose records shakmaty or a trainer replays refuse them.

use shakmaty::attacks::aligned;
use shakmaty::{Bitboard, Color, Rank, Square};

use crate::packed::{BISHOP, KNIGHT, PAWN, QUEEN, ROOK};
use swaplist::Position;

const WHITE_BACK_RANK: u64 = 0xff;
const BLACK_BACK_RANK: u64 = 0xff << 56;

/// The exclusive or of an en-passant target's square and that of the pawn that passed it.
const TARGET_XOR_PAWN: u32 = 8;
/// The exclusive or of an en-passant target's square and that on which the pawn stood before.
const TARGET_XOR_START: u32 = 24;

/// Whether shakmaty accepts that the position could arise: castling rights with rooks in place, `ep`
/// behind a pawn, possible material and checks.
pub(super) fn can_arise(position: &Position, castling: u64, ep: Option<Square>) -> bool {
    ep.is_none_or(|ep| was_passed(position, ep))
        && castling == castling_in_place(position, castling)
        && Color::ALL
            .iter()
            .all(|&color| material_can_arise(position, color))
        && checks_can_arise(position, ep)
}

/// Those of the castling rights, given as squares of rooks, that belong to a rook on its side's back
/// rank, where its king stands too.
#[inline]
pub(super) fn rights_with_rook(position: &Position, castling: u64) -> u64 {
    let [_, _, _, black] = position.planes();
    let white_rank = !black & WHITE_BACK_RANK;
    let black_rank = black & BLACK_BACK_RANK;
    let kings = kings(position);
    let mut with_king = 0;
    if kings & white_rank != 0 {
        with_king |= white_rank;
    }
    if kings & black_rank != 0 {
        with_king |= black_rank;
    }
    castling & position.pieces_with(ROOK) & with_king
}

/// Both kings: their codes, 6 and 7, have bits 1 and 2.
#[inline]
const fn kings(position: &Position) -> u64 {
    let [_, bit1, bit2, _] = position.planes();
    bit1 & bit2
}

/// Whether an enemy pawn could just have passed `ep`.
fn was_passed(position: &Position, ep: Square) -> bool {
    let turn = position.turn();
    let [passed, to, from] =
        [0, TARGET_XOR_PAWN, TARGET_XOR_START].map(|step| 1 << (ep as u32 ^ step));
    let their_pawns = position.pieces_with(PAWN) & position.pieces_of(!turn);
    ep.rank() == turn.relative_rank(Rank::Sixth)
        && their_pawns & to != 0
        && position.occupied().0 & (from | passed) == 0
}

/// Those of the castling rights that belong to the outermost rook on a side of its king, with both
/// on their back rank.
fn castling_in_place(position: &Position, castling: u64) -> u64 {
    let of_side = |color: Color| {
        let own = position.pieces_of(color) & color.fold_wb(WHITE_BACK_RANK, BLACK_BACK_RANK);
        let rooks = castling & position.pieces_with(ROOK) & own;
        let king = kings(position) & own;
        // The first rook counts if it is below the king, the last one if it is above.
        let first = rooks & rooks.wrapping_neg() & king.saturating_sub(1);
        let last = Bitboard(rooks).last().map_or(0, |last| 1 << last as u32);
        first | if last > king && king != 0 { last } else { 0 }
    };
    of_side(Color::White) | of_side(Color::Black)
}

/// Whether enough pawns are missing for the promoted pieces.
fn material_can_arise(position: &Position, color: Color) -> bool {
    let own = |code: u32| position.pieces_with(code) & position.pieces_of(color);
    let bishops = own(BISHOP);
    let promoted = but_one(own(QUEEN))
        | but_one(but_one(own(ROOK)))
        | but_one(but_one(own(KNIGHT)))
        | but_one(bishops & Bitboard::LIGHT_SQUARES.0)
        | but_one(bishops & Bitboard::DARK_SQUARES.0);
    (promoted | own(PAWN)).count_ones() <= 8
}

/// Whether one move can give all these checks; if `ep` is set, it was that pawn's move.
fn checks_can_arise(position: &Position, ep: Option<Square>) -> bool {
    let king = position.king_of(position.turn());
    let them = position.pieces_of(!position.turn());
    let occupied = position.occupied().0;
    let attackers = |occupied| position.attackers(king, occupied) & them;
    let checkers = Bitboard(attackers(occupied));
    let (Some(first), Some(last)) = (checkers.first(), checkers.last()) else {
        return true;
    };
    if let Some(ep) = ep {
        let to = ep as u32 ^ TARGET_XOR_PAWN;
        let from = ep as u32 ^ TARGET_XOR_START;
        let before = occupied & !(1 << to) | 1 << from;
        return first == last && (first as u32 == to || attackers(before) == 0);
    }
    let pawns_and_knights = position.pieces_with(PAWN) | position.pieces_with(KNIGHT);
    let steppers = checkers & (pawns_and_knights | kings(position));
    // Of two checkers one has moved and uncovered the other, a slider. The one that moved has left
    // the slider's line, so the two are not on one line through the king.
    let on_one_line = aligned(first, Square::new(king), last);
    first == last || checkers.count() == 2 && !on_one_line && !steppers.more_than_one()
}

/// All squares except the first.
const fn but_one(squares: u64) -> u64 {
    squares & squares.wrapping_sub(1)
}
