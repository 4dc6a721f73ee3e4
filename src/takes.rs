//! What a played move takes.

use shakmaty::Role;

use crate::{Capture, Position};

/// What a move takes in a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Takes {
    Nothing,
    /// The piece on its target square.
    Piece,
    /// A pawn behind it, en passant.
    EnPassant,
    /// The own rook that it castles with.
    Rook,
}

impl Takes {
    /// The move need not be playable.
    pub fn by(played: Capture, position: &Position) -> Takes {
        let mover = || position.piece_at(played.from()).map(|piece| piece.role);
        match position.piece_at(played.to()) {
            Some(piece) if piece.color != position.turn() => Takes::Piece,
            Some(_) if mover() == Some(Role::King) => Takes::Rook,
            None if played.from().file() != played.to().file() && mover() == Some(Role::Pawn) => {
                Takes::EnPassant
            }
            _ => Takes::Nothing,
        }
    }
}
