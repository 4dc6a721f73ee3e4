//! What the kernels ask of a vector unit: lanes of 64 bits, one move or one
//! position each.
//!
//! A [`Simd`] value is the proof that the machine has the unit: it can only be
//! had by detection, and words can only be made from it.

use core::ops::{Add, BitAnd, BitOr, BitXor, Not, Sub};

use crate::Position;
use crate::attacks::{MASKS, SquareMasks};
use crate::captures::fill::Shift;

/// The masks of a square as bare words.
#[inline(always)]
pub(crate) fn mask_words(square: u32) -> &'static [u64; 8] {
    bytemuck::cast_ref::<SquareMasks, _>(&MASKS[square as usize & 63])
}

/// The lines of a square as bare words.
#[inline(always)]
pub(crate) fn line_words(square: u32) -> &'static [u64; 4] {
    let (lines, _) = mask_words(square).as_chunks();
    &lines[0]
}

/// The most lanes that a unit here has; buffers are this long.
pub(crate) const MAX_LANES: usize = 8;

/// One number for each lane; those beyond the unit's lanes are ignored.
pub(crate) type PerLane = [u32; MAX_LANES];

/// A vector unit.
pub(crate) trait Simd: Copy {
    /// How many moves or positions it takes at once, at most [`MAX_LANES`].
    const LANES: usize;
    type Word: Word;
    /// Eight values, to be looked up by piece code.
    type Table: Copy;

    fn splat(self, word: u64) -> Self::Word;
    fn load(self, lanes: &PerLane) -> Self::Word;
    fn load_words(self, lanes: &[u64; MAX_LANES]) -> Self::Word;
    /// A value in centipawns in every lane; see [`Word`] for its arithmetic.
    fn splat_value(self, value: i32) -> Self::Word;
    fn table(self, values: [i32; 8]) -> Self::Table;
    fn look_up(self, table: Self::Table, codes: Self::Word) -> Self::Word;
    /// The four planes of one position a lane.
    fn planes(self, positions: [&Position; MAX_LANES]) -> [Self::Word; 4];
    /// Lanes before `count`.
    fn first_lanes(self, count: usize) -> MaskOf<Self>;
    /// Rows of eight words, one a lane, transposed.
    fn rows(self, rows: [&[u64; 8]; MAX_LANES]) -> [Self::Word; 8];
    /// The opposite, of four words: as many rows as there are lanes.
    fn store_rows(self, words: [Self::Word; 4], rows: [&mut [u64; 4]; MAX_LANES]);
    /// Appends an entry for each bit of each lane's set: the lane's tag, plus the
    /// bit's number shifted left by `SHIFT`.
    fn list<const SHIFT: u32, const CAPACITY: usize>(
        self,
        sets: Self::Word,
        tags: Self::Word,
        list: &mut List<CAPACITY>,
    );
    /// Appends the sets of some lanes with their tags.
    fn pick<const CAPACITY: usize>(
        self,
        lanes: MaskOf<Self>,
        sets: Self::Word,
        tags: Self::Word,
        list: &mut Sets<CAPACITY>,
    );
    /// The masks of one square a lane, in the order of [`SquareMasks`].
    #[inline(always)]
    fn masks(self, squares: &PerLane) -> [Self::Word; 8] {
        self.rows(squares.map(mask_words))
    }
    /// As [`Simd::masks`], the lines only: the first four.
    fn lines(self, squares: &PerLane) -> [Self::Word; 4];
}

/// A list of 32-bit entries of a capacity that its user never exceeds.
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

    /// Whether there are `count` entries, or any if these are the last.
    #[inline(always)]
    pub(crate) fn has(&self, count: usize, last: bool) -> bool {
        self.len >= if last { 1 } else { count }
    }

    #[inline(always)]
    pub(crate) fn push(&mut self, entry: u32) {
        self.entries[self.len] = entry;
        self.len += 1;
    }

    /// The first `count` of `entries`, of which all are written.
    #[inline(always)]
    pub(crate) fn extend(&mut self, entries: PerLane, count: usize) {
        let end: &mut PerLane = self.entries[self.len..].first_chunk_mut().expect("room");
        *end = entries;
        self.len += count;
    }

    /// Appends `tag` plus each bit's number, shifted.
    #[inline(always)]
    pub(crate) fn extend_set<const SHIFT: u32>(&mut self, mut set: u64, tag: u32) {
        /// Nearly always enough; written without asking, as a branch would be
        /// mispredicted.
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

    /// Takes up to `count` of the last entries; the others of those returned are
    /// old ones.
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

/// A list of sets of squares, each with a tag, of a capacity that its user never
/// exceeds.
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

    /// Room for a register of sets and one of tags behind the last ones, of which
    /// `count` are to be kept.
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

/// A unit's yes or no for each lane.
pub(crate) type MaskOf<S> = <<S as Simd>::Word as Word>::Mask;

/// A register of 64-bit lanes: bitboards, squares or values. What bits a lane
/// has beyond the 32 of a value is the unit's own affair.
pub(crate) trait Word:
    Shift + Add<Output = Self> + Sub<Output = Self> + BitXor<Output = Self> + Not<Output = Self>
{
    type Mask: Mask<Self>;

    /// `1 << self`, of squares.
    fn bit(self) -> Self;
    /// The board turned by 180 degrees: bit 0 becomes bit 63.
    fn reversed(self) -> Self;
    /// Lanes where `self & other` is not 0.
    fn meets(self, other: Self) -> Self::Mask;
    /// Lanes where `self & other` is 0.
    fn misses(self, other: Self) -> Self::Mask;
    fn store(self, lanes: &mut [u64; MAX_LANES]);

    fn add_value(self, other: Self) -> Self;
    fn sub_value(self, other: Self) -> Self;
    fn min_value(self, other: Self) -> Self;
    fn max_value(self, other: Self) -> Self;
    fn is_less(self, other: Self) -> Self::Mask;
    fn store_values(self, lanes: &mut [i32; MAX_LANES]);
    /// Values as the upper 48 bits of the lanes, `low` of 16 bits below.
    fn over(self, low: Self) -> Self;

    /// The lowest bit of each lane.
    fn lowest(self) -> Self;

    /// The highest bit of each lane, of squares on one side of another on a line;
    /// `rank` is its rank.
    fn highest_of_line(self, rank: Self) -> Self;
    /// The same of a file, a rank, a diagonal and an antidiagonal, joined.
    fn highest_of_each(lines: [Self; 4]) -> Self;
    /// How many bits each lane has.
    fn count(self) -> Self;
}

/// Yes or no for each lane.
pub(crate) trait Mask<W>:
    Copy + BitAnd<Output = Self> + BitOr<Output = Self> + Not<Output = Self>
{
    fn any(self) -> bool;
    /// One bit a lane.
    fn bits(self) -> u32;
    /// `yes` where set, else `no`.
    fn select(self, yes: W, no: W) -> W;
    /// `yes` where set, else 0.
    fn keep(self, yes: W) -> W;
}

/// An operator that one intrinsic is.
#[cfg(target_arch = "x86_64")]
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
}

#[cfg(target_arch = "x86_64")]
pub(super) use operator;
