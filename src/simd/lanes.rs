//! What the kernels need from a vector unit: registers of 64-bit lanes, one move or position per
//! lane.
//!
//! The kernels (`score.rs`, `stages.rs`, `bounds.rs`) are written once, for any unit
//! that has the traits in this file. `avx2.rs` has them with 4 lanes, `avx512.rs` with 8, and
//! `simd128.rs`, for WebAssembly, the smaller set with 2.
//!
//! # An example
//!
//! A bitboard fills a 64-bit lane, so the scalar code's `u64` becomes a [`Word`] with one bitboard
//! per lane, and most lines look as they do there: `own & !plane`, `pawns << 9`. What was a branch
//! becomes a [`Mask`], a boolean per lane, and both results are computed.
//!
//! Twice the knight on c3 takes a pawn on d5, in lane 0 with nobody to recapture, in lane 1 with
//! a black pawn on e6. A pawn is worth 100, a knight 325:
//!
//! ```text
//!                                                         lane 0   lane 1
//! answer: the recapturing piece, as a bit                      0       e6
//! balance: what the capture wins                             100      100
//! lost: the knight                                           325      325
//! defended = answer.meets(answer)                             no      yes
//! defended.select(balance.sub_value(lost), balance)          100     -225
//! ```
//!
//! That is the end of `settle` in `score.rs`. Where a few lanes need more work, nothing waits for
//! them: [`Simd::pick`] and [`Stages::list`] append those lanes to a list, and the next stage takes
//! full registers from there.
//!
//! # Words and values
//!
//! A [`Word`] holds bitboards or squares, 64 bits that are all used. [`Values`] adds arithmetic on
//! values in centipawns, which are `i32`. How a value fills its lane is the unit's own business:
//! AVX-512 extends its sign to 64 bits; AVX2 has the larger of two numbers only for 32 bits, so it
//! keeps a second copy in the upper half, and comparing gives masks of whole lanes. So a value may
//! only be made by [`Stages::splat_value`] or [`Stages::look_up`], and changed by the methods of
//! [`Values`] and [`Mask`]; `+` and `-` on a whole word are for bitboards.
//!
//! # What must hold
//!
//! - A [`Simd`] value is a proof that the machine has the unit: only detection makes one, and words
//!   are only made from it. That is why the intrinsics behind safe methods are sound.
//! - Everything is `#[inline(always)]`, and no closure uses an intrinsic, as closures cannot be
//!   that: a function that is not inlined is compiled without the unit's features, and a call of it
//!   costs more than its work.
//! - Buffers have [`MAX_LANES`] entries for every unit. Entries beyond [`Simd::LANES`] are ignored
//!   when read, and hold nothing of use when written.
//! - A last register with fewer positions has stale ones in its other lanes. All operations are
//!   defined for any bits; [`Simd::first_lanes`] masks the results.

use core::ops::{Add, BitAnd, BitOr, BitXor, Not, Shl, Shr, Sub};

use super::nibbles::{BoardGroup, NibbleBoard, Nibbles, PositionGroup};
use crate::Position;
use crate::attacks::{MASKS, SquareMasks};

/// The eight masks of a square, [`SquareMasks`], as plain words.
#[inline(always)]
fn mask_words(square: u32) -> &'static [u64; 8] {
    bytemuck::cast_ref::<SquareMasks, _>(&MASKS[square as usize & 63])
}

/// The most lanes of any unit; the length of buffers.
pub(crate) const MAX_LANES: usize = 8;

/// One small number per lane, such as a square or an index. Those beyond the unit's lanes are
/// ignored.
pub(crate) type PerLane = [u32; MAX_LANES];

/// The numbers of the lanes.
pub(crate) const LANE_NUMBERS: PerLane = [0, 1, 2, 3, 4, 5, 6, 7];

/// What a function makes of each lane's item.
///
/// The standard `map` of arrays may stay a call, which is then compiled without the instructions of
/// the unit: without link-time optimisation a kernel took two to five times as long. The same holds
/// for `from_fn`, `each_ref` and `each_mut`.
#[inline(always)]
pub(crate) fn each<T, U>(items: [T; MAX_LANES], of: impl Fn(T) -> U) -> [U; MAX_LANES] {
    let [i0, i1, i2, i3, i4, i5, i6, i7] = items;
    [
        of(i0),
        of(i1),
        of(i2),
        of(i3),
        of(i4),
        of(i5),
        of(i6),
        of(i7),
    ]
}

