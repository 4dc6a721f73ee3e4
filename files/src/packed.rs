//! The numbers in packed positions and moves: piece codes and squares.

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

/// Where pawns promote: the first and the last rank.
pub const LAST_RANKS: u64 = Bitboard::BACKRANKS.0;

/// A move between squares 0 to 63, with the piece code of a promotion, or 0.
#[inline(always)]
pub const fn packed_move(from: u32, to: u32, promotion: u32) -> PackedMove {
    PackedMove::from_bits((from << 9 | to << 3 | promotion) as u16)
}

/// The piece code of a promotion, or 0.
#[inline(always)]
pub const fn promotion_code(played: PackedMove) -> u32 {
    played.to_bits() as u32 & 7
}
