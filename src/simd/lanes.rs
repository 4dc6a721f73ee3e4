//! What the kernels need from a vector unit: lanes of 64 bits, one move or position each.
//!
//! A [`Simd`] value proves that the machine has the unit: it is only made by detection, and
//! words are only made from it.

use core::ops::{Add, BitAnd, BitOr, BitXor, Not, Shl, Shr, Sub};

use super::records::{Positions, Raw, Rows, Scheme};
use crate::Position;
use crate::attacks::{MASKS, SquareMasks};

/// The masks of a square as plain words.
#[inline(always)]
fn mask_words(square: u32) -> &'static [u64; 8] {
    bytemuck::cast_ref::<SquareMasks, _>(&MASKS[square as usize & 63])
}

/// The most lanes of any unit; the length of buffers.
pub(crate) const MAX_LANES: usize = 8;

/// One number per lane; those beyond the unit's lanes are ignored.
pub(crate) type PerLane = [u32; MAX_LANES];

pub(crate) trait Simd: Copy {
    /// Moves or positions per register, at most [`MAX_LANES`].
    const LANES: usize;
    type Word: Word;

    fn splat(self, word: u64) -> Self::Word;
    fn load(self, lanes: &PerLane) -> Self::Word;
    /// Mask of the lanes below `count`.
    fn first_lanes(self, count: usize) -> MaskOf<Self>;
    /// Transposes rows of four words, one per lane.
    fn half_rows(self, rows: [&[u64; 4]; MAX_LANES]) -> [Self::Word; 4];
    /// Appends the sets of the selected lanes with their tags.
    fn pick<const CAPACITY: usize>(
        self,
        lanes: MaskOf<Self>,
        sets: Self::Word,
        tags: Self::Word,
        list: &mut Sets<CAPACITY>,
    );

    /// The planes of a group's records, unchecked.
    fn unpack<F: Scheme>(self, records: &Rows, positions: &mut Positions);
    /// The first and the last eight bytes of records, one per lane.
    fn ends(self, records: &[Raw]) -> (Self::Word, Self::Word);

    /// Transposes rows of eight words, one per lane.
    #[inline(always)]
    fn rows(self, rows: [&[u64; 8]; MAX_LANES]) -> [Self::Word; 8] {
        let [w0, w1, w2, w3] = self.half_rows(rows.map(|row| &row.as_chunks().0[0]));
        let [w4, w5, w6, w7] = self.half_rows(rows.map(|row| &row.as_chunks().0[1]));
        [w0, w1, w2, w3, w4, w5, w6, w7]
    }

    /// The four planes of one position per lane.
    #[inline(always)]
    fn planes(self, positions: [&Position; MAX_LANES]) -> [Self::Word; 4] {
        self.half_rows(positions.map(bytemuck::cast_ref))
    }

    /// The masks of one square per lane, in the order of [`SquareMasks`].
    #[inline(always)]
    fn masks(self, squares: &PerLane) -> [Self::Word; 8] {
        self.rows(squares.map(mask_words))
    }

    /// The first four masks only, the lines.
    #[inline(always)]
    fn lines(self, squares: &PerLane) -> [Self::Word; 4] {
        self.half_rows(squares.map(|square| &mask_words(square).as_chunks().0[0]))
    }
}

/// A vector unit with enough lanes for the stages after the screen.
pub(crate) trait Stages: Simd<Word: Values> {
    fn load_words(self, lanes: &[u64; MAX_LANES]) -> Self::Word;
    /// A value in centipawns in every lane; see [`Values`] for its arithmetic.
    fn splat_value(self, value: i32) -> Self::Word;
    /// Eight values, looked up by piece code.
    fn table(self, values: [i32; 8]) -> Self::Word;
    fn look_up(self, table: Self::Word, codes: Self::Word) -> Self::Word;
    /// Transposes four words back into one row per lane.
    fn store_rows(self, words: [Self::Word; 4], rows: [&mut [u64; 4]; MAX_LANES]);
    /// Appends an entry for each bit of each lane's set: the lane's tag plus the bit's index
    /// shifted left by `SHIFT`.
    fn list<const SHIFT: u32, const CAPACITY: usize>(
        self,
        sets: Self::Word,
        tags: Self::Word,
        list: &mut List<CAPACITY>,
    );
}

/// A list of 32-bit entries. Its user never exceeds the capacity.
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

    /// Whether there are `count` entries, or any when `last`.
    #[inline(always)]
    pub(crate) fn has(&self, count: usize, last: bool) -> bool {
        self.len >= if last { 1 } else { count }
    }

    #[inline(always)]
    pub(crate) fn push(&mut self, entry: u32) {
        self.entries[self.len] = entry;
        self.len += 1;
    }

    /// Appends the first `count` of `entries`; all are stored.
    #[inline(always)]
    pub(crate) fn extend(&mut self, entries: PerLane, count: usize) {
        let end: &mut PerLane = self.entries[self.len..].first_chunk_mut().expect("room");
        *end = entries;
        self.len += count;
    }

    /// Appends `tag` plus each bit's index, shifted.
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

    /// Takes up to `count` of the last entries; the rest of the returned array is stale.
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

    /// Returns room for a register of sets and of tags at the end, of which `count` are kept.
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

/// A register of 64-bit lanes: bitboards or squares.
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

    /// `1 << self`, of squares.
    fn bit(self) -> Self;
    /// The board turned by 180 degrees: bit 0 becomes bit 63.
    fn reversed(self) -> Self;
    /// Lanes where `self & other` is 0.
    fn misses(self, other: Self) -> Self::Mask;
    fn store(self, lanes: &mut [u64; MAX_LANES]);

    /// Lanes where `self & other` is not 0.
    #[inline(always)]
    fn meets(self, other: Self) -> Self::Mask {
        !self.misses(other)
    }

    /// The lowest bit of each lane.
    #[inline(always)]
    fn lowest(self) -> Self {
        let zero = self & !self; // a constant, once compiled
        self & (zero - self)
    }
}

/// A register of bitboards, squares or values. The upper 32 bits of a value lane depend on the unit.
pub(crate) trait Values: Word {
    fn add_value(self, other: Self) -> Self;
    fn sub_value(self, other: Self) -> Self;
    fn min_value(self, other: Self) -> Self;
    fn max_value(self, other: Self) -> Self;
    fn is_less(self, other: Self) -> Self::Mask;
    fn store_values(self, lanes: &mut [i32; MAX_LANES]);
    /// Values in the upper 48 bits of the lanes, `low` in the lower 16.
    fn over(self, low: Self) -> Self;

    /// The highest bit of each lane, for squares of a line on one side of another square;
    /// `rank` is that square's rank.
    fn highest_of_line(self, rank: Self) -> Self;
    /// The same for a file, a rank, a diagonal and an antidiagonal, joined.
    fn highest_of_each(lines: [Self; 4]) -> Self;
    /// The number of bits in each lane.
    fn count(self) -> Self;
}

/// A boolean per lane.
pub(crate) trait Mask<W>:
    Copy + BitAnd<Output = Self> + BitOr<Output = Self> + Not<Output = Self>
{
    fn any(self) -> bool;
    /// One bit per lane.
    fn bits(self) -> u32;
    /// `yes` where set, else `no`.
    fn select(self, yes: W, no: W) -> W;
    /// `yes` where set, else 0.
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