/// A vector unit: proof that the machine has it, and its loads.
pub(crate) trait Simd: Copy {
    /// Moves or positions per register, at most [`MAX_LANES`].
    const LANES: usize;
    type Word: Word;

    /// The same word in every lane.
    fn splat(self, word: u64) -> Self::Word;
    /// A number per lane, extended by zeros to 64 bits.
    fn load(self, lanes: &PerLane) -> Self::Word;
    /// Mask of the lanes below `count`, which is at most [`Simd::LANES`].
    fn first_lanes(self, count: usize) -> MaskOf<Self>;
    /// Transposes rows of four words, one row per lane: word 0 of the result has the first word of
    /// every row.
    fn half_rows(self, rows: [&[u64; 4]; MAX_LANES]) -> [Self::Word; 4];
    /// Appends the sets of the selected lanes to `list`, in the order of the lanes, each with its
    /// tag. Writes a whole register, so the list needs room for [`Simd::LANES`] more.
    fn pick<const CAPACITY: usize>(
        self,
        lanes: MaskOf<Self>,
        sets: Self::Word,
        tags: Self::Word,
        list: &mut Sets<CAPACITY>,
    );

    /// The positions of a group of boards, unchecked.
    fn unpack<N: Nibbles>(self, boards: &BoardGroup, positions: &mut PositionGroup);
    /// The first and the last eight bytes of boards, one board per lane.
    fn ends(self, boards: &[NibbleBoard]) -> (Self::Word, Self::Word);

    /// Transposes rows of eight words, one row per lane.
    #[inline(always)]
    fn rows(self, rows: [&[u64; 8]; MAX_LANES]) -> [Self::Word; 8] {
        let [w0, w1, w2, w3] = self.half_rows(each(rows, |row| &row.as_chunks().0[0]));
        let [w4, w5, w6, w7] = self.half_rows(each(rows, |row| &row.as_chunks().0[1]));
        [w0, w1, w2, w3, w4, w5, w6, w7]
    }

    /// The four planes of one position per lane.
    #[inline(always)]
    fn planes(self, positions: [&Position; MAX_LANES]) -> [Self::Word; 4] {
        self.half_rows(each(positions, bytemuck::cast_ref))
    }

    /// The masks of one square per lane, in the order of [`SquareMasks`].
    #[inline(always)]
    fn masks(self, squares: &PerLane) -> [Self::Word; 8] {
        self.rows(each(*squares, mask_words))
    }

    /// The first four masks of one square per lane: its file, rank, diagonal and antidiagonal.
    #[inline(always)]
    fn lines(self, squares: &PerLane) -> [Self::Word; 4] {
        self.half_rows(each(*squares, |square| {
            &mask_words(square).as_chunks().0[0]
        }))
    }
}

/// A vector unit that can do more than the screen (`screen.rs`): values, and lists of single bits.
pub(crate) trait Stages: Simd<Word: Values> {
    /// One word per lane.
    fn load_words(self, lanes: &[u64; MAX_LANES]) -> Self::Word;
    /// The same value in every lane, for the arithmetic of [`Values`].
    fn splat_value(self, value: i32) -> Self::Word;
    /// A register with eight values, for [`Stages::look_up`]. It is not a value per lane.
    fn table(self, values: [i32; 8]) -> Self::Word;
    /// The value of each lane's piece code, 0 to 7.
    fn look_up(self, table: Self::Word, codes: Self::Word) -> Self::Word;
    /// Transposes four words back into one row per lane; the inverse of [`Simd::half_rows`].
    fn store_rows(self, words: [Self::Word; 4], rows: [&mut [u64; 4]; MAX_LANES]);
    /// Appends an entry for each bit of each lane's set: the lane's tag plus the bit's index
    /// shifted left by `SHIFT`. In which order is up to the unit. Writes whole registers, so the
    /// list needs room for some more than are appended.
    fn list<const SHIFT: u32, const CAPACITY: usize>(
        self,
        sets: Self::Word,
        tags: Self::Word,
        list: &mut List<CAPACITY>,
    );
}

