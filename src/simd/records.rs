//! Unpacks records of 32 bytes into positions, eight at a time.
//!
//! Each unit turns a record's nibbles into planes in its own way; the positions and the format's
//! own bytes are then tested in lanes. Records that fail go to the scalar code, which knows the
//! faults; so the two can differ only in speed.

// Why each `unsafe` is sound: a unit proves its features; a prefetch never faults.
#![allow(unsafe_code)]

use super::board::{Board, king_squares};
use super::lanes::{Mask as _, MaskOf, Simd, Word};
use super::path::Instructions;
use crate::Position;
use crate::attacks::LAST_RANKS;

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

pub(super) type Rows = [Raw; GROUP];
pub(super) type Positions = [Position; GROUP];

impl Instructions {
    /// Unpacks whole groups of records; an incomplete last group is ignored. Bit j of
    /// `valid[i]` is set if record `GROUP * i + j` is valid; otherwise its position is
    /// meaningless.
    ///
    /// # Panics
    ///
    /// If there are fewer positions than records, or fewer bytes than groups.
    #[inline]
    #[cfg_attr(not(any(target_arch = "x86_64", simd128)), allow(unused_variables))]
    pub(crate) fn unpack<S: Scheme>(
        self,
        records: &[Raw],
        positions: &mut [Position],
        valid: &mut [u8],
    ) {
        let (groups, _) = records.as_chunks::<GROUP>();
        let (positions, _) = positions.as_chunks_mut::<GROUP>();
        let positions = &mut positions[..groups.len()];
        let valid = &mut valid[..groups.len()];
        match self {
            Instructions::Scalar => valid.fill(0),
            #[cfg(simd128)]
            Instructions::Simd128(unit) => unpack::<S, _>(unit, groups, positions, valid),
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx2(unit) => unsafe { unit.unpack_all::<S>(groups, positions, valid) },
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx512(unit) => unsafe { unit.unpack_all::<S>(groups, positions, valid) },
        }
    }

    /// Whether all positions of whole groups are sound; an incomplete last group is ignored.
    pub(crate) fn all_sound(self, positions: &[Position]) -> bool {
        let (groups, _) = positions.as_chunks::<GROUP>();
        match self {
            Instructions::Scalar => groups.as_flattened().iter().all(Position::is_sound),
            #[cfg(simd128)]
            Instructions::Simd128(unit) => are_sound(unit, groups),
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx2(unit) => unsafe { unit.are_sound(groups) },
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx512(unit) => unsafe { unit.are_sound(groups) },
        }
    }
}

/// Whether all of these positions are sound.
#[inline(always)]
pub(super) fn are_sound<U: Simd>(unit: U, groups: &[Positions]) -> bool {
    let mut sound = u8::MAX;
    for positions in groups {
        sound &= valid_records::<U, NoFormat>(unit, None, positions);
    }
    sound == u8::MAX
}

/// Packed positions alone, without bytes of a format.
struct NoFormat;

impl Scheme for NoFormat {
    const CODES: [Codes; 2] = [[0; 64]; 2];
    const TURN: u8 = 1;
    const FLIP: u64 = 0;
    const ZERO: u64 = 0;
    const RESULT: u64 = 0;
}

/// Groups unpacked ahead of the tests. Unpacking and testing use different execution units, and
/// results must have left the registers before they are tested.
const LEAD: usize = 2;

/// Bytes to prefetch ahead of the tests.
const AHEAD: usize = 8192;

/// Unpacks and tests groups.
#[inline(always)]
pub(super) fn unpack<S: Scheme, U: Simd>(
    unit: U,
    records: &[Rows],
    positions: &mut [Positions],
    valid: &mut [u8],
) {
    for (records, positions) in records.iter().zip(positions.iter_mut()).take(LEAD) {
        unit.unpack::<S>(records, positions);
    }
    for (i, valid) in valid.iter_mut().enumerate() {
        if let (Some(records), Some(positions)) =
            (records.get(i + LEAD), positions.get_mut(i + LEAD))
        {
            unit.unpack::<S>(records, positions);
        }
        prefetch(&records[i]);
        *valid = valid_records::<U, S>(unit, Some(&records[i]), &positions[i]);
    }
}

#[inline(always)]
fn prefetch(records: &Rows) {
    for line in records.as_flattened().as_chunks::<64>().0 {
        #[cfg(target_arch = "x86_64")]
        unsafe {
            use core::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
            _mm_prefetch::<_MM_HINT_T0>(line.as_ptr().wrapping_add(AHEAD).cast());
        }
        #[cfg(not(target_arch = "x86_64"))]
        let _ = line; // there is no such instruction
    }
}

