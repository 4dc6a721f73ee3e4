//! Boards with four bits for each piece, as `groups.rs` takes them.

use shakmaty::Color;

use crate::Position;

/// Such a board and eight more bytes: the occupied squares in 8 bytes, the nibbles in 16.
pub type NibbleBoard = [u8; 32];

/// Boards that are unpacked together: one bit for each in a byte.
pub const GROUP: usize = 8;

/// A group of boards.
pub(crate) type BoardGroup = [NibbleBoard; GROUP];

/// A group of positions.
pub(crate) type PositionGroup = [Position; GROUP];

/// The piece code of each nibble: bit 3 for black, 0 for no piece. Repeated four times, since the
/// look-up also takes the two bits above the nibble.
pub type Codes = [u8; 64];

/// How a nibble names a piece, and what the eight bytes after the board must look like. Those are
/// one number, of which byte 24 of the record is the lowest. By default nothing is asked of them.
pub trait Nibbles {
    /// The codes with White to move, and with Black to move.
    const CODES: [Codes; 2];
    /// The bit of byte 24 that gives the side to move; 0 if it is always White.
    const TURN: u8;
    /// The values that the last eight bytes must have in the bits of [`Nibbles::ZERO`], and 0 in
    /// all others.
    const FLIP: u64 = 0;
    /// Bits of the last eight bytes that must be 0 once those of [`Nibbles::FLIP`] are flipped. The
    /// two bits of the result are not among them.
    const ZERO: u64 = 0;
    /// The lowest bit of the result, of which 3 is invalid; 0 if 3 is valid.
    const RESULT: u64 = 0;
}

/// The usual codes with this side to move: types 0 to 5 are pawn to king, and bit 3 is black.
pub const fn codes(turn: Color) -> Codes {
    let black_to_move = matches!(turn, Color::Black);
    let mut codes = [0; 64];
    let mut nibble = 0;
    while nibble < 64 {
        let black = nibble & 8 != 0;
        let color = if black { 8 } else { 0 };
        codes[nibble] = match nibble & 7 {
            5 if black == black_to_move => 7 | color,
            6 | 7 => 0,
            kind => (kind as u8 + 1) | color,
        };
        nibble += 1;
    }
    codes
}
