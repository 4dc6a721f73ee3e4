//! Lists of pieces, one nibble each in the order of their squares, and packed positions.

use shakmaty::Color;

use super::isa::{self, Isa, IsaFn};
use super::{Fault, Invalid};
use swaplist::{Position, PositionError};

/// Bytes of a record of bulletformat or marlinformat.
pub(crate) const RECORD: usize = 32;

/// Such a record: the occupied squares, the list of pieces, eight bytes more.
pub(crate) type Record32 = [u8; RECORD];

/// The fault of the first invalid code, given its bits and the mask of invalid codes.
#[cold]
#[inline(never)]
fn bad_code(t0: u32, t1: u32, t2: u32, color: u32, bad: u32) -> Invalid {
    let at = bad.trailing_zeros();
    let bit = |mask: u32, place: u32| ((mask >> at & 1) << place) as u8;
    Invalid::code(
        Fault::PieceCode,
        bit(t0, 0) | bit(t1, 1) | bit(t2, 2) | bit(color, 3),
    )
}

/// Returns the planes of a record and its rooks that have not moved, if the format has a type for
/// them. Codes and their number are checked, but not whether this is a legal position.
///
/// Bits 0 to 2 of a nibble are the type, pawn 0 to king 5 and such a rook 6, bit 3 the colour. A
/// piece's code in the planes is its type plus one, that of the king to move its type plus two.
#[inline(always)]
pub(crate) fn unpack<I: Isa>(
    isa: I,
    record: &Record32,
    has_unmoved: bool,
    turn: Color,
) -> Result<([u64; 4], u64), Invalid> {
    let (squares, rest) = record.split_first_chunk().expect("32 bytes hold 8");
    let occupied = u64::from_le_bytes(*squares);
    let count = occupied.count_ones();
    if count > 32 {
        return Err(PositionError::TooManyPieces(count).into());
    }
    let listed = ((1_u64 << count) - 1) as u32;
    let nibbles = rest.first_chunk().expect("24 bytes hold 16");
    let [t0, t1, t2, black] = isa.split(nibbles).map(|mask| mask & listed);
    let beyond_king = t2 & t1;
    let bad = if has_unmoved {
        beyond_king & t0
    } else {
        beyond_king
    };
    if bad != 0 {
        return Err(bad_code(t0, t1, t2, black, bad));
    }
    let king = t2 & !t1 & t0;
    // All bits if White is to move, which exchanges the colours without a branch.
    let exchange = 0_u32.wrapping_sub(turn.is_white().into());
    let own_king = king & (black ^ exchange);
    let masks = [
        // Types plus one, bit by bit with the carry. A rook that has not moved (6) becomes 4.
        listed & !t0 & !beyond_king | own_king,
        (t1 ^ t0) & !beyond_king,
        t2 ^ (t1 & t0),
        black,
    ];
    let unmoved = match beyond_king {
        0 => 0,
        unmoved => isa.deposit([unmoved, 0, 0, 0], occupied)[0],
    };
    Ok((isa.deposit(masks, occupied), unmoved))
}

/// The record of these pieces, given the bits of each square's nibble.
pub(crate) fn record(bits: [u64; 4], occupied: u64) -> Record32 {
    let mut record = [0; RECORD];
    record[..8].copy_from_slice(&occupied.to_le_bytes());
    record[8..24].copy_from_slice(&pack(bits, occupied));
    record
}

/// A list of pieces, from the bits of each square's nibble.
pub(crate) fn pack(bits: [u64; 4], occupied: u64) -> [u8; 16] {
    struct Pack([u64; 4], u64);
    impl IsaFn for Pack {
        type Output = [u8; 16];

        #[inline(always)]
        fn run<I: Isa>(self, isa: I) -> [u8; 16] {
            isa.list(self.0, self.1)
        }
    }
    isa::run(Pack(bits, occupied))
}

/// The bits of each piece's type, pawn 0 to king 5, from the planes of a position: there codes are
/// types plus one, and both 6 and 7 are kings.
pub(crate) const fn types([bit0, bit1, bit2, _]: [u64; 4]) -> [u64; 3] {
    let occupied = bit0 | bit1 | bit2;
    let kings = bit1 & bit2;
    [
        // Types 0, 2, 4, and kings: 5.
        occupied & !bit0 | kings,
        // Types 2 and 3: the codes 3 and 4.
        bit0 & bit1 & !bit2 | bit2 & !(bit0 | bit1),
        // Types 4 and 5: the codes 5, 6 and 7.
        bit2 & (bit0 | bit1),
    ]
}

/// The planes without the en-passant mark.
pub(crate) fn bare_planes(position: &Position) -> [u64; 4] {
    let [bit0, bit1, bit2, black] = position.planes();
    [bit0, bit1, bit2, black & (bit0 | bit1 | bit2)]
}
