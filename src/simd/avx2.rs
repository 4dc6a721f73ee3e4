//! Four lanes: AVX2 with BMI and LZCNT. `lanes.rs` says what each method does.

// Why each `unsafe` is sound: a value of this type exists only after `Avx2::detect`, so the
// features of the intrinsics are present; loads and stores use references to arrays of the
// right size.
#![allow(unsafe_code)]
// Dozens of intrinsics, whose names say where they are from.
#![allow(clippy::wildcard_imports)]

use core::arch::x86_64::*;
use core::ops::{Add, BitAnd, BitOr, BitXor, Not, Range, Shl, Shr, Sub};

use super::lanes::{
    List, MAX_LANES, Mask, PerLane, Sets, Simd, Stages, Values, Word, methods, operator,
};
use super::nibbles::{BoardGroup, NibbleBoard, Nibbles, PositionGroup};
use super::unit::{LaneKernel, LaneTask, unit};
use crate::{Position, Rules};

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
        // The remainder changes nothing: it spares a check of the index.
        let order = &PICKED[lanes.bits() as usize % PICKED.len()];
        unsafe {
            let indices = _mm256_loadu_si256(order.as_ptr().cast());
            store_row(Word4(_mm256_permutevar8x32_epi32(sets.0, indices)), to_sets);
            store_row(Word4(_mm256_permutevar8x32_epi32(tags.0, indices)), to_tags);
        }
    }

    #[inline(always)]
    fn unpack<N: Nibbles>(self, boards: &BoardGroup, positions: &mut PositionGroup) {
        for (board, position) in boards.iter().zip(positions) {
            unpack_one::<N>(board, position);
        }
    }

    #[inline(always)]
    fn ends(self, boards: &[NibbleBoard]) -> (Word4, Word4) {
        let four: &[NibbleBoard; 4] = boards.first_chunk().expect("a board for each lane");
        let a = load(&four[0]);
        let b = load(&four[1]);
        let c = load(&four[2]);
        let d = load(&four[3]);
        unsafe {
            // Words 0 and 2, words 1 and 3, of two boards each.
            let even_ab = _mm256_unpacklo_epi64(a, b);
            let even_cd = _mm256_unpacklo_epi64(c, d);
            let odd_ab = _mm256_unpackhi_epi64(a, b);
            let odd_cd = _mm256_unpackhi_epi64(c, d);
            (
                Word4(_mm256_permute2x128_si256::<0x20>(even_ab, even_cd)),
                Word4(_mm256_permute2x128_si256::<0x31>(odd_ab, odd_cd)),
            )
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
        let mut lane_sets = [0; MAX_LANES];
        let mut lane_tags = [0; MAX_LANES];
        sets.store(&mut lane_sets);
        tags.store(&mut lane_tags);
        for (set, tag) in lane_sets.into_iter().zip(lane_tags).take(Avx2::LANES) {
            list.extend_set::<SHIFT>(set, tag as u32);
        }
    }
}

