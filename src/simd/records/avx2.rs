//! Unpacking with AVX2 and BMI2: a look-up turns a record's nibbles into piece codes; these
//! become four masks, each deposited onto the occupied squares.

// Why each `unsafe` is sound: `Avx2` proves the features; loads and stores use references to
// arrays of the right size.
#![allow(unsafe_code)]
// Dozens of intrinsics, whose names tell where they are from.
#![allow(clippy::wildcard_imports)]

use core::arch::x86_64::*;

use super::{Positions, Raw, Rows, Scheme, Unpack};
use crate::Position;
use crate::simd::avx2::{Avx2, Word4};

impl Unpack for Avx2 {
    #[inline(always)]
    fn unpack<S: Scheme>(self, records: &Rows, positions: &mut Positions) {
        for (record, position) in records.iter().zip(positions) {
            unpack_one::<S>(record, position);
        }
    }

    #[inline(always)]
    fn ends(self, records: &[Raw]) -> (Word4, Word4) {
        let [a, b, c, d]: &[Raw; 4] = records.first_chunk().expect("a register's");
        let (a, b, c, d) = (load(a), load(b), load(c), load(d));
        unsafe {
            let first = (_mm256_unpacklo_epi64(a, b), _mm256_unpacklo_epi64(c, d));
            let last = (_mm256_unpackhi_epi64(a, b), _mm256_unpackhi_epi64(c, d));
            (
                Word4(_mm256_permute2x128_si256::<0x20>(first.0, first.1)),
                Word4(_mm256_permute2x128_si256::<0x31>(last.0, last.1)),
            )
        }
    }
}

/// The planes of a record, unchecked.
#[inline(always)]
fn unpack_one<S: Scheme>(record: &Raw, position: &mut Position) {
    let occupied = u64::from_le_bytes(*record.first_chunk().expect("32 bytes hold 8"));
    let table = &S::CODES[usize::from(record[24] & S::TURN != 0)];
    let planes: &mut [u64; 4] = bytemuck::cast_mut(position);
    unsafe {
        let even = _mm_loadu_si128(record[8..24].as_ptr().cast());
        let odd = _mm_srli_epi16::<4>(even);
        let list = _mm256_set_m128i(_mm_unpackhi_epi8(even, odd), _mm_unpacklo_epi8(even, odd));
        let list = _mm256_and_si256(list, _mm256_set1_epi8(0x0f));
        let table = _mm256_broadcastsi128_si256(_mm_loadu_si128(table.as_ptr().cast()));
        let codes = _mm256_shuffle_epi8(table, list);
        // Codes beyond the last occupied square are not deposited.
        planes[0] = spread(
            _mm256_movemask_epi8(_mm256_slli_epi16::<7>(codes)),
            occupied,
        );
        planes[1] = spread(
            _mm256_movemask_epi8(_mm256_slli_epi16::<6>(codes)),
            occupied,
        );
        planes[2] = spread(
            _mm256_movemask_epi8(_mm256_slli_epi16::<5>(codes)),
            occupied,
        );
        planes[3] = spread(
            _mm256_movemask_epi8(_mm256_slli_epi16::<4>(codes)),
            occupied,
        );
    }
}

#[inline(always)]
fn spread(mask: i32, squares: u64) -> u64 {
    unsafe { _pdep_u64(mask.cast_unsigned().into(), squares) }
}

#[inline(always)]
fn load(record: &Raw) -> __m256i {
    unsafe { _mm256_loadu_si256(record.as_ptr().cast()) }
}
