//! Unpacks records of 32 bytes into positions and tests them, eight at a time, in the lanes of a
//! vector unit.
//!
//! Such a record is a board with a nibble for each piece, and eight bytes of the format. Each unit
//! turns the nibbles into planes in its own way (`nibbles.rs`); here the positions and the
//! format's own bytes are tested, one record per lane. Records that fail go to the scalar code,
//! which knows the faults. So the two can differ only in speed, if the test in lanes refuses at
//! least what the scalar code refuses.

// A prefetch never faults.
#![allow(unsafe_code)]

use core::marker::PhantomData;

use super::board::{Board, king_squares};
use super::lanes::{LANE_NUMBERS, Mask as _, MaskOf, Simd, Word, each};
use super::nibbles::{BoardGroup, Codes, GROUP, NibbleBoard, Nibbles, PositionGroup};
use super::path::Instructions;
use super::unit::LaneTask;
use crate::Position;
use crate::attacks::LAST_RANKS;

/// Unpacks whole groups of records; an incomplete last group is ignored. Bit j of `valid[i]` is set
/// if record `GROUP * i + j` is valid; otherwise its position is meaningless. The scalar path sets
/// no bit, which leaves all records to the caller.
///
/// # Panics
///
/// If there are fewer positions than records, or fewer bytes than groups.
#[inline]
pub(crate) fn unpack<S: Nibbles>(
    instructions: Instructions,
    records: &[NibbleBoard],
    positions: &mut [Position],
    valid: &mut [u8],
) {
    let (groups, _) = records.as_chunks::<GROUP>();
    let (positions, _) = positions.as_chunks_mut::<GROUP>();
    instructions.run(Unpacking::<S> {
        records: groups,
        positions: &mut positions[..groups.len()],
        valid: &mut valid[..groups.len()],
        scheme: PhantomData,
    });
}

/// Whether all positions of whole groups are sound; an incomplete last group is ignored.
pub(crate) fn all_sound(instructions: Instructions, positions: &[Position]) -> bool {
    let (groups, _) = positions.as_chunks::<GROUP>();
    instructions.run(SoundnessTest { groups })
}

/// The test whether all positions of some groups are sound.
struct SoundnessTest<'a> {
    groups: &'a [PositionGroup],
}

impl LaneTask for SoundnessTest<'_> {
    type Output = bool;

    #[inline(always)]
    fn in_lanes<U: Simd>(self, unit: U) -> bool {
        let mut sound = u8::MAX;
        for positions in self.groups {
            sound &= valid_records::<U, NoFormat>(unit, None, positions);
        }
        sound == u8::MAX
    }

    fn one_by_one(self) -> bool {
        self.groups.as_flattened().iter().all(Position::is_sound)
    }
}

/// Packed positions alone, without bytes of a format.
struct NoFormat;

impl Nibbles for NoFormat {
    const CODES: [Codes; 2] = [[0; 64]; 2];
    const TURN: u8 = 1;
}

/// How many groups are unpacked ahead of the one that is tested. The test of a group that was just
/// unpacked would wait for its stores; and unpacking and testing overlap, as they use different
/// execution units.
const LEAD: usize = 2;

/// How many bytes ahead of the tested group are prefetched. It helps where the records are not in a
/// cache (`docs/performance.md`).
#[cfg(target_arch = "x86_64")]
const AHEAD: usize = 8192;

/// Groups of records to unpack and to test.
struct Unpacking<'a, S> {
    records: &'a [BoardGroup],
    positions: &'a mut [PositionGroup],
    valid: &'a mut [u8],
    scheme: PhantomData<S>,
}

impl<S: Nibbles> LaneTask for Unpacking<'_, S> {
    type Output = ();

    #[inline(always)]
    fn in_lanes<U: Simd>(self, unit: U) {
        let Unpacking {
            records,
            positions,
            valid,
            ..
        } = self;
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

    fn one_by_one(self) {
        self.valid.fill(0);
    }
}

#[inline(always)]
fn prefetch(records: &BoardGroup) {
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
fn valid_records<U: Simd, S: Nibbles>(
    unit: U,
    records: Option<&BoardGroup>,
    positions: &PositionGroup,
) -> u8 {
    let mut valid = 0;
    for start in (0..GROUP).step_by(U::LANES) {
        let lanes = each(LANE_NUMBERS, |i| &positions[(start + i as usize) % GROUP]);
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
fn valid_lanes<U: Simd, S: Nibbles>(
    unit: U,
    board: &Board<U::Word>,
    occupied: U::Word,
    rest: U::Word,
) -> MaskOf<U> {
    let one = unit.splat(1);
    // The king to move has the odd code of the two. Each of these is one square in a valid record.
    let our_king = board.kings() & board.bit0;
    let their_king = board.kings() & !board.bit0;
    let us = us::<U, S>(unit, board, our_king);
    let straight = board.straight_sliders() & us;
    let diagonal = board.diagonal_sliders() & us;
    let masks = unit.masks(&king_squares::<U>(their_king));
    let [file, rank, one_diagonal, other_diagonal, ..] = masks;
    let rays = [file, rank, one_diagonal, other_diagonal];

    // An invalid nibble, or one beyond the 32nd, leaves a hole.
    let holes = board.occupied() ^ occupied;
    let below_ours = our_king - one;
    let below = their_king - one;
    // A number shares bits with the number below it unless it is one bit, or 0.
    let several = their_king & below | our_king & below_ours;
    let pawns = board.pawns() & unit.splat(LAST_RANKS);
    let attackers = board.steps(masks) & us;
    let pieces_ahead = board.occupied() & !(their_king | below);
    let ahead = nearest_ahead(&rays, pieces_ahead, straight, diagonal);
    // Subtracting one from 0 makes it negative, too: no king.
    let negative = attacked_behind(board, &rays, below, straight, diagonal) | below_ours | below;
    let wrong = holes
        | several
        | pawns
        | attackers
        | ahead
        | their_king & us
        | own_bytes::<U, S>(unit, rest)
        | negative & unit.splat(1 << 63);
    // The lanes where it is 0.
    wrong.misses(wrong)
}

/// The pieces of the side to move: White's in a format that always has White to move, else those of
/// the colour of the king to move.
#[inline(always)]
fn us<U: Simd, S: Nibbles>(unit: U, board: &Board<U::Word>, our_king: U::Word) -> U::Word {
    if S::TURN == 0 {
        return board.occupied() & !board.black;
    }
    let white = our_king.misses(board.black).keep(unit.splat(!0));
    board.occupied() & (board.black ^ white)
}

/// What is wrong with the format's own bytes: bits that must be 0 ([`Nibbles::ZERO`]), and the
/// lower bit of a result of 3. 0 if nothing is.
#[inline(always)]
fn own_bytes<U: Simd, S: Nibbles>(unit: U, rest: U::Word) -> U::Word {
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

/// Sets bit 63 where one of our sliders is the nearest piece on a line from their king towards a1.
/// That piece is the highest bit of the line among the squares `below` the king. So if it is one of
/// our sliders, these are a larger number than all other pieces there, and the difference is
/// negative. If there is a king, `below` does not include bit 63, so the numbers are not negative
/// themselves.
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
    others_minus_ours(file, straight, not_straight)
        | others_minus_ours(rank, straight, not_straight)
        | others_minus_ours(one, diagonal, not_diagonal)
        | others_minus_ours(other, diagonal, not_diagonal)
}

/// Negative where our pieces on a line are the larger number.
#[inline(always)]
fn others_minus_ours<W: Word>(ray: W, ours: W, others: W) -> W {
    (ray & others) - (ray & ours)
}
