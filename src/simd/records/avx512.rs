//! Unpacking with AVX-512: one look-up turns the nibbles of two records into piece codes, an
//! expansion puts them on their squares, and two boards of 64 codes, one in the upper half of
//! the bytes, become planes by transposing bit matrices.

// Why each `unsafe` is sound: `Avx512` proves the features; loads and stores use references to
// arrays of the right size.
#![allow(unsafe_code)]
// Dozens of intrinsics, whose names tell where they are from.
#![allow(clippy::wildcard_imports)]

use core::arch::x86_64::*;

use super::{Positions, Raw, Rows, Scheme, Unpack};
use crate::Position;
use crate::simd::avx512::{Avx512, Word8};

/// Byte i selects bit i; as a matrix, it reverses the bits of bytes.
const EACH_BIT: i64 = 0x8040_2010_0804_0201_u64.cast_signed();

impl Unpack for Avx512 {
    #[inline(always)]
    fn unpack<S: Scheme>(self, records: &Rows, positions: &mut Positions) {
        let (pairs, _) = records.as_chunks();
        let (positions, _) = positions.as_chunks_mut();
        for (pair, positions) in pairs.iter().zip(positions) {
            unpack_pair::<S>(pair, positions);
        }
    }

    #[inline(always)]
    fn ends(self, records: &[Raw]) -> (Word8, Word8) {
        let (pairs, _) = records.as_chunks::<2>();
        let (ab, cd) = (load(&pairs[0]), load(&pairs[1]));
        let (ef, gh) = (load(&pairs[2]), load(&pairs[3]));
        unsafe {
            let ends = _mm512_setr_epi64(0, 4, 8, 12, 3, 7, 11, 15);
            let a = _mm512_permutex2var_epi64(ab, ends, cd);
            let b = _mm512_permutex2var_epi64(ef, ends, gh);
            (
                Word8(_mm512_shuffle_i64x2::<0b01_00_01_00>(a, b)),
                Word8(_mm512_shuffle_i64x2::<0b11_10_11_10>(a, b)),
            )
        }
    }
}

/// The planes of two records, unchecked.
#[inline(always)]
fn unpack_pair<S: Scheme>(pair: &[Raw; 2], positions: &mut [Position; 2]) {
    let [first, second] = pair;
    let codes = codes::<S>(pair);
    unsafe {
        let low = _mm512_zextsi256_si512(_mm512_castsi512_si256(codes));
        let high = _mm512_zextsi256_si512(_mm512_extracti64x4_epi64::<1>(codes));
        let low = _mm512_maskz_expand_epi8(occupied(first), low);
        let high = _mm512_maskz_expand_epi8(occupied(second), high);
        let boards = _mm512_or_si512(low, _mm512_slli_epi64::<4>(high));
        // Transposes each rank's eight bytes as a matrix: its rows are planes.
        let ranks = _mm512_gf2p8affine_epi64_epi8::<0>(_mm512_set1_epi64(EACH_BIT), boards);
        let by_plane = _mm512_loadu_si512(BY_PLANE.as_ptr().cast());
        let mirrored = _mm512_permutexvar_epi8(by_plane, ranks);
        let planes = _mm512_gf2p8affine_epi64_epi8::<0>(mirrored, _mm512_set1_epi64(EACH_BIT));
        _mm512_storeu_si512(positions.as_mut_ptr().cast(), planes);
    }
}

/// The piece codes of two records, in the order of their squares.
#[inline(always)]
fn codes<S: Scheme>(pair: &[Raw; 2]) -> __m512i {
    /// The bit offsets of a word's 16 nibbles, in two copies of it.
    const NIBBLES: [i64; 2] = [0x1c18_1410_0c08_0400, 0x3c38_3430_2c28_2420];
    unsafe {
        let pair = load(pair);
        let words = _mm512_permutexvar_epi64(_mm512_setr_epi64(1, 1, 2, 2, 5, 5, 6, 6), pair);
        let [low, high] = NIBBLES;
        let starts = _mm512_setr_epi64(low, high, low, high, low, high, low, high);
        // The look-up also takes two bits above the nibble, which are arbitrary.
        let list = _mm512_multishift_epi64_epi8(starts, words);
        let table = _mm512_loadu_si512(S::CODES[0].as_ptr().cast());
        if S::TURN == 0 {
            return _mm512_permutexvar_epi8(list, table);
        }
        let ends = _mm512_permutexvar_epi64(_mm512_setr_epi64(3, 3, 3, 3, 7, 7, 7, 7), pair);
        let black = _mm512_test_epi64_mask(ends, _mm512_set1_epi64(S::TURN.into()));
        let other = _mm512_loadu_si512(S::CODES[1].as_ptr().cast());
        let (white_moves, black_moves) = (
            _mm512_permutexvar_epi8(list, table),
            _mm512_permutexvar_epi8(list, other),
        );
        _mm512_mask_mov_epi64(white_moves, black, black_moves)
    }
}

#[inline(always)]
fn occupied(record: &Raw) -> u64 {
    u64::from_le_bytes(*record.first_chunk().expect("32 bytes hold 8"))
}

/// For byte i of each of eight words: byte r of rank r's plane i.
static BY_PLANE: [u64; 8] = by_plane();

const fn by_plane() -> [u64; 8] {
    let mut words = [0; 8];
    let mut byte = 0;
    while byte < 64 {
        let (plane, rank) = (byte / 8, byte % 8);
        words[plane] |= ((rank * 8 + plane) as u64) << (8 * rank);
        byte += 1;
    }
    words
}

#[inline(always)]
fn load(pair: &[Raw; 2]) -> __m512i {
    unsafe { _mm512_loadu_si512(pair.as_ptr().cast()) }
}