/// One bit for each valid record of a group, given its planes; or for each sound position, if there
/// are no records.
#[inline(always)]
fn valid_records<U: Simd, S: Scheme>(unit: U, records: Option<&Rows>, positions: &Positions) -> u8 {
    let mut valid = 0;
    for start in (0..GROUP).step_by(U::LANES) {
        let lanes = core::array::from_fn(|i| &positions[(start + i) % GROUP]);
        let board = Board::new(unit.planes(lanes));
        let (occupied, rest) = match records {
            Some(records) => unit.ends(&records[start..start + U::LANES]),
            None => (board.occupied(), unit.splat(0)),
        };
        valid |= valid_lanes::<U, S>(unit, &board, occupied, rest).bits() << start;
    }
    valid as u8
}

/// The lanes whose records are valid: `occupied` are the squares that the records give in their
/// first eight bytes, `rest` their last eight bytes.
#[inline(always)]
fn valid_lanes<U: Simd, S: Scheme>(
    unit: U,
    board: &Board<U::Word>,
    occupied: U::Word,
    rest: U::Word,
) -> MaskOf<U> {
    let one = unit.splat(1);
    let mover = board.kings() & board.bit0;
    let their_king = board.kings() & !board.bit0;
    let us = us::<U, S>(unit, board, mover);
    let straight = board.straight_sliders() & us;
    let diagonal = board.diagonal_sliders() & us;
    let masks = unit.masks(&king_squares::<U>(their_king));
    let [file, rank, one_diagonal, other_diagonal, ..] = masks;
    let rays = [file, rank, one_diagonal, other_diagonal];

    // An invalid nibble, or one beyond the 32nd, leaves a hole.
    let holes = board.occupied() ^ occupied;
    let before_mover = mover - one;
    let below = their_king - one;
    let several = their_king & below | mover & before_mover;
    let pawns = board.pawns() & unit.splat(LAST_RANKS);
    let attackers = board.steps(masks) & us;
    let pieces_ahead = board.occupied() & !(their_king | below);
    let ahead = nearest_ahead(&rays, pieces_ahead, straight, diagonal);
    // Subtracting one from 0 makes it negative, too: no king.
    let negative = attacked_behind(board, &rays, below, straight, diagonal) | before_mover | below;
    let wrong = holes
        | several
        | pawns
        | attackers
        | ahead
        | their_king & us
        | own_bytes::<U, S>(unit, rest)
        | negative & unit.splat(1 << 63);
    wrong.misses(wrong)
}

#[inline(always)]
fn us<U: Simd, S: Scheme>(unit: U, board: &Board<U::Word>, mover: U::Word) -> U::Word {
    if S::TURN == 0 {
        return board.occupied() & !board.black;
    }
    let white = mover.misses(board.black).keep(unit.splat(!0));
    board.occupied() & (board.black ^ white)
}

/// Bits that differ from the format's requirements.
#[inline(always)]
fn own_bytes<U: Simd, S: Scheme>(unit: U, rest: U::Word) -> U::Word {
    let flipped = rest ^ unit.splat(S::FLIP);
    let no_result = flipped & flipped >> 1 & unit.splat(S::RESULT);
    flipped & unit.splat(S::ZERO) | no_result
}

/// Our sliders that are the nearest piece towards h8 on a line: the lowest bit.
#[inline(always)]
fn nearest_ahead<W: Word>(
    [file, rank, one, other]: &[W; 4],
    ahead: W,
    straight: W,
    diagonal: W,
) -> W {
    ((*file & ahead).lowest() | (*rank & ahead).lowest()) & straight
        | ((*one & ahead).lowest() | (*other & ahead).lowest()) & diagonal
}

/// Sets bit 63 where one of our sliders is the nearest piece towards a1: it is the highest bit
/// there, so our sliders are a larger number than all other pieces. `below` are those squares,
/// which never include bit 63 if there is a king.
#[inline(always)]
fn attacked_behind<W: Word>(
    board: &Board<W>,
    [file, rank, one, other]: &[W; 4],
    below: W,
    straight: W,
    diagonal: W,
) -> W {
    let not_straight = board.occupied() & !straight;
    let not_diagonal = board.occupied() & !diagonal;
    let [file, rank, one, other] = [*file & below, *rank & below, *one & below, *other & below];
    less(file, straight, not_straight)
        | less(rank, straight, not_straight)
        | less(one, diagonal, not_diagonal)
        | less(other, diagonal, not_diagonal)
}

/// Negative where ours is the larger number.
#[inline(always)]
fn less<W: Word>(ray: W, ours: W, others: W) -> W {
    (ray & others) - (ray & ours)
}
