//! Eight lanes: AVX-512 of Ice Lake, Zen 4 and later.

// Why each `unsafe` is sound: a value of this type exists only after `Avx512::detect`, so the
// features of the intrinsics are present; loads and stores use references to arrays of the
// right size.
#![allow(unsafe_code)]
// Dozens of intrinsics, whose names tell where they are from.
#![allow(clippy::wildcard_imports)]

use core::arch::x86_64::*;
use core::ops::Range;

use super::kernel::{Kernel, Task, unit};
use super::lanes::{List, MAX_LANES, Mask, PerLane, Sets, Simd, Stages, Word};
use crate::Rules;

mod masks;
mod word;

use word::Mask8;
pub(super) use word::Word8;

unit!(
    Avx512,
    "avx512f",
    "avx512bw",
    "avx512cd",
    "avx512dq",
    "avx512vl",
    "avx512vbmi",
    "avx512vbmi2",
    "avx512vpopcntdq",
    "gfni",
    "bmi1",
    "bmi2",
    "lzcnt",
    "popcnt"
);

impl Simd for Avx512 {
    const LANES: usize = 8;
    type Word = Word8;

    #[inline(always)]
    fn splat(self, word: u64) -> Word8 {
        unsafe { Word8(_mm512_set1_epi64(word.cast_signed())) }
    }

    #[inline(always)]
    fn load(self, lanes: &PerLane) -> Word8 {
        unsafe {
            Word8(_mm512_cvtepu32_epi64(_mm256_loadu_si256(
                lanes.as_ptr().cast(),
            )))
        }
    }

    #[inline(always)]
    fn half_rows(self, [r0, r1, r2, r3, r4, r5, r6, r7]: [&[u64; 4]; 8]) -> [Word8; 4] {
        let (r04, r15) = (join(r0, r4), join(r1, r5));
        let (r26, r37) = (join(r2, r6), join(r3, r7));
        quarters([r04, r15, r26, r37])
    }

    #[inline(always)]
    fn masks(self, squares: &PerLane) -> [Word8; 8] {
        masks::masks(self, self.load(squares) & self.splat(63))
    }

    #[inline(always)]
    fn lines(self, squares: &PerLane) -> [Word8; 4] {
        masks::lines(self, self.load(squares) & self.splat(63))
    }

    #[inline(always)]
    fn first_lanes(self, count: usize) -> Mask8 {
        Mask8(((1_u32 << count) - 1) as u8)
    }

    #[inline(always)]
    fn pick<const CAPACITY: usize>(
        self,
        lanes: Mask8,
        sets: Word8,
        tags: Word8,
        list: &mut Sets<CAPACITY>,
    ) {
        let (to_sets, to_tags) = list.grow::<MAX_LANES>(lanes.0.count_ones() as usize);
        unsafe {
            Word8(_mm512_maskz_compress_epi64(lanes.0, sets.0)).store(to_sets);
            Word8(_mm512_maskz_compress_epi64(lanes.0, tags.0)).store(to_tags);
        }
    }
}

impl Stages for Avx512 {
    #[inline(always)]
    fn load_words(self, lanes: &[u64; MAX_LANES]) -> Word8 {
        unsafe { Word8(_mm512_loadu_si512(lanes.as_ptr().cast())) }
    }

    #[inline(always)]
    fn splat_value(self, value: i32) -> Word8 {
        unsafe { Word8(_mm512_set1_epi64(value.into())) }
    }

    #[inline(always)]
    fn table(self, values: [i32; 8]) -> Word8 {
        unsafe {
            Word8(_mm512_cvtepi32_epi64(_mm256_loadu_si256(
                values.as_ptr().cast(),
            )))
        }
    }

    #[inline(always)]
    fn look_up(self, table: Word8, codes: Word8) -> Word8 {
        unsafe { Word8(_mm512_permutexvar_epi64(codes.0, table.0)) }
    }

