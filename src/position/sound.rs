//! Checks of positions.

use shakmaty::{Bitboard, Color, Square};

use super::{Position, PositionError};
use crate::attacks;

impl Position {
    /// Whether the side to move is in check.
    #[must_use]
    pub fn in_check(&self) -> bool {
        let them = self.pieces_of(!self.turn());
        let king = self.king_of(self.turn());
        attacks::attackers(self, king, self.occupied_bits()) & them != 0
    }

    /// Whether SEE has a meaning: what [`Position::check`] finds, in one go.
    #[inline(always)]
    pub(crate) fn is_sound(&self) -> bool {
        let mover = self.planes[0] & self.planes[1] & self.planes[2];
        let their_king = self.kings() ^ mover;
        // No branch on the side to move: it changes with every record.
        let white_to_move = u64::from(mover & self.planes[3] == 0);
        let us = self.occupied_bits() & (self.planes[3] ^ 0_u64.wrapping_sub(white_to_move));
        let occupied = self.occupied_bits();
        let attackers = attacks::attackers(self, their_king.trailing_zeros() & 63, occupied);
        let wrong = (their_king | attackers) & us | self.pawns() & Bitboard::BACKRANKS.0;
        wrong == 0
            && mover.is_power_of_two()
            && their_king.is_power_of_two()
            && occupied.count_ones() <= 32
    }

    pub(super) fn check(&self, turn: Color) -> Result<(), PositionError> {
        let pieces = self.occupied_bits().count_ones();
        if pieces > 32 {
            return Err(PositionError::TooManyPieces(pieces));
        }
        for color in Color::ALL {
            let kings = (self.kings() & self.pieces_of(color)).count_ones();
            if kings != 1 {
                return Err(PositionError::KingCount { color, kings });
            }
        }
        if let Some(square) = (Bitboard(self.pawns()) & Bitboard::BACKRANKS).first() {
            return Err(PositionError::PawnOnBackRank(square));
        }
        let their_king = self.king_of(!turn);
        if attacks::attackers(self, their_king, self.occupied_bits()) & self.pieces_of(turn) != 0 {
            return Err(PositionError::OppositeCheck);
        }
        Ok(())
    }

    /// Whether an enemy pawn could just have passed `ep` and one of ours attacks it: FEN's
    /// conditions, plus a capturer.
    pub(super) fn ep_is_usable(&self, turn: Color, ep: Square) -> bool {
        let ready = attacks::pawns_attacking(ep as u32, turn) & self.pawns() & self.pieces_of(turn);
        self.was_passed(turn, ep) && ready != 0
    }

    /// Whether an enemy pawn could just have passed `ep`.
    fn was_passed(&self, turn: Color, ep: Square) -> bool {
        let [passed, to, from] = [0, TO, FROM].map(|step| 1 << (ep as u32 ^ step));
        let their_pawns = self.pawns() & self.pieces_of(!turn);
        ep.rank() == turn.relative_rank(shakmaty::Rank::Sixth)
            && their_pawns & to != 0
            && self.occupied_bits() & (from | passed) == 0
    }

    /// Whether shakmaty accepts that the position could arise: castling rights with rooks in
    /// place, `ep` behind a pawn, possible material and checks.
    pub(crate) fn can_arise(&self, castling: u64, ep: Option<Square>) -> bool {
        let is_usual = |color| self.material_can_arise(color);
        ep.is_none_or(|ep| self.was_passed(self.turn(), ep))
            && castling == self.castling_in_place(castling)
            && is_usual(Color::White)
            && is_usual(Color::Black)
            && self.checks_can_arise(ep)
    }

    /// Those of the rooks that are outermost beside a king on their back rank.
    fn castling_in_place(&self, castling: u64) -> u64 {
        let of_side = |color: Color| {
            let own = self.pieces_of(color) & color.fold_wb(0xff, 0xff << 56);
            let (rooks, king) = (castling & self.rooks() & own, self.kings() & own);
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
        let (king, them) = (self.king_of(self.turn()), self.pieces_of(!self.turn()));
        let attackers = |occupied| attacks::attackers(self, king, occupied) & them;
        let checkers = Bitboard(attackers(self.occupied_bits()));
        let (Some(first), Some(last)) = (checkers.first(), checkers.last()) else {
            return true;
        };
        if let Some(ep) = ep {
            let (to, from) = (ep as u32 ^ TO, ep as u32 ^ FROM);
            let before = self.occupied_bits() & !(1 << to) | 1 << from;
            return first == last && (first as u32 == to || attackers(before) == 0);
        }
        let steppers = checkers & (self.pawns() | self.knights() | self.kings());
        let is_discovered = !shakmaty::attacks::aligned(first, Square::new(king), last);
        first == last || checkers.count() == 2 && is_discovered && !steppers.more_than_one()
    }
}

/// From an en-passant target to its pawn's square, and to the square it came from.
const TO: u32 = 8;
const FROM: u32 = 24;

/// All squares but the first.
const fn but_one(squares: u64) -> u64 {
    squares & squares.wrapping_sub(1)
}
