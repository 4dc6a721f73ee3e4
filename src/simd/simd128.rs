//! Two lanes: the vectors of WebAssembly.

// Why each `unsafe` is sound: loads and stores use references to arrays of the right size. The
// other intrinsics are safe; `operator` serves units whose intrinsics are not.
#![allow(unsafe_code, unused_unsafe)]
// Dozens of intrinsics, whose names say where they are from.
#![allow(clippy::wildcard_imports)]

use core::arch::wasm32::*;
use core::ops::{Add, BitAnd, BitOr, BitXor, Not, Shl, Shr, Sub};

use super::lanes::{MAX_LANES, Mask, PerLane, Sets, Simd, Word, operator};
use super::nibbles::{BoardGroup, NibbleBoard, Nibbles, PositionGroup};
use crate::Position;

/// The unit. Whoever compiles for it knows that it is there: WebAssembly has no detection.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Simd128;

/// Two lanes; as a mask, of all ones or all zeros.
#[derive(Clone, Copy)]
pub(crate) struct Word2(v128);

impl Simd for Simd128 {
    const LANES: usize = 2;
    type Word = Word2;

    #[inline(always)]
    fn splat(self, word: u64) -> Word2 {
        Word2(u64x2_splat(word))
    }

    #[inline(always)]
    fn load(self, lanes: &PerLane) -> Word2 {
        Word2::from_words(lanes[0].into(), lanes[1].into())
    }

    #[inline(always)]
    fn first_lanes(self, count: usize) -> Word2 {
        Word2(i64x2_gt(u64x2_splat(count as u64), i64x2(0, 1)))
    }

    #[inline(always)]
    fn half_rows(self, [first, second, ..]: [&[u64; 4]; MAX_LANES]) -> [Word2; 4] {
        core::array::from_fn(|i| Word2::from_words(first[i], second[i]))
    }

    #[inline(always)]
    fn pick<const CAPACITY: usize>(
        self,
        lanes: Word2,
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
        *to_sets = picked(sets);
        *to_tags = picked(tags);
    }

    #[inline(always)]
    fn unpack<N: Nibbles>(self, boards: &BoardGroup, positions: &mut PositionGroup) {
        for (board, position) in boards.iter().zip(positions) {
            unpack_one::<N>(board, position);
        }
    }

    #[inline(always)]
    fn ends(self, boards: &[NibbleBoard]) -> (Word2, Word2) {
        let words = |board: &NibbleBoard| bytemuck::cast::<_, [u64; 4]>(*board);
        let [first, second] = [words(&boards[0]), words(&boards[1])];
        (
            Word2::from_words(first[0], second[0]),
            Word2::from_words(first[3], second[3]),
        )
    }
}

/// The first 16 bytes.
#[inline(always)]
fn loaded(bytes: &[u8]) -> v128 {
    let bytes: &[u8; 16] = bytes.first_chunk().expect("16 bytes");
    unsafe { v128_load(bytes.as_ptr().cast()) }
}

operator!(Add, add, Word2, i64x2_add);
operator!(Sub, sub, Word2, i64x2_sub);
operator!(BitAnd, bitand, Word2, v128_and);
operator!(BitOr, bitor, Word2, v128_or);
operator!(BitXor, bitxor, Word2, v128_xor);
operator!(Shl, shl, Word2, |word, by| u64x2_shl(word, by));
operator!(Shr, shr, Word2, |word, by| u64x2_shr(word, by));

impl Not for Word2 {
    type Output = Word2;
    #[inline(always)]
    fn not(self) -> Word2 {
        Word2(v128_not(self.0))
    }
}

impl Word2 {
    #[inline(always)]
    fn from_words(first: u64, second: u64) -> Word2 {
        Word2(u64x2(first, second))
    }

    #[inline(always)]
    fn first(self) -> u64 {
        u64x2_extract_lane::<0>(self.0)
    }

    #[inline(always)]
    fn second(self) -> u64 {
        u64x2_extract_lane::<1>(self.0)
    }

    /// A function of one lane applied to both, where there is no instruction for that.
    #[inline(always)]
    fn each(self, of: impl Fn(u64) -> u64) -> Word2 {
        Word2::from_words(of(self.first()), of(self.second()))
    }
}

impl Word for Word2 {
    type Mask = Word2;

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
    fn misses(self, other: Word2) -> Word2 {
        Word2(i64x2_eq(v128_and(self.0, other.0), u64x2_splat(0)))
    }

    #[inline(always)]
    fn store(self, lanes: &mut [u64; MAX_LANES]) {
        unsafe { v128_store(lanes.as_mut_ptr().cast(), self.0) }
    }
}

impl Mask<Word2> for Word2 {
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

/// For each byte the number of set bits below each set bit, and 0x80 for the other bits, which a
/// shuffle turns into 0.
static PLACES: [[u8; 8]; 256] = {
    let mut table = [[0x80; 8]; 256];
    let mut byte = 0;
    while byte < 256 {
        let mut bit = 0;
        let mut count = 0;
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

/// The planes of a board, unchecked: a look-up turns its nibbles into piece codes, which a shuffle
/// moves to their squares, two ranks at a time.
#[inline(always)]
fn unpack_one<N: Nibbles>(board: &NibbleBoard, position: &mut Position) {
    let occupied = u64::from_le_bytes(*board.first_chunk().expect("32 bytes hold 8"));
    let table = loaded(&N::CODES[usize::from(board[24] & N::TURN != 0)]);
    let pairs = loaded(&board[8..]);
    let even = v128_and(pairs, u8x16_splat(0x0f));
    let odd = u8x16_shr(pairs, 4);
    let low = i8x16_shuffle::<0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23>(even, odd);
    let high =
        i8x16_shuffle::<8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31>(even, odd);
    let low_codes = i8x16_swizzle(table, low);
    let high_codes = i8x16_swizzle(table, high);
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
        let codes = v128_or(
            i8x16_swizzle(low_codes, indices),
            i8x16_swizzle(high_codes, beyond),
        );
        for (bit, plane) in planes.iter_mut().enumerate() {
            // This shifts pairs of bytes. The highest bit of each byte is the same as after a shift
            // of single bytes, which takes longer.
            let set = i8x16_bitmask(u16x8_shl(codes, 7 - bit as u32));
            *plane |= u64::from(set) << (16 * ranks);
        }
        before = between + second.count_ones();
    }
    *bytemuck::cast_mut(position) = planes;
}