    #[inline(always)]
    fn store_rows(self, [a, b, c, d]: [Word8; 4], rows: [&mut [u64; 4]; MAX_LANES]) {
        let [r0, r1, r2, r3, r4, r5, r6, r7] = rows;
        unsafe {
            // Rows 0, 2, 4, 6 and 1, 3, 5, 7: their first, then their last halves.
            let (even_ab, odd_ab) = (
                _mm512_unpacklo_epi64(a.0, b.0),
                _mm512_unpackhi_epi64(a.0, b.0),
            );
            let (even_cd, odd_cd) = (
                _mm512_unpacklo_epi64(c.0, d.0),
                _mm512_unpackhi_epi64(c.0, d.0),
            );
            let low = _mm512_setr_epi64(0, 1, 8, 9, 2, 3, 10, 11);
            let high = _mm512_setr_epi64(4, 5, 12, 13, 6, 7, 14, 15);
            store_pair(_mm512_permutex2var_epi64(even_ab, low, even_cd), r0, r2);
            store_pair(_mm512_permutex2var_epi64(odd_ab, low, odd_cd), r1, r3);
            store_pair(_mm512_permutex2var_epi64(even_ab, high, even_cd), r4, r6);
            store_pair(_mm512_permutex2var_epi64(odd_ab, high, odd_cd), r5, r7);
        }
    }

    #[inline(always)]
    fn list<const SHIFT: u32, const CAPACITY: usize>(
        self,
        sets: Word8,
        tags: Word8,
        list: &mut List<CAPACITY>,
    ) {
        let mut sets = sets;
        let mut left = sets.meets(sets);
        while left.any() {
            let below = sets - self.splat(1);
            let mut entries = [0; MAX_LANES];
            unsafe {
                let bit = _mm512_popcnt_epi64((below & !sets).0);
                let entry = _mm512_add_epi64(tags.0, _mm512_slli_epi64::<SHIFT>(bit));
                let entry = _mm512_cvtepi64_epi32(entry);
                let dense = _mm256_maskz_compress_epi32(left.0, entry);
                _mm256_storeu_si256(entries.as_mut_ptr().cast(), dense);
            }
            list.extend(entries, left.0.count_ones() as usize);
            sets = sets & below;
            left = sets.meets(sets);
        }
    }
}

// No closures below: they cannot be `inline(always)`, and a function that is not inlined into
// the one compiled for these features costs a call.

#[inline(always)]
fn join(low: &[u64; 4], high: &[u64; 4]) -> __m512i {
    unsafe {
        let low = _mm256_loadu_si256(low.as_ptr().cast());
        let high = _mm256_loadu_si256(high.as_ptr().cast());
        _mm512_inserti64x4::<1>(_mm512_castsi256_si512(low), high)
    }
}

#[inline(always)]
fn store_pair(rows: __m512i, low: &mut [u64; 4], high: &mut [u64; 4]) {
    unsafe {
        _mm256_storeu_si256(low.as_mut_ptr().cast(), _mm512_castsi512_si256(rows));
        _mm256_storeu_si256(
            high.as_mut_ptr().cast(),
            _mm512_extracti64x4_epi64::<1>(rows),
        );
    }
}

/// For rows a to d: words 0 and 4 of each, as a0 b0 c0 d0 a4 b4 c4 d4, then words 1 and 5, 2
/// and 6, 3 and 7.
#[inline(always)]
fn quarters([a, b, c, d]: [__m512i; 4]) -> [Word8; 4] {
    unsafe {
        let (even_ab, odd_ab) = (_mm512_unpacklo_epi64(a, b), _mm512_unpackhi_epi64(a, b));
        let (even_cd, odd_cd) = (_mm512_unpacklo_epi64(c, d), _mm512_unpackhi_epi64(c, d));
        let first = _mm512_setr_epi64(0, 1, 8, 9, 4, 5, 12, 13);
        let last = _mm512_setr_epi64(2, 3, 10, 11, 6, 7, 14, 15);
        [
            Word8(_mm512_permutex2var_epi64(even_ab, first, even_cd)),
            Word8(_mm512_permutex2var_epi64(odd_ab, first, odd_cd)),
            Word8(_mm512_permutex2var_epi64(even_ab, last, even_cd)),
            Word8(_mm512_permutex2var_epi64(odd_ab, last, odd_cd)),
        ]
    }
}
