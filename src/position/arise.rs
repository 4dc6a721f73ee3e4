//! Whether a position can arise in a game, and which castling rights it can have. Files may hold
//! positions that cannot; formats whose records shakmaty or a trainer replays refuse them.

use shakmaty::attacks::aligned;
use shakmaty::{Bitboard, Color, Square};

use super::{Position, TARGET_XOR_PAWN, TARGET_XOR_START};
use crate::attacks;

const WHITE_BACK_RANK: u64 = 0xff;
const BLACK_BACK_RANK: u64 = 0xff << 56;

impl Position {
    /// Whether shakmaty accepts that the position could arise: castling rights with rooks in
    /// place, `ep` behind a pawn, possible material and checks.
    pub fn can_arise(&self, castling: u64, ep: Option<Square>) -> bool {
        ep.is_none_or(|ep| self.was_passed(self.turn(), ep))
            && castling == self.castling_in_place(castling)
            && Color::ALL
                .iter()
                .all(|&color| self.material_can_arise(color))
            && self.checks_can_arise(ep)
    }

    /// Those of the castling rights, given as squares of rooks, that belong to a rook on its side's
    /// back rank, where its king stands too.
    #[inline]
    pub const fn rights_with_rook(&self, castling: u64) -> u64 {
        let [_, _, _, black] = self.planes;
        let white_rank = !black & WHITE_BACK_RANK;
        let black_rank = black & BLACK_BACK_RANK;
        let kings = self.kings();
        let mut with_king = 0;
        if kings & white_rank != 0 {
            with_king |= white_rank;
        }
        if kings & black_rank != 0 {
            with_king |= black_rank;
        }
        castling & self.rooks() & with_king
    }

    /// Those of the castling rights that belong to the outermost rook on a side of its king, with
    /// both on their back rank.
    fn castling_in_place(&self, castling: u64) -> u64 {
        let of_side = |color: Color| {
            let own = self.pieces_of(color) & color.fold_wb(WHITE_BACK_RANK, BLACK_BACK_RANK);
            let rooks = castling & self.rooks() & own;
            let king = self.kings() & own;
            // The first rook counts if it is below the king, the last one if it is above.
            let first = rooks & rooks.wrapping_neg() & king.saturating_sub(1);
            let last = attacks::highest(rooks);
            first | if last > king && king != 0 { last } else { 0 }
        };
        of_side(Color::White) | of_side(Color::Black)
    }

    /// Whether enough pawns are missing for the promoted pieces.
    fn material_can_arise(&self, color: Color) -> bool {
        let own = self.pieces_of(color);
        let bishops = self.diagonal_sliders() & !self.straight_sliders() & own;
        let queens = self.diagonal_sliders() & self.straight_sliders() & own;
        let promoted = but_one(queens)
            | but_one(but_one(self.rooks() & own))
            | but_one(but_one(self.knights() & own))
            | but_one(bishops & Bitboard::LIGHT_SQUARES.0)
            | but_one(bishops & Bitboard::DARK_SQUARES.0);
        (promoted | self.pawns() & own).count_ones() <= 8
    }

    /// Whether one move can give all these checks; if `ep` is set, it was that pawn's move.
    fn checks_can_arise(&self, ep: Option<Square>) -> bool {
        let king = self.king_of(self.turn());
        let them = self.pieces_of(!self.turn());
        let attackers = |occupied| self.attackers(king, occupied) & them;
        let checkers = Bitboard(attackers(self.occupied_bits()));
        let (Some(first), Some(last)) = (checkers.first(), checkers.last()) else {
            return true;
        };
        if let Some(ep) = ep {
            let to = ep as u32 ^ TARGET_XOR_PAWN;
            let from = ep as u32 ^ TARGET_XOR_START;
            let before = self.occupied_bits() & !(1 << to) | 1 << from;
            return first == last && (first as u32 == to || attackers(before) == 0);
        }
        let steppers = checkers & (self.pawns() | self.knights() | self.kings());
        // Of two checkers one has moved and uncovered the other, a slider. The one that moved has
        // left the slider's line, so the two are not on one line through the king.
        let on_one_line = aligned(first, Square::new(king), last);
        first == last || checkers.count() == 2 && !on_one_line && !steppers.more_than_one()
    }
}

/// All squares except the first.
const fn but_one(squares: u64) -> u64 {
    squares & squares.wrapping_sub(1)
}
