//! What a move takes, for rules about played moves.

use super::{KING, PAWN, Position};
use crate::PackedMove;

/// What a move takes in a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CaptureKind {
    /// Nothing: a quiet move.
    Nothing,
    /// The piece on its target square.
    Piece,
    /// The pawn that has just passed its target square, en passant.
    EnPassant,
    /// The own rook with which it castles.
    Rook,
}

impl Position {
    /// What a move takes; the move need not be playable.
    #[inline]
    pub fn takes(&self, played: PackedMove) -> CaptureKind {
        let from = played.from_index();
        let to = played.to_index();
        let is_at_target = |squares: u64| squares >> to & 1 == 1;
        if !is_at_target(self.occupied_bits()) {
            let leaves_file = (from ^ to) & 7 != 0;
            return if leaves_file && self.code_at(from) == PAWN {
                CaptureKind::EnPassant
            } else {
                CaptureKind::Nothing
            };
        }
        if !is_at_target(self.pieces_of(self.turn())) {
            CaptureKind::Piece
        } else if self.code_at(from) >= KING {
            CaptureKind::Rook
        } else {
            CaptureKind::Nothing
        }
    }
}
