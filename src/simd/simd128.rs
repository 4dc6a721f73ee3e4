//! Two lanes: the vectors of WebAssembly.

// Why each `unsafe` is sound: loads and stores use references to arrays of the right size. The
// other intrinsics are safe; `operator` serves units whose intrinsics are not.
#![allow(unsafe_code, unused_unsafe)]
// Dozens of intrinsics, whose names tell where they are from.
#![allow(clippy::wildcard_imports)]

use core::arch::wasm32::*;
use core::ops::{Add, BitAnd, BitOr, BitXor, Not, Sub};

use super::lanes::{MAX_LANES, Mask, PerLane, Sets, Simd, Word, line_words, operator};
use crate::Position;
use crate::captures::fill::Shift;

/// The unit. Whoever compiles for it knows that it is there: WebAssembly has no detection.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Simd128;

/// Two lanes. A value is stored in both halves of its lane, so that comparing it gives a mask
/// of whole lanes.
#[derive(Clone, Copy)]
pub(crate) struct Word2(pub(super) v128);

/// Lanes of all ones or all zeros.
#[derive(Clone, Copy)]
pub(crate) struct Mask2(v128);

impl Simd for Simd128 {
    const LANES: usize = 2;
    type Word = Word2;

    #[inline(always)]
    fn splat(self, word: u64) -> Word2 {
        Word2(u64x2_splat(word))
    }

    #[inline(always)]
    fn load(self, lanes: &PerLane) -> Word2 {
        Word2::of(lanes[0].into(), lanes[1].into())
    }

    #[inline(always)]
    fn planes(self, [first, second, ..]: [&Position; MAX_LANES]) -> [Word2; 4] {
        transpose(bytemuck::cast_ref(first), bytemuck::cast_ref(second))
    }

    #[inline(always)]
    fn first_lanes(self, count: usize) -> Mask2 {
        Mask2(i64x2_gt(i64x2_splat(count as i64), i64x2(0, 1)))
    }

    #[inline(always)]
    fn rows(self, [first, second, ..]: [&[u64; 8]; MAX_LANES]) -> [Word2; 8] {
        let [[w0, w1, w2, w3], [w4, w5, w6, w7]] = [0, 4].map(|start| {
            let half = |row: &[u64; 8]| *row[start..].first_chunk().expect("half of them");
            transpose(&half(first), &half(second))
        });
        [w0, w1, w2, w3, w4, w5, w6, w7]
    }

    #[inline(always)]
    fn pick<const CAPACITY: usize>(
        self,
        lanes: Mask2,
        sets: Word2,
        tags: Word2,
        list: &mut Sets<CAPACITY>,
    ) {
        let bits = lanes.bits();
        let (to_sets, to_tags) = list.grow::<2>(bits.count_ones() as usize);
        let picked = |word: Word2| match bits {
            2 => [word.second(), 0],
            _ => [word.first(), word.second()],
        };
        (*to_sets, *to_tags) = (picked(sets), picked(tags));
    }

    #[inline(always)]
    fn lines(self, squares: &PerLane) -> [Word2; 4] {
        transpose(line_words(squares[0]), line_words(squares[1]))
    }
}

/// The first 16 bytes.
#[inline(always)]
pub(super) fn loaded(bytes: &[u8]) -> v128 {
    let bytes: &[u8; 16] = bytes.first_chunk().expect("16 bytes");
    unsafe { v128_load(bytes.as_ptr().cast()) }
}

/// Words of two rows, one row per lane.
#[inline(always)]
fn transpose(first: &[u64; 4], second: &[u64; 4]) -> [Word2; 4] {
    core::array::from_fn(|i| Word2::of(first[i], second[i]))
}

operator!(Add, add, Word2, i64x2_add);
operator!(Sub, sub, Word2, i64x2_sub);
operator!(BitAnd, bitand, Word2, v128_and);
operator!(BitOr, bitor, Word2, v128_or);
operator!(BitXor, bitxor, Word2, v128_xor);
operator!(BitAnd, bitand, Mask2, v128_and);
operator!(BitOr, bitor, Mask2, v128_or);

impl Not for Word2 {
    type Output = Word2;
    #[inline(always)]
    fn not(self) -> Word2 {
        Word2(v128_not(self.0))
    }
}

impl Not for Mask2 {
    type Output = Mask2;
    #[inline(always)]
    fn not(self) -> Mask2 {
        Mask2(v128_not(self.0))
    }
}

impl Shift for Word2 {
    #[inline(always)]
    fn shl<const N: u32>(self) -> Word2 {
        Word2(u64x2_shl(self.0, N))
    }

    #[inline(always)]
    fn shr<const N: u32>(self) -> Word2 {
        Word2(u64x2_shr(self.0, N))
    }
}

impl Word2 {
    #[inline(always)]
    pub(super) fn of(first: u64, second: u64) -> Word2 {
        Word2(u64x2(first, second))
    }

    #[inline(always)]
    pub(super) fn first(self) -> u64 {
        u64x2_extract_lane::<0>(self.0)
    }

    #[inline(always)]
    pub(super) fn second(self) -> u64 {
        u64x2_extract_lane::<1>(self.0)
    }

    /// By a function of one lane, where there is no instruction for two.
    #[inline(always)]
    fn each(self, of: impl Fn(u64) -> u64) -> Word2 {
        Word2::of(of(self.first()), of(self.second()))
    }
}

impl Word for Word2 {
    type Mask = Mask2;

    #[inline(always)]
    fn bit(self) -> Word2 {
        self.each(|square| 1 << (square & 63))
    }

    #[inline(always)]
    fn reversed(self) -> Word2 {
        let nibble = u8x16_splat(0x0f);
        // The bits of a nibble reversed.
        let low = u64x2(0x0e06_0a02_0c04_0800, 0x0f07_0b03_0d05_0901);
        let ranks = u64x2(0x0001_0203_0405_0607, 0x0809_0a0b_0c0d_0e0f);
        let bytes = i8x16_swizzle(self.0, ranks);
        let from_low = u8x16_shl(i8x16_swizzle(low, v128_and(bytes, nibble)), 4);
        Word2(v128_or(from_low, i8x16_swizzle(low, u8x16_shr(bytes, 4))))
    }

    #[inline(always)]
    fn meets(self, other: Word2) -> Mask2 {
        Mask2(i64x2_ne(v128_and(self.0, other.0), u64x2_splat(0)))
    }

    #[inline(always)]
    fn misses(self, other: Word2) -> Mask2 {
        Mask2(i64x2_eq(v128_and(self.0, other.0), u64x2_splat(0)))
    }

    #[inline(always)]
    fn store(self, lanes: &mut [u64; MAX_LANES]) {
        unsafe { v128_store(lanes.as_mut_ptr().cast(), self.0) }
    }

    #[inline(always)]
    fn lowest(self) -> Word2 {
        Word2(v128_and(self.0, i64x2_neg(self.0)))
    }
}

impl Mask<Word2> for Mask2 {
    #[inline(always)]
    fn any(self) -> bool {
        v128_any_true(self.0)
    }

    #[inline(always)]
    fn bits(self) -> u32 {
        i64x2_bitmask(self.0).into()
    }

    #[inline(always)]
    fn select(self, yes: Word2, no: Word2) -> Word2 {
        Word2(v128_bitselect(yes.0, no.0, self.0))
    }

    #[inline(always)]
    fn keep(self, yes: Word2) -> Word2 {
        Word2(v128_and(self.0, yes.0))
    }
}
