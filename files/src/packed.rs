//! The numbers in packed positions and moves: piece codes and squares. A piece code is that of
//! shakmaty's `Role`, 1 to 6, except that the king of the side to move is 7.

use shakmaty::{Bitboard, Role};
use swaplist::PackedMove;

pub use swaplist::position::KING_TO_MOVE;

pub const PAWN: u32 = Role::Pawn as u32;
pub const KNIGHT: u32 = Role::Knight as u32;
pub const BISHOP: u32 = Role::Bishop as u32;
pub const ROOK: u32 = Role::Rook as u32;
pub const QUEEN: u32 = Role::Queen as u32;
/// The king of the side that is not to move.
pub const KING: u32 = Role::King as u32;

/// The squares where pawns promote: those of ranks 1 and 8, one bit for each square.
pub const LAST_RANKS: u64 = Bitboard::BACKRANKS.0;

/// A move between squares 0 to 63, with the piece code of the promotion, or 0. Larger numbers would
/// overlap: bits 0 to 2 are the promotion, 3 to 8 the target, 9 to 14 the origin.
#[inline(always)]
pub const fn packed_move(from: u32, to: u32, promotion: u32) -> PackedMove {
    PackedMove::from_bits((from << 9 | to << 3 | promotion) as u16)
}

/// The piece code of a move's promotion, or 0.
#[inline(always)]
pub const fn promotion_code(played: PackedMove) -> u32 {
    played.to_bits() as u32 & 7
}
