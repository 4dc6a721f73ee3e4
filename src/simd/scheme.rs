//! What the units need to know about a format of 32-byte records.

/// A record: occupied squares, nibbles, and eight bytes of the format.
pub(crate) type Raw = [u8; 32];

/// Records unpacked together: one bit each in a byte.
pub(crate) const GROUP: usize = 8;

/// Nibble to piece code: bit 3 for black, 0 for no piece. Repeated four times, since the
/// look-up also takes the two bits above the nibble.
pub(crate) type Codes = [u8; 64];

/// The layout of a format's records.
pub(crate) trait Scheme {
    /// With White to move, with Black to move.
    const CODES: [Codes; 2];
    /// The bit of byte 24 that gives the side to move; 0 if it is always White.
    const TURN: u8;
    /// The expected value of byte 24 in the bits of [`Scheme::ZERO`].
    const FLIP: u64;
    /// Bits of the last eight bytes that must be 0 after that, without those of the result, 0
    /// to 3.
    const ZERO: u64;
    /// The lowest bit of the result; a result of 3 is invalid.
    const RESULT: u64;
}

/// The look-up of a format; with `unmoved`, type 6 is a rook.
pub(crate) const fn codes(unmoved: bool, black_to_move: bool) -> Codes {
    let mut codes = [0; 64];
    let mut nibble = 0;
    while nibble < 64 {
        let black = nibble & 8 != 0;
        let color = if black { 8 } else { 0 };
        codes[nibble] = match nibble & 7 {
            5 if black == black_to_move => 7 | color,
            6 if unmoved => 4 | color,
            6 | 7 => 0,
            kind => (kind as u8 + 1) | color,
        };
        nibble += 1;
    }
    codes
}
