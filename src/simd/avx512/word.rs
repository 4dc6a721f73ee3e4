//! Words and masks of eight lanes.

// Why each `unsafe` is sound: see the file above, `avx512.rs`.
#![allow(unsafe_code)]
// Dozens of intrinsics, whose names tell where they are from.
#![allow(clippy::wildcard_imports)]

use core::arch::x86_64::*;
use core::ops::{Add, BitAnd, BitOr, BitXor, Not, Sub};

use crate::captures::fill::Shift;
use crate::simd::lanes::{MAX_LANES, Mask, Values, Word, operator};

#[derive(Clone, Copy)]
pub(crate) struct Word8(pub(crate) __m512i);

#[derive(Clone, Copy)]
pub(crate) struct Mask8(pub(crate) __mmask8);

operator!(Add, add, Word8, _mm512_add_epi64);
operator!(Sub, sub, Word8, _mm512_sub_epi64);
operator!(BitAnd, bitand, Word8, _mm512_and_si512);
operator!(BitOr, bitor, Word8, _mm512_or_si512);
operator!(BitXor, bitxor, Word8, _mm512_xor_si512);
operator!(BitAnd, bitand, Mask8, _kand_mask8);
operator!(BitOr, bitor, Mask8, _kor_mask8);

impl Not for Word8 {
    type Output = Word8;
    #[inline(always)]
    fn not(self) -> Word8 {
        unsafe { Word8(_mm512_xor_si512(self.0, _mm512_set1_epi64(-1))) }
    }
}

impl Shift for Word8 {
    #[inline(always)]
    fn shl<const N: u32>(self) -> Word8 {
        unsafe { Word8(_mm512_slli_epi64::<N>(self.0)) }
    }

    #[inline(always)]
    fn shr<const N: u32>(self) -> Word8 {
        unsafe { Word8(_mm512_srli_epi64::<N>(self.0)) }
    }
}

impl Word for Word8 {
    type Mask = Mask8;

    #[inline(always)]
    fn bit(self) -> Word8 {
        unsafe { Word8(_mm512_sllv_epi64(_mm512_set1_epi64(1), self.0)) }
    }

    #[inline(always)]
    fn reversed(self) -> Word8 {
        /// Row i of the bit matrix selects bit 7 - i.
        const REVERSE_BITS: i64 = 0x8040_2010_0804_0201_u64.cast_signed();
        unsafe {
            let swap_bytes = _mm512_set4_epi32(0x0809_0a0b, 0x0c0d_0e0f, 0x0001_0203, 0x0405_0607);
            let bits = _mm512_gf2p8affine_epi64_epi8::<0>(self.0, _mm512_set1_epi64(REVERSE_BITS));
            Word8(_mm512_shuffle_epi8(bits, swap_bytes))
        }
    }

    #[inline(always)]
    fn meets(self, other: Word8) -> Mask8 {
        unsafe { Mask8(_mm512_test_epi64_mask(self.0, other.0)) }
    }

    #[inline(always)]
    fn misses(self, other: Word8) -> Mask8 {
        unsafe { Mask8(_mm512_testn_epi64_mask(self.0, other.0)) }
    }

    #[inline(always)]
    fn store(self, lanes: &mut [u64; MAX_LANES]) {
        unsafe { _mm512_storeu_si512(lanes.as_mut_ptr().cast(), self.0) }
    }
}

impl Values for Word8 {
    #[inline(always)]
    fn count(self) -> Word8 {
        unsafe { Word8(_mm512_popcnt_epi64(self.0)) }
    }

    #[inline(always)]
    fn highest_of_line(self, _rank: Word8) -> Word8 {
        highest(self)
    }

    #[inline(always)]
    fn highest_of_each([file, rank, diagonal, antidiagonal]: [Word8; 4]) -> Word8 {
        highest(file) | highest(rank) | highest(diagonal) | highest(antidiagonal)
    }

    #[inline(always)]
    fn add_value(self, other: Word8) -> Word8 {
        self + other
    }

    #[inline(always)]
    fn sub_value(self, other: Word8) -> Word8 {
        self - other
    }

    #[inline(always)]
    fn min_value(self, other: Word8) -> Word8 {
        unsafe { Word8(_mm512_min_epi64(self.0, other.0)) }
    }

    #[inline(always)]
    fn max_value(self, other: Word8) -> Word8 {
        unsafe { Word8(_mm512_max_epi64(self.0, other.0)) }
    }

    #[inline(always)]
    fn is_less(self, other: Word8) -> Mask8 {
        unsafe { Mask8(_mm512_cmplt_epi64_mask(self.0, other.0)) }
    }

    #[inline(always)]
    fn over(self, low: Word8) -> Word8 {
        self.shl::<16>() | low
    }

    #[inline(always)]
    fn store_values(self, lanes: &mut [i32; MAX_LANES]) {
        unsafe { _mm256_storeu_si256(lanes.as_mut_ptr().cast(), _mm512_cvtepi64_epi32(self.0)) }
    }
}

#[inline(always)]
fn highest(word: Word8) -> Word8 {
    unsafe {
        let top = _mm512_set1_epi64(i64::MIN);
        Word8(_mm512_srlv_epi64(top, _mm512_lzcnt_epi64(word.0)))
    }
}

impl Not for Mask8 {
    type Output = Mask8;
    #[inline(always)]
    fn not(self) -> Mask8 {
        Mask8(!self.0)
    }
}

impl Mask<Word8> for Mask8 {
    #[inline(always)]
    fn any(self) -> bool {
        self.0 != 0
    }

    #[inline(always)]
    fn bits(self) -> u32 {
        self.0.into()
    }

    #[inline(always)]
    fn select(self, yes: Word8, no: Word8) -> Word8 {
        unsafe { Word8(_mm512_mask_mov_epi64(no.0, self.0, yes.0)) }
    }

    #[inline(always)]
    fn keep(self, yes: Word8) -> Word8 {
        unsafe { Word8(_mm512_maskz_mov_epi64(self.0, yes.0)) }
    }
}
