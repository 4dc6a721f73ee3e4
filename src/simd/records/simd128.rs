//! Unpacking with WebAssembly's vectors: a look-up turns a record's nibbles into piece codes, which
//! a shuffle moves to their squares, two ranks at a time.

// Dozens of intrinsics, whose names tell where they are from.
#![allow(clippy::wildcard_imports)]

use core::arch::wasm32::*;

use super::{Positions, Raw, Rows, Scheme, Unpack};
use crate::Position;
use crate::simd::simd128::{Simd128, Word2, loaded};

impl Unpack for Simd128 {
    #[inline(always)]
    fn unpack<S: Scheme>(self, records: &Rows, positions: &mut Positions) {
        for (record, position) in records.iter().zip(positions) {
            unpack_one::<S>(record, position);
        }
    }

    #[inline(always)]
    fn ends(self, records: &[Raw]) -> (Word2, Word2) {
        let words = |record: &Raw| bytemuck::cast::<_, [u64; 4]>(*record);
        let [first, second] = [words(&records[0]), words(&records[1])];
        (
            Word2::of(first[0], second[0]),
            Word2::of(first[3], second[3]),
        )
    }
}

/// For each byte the number of set bits below each set bit; a shuffle makes nothing of the others.
static PLACES: [[u8; 8]; 256] = {
    let mut table = [[0x80; 8]; 256];
    let mut byte = 0;
    while byte < 256 {
        let (mut bit, mut count) = (0, 0);
        while bit < 8 {
            if byte >> bit & 1 != 0 {
                table[byte][bit] = count;
                count += 1;
            }
            bit += 1;
        }
        byte += 1;
    }
    table
};

/// The planes of a record, unchecked.
#[inline(always)]
fn unpack_one<S: Scheme>(record: &Raw, position: &mut Position) {
    let occupied = u64::from_le_bytes(*record.first_chunk().expect("32 bytes hold 8"));
    let table = loaded(&S::CODES[usize::from(record[24] & S::TURN != 0)]);
    let pairs = loaded(&record[8..]);
    let (even, odd) = (v128_and(pairs, u8x16_splat(0x0f)), u8x16_shr(pairs, 4));
    let low = i8x16_shuffle::<0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23>(even, odd);
    let high =
        i8x16_shuffle::<8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31>(even, odd);
    let [low, high] = [low, high].map(|list| i8x16_swizzle(table, list));
    let mut planes = [0; 4];
    let mut before = 0;
    for ranks in 0..4 {
        let squares = occupied >> (16 * ranks);
        let [first, second, ..] = squares.to_le_bytes();
        let in_list = |byte: u8, before: u32| {
            u64::from_le_bytes(PLACES[usize::from(byte)])
                + u64::from(before) * 0x0101_0101_0101_0101
        };
        let between = before + first.count_ones();
        let indices = u64x2(in_list(first, before), in_list(second, between));
        // Beyond the 32nd code squares stay empty.
        let beyond = i8x16_sub(indices, i8x16_splat(16));
        let codes = v128_or(i8x16_swizzle(low, indices), i8x16_swizzle(high, beyond));
        for (bit, plane) in planes.iter_mut().enumerate() {
            // Each byte's highest bit is the same as after a shift of bytes, which takes longer.
            let set = i8x16_bitmask(u16x8_shl(codes, 7 - bit as u32));
            *plane |= u64::from(set) << (16 * ranks);
        }
        before = between + second.count_ones();
    }
    *bytemuck::cast_mut(position) = planes;
}
