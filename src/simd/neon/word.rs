//! Words and masks of two lanes.

// NEON is in the baseline of this architecture, so what its intrinsics need is
// there; stores go through references to arrays of the right size. That is the
// reason for each `unsafe`.
#![allow(unsafe_code)]
// Dozens of intrinsics, whose names tell where they are from.
#![allow(clippy::wildcard_imports)]

use core::arch::aarch64::*;
use core::ops::{Add, BitAnd, BitOr, BitXor, Not, Sub};

use crate::captures::fill::Shift;
use crate::simd::lanes::{MAX_LANES, Mask, Word, operator};

/// Two lanes. A value stands in both halves of its lane, so that comparing it
/// gives a mask of whole lanes.
#[derive(Clone, Copy)]
pub(crate) struct Word2(pub(crate) uint64x2_t);

/// Lanes of all ones or all zeros.
#[derive(Clone, Copy)]
pub(crate) struct Mask2(pub(crate) uint64x2_t);

impl Word2 {
    #[inline(always)]
    pub(crate) fn lanes(self) -> [u64; 2] {
        unsafe { [vgetq_lane_u64::<0>(self.0), vgetq_lane_u64::<1>(self.0)] }
    }

    #[inline(always)]
    fn values(self) -> int32x4_t {
        unsafe { vreinterpretq_s32_u64(self.0) }
    }

    #[inline(always)]
    fn of_values(values: int32x4_t) -> Word2 {
        unsafe { Word2(vreinterpretq_u64_s32(values)) }
    }
}

operator!(Add, add, Word2, vaddq_u64);
operator!(Sub, sub, Word2, vsubq_u64);
operator!(BitAnd, bitand, Word2, vandq_u64);
operator!(BitOr, bitor, Word2, vorrq_u64);
operator!(BitXor, bitxor, Word2, veorq_u64);
operator!(BitAnd, bitand, Mask2, vandq_u64);
operator!(BitOr, bitor, Mask2, vorrq_u64);

#[inline(always)]
fn not(word: uint64x2_t) -> uint64x2_t {
    unsafe { vreinterpretq_u64_u32(vmvnq_u32(vreinterpretq_u32_u64(word))) }
}

impl Not for Word2 {
    type Output = Word2;
    #[inline(always)]
    fn not(self) -> Word2 {
        Word2(not(self.0))
    }
}

impl Not for Mask2 {
    type Output = Mask2;
    #[inline(always)]
    fn not(self) -> Mask2 {
        Mask2(not(self.0))
    }
}

impl Shift for Word2 {
    #[inline(always)]
    fn shl<const N: u32>(self) -> Word2 {
        unsafe { Word2(vshlq_u64(self.0, vdupq_n_s64(i64::from(N)))) }
    }

    #[inline(always)]
    fn shr<const N: u32>(self) -> Word2 {
        unsafe { Word2(vshlq_u64(self.0, vdupq_n_s64(-i64::from(N)))) }
    }
}

impl Word for Word2 {
    type Mask = Mask2;

    #[inline(always)]
    fn bit(self) -> Word2 {
        unsafe { Word2(vshlq_u64(vdupq_n_u64(1), vreinterpretq_s64_u64(self.0))) }
    }

    #[inline(always)]
    fn reversed(self) -> Word2 {
        unsafe {
            let bytes = vrbitq_u8(vreinterpretq_u8_u64(self.0));
            Word2(vreinterpretq_u64_u8(vrev64q_u8(bytes)))
        }
    }

    #[inline(always)]
    fn meets(self, other: Word2) -> Mask2 {
        unsafe { Mask2(vtstq_u64(self.0, other.0)) }
    }

    #[inline(always)]
    fn misses(self, other: Word2) -> Mask2 {
        unsafe { Mask2(vceqzq_u64(vandq_u64(self.0, other.0))) }
    }

    #[inline(always)]
    fn store(self, lanes: &mut [u64; MAX_LANES]) {
        unsafe { vst1q_u64(lanes.as_mut_ptr(), self.0) }
    }

    #[inline(always)]
    fn add_value(self, other: Word2) -> Word2 {
        unsafe { Word2::of_values(vaddq_s32(self.values(), other.values())) }
    }

    #[inline(always)]
    fn sub_value(self, other: Word2) -> Word2 {
        unsafe { Word2::of_values(vsubq_s32(self.values(), other.values())) }
    }

    #[inline(always)]
    fn min_value(self, other: Word2) -> Word2 {
        unsafe { Word2::of_values(vminq_s32(self.values(), other.values())) }
    }

    #[inline(always)]
    fn max_value(self, other: Word2) -> Word2 {
        unsafe { Word2::of_values(vmaxq_s32(self.values(), other.values())) }
    }

    #[inline(always)]
    fn is_less(self, other: Word2) -> Mask2 {
        unsafe {
            Mask2(vreinterpretq_u64_u32(vcltq_s32(
                self.values(),
                other.values(),
            )))
        }
    }

    #[inline(always)]
    fn store_values(self, lanes: &mut [i32; MAX_LANES]) {
        unsafe { vst1_s32(lanes.as_mut_ptr(), vmovn_s64(vreinterpretq_s64_u64(self.0))) }
    }

    #[inline(always)]
    fn over(self, low: Word2) -> Word2 {
        unsafe {
            // The upper half, its sign extended, is the value of 64 bits.
            let wide = vshrq_n_s64::<32>(vreinterpretq_s64_u64(self.0));
            Word2(vsliq_n_u64::<16>(low.0, vreinterpretq_u64_s64(wide)))
        }
    }

    #[inline(always)]
    fn lowest(self) -> Word2 {
        unsafe {
            let negated = vnegq_s64(vreinterpretq_s64_u64(self.0));
            Word2(vandq_u64(self.0, vreinterpretq_u64_s64(negated)))
        }
    }

    #[inline(always)]
    fn highest_of_line(self, _rank: Word2) -> Word2 {
        self.reversed().lowest().reversed()
    }

    #[inline(always)]
    fn highest_of_each([file, rank, diagonal, antidiagonal]: [Word2; 4]) -> Word2 {
        let lowest = file.reversed().lowest()
            | rank.reversed().lowest()
            | diagonal.reversed().lowest()
            | antidiagonal.reversed().lowest();
        lowest.reversed()
    }

    #[inline(always)]
    fn count(self) -> Word2 {
        unsafe {
            let bytes = vcntq_u8(vreinterpretq_u8_u64(self.0));
            Word2(vpaddlq_u32(vpaddlq_u16(vpaddlq_u8(bytes))))
        }
    }
}

impl Mask<Word2> for Mask2 {
    #[inline(always)]
    fn any(self) -> bool {
        unsafe { vmaxvq_u32(vreinterpretq_u32_u64(self.0)) != 0 }
    }

    #[inline(always)]
    fn bits(self) -> u32 {
        let [first, second] = Word2(self.0).lanes();
        first as u32 & 1 | second as u32 & 2
    }

    #[inline(always)]
    fn select(self, yes: Word2, no: Word2) -> Word2 {
        unsafe { Word2(vbslq_u64(self.0, yes.0, no.0)) }
    }

    #[inline(always)]
    fn keep(self, yes: Word2) -> Word2 {
        unsafe { Word2(vandq_u64(self.0, yes.0)) }
    }
}