/// For each mask of four lanes, the selected lanes in order, each as the pair of its 32-bit halves.
static PICKED: [[u32; 8]; 16] = {
    let mut table = [[0; 8]; 16];
    let mut mask = 0;
    while mask < 16 {
        let mut lane = 0;
        let mut count = 0;
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
        let even01 = _mm256_unpacklo_epi64(r0, r1);
        let odd01 = _mm256_unpackhi_epi64(r0, r1);
        let even23 = _mm256_unpacklo_epi64(r2, r3);
        let odd23 = _mm256_unpackhi_epi64(r2, r3);
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

/// Four lanes. A value is stored in both halves of its lane, so that comparing it gives a mask
/// of whole lanes: all ones or all zeros. What `count` returns is a word, not a value.
#[derive(Clone, Copy)]
pub(crate) struct Word4(__m256i);

operator!(Add, add, Word4, _mm256_add_epi64);
operator!(Sub, sub, Word4, _mm256_sub_epi64);
operator!(BitAnd, bitand, Word4, _mm256_and_si256);
operator!(BitOr, bitor, Word4, _mm256_or_si256);
operator!(BitXor, bitxor, Word4, _mm256_xor_si256);
// Shifting by 64 or more gives 0.
operator!(Shl, shl, Word4, |word, by| _mm256_sll_epi64(
    word,
    _mm_cvtsi32_si128(by.cast_signed())
));
operator!(Shr, shr, Word4, |word, by| _mm256_srl_epi64(
    word,
    _mm_cvtsi32_si128(by.cast_signed())
));

impl Not for Word4 {
    type Output = Word4;
    #[inline(always)]
    fn not(self) -> Word4 {
        unsafe { Word4(_mm256_xor_si256(self.0, _mm256_set1_epi64x(-1))) }
    }
}

impl Word for Word4 {
    type Mask = Word4;

    #[inline(always)]
    fn bit(self) -> Word4 {
        unsafe { Word4(_mm256_sllv_epi64(_mm256_set1_epi64x(1), self.0)) }
    }

    #[inline(always)]
    fn reversed(self) -> Word4 {
        unsafe {
            let nibble = _mm256_set1_epi8(0x0f);
            // The bits of a nibble reversed, in the high and in the low nibble.
            let high = _mm256_unpacklo_epi64(
                _mm256_set1_epi64x(0xe060_a020_c040_8000_u64.cast_signed()),
                _mm256_set1_epi64x(0xf070_b030_d050_9010_u64.cast_signed()),
            );
            let low = _mm256_and_si256(_mm256_srli_epi64::<4>(high), nibble);
            let swap_bytes = _mm256_set_epi32(
                0x0809_0a0b,
                0x0c0d_0e0f,
                0x0001_0203,
                0x0405_0607,
                0x0809_0a0b,
                0x0c0d_0e0f,
                0x0001_0203,
                0x0405_0607,
            );
            let bytes = _mm256_shuffle_epi8(self.0, swap_bytes);
            let from_low = _mm256_shuffle_epi8(high, _mm256_and_si256(bytes, nibble));
            let above = _mm256_and_si256(_mm256_srli_epi64::<4>(bytes), nibble);
            Word4(_mm256_or_si256(from_low, _mm256_shuffle_epi8(low, above)))
        }
    }

    #[inline(always)]
    fn misses(self, other: Word4) -> Word4 {
        unsafe {
            let both = _mm256_and_si256(self.0, other.0);
            Word4(_mm256_cmpeq_epi64(both, _mm256_setzero_si256()))
        }
    }

    #[inline(always)]
    fn store(self, lanes: &mut [u64; MAX_LANES]) {
        unsafe { _mm256_storeu_si256(lanes.as_mut_ptr().cast(), self.0) }
    }
}

impl Values for Word4 {
    #[inline(always)]
    fn count(self) -> Word4 {
        unsafe {
            let nibble = _mm256_set1_epi8(0x0f);
            let counts = _mm256_setr_epi8(
                0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4, 0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3,
                2, 3, 3, 4,
            );
            let low = _mm256_shuffle_epi8(counts, _mm256_and_si256(self.0, nibble));
            let above = _mm256_and_si256(_mm256_srli_epi64::<4>(self.0), nibble);
            let bytes = _mm256_add_epi8(low, _mm256_shuffle_epi8(counts, above));
            Word4(_mm256_sad_epu8(bytes, _mm256_setzero_si256()))
        }
    }

    // There is no instruction for the highest bit. But with the ranks in reverse order, the highest
    // bit of a file or diagonal is the lowest. Only a rank keeps its order: `highest_of_rank` finds
    // its highest bit. The squares of a line along `rank` are all on `rank`; those of any other
    // line are not, since they are below the square where it crosses `rank`.

    #[inline(always)]
    fn highest_of_line(self, rank: Word4) -> Word4 {
        let others = flipped(self & !rank).lowest();
        highest_of_rank(self & rank) | flipped(others)
    }

    #[inline(always)]
    fn highest_of_each([file, rank, diagonal, antidiagonal]: [Word4; 4]) -> Word4 {
        let others =
            flipped(file).lowest() | flipped(diagonal).lowest() | flipped(antidiagonal).lowest();
        highest_of_rank(rank) | flipped(others)
    }

    methods! {
        add_value: Word4 -> Word4 = _mm256_add_epi32;
        sub_value: Word4 -> Word4 = _mm256_sub_epi32;
        min_value: Word4 -> Word4 = _mm256_min_epi32;
        max_value: Word4 -> Word4 = _mm256_max_epi32;
    }

    #[inline(always)]
    fn is_less(self, other: Word4) -> Word4 {
        unsafe { Word4(_mm256_cmpgt_epi32(other.0, self.0)) }
    }

    #[inline(always)]
    fn over(self, low: Word4) -> Word4 {
        unsafe {
            // Sign-extends before shifting the lanes.
            let sign = _mm256_srai_epi32::<31>(self.0);
            let wide = _mm256_blend_epi32::<0b10_10_10_10>(self.0, sign);
            Word4(_mm256_slli_epi64::<16>(wide)) | low
        }
    }

    #[inline(always)]
    fn store_values(self, lanes: &mut [i32; MAX_LANES]) {
        unsafe {
            let even = _mm256_setr_epi32(0, 2, 4, 6, 0, 2, 4, 6);
            let values = _mm256_castsi256_si128(_mm256_permutevar8x32_epi32(self.0, even));
            _mm_storeu_si128(lanes.as_mut_ptr().cast(), values);
        }
    }
}

/// The board with its ranks in reverse order.
#[inline(always)]
fn flipped(word: Word4) -> Word4 {
    unsafe {
        let swap_bytes = _mm256_set_epi64x(
            0x0809_0a0b_0c0d_0e0f,
            0x0001_0203_0405_0607,
            0x0809_0a0b_0c0d_0e0f,
            0x0001_0203_0405_0607,
        );
        Word4(_mm256_shuffle_epi8(word.0, swap_bytes))
    }
}

/// The highest of some squares of one rank, in each lane. Each half of the lane becomes a
/// floating-point number, which holds the 8 neighbouring bits of a rank exactly. Without its
/// mantissa that number is a power of two, the highest bit. The half without the rank is 0 and
/// stays 0. No square is on file h, where it could be the sign bit of its half: the squares are
/// below another one of the rank.
#[inline(always)]
fn highest_of_rank(word: Word4) -> Word4 {
    unsafe {
        let number = _mm256_castps_si256(_mm256_cvtepi32_ps(word.0));
        let power = _mm256_and_si256(number, _mm256_set1_epi32(0xff80_0000_u32.cast_signed()));
        Word4(_mm256_cvttps_epi32(_mm256_castsi256_ps(power)))
    }
}

impl Mask<Word4> for Word4 {
    #[inline(always)]
    fn any(self) -> bool {
        unsafe { _mm256_testz_si256(self.0, self.0) == 0 }
    }

    #[inline(always)]
    fn bits(self) -> u32 {
        unsafe { _mm256_movemask_pd(_mm256_castsi256_pd(self.0)).cast_unsigned() }
    }

    #[inline(always)]
    fn select(self, yes: Word4, no: Word4) -> Word4 {
        unsafe { Word4(_mm256_blendv_epi8(no.0, yes.0, self.0)) }
    }

    #[inline(always)]
    fn keep(self, yes: Word4) -> Word4 {
        unsafe { Word4(_mm256_and_si256(self.0, yes.0)) }
    }
}

/// The planes of a board, unchecked: a look-up turns its nibbles into piece codes; these become
/// four masks, each deposited onto the occupied squares.
#[inline(always)]
fn unpack_one<N: Nibbles>(board: &NibbleBoard, position: &mut Position) {
    let occupied = u64::from_le_bytes(*board.first_chunk().expect("32 bytes hold 8"));
    // A board is 8 bytes of occupied squares, 16 of nibbles, and 8 of the format, from byte 24 on.
    let table = &N::CODES[usize::from(board[24] & N::TURN != 0)];
    let planes: &mut [u64; 4] = bytemuck::cast_mut(position);
    unsafe {
        let even = _mm_loadu_si128(board[8..24].as_ptr().cast());
        let odd = _mm_srli_epi16::<4>(even);
        // A byte for each nibble of the list, the lower one of each byte first.
        let bytes = _mm256_set_m128i(_mm_unpackhi_epi8(even, odd), _mm_unpacklo_epi8(even, odd));
        let list = _mm256_and_si256(bytes, _mm256_set1_epi8(0x0f));
        let code_of = _mm256_broadcastsi128_si256(_mm_loadu_si128(table.as_ptr().cast()));
        let codes = _mm256_shuffle_epi8(code_of, list);
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
fn load(board: &NibbleBoard) -> __m256i {
    unsafe { _mm256_loadu_si256(board.as_ptr().cast()) }
}
