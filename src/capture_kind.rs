//! What a played move takes.

use crate::exchange::{KING, PAWN};
use crate::{Capture, Position};

/// What a move takes in a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CaptureKind {
    Nothing,
    /// The piece on its target square.
    Piece,
    /// A pawn behind it, en passant.
    EnPassant,
    /// The own rook that it castles with.
    Rook,
}

impl CaptureKind {
    /// The move need not be playable.
    #[inline]
    pub fn by(played: Capture, position: &Position) -> CaptureKind {
        let (from, to) = (played.from_index(), played.to_index());
        let is_at_target = |squares: u64| squares >> to & 1 == 1;
        if !is_at_target(position.occupied_bits()) {
            let leaves_file = (from ^ to) & 7 != 0;
            return if leaves_file && position.code_at(from) == PAWN {
                CaptureKind::EnPassant
            } else {
                CaptureKind::Nothing
            };
        }
        if !is_at_target(position.pieces_of(position.turn())) {
            CaptureKind::Piece
        } else if position.code_at(from) >= KING {
            CaptureKind::Rook
        } else {
            CaptureKind::Nothing
        }
    }
}
