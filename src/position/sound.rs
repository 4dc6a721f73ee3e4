//! Whether planes are a position, and whether its king is in check.

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
            return Err(PositionError::TooManyMen(pieces));
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

    /// Whether an enemy pawn could just have passed over `ep` and one of ours
    /// attacks it: the conditions of FEN, plus a capturer.
    pub(super) fn ep_is_usable(&self, turn: Color, ep: Square) -> bool {
        let pushed_to = 1 << (ep as u32 ^ 8);
        let pushed_from = 1 << (ep as u32 ^ 24);
        let passed = 1 << ep as u32;
        let their_pawns = self.pawns() & self.pieces_of(!turn);
        let ready = attacks::pawns_attacking(ep as u32, turn) & self.pawns() & self.pieces_of(turn);
        ep.rank() == turn.relative_rank(shakmaty::Rank::Sixth)
            && their_pawns & pushed_to != 0
            && self.occupied_bits() & (pushed_from | passed) == 0
            && ready != 0
    }
}