/// A list of 32-bit entries. Its user never exceeds the capacity; if it did, the code would panic.
pub(crate) struct List<const CAPACITY: usize> {
    entries: [u32; CAPACITY],
    len: usize,
}

impl<const CAPACITY: usize> List<CAPACITY> {
    pub(crate) fn new() -> List<CAPACITY> {
        List {
            entries: [0; CAPACITY],
            len: 0,
        }
    }

    #[inline(always)]
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Whether there are enough entries to go on: `count`, or when no more will come (`last`), one.
    #[inline(always)]
    pub(crate) fn has(&self, count: usize, last: bool) -> bool {
        self.len >= if last { 1 } else { count }
    }

    #[inline(always)]
    pub(crate) fn push(&mut self, entry: u32) {
        self.entries[self.len] = entry;
        self.len += 1;
    }

    /// Appends the first `count` of `entries`. All are stored, since a copy of one length is
    /// faster.
    #[inline(always)]
    pub(crate) fn extend(&mut self, entries: PerLane, count: usize) {
        let end: &mut PerLane = self.entries[self.len..].first_chunk_mut().expect("room");
        *end = entries;
        self.len += count;
    }

    /// Appends `tag` plus the bit's index shifted left by `SHIFT`, for each bit of `set`.
    #[inline(always)]
    pub(crate) fn extend_set<const SHIFT: u32>(&mut self, mut set: u64, tag: u32) {
        /// Nearly always enough; always stored, because a branch would be mispredicted.
        const FEW: usize = 4;
        let count = set.count_ones() as usize;
        let few: &mut [u32; FEW] = self.entries[self.len..].first_chunk_mut().expect("room");
        for entry in few {
            *entry = tag.wrapping_add(set.trailing_zeros() << SHIFT);
            set &= set.wrapping_sub(1);
        }
        let mut end = self.len + FEW;
        while set != 0 {
            self.entries[end] = tag + (set.trailing_zeros() << SHIFT);
            set &= set - 1;
            end += 1;
        }
        self.len += count;
    }

    /// Takes up to `count` of the last entries, and says how many; the rest of the returned array
    /// is stale.
    #[inline(always)]
    pub(crate) fn pop<const N: usize>(&mut self, count: usize) -> ([u32; N], usize) {
        let count = count.min(self.len);
        self.len -= count;
        (
            *self.entries[self.len..].first_chunk().expect("room"),
            count,
        )
    }
}

/// A list of sets of squares with tags. Its user never exceeds the capacity.
pub(crate) struct Sets<const CAPACITY: usize> {
    squares: [u64; CAPACITY],
    tags: [u64; CAPACITY],
    len: usize,
}

impl<const CAPACITY: usize> Sets<CAPACITY> {
    pub(crate) fn new() -> Sets<CAPACITY> {
        Sets {
            squares: [0; CAPACITY],
            tags: [0; CAPACITY],
            len: 0,
        }
    }

    #[inline(always)]
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Returns room at the end for a register of sets and one of tags. Only the first `count` of
    /// each become part of the list.
    #[inline(always)]
    pub(crate) fn grow<const N: usize>(&mut self, count: usize) -> (&mut [u64; N], &mut [u64; N]) {
        let start = self.len;
        self.len += count;
        (
            self.squares[start..].first_chunk_mut().expect("room"),
            self.tags[start..].first_chunk_mut().expect("room"),
        )
    }

    /// Takes the last set and its tag.
    #[inline(always)]
    pub(crate) fn pop(&mut self) -> Option<(u64, u64)> {
        self.len = self.len.checked_sub(1)?;
        Some((self.squares[self.len], self.tags[self.len]))
    }
}

pub(crate) type MaskOf<S> = <<S as Simd>::Word as Word>::Mask;

