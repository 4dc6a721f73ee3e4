//! Words and masks that are arrays.

use core::ops::{Add, BitAnd, BitOr, BitXor, Not, Sub};

use crate::captures::fill::Shift;
use crate::simd::lanes::{self, MAX_LANES};

pub(crate) const LANES: usize = 2;

/// Values are extended to 64 bits.
#[derive(Clone, Copy)]
pub(crate) struct Word(pub(crate) [u64; LANES]);

/// Lanes of all ones or all zeros.
#[derive(Clone, Copy)]
pub(crate) struct Mask([u64; LANES]);

impl Word {
    // Written out: a loop for every operation is more than the compiler's
    // optimisers can bear.
    #[inline(always)]
    pub(crate) fn each(lane: impl Fn(usize) -> u64) -> Word {
        Word([lane(0), lane(1)])
    }

    #[inline(always)]
    fn value(self, i: usize) -> i64 {
        self.0[i].cast_signed()
    }
}

impl Mask {
    #[inline(always)]
    pub(crate) fn each(lane: impl Fn(usize) -> bool) -> Mask {
        Mask(Word::each(|i| u64::from(lane(i)).wrapping_neg()).0)
    }

    #[inline(always)]
    pub(crate) fn is_set(self, i: usize) -> bool {
        self.0[i] != 0
    }
}

macro_rules! operator {
    ($trait:ident, $method:ident, $type:ident, $operation:path) => {
        impl $trait for $type {
            type Output = $type;
            #[inline(always)]
            fn $method(self, other: $type) -> $type {
                $type(Word::each(|i| $operation(self.0[i], other.0[i])).0)
            }
        }
    };
}

operator!(Add, add, Word, u64::wrapping_add);
operator!(Sub, sub, Word, u64::wrapping_sub);
operator!(BitAnd, bitand, Word, u64::bitand);
operator!(BitOr, bitor, Word, u64::bitor);
operator!(BitXor, bitxor, Word, u64::bitxor);
operator!(BitAnd, bitand, Mask, u64::bitand);
operator!(BitOr, bitor, Mask, u64::bitor);

impl Not for Word {
    type Output = Word;
    #[inline(always)]
    fn not(self) -> Word {
        Word::each(|i| !self.0[i])
    }
}

impl Not for Mask {
    type Output = Mask;
    #[inline(always)]
    fn not(self) -> Mask {
        Mask([!self.0[0], !self.0[1]])
    }
}

impl Shift for Word {
    #[inline(always)]
    fn shl<const BY: u32>(self) -> Word {
        Word::each(|i| self.0[i] << BY)
    }

    #[inline(always)]
    fn shr<const BY: u32>(self) -> Word {
        Word::each(|i| self.0[i] >> BY)
    }
}

impl lanes::Word for Word {
    type Mask = Mask;

    #[inline(always)]
    fn bit(self) -> Word {
        Word::each(|i| 1_u64.wrapping_shl(self.0[i] as u32))
    }

    #[inline(always)]
    fn reversed(self) -> Word {
        Word::each(|i| self.0[i].reverse_bits())
    }

    #[inline(always)]
    fn meets(self, other: Word) -> Mask {
        Mask::each(|i| self.0[i] & other.0[i] != 0)
    }

    #[inline(always)]
    fn misses(self, other: Word) -> Mask {
        Mask::each(|i| self.0[i] & other.0[i] == 0)
    }

    #[inline(always)]
    fn store(self, lanes: &mut [u64; MAX_LANES]) {
        [lanes[0], lanes[1]] = self.0;
    }

    #[inline(always)]
    fn add_value(self, other: Word) -> Word {
        self + other
    }

    #[inline(always)]
    fn sub_value(self, other: Word) -> Word {
        self - other
    }

    #[inline(always)]
    fn min_value(self, other: Word) -> Word {
        Word::each(|i| self.value(i).min(other.value(i)).cast_unsigned())
    }

    #[inline(always)]
    fn max_value(self, other: Word) -> Word {
        Word::each(|i| self.value(i).max(other.value(i)).cast_unsigned())
    }

    #[inline(always)]
    fn is_less(self, other: Word) -> Mask {
        Mask::each(|i| self.value(i) < other.value(i))
    }

    #[inline(always)]
    fn store_values(self, lanes: &mut [i32; MAX_LANES]) {
        [lanes[0], lanes[1]] = [self.0[0] as i32, self.0[1] as i32];
    }

    #[inline(always)]
    fn over(self, low: Word) -> Word {
        self.shl::<16>() | low
    }

    #[inline(always)]
    fn lowest(self) -> Word {
        Word::each(|i| self.0[i] & self.0[i].wrapping_neg())
    }

    #[inline(always)]
    fn highest_of_line(self, _rank: Word) -> Word {
        highest(self)
    }

    #[inline(always)]
    fn highest_of_each([file, rank, diagonal, antidiagonal]: [Word; 4]) -> Word {
        highest(file) | highest(rank) | highest(diagonal) | highest(antidiagonal)
    }

    #[inline(always)]
    fn count(self) -> Word {
        Word::each(|i| self.0[i].count_ones().into())
    }
}

#[inline(always)]
fn highest(word: Word) -> Word {
    // Nothing in a word of nothing, without a branch.
    Word::each(|i| (1_u64 << 63).unbounded_shr(word.0[i].leading_zeros()))
}

impl lanes::Mask<Word> for Mask {
    #[inline(always)]
    fn any(self) -> bool {
        self.0[0] | self.0[1] != 0
    }

    #[inline(always)]
    fn bits(self) -> u32 {
        self.0[0] as u32 & 1 | self.0[1] as u32 & 2
    }

    #[inline(always)]
    fn select(self, yes: Word, no: Word) -> Word {
        Word::each(|i| no.0[i] ^ (no.0[i] ^ yes.0[i]) & self.0[i])
    }

    #[inline(always)]
    fn keep(self, yes: Word) -> Word {
        Word::each(|i| yes.0[i] & self.0[i])
    }
}
