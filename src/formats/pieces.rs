//! Lists of pieces, one nibble each, and packed positions.

use shakmaty::Color;

use super::isa::{self, Isa, Work};
use crate::{Position, PositionError};

use super::Invalid;

/// How a format codes pieces: bits 0 to 2 the type, pawn 0 to king 5, bit 3 the colour.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Types {
    /// No further types.
    Plain,
    /// Type 6 is a rook that has not moved.
    UnmovedRooks,
}

/// Four masks over the list of pieces.
struct Masks {
    code: [u32; 3],
    black: u32,
    unmoved: u32,
}

impl Masks {
    /// A piece's code is its type plus one; the king to move is one more.
    #[inline(always)]
    fn new(split: [u32; 4], types: Types, turn: Color, listed: u32) -> Result<Masks, Invalid> {
        let [t0, t1, t2, color] = split;
        let beyond_king = t2 & t1 & listed;
        let bad = beyond_king & if types == Types::Plain { !0 } else { t0 };
        if bad != 0 {
            return Err(bad_code(t0, t1, t2, color, bad));
        }
        let unmoved = beyond_king;
        let black = color & listed;
        let king = t2 & !t1 & t0 & listed;
        let white_to_move = 0_u32.wrapping_sub(turn.is_white().into());
        let mover = king & (black ^ white_to_move);
        Ok(Masks {
            code: [
                !t0 & listed & !unmoved | mover,
                (t1 ^ t0) & listed & !unmoved,
                (t2 ^ (t1 & t0)) & listed,
            ],
            black,
            unmoved,
        })
    }
}

/// The first invalid code.
#[cold]
#[inline(never)]
fn bad_code(t0: u32, t1: u32, t2: u32, color: u32, bad: u32) -> Invalid {
    let at = bad.trailing_zeros();
    let bit = |mask: u32, place: u32| ((mask >> at & 1) << place) as u8;
    Invalid::piece_code(bit(t0, 0) | bit(t1, 1) | bit(t2, 2) | bit(color, 3))
}

/// Unpacks a list of pieces to planes, unchecked, and the unmoved rooks.
#[inline(always)]
pub(crate) fn unpack<I: Isa>(
    isa: I,
    occupied: u64,
    nibbles: &[u8; 16],
    types: Types,
    turn: Color,
) -> Result<([u64; 4], u64), Invalid> {
    let count = occupied.count_ones();
    if count > 32 {
        return Err(PositionError::TooManyPieces(count).into());
    }
    let listed = ((1_u64 << count) - 1) as u32;
    let masks = Masks::new(isa.split(nibbles), types, turn, listed)?;
    let [bit0, bit1, bit2] = masks.code;
    let planes = isa.deposit([bit0, bit1, bit2, masks.black], occupied);
    let unmoved = match types {
        Types::Plain => 0,
        Types::UnmovedRooks if masks.unmoved == 0 => 0,
        Types::UnmovedRooks => isa.deposit([masks.unmoved, 0, 0, 0], occupied)[0],
    };
    Ok((planes, unmoved))
}

/// A list of pieces, from the bits of each square's nibble.
pub(crate) fn pack(bits: [u64; 4], occupied: u64) -> [u8; 16] {
    struct Pack([u64; 4], u64);
    impl Work for Pack {
        type Output = [u8; 16];

        #[inline(always)]
        fn run<I: Isa>(self, isa: I) -> [u8; 16] {
            isa.list(self.0, self.1)
        }
    }
    isa::run(Pack(bits, occupied))
}

/// The bits of each piece's type, pawn 0 to king 5.
pub(crate) const fn types([bit0, bit1, bit2, _]: [u64; 4]) -> [u64; 3] {
    let occupied = bit0 | bit1 | bit2;
    [
        occupied & !bit0 | bit1 & bit2,
        bit0 & bit1 & !bit2 | bit2 & !(bit0 | bit1),
        bit2 & (bit0 | bit1),
    ]
}

/// The planes without the en-passant mark.
pub(crate) fn bare_planes(position: &Position) -> [u64; 4] {
    let [bit0, bit1, bit2, black] = position.planes();
    [bit0, bit1, bit2, black & (bit0 | bit1 | bit2)]
}