/// A register of 64-bit lanes: a bitboard or a square in each.
pub(crate) trait Word:
    Copy
    + Add<Output = Self>
    + Sub<Output = Self>
    + BitAnd<Output = Self>
    + BitOr<Output = Self>
    + BitXor<Output = Self>
    + Not<Output = Self>
    + Shl<u32, Output = Self>
    + Shr<u32, Output = Self>
{
    type Mask: Mask<Self>;

    /// The bit of each lane's square, which is below 64.
    fn bit(self) -> Self;
    /// The board turned by 180 degrees: bit 0 becomes bit 63.
    fn reversed(self) -> Self;
    /// Lanes where `self & other` is 0.
    fn misses(self, other: Self) -> Self::Mask;
    /// Stores the lanes; entries beyond [`Simd::LANES`] stay as they are.
    fn store(self, lanes: &mut [u64; MAX_LANES]);

    /// Lanes where `self & other` is not 0.
    #[inline(always)]
    fn meets(self, other: Self) -> Self::Mask {
        !self.misses(other)
    }

    /// The lowest bit of each lane; 0 where there is none.
    #[inline(always)]
    fn lowest(self) -> Self {
        let zero = self & !self; // a constant, once compiled
        self & (zero - self)
    }
}

/// A register of bitboards, squares or values. What the upper 32 bits of a value's lane hold
/// depends on the unit: see the head of this file.
pub(crate) trait Values: Word {
    fn add_value(self, other: Self) -> Self;
    fn sub_value(self, other: Self) -> Self;
    fn min_value(self, other: Self) -> Self;
    fn max_value(self, other: Self) -> Self;
    fn is_less(self, other: Self) -> Self::Mask;
    /// Stores the values; entries beyond [`Simd::LANES`] stay as they are.
    fn store_values(self, lanes: &mut [i32; MAX_LANES]);
    /// 64-bit keys, no values any more: the value of `self` in the upper 48 bits of each lane,
    /// `low`, below 65,536, in the lower 16.
    fn over(self, low: Self) -> Self;

    /// The highest bit of each lane, whose squares are all on one line through another square, and
    /// below that square; `rank` is that square's rank.
    fn highest_of_line(self, rank: Self) -> Self;
    /// The highest bit of each of four such sets, of a file, a rank, a diagonal and an
    /// antidiagonal, joined.
    fn highest_of_each(lines: [Self; 4]) -> Self;
    /// The number of bits that are set in each lane.
    fn count(self) -> Self;
}

/// A boolean per lane.
pub(crate) trait Mask<W>:
    Copy + BitAnd<Output = Self> + BitOr<Output = Self> + Not<Output = Self>
{
    /// Whether it is set in any lane.
    fn any(self) -> bool;
    /// One bit per lane, that of lane 0 the lowest; the bits beyond the unit's lanes are 0.
    fn bits(self) -> u32;
    /// `yes` in lanes where the mask is set, `no` in the others.
    fn select(self, yes: W, no: W) -> W;
    /// `yes` in lanes where the mask is set, 0 in the others.
    fn keep(self, yes: W) -> W;
}

/// Implements an operator by one intrinsic.
#[cfg(any(target_arch = "x86_64", simd128))]
macro_rules! operator {
    ($trait:ident, $method:ident, $type:ident, $intrinsic:ident) => {
        impl $trait for $type {
            type Output = $type;
            #[inline(always)]
            fn $method(self, other: $type) -> $type {
                unsafe { $type($intrinsic(self.0, other.0)) }
            }
        }
    };
    ($trait:ident, $method:ident, $type:ident, |$word:ident, $by:ident| $shifted:expr) => {
        impl $trait<u32> for $type {
            type Output = $type;
            #[inline(always)]
            fn $method(self, $by: u32) -> $type {
                let $word = self.0;
                unsafe { $type($shifted) }
            }
        }
    };
}

/// Implements methods by one intrinsic each.
#[cfg(target_arch = "x86_64")]
macro_rules! methods {
    ($($method:ident: $other:ident -> $result:ident = $intrinsic:ident;)+) => {$(
        #[inline(always)]
        fn $method(self, other: $other) -> $result {
            unsafe { $result($intrinsic(self.0, other.0)) }
        }
    )+};
}

#[cfg(target_arch = "x86_64")]
pub(super) use methods;
#[cfg(any(target_arch = "x86_64", simd128))]
pub(super) use operator;
