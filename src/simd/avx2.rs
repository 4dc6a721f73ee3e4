//! Four lanes: AVX2 with BMI and LZCNT.

// Why each `unsafe` is sound: a value of this type exists only after `Avx2::detect`, so the
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

mod word;

pub(super) use word::Word4;

unit!(Avx2, "avx2", "bmi1", "bmi2", "lzcnt", "popcnt");

impl Simd for Avx2 {
    const LANES: usize = 4;
    type Word = Word4;

    #[inline(always)]
    fn splat(self, word: u64) -> Word4 {
        unsafe { Word4(_mm256_set1_epi64x(word.cast_signed())) }
    }

    #[inline(always)]
    fn load(self, lanes: &PerLane) -> Word4 {
        unsafe {
            Word4(_mm256_cvtepu32_epi64(_mm_loadu_si128(
                lanes.as_ptr().cast(),
            )))
        }
    }

    #[inline(always)]
    fn half_rows(self, [r0, r1, r2, r3, ..]: [&[u64; 4]; MAX_LANES]) -> [Word4; 4] {
        transpose([load_row(r0), load_row(r1), load_row(r2), load_row(r3)])
    }

    #[inline(always)]
    fn first_lanes(self, count: usize) -> Word4 {
        unsafe {
            let lanes = _mm256_setr_epi64x(0, 1, 2, 3);
            Word4(_mm256_cmpgt_epi64(
                _mm256_set1_epi64x(i64::from(count as u32)),
                lanes,
            ))
        }
    }

    #[inline(always)]
    fn pick<const CAPACITY: usize>(
        self,
        lanes: Word4,
        sets: Word4,
        tags: Word4,
        list: &mut Sets<CAPACITY>,
    ) {
        let (to_sets, to_tags) = list.grow::<4>(lanes.bits().count_ones() as usize);
        let order = &PICKED[lanes.bits() as usize % PICKED.len()];
        unsafe {
            let order = _mm256_loadu_si256(order.as_ptr().cast());
            store_row(Word4(_mm256_permutevar8x32_epi32(sets.0, order)), to_sets);
            store_row(Word4(_mm256_permutevar8x32_epi32(tags.0, order)), to_tags);
        }
    }
}

impl Stages for Avx2 {
    #[inline(always)]
    fn load_words(self, lanes: &[u64; MAX_LANES]) -> Word4 {
        unsafe { Word4(_mm256_loadu_si256(lanes.as_ptr().cast())) }
    }

    #[inline(always)]
    fn splat_value(self, value: i32) -> Word4 {
        unsafe { Word4(_mm256_set1_epi32(value)) }
    }

    #[inline(always)]
    fn table(self, values: [i32; 8]) -> Word4 {
        unsafe { Word4(_mm256_loadu_si256(values.as_ptr().cast())) }
    }

    #[inline(always)]
    fn look_up(self, table: Word4, codes: Word4) -> Word4 {
        unsafe {
            let both_halves = _mm256_shuffle_epi32::<0b10_10_00_00>(codes.0);
            Word4(_mm256_permutevar8x32_epi32(table.0, both_halves))
        }
    }

    #[inline(always)]
    fn store_rows(self, [a, b, c, d]: [Word4; 4], rows: [&mut [u64; 4]; MAX_LANES]) {
        let [r0, r1, r2, r3, ..] = rows;
        let [w0, w1, w2, w3] = transpose([a.0, b.0, c.0, d.0]);
        store_row(w0, r0);
        store_row(w1, r1);
        store_row(w2, r2);
        store_row(w3, r3);
    }

    #[inline(always)]
    fn list<const SHIFT: u32, const CAPACITY: usize>(
        self,
        sets: Word4,
        tags: Word4,
        list: &mut List<CAPACITY>,
    ) {
        let (mut lanes, mut lane_tags) = ([0; MAX_LANES], [0; MAX_LANES]);
        sets.store(&mut lanes);
        tags.store(&mut lane_tags);
        for (set, tag) in lanes.into_iter().zip(lane_tags).take(Avx2::LANES) {
            list.extend_set::<SHIFT>(set, tag as u32);
        }
    }
}

/// For each mask of lanes, those lanes first, as pairs of 32-bit halves.
static PICKED: [[u32; 8]; 16] = {
    let mut table = [[0; 8]; 16];
    let mut mask = 0;
    while mask < 16 {
        let (mut lane, mut count) = (0, 0);
        while lane < 4 {
            if mask >> lane & 1 != 0 {
                table[mask][2 * count] = 2 * lane;
                table[mask][2 * count + 1] = 2 * lane + 1;
                count += 1;
            }
            lane += 1;
        }
        mask += 1;
    }
    table
};

// No closures below: they cannot be `inline(always)`, and a function that is not inlined into
// the one compiled for these features costs a call.

/// Transposes four rows of four words.
#[inline(always)]
fn transpose([r0, r1, r2, r3]: [__m256i; 4]) -> [Word4; 4] {
    unsafe {
        // Words 0 and 2, words 1 and 3, of two rows each.
        let (even01, odd01) = (_mm256_unpacklo_epi64(r0, r1), _mm256_unpackhi_epi64(r0, r1));
        let (even23, odd23) = (_mm256_unpacklo_epi64(r2, r3), _mm256_unpackhi_epi64(r2, r3));
        [
            Word4(_mm256_permute2x128_si256::<0x20>(even01, even23)),
            Word4(_mm256_permute2x128_si256::<0x20>(odd01, odd23)),
            Word4(_mm256_permute2x128_si256::<0x31>(even01, even23)),
            Word4(_mm256_permute2x128_si256::<0x31>(odd01, odd23)),
        ]
    }
}

#[inline(always)]
fn store_row(word: Word4, row: &mut [u64; 4]) {
    unsafe { _mm256_storeu_si256(row.as_mut_ptr().cast(), word.0) }
}

#[inline(always)]
fn load_row(row: &[u64; 4]) -> __m256i {
    unsafe { _mm256_loadu_si256(row.as_ptr().cast()) }
}
