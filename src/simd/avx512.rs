//! Eight lanes: AVX-512 of Ice Lake, Zen 4 and later. `lanes.rs` says what each method does.

// Why each `unsafe` is sound: a value of this type exists only after `Avx512::detect`, so the
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
use crate::attacks::MASKS;
use crate::{Position, Rules};

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
        quarters([join(r0, r4), join(r1, r5), join(r2, r6), join(r3, r7)])
    }

    #[inline(always)]
    fn masks(self, squares: &PerLane) -> [Word8; 8] {
        masks(self, self.load(squares) & self.splat(63))
    }

    #[inline(always)]
    fn lines(self, squares: &PerLane) -> [Word8; 4] {
        lines(self, self.load(squares) & self.splat(63))
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

    #[inline(always)]
    fn unpack<N: Nibbles>(self, boards: &BoardGroup, positions: &mut PositionGroup) {
        let (pairs, _) = boards.as_chunks();
        let (positions, _) = positions.as_chunks_mut();
        for (pair, positions) in pairs.iter().zip(positions) {
            unpack_pair::<N>(pair, positions);
        }
    }

    #[inline(always)]
    fn ends(self, boards: &[NibbleBoard]) -> (Word8, Word8) {
        let (pairs, _) = boards.as_chunks::<2>();
        let ab = load(&pairs[0]);
        let cd = load(&pairs[1]);
        let ef = load(&pairs[2]);
        let gh = load(&pairs[3]);
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
            let even_ab = _mm512_unpacklo_epi64(a.0, b.0);
            let odd_ab = _mm512_unpackhi_epi64(a.0, b.0);
            let even_cd = _mm512_unpacklo_epi64(c.0, d.0);
            let odd_cd = _mm512_unpackhi_epi64(c.0, d.0);
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
                let wide = _mm512_add_epi64(tags.0, _mm512_slli_epi64::<SHIFT>(bit));
                let entry = _mm512_cvtepi64_epi32(wide);
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
        let even_ab = _mm512_unpacklo_epi64(a, b);
        let odd_ab = _mm512_unpackhi_epi64(a, b);
        let even_cd = _mm512_unpacklo_epi64(c, d);
        let odd_cd = _mm512_unpackhi_epi64(c, d);
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

/// Eight lanes. A value has its sign extended to 64 bits.
#[derive(Clone, Copy)]
pub(crate) struct Word8(__m512i);

/// A bit per lane.
#[derive(Clone, Copy)]
pub(crate) struct Mask8(__mmask8);

operator!(Add, add, Word8, _mm512_add_epi64);
operator!(Sub, sub, Word8, _mm512_sub_epi64);
operator!(BitAnd, bitand, Word8, _mm512_and_si512);
operator!(BitOr, bitor, Word8, _mm512_or_si512);
operator!(BitXor, bitxor, Word8, _mm512_xor_si512);
operator!(Shl, shl, Word8, |word, by| _mm512_sll_epi64(
    word,
    _mm_cvtsi32_si128(by.cast_signed())
));
operator!(Shr, shr, Word8, |word, by| _mm512_srl_epi64(
    word,
    _mm_cvtsi32_si128(by.cast_signed())
));
operator!(BitAnd, bitand, Mask8, _kand_mask8);
operator!(BitOr, bitor, Mask8, _kor_mask8);

impl Not for Word8 {
    type Output = Word8;
    #[inline(always)]
    fn not(self) -> Word8 {
        unsafe { Word8(_mm512_xor_si512(self.0, _mm512_set1_epi64(-1))) }
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

    methods! {
        meets: Word8 -> Mask8 = _mm512_test_epi64_mask;
        misses: Word8 -> Mask8 = _mm512_testn_epi64_mask;
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

    methods! {
        add_value: Word8 -> Word8 = _mm512_add_epi64;
        sub_value: Word8 -> Word8 = _mm512_sub_epi64;
        min_value: Word8 -> Word8 = _mm512_min_epi64;
        max_value: Word8 -> Word8 = _mm512_max_epi64;
        is_less: Word8 -> Mask8 = _mm512_cmplt_epi64_mask;
    }

    #[inline(always)]
    fn over(self, low: Word8) -> Word8 {
        self << 16 | low
    }

    #[inline(always)]
    fn store_values(self, lanes: &mut [i32; MAX_LANES]) {
        unsafe { _mm256_storeu_si256(lanes.as_mut_ptr().cast(), _mm512_cvtepi64_epi32(self.0)) }
    }
}

/// The highest bit of each lane; 0 where there is none.
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

// The masks of squares come from tables in registers: faster than rows in memory, which have to be
// transposed.

/// The masks of one square per lane, in the order of [`Simd::masks`].
#[inline(always)]
fn masks(unit: Avx512, square: Word8) -> [Word8; 8] {
    let [file, rank, diagonal, antidiagonal] = lines(unit, square);
    // The steps of c3, square 18, from which all stay on the board: moved to the square, and what
    // went over the board's edge masked off.
    let c3 = &MASKS[18];
    let by = square - unit.splat(18);
    let near = look_up(&TABLES[6], square) & look_up(&TABLES[7], square >> 3);
    [
        file,
        rank,
        diagonal,
        antidiagonal,
        moved(unit.splat(c3.knight), by) & near,
        moved(unit.splat(c3.king), by) & near,
        moved(unit.splat(c3.white_pawns), by) & near,
        moved(unit.splat(c3.black_pawns), by) & near,
    ]
}

/// File, rank, diagonal and antidiagonal, without the square itself.
#[inline(always)]
fn lines(unit: Avx512, square: Word8) -> [Word8; 4] {
    let file = square & unit.splat(7);
    let rank = square >> 3;
    let others = !square.bit();
    [
        look_up(&TABLES[0], file) & others,
        look_up(&TABLES[1], rank) & others,
        look_up_two([&TABLES[2], &TABLES[3]], rank - file) & others,
        look_up_two([&TABLES[4], &TABLES[5]], rank + file) & others,
    ]
}

/// Each lane's board turned round by a number of squares; a negative number turns it downwards.
#[inline(always)]
fn moved(board: Word8, by: Word8) -> Word8 {
    unsafe { Word8(_mm512_rolv_epi64(board.0, by.0)) }
}

/// The entries of a table, by the lowest three bits of each lane's index.
#[inline(always)]
fn look_up(table: &[u64; 8], index: Word8) -> Word8 {
    unsafe {
        let table = _mm512_loadu_si512(table.as_ptr().cast());
        Word8(_mm512_permutexvar_epi64(index.0, table))
    }
}

/// The entries of a table in two halves, by the lowest four bits of each lane's index.
#[inline(always)]
fn look_up_two([low, high]: [&[u64; 8]; 2], index: Word8) -> Word8 {
    unsafe {
        let low = _mm512_loadu_si512(low.as_ptr().cast());
        let high = _mm512_loadu_si512(high.as_ptr().cast());
        Word8(_mm512_permutex2var_epi64(low, index.0, high))
    }
}

/// Tables of squares, by their index: 0 the files; 1 the ranks; 2 and 3 the diagonals, by rank
/// minus file modulo 16; 4 and 5 the antidiagonals, by rank plus file; 6 the squares at most two
/// files from a file; 7 those at most two ranks from a rank.
static TABLES: [[u64; 8]; 8] = {
    let mut tables = [[0; 8]; 8];
    let mut square = 0;
    while square < 64 {
        let file = square % 8;
        let rank = square / 8;
        let bit = 1 << square;
        let diagonal = (rank + 16 - file) % 16;
        let antidiagonal = rank + file;
        tables[0][file] |= bit;
        tables[1][rank] |= bit;
        tables[2 + diagonal / 8][diagonal % 8] |= bit;
        tables[4 + antidiagonal / 8][antidiagonal % 8] |= bit;
        let mut other = 0_usize;
        while other < 8 {
            tables[6][other] |= if other.abs_diff(file) <= 2 { bit } else { 0 };
            tables[7][other] |= if other.abs_diff(rank) <= 2 { bit } else { 0 };
            other += 1;
        }
        square += 1;
    }
    tables
};

/// Byte i selects bit i; as a matrix, it reverses the bits of bytes.
const EACH_BIT: i64 = 0x8040_2010_0804_0201_u64.cast_signed();

/// The planes of two boards, unchecked: one look-up turns their nibbles into piece codes, an
/// expansion puts them on their squares, and two boards of 64 codes, one in the upper half of the
/// bytes, become planes by transposing bit matrices.
#[inline(always)]
fn unpack_pair<N: Nibbles>(pair: &[NibbleBoard; 2], positions: &mut [Position; 2]) {
    let [first, second] = pair;
    let codes = codes::<N>(pair);
    unsafe {
        let first_codes = _mm512_zextsi256_si512(_mm512_castsi512_si256(codes));
        let second_codes = _mm512_zextsi256_si512(_mm512_extracti64x4_epi64::<1>(codes));
        let low = _mm512_maskz_expand_epi8(occupied(first), first_codes);
        let high = _mm512_maskz_expand_epi8(occupied(second), second_codes);
        let boards = _mm512_or_si512(low, _mm512_slli_epi64::<4>(high));
        // Transposes each rank's eight bytes as a matrix: its rows are planes.
        let ranks = _mm512_gf2p8affine_epi64_epi8::<0>(_mm512_set1_epi64(EACH_BIT), boards);
        let by_plane = _mm512_loadu_si512(BY_PLANE.as_ptr().cast());
        let mirrored = _mm512_permutexvar_epi8(by_plane, ranks);
        let planes = _mm512_gf2p8affine_epi64_epi8::<0>(mirrored, _mm512_set1_epi64(EACH_BIT));
        _mm512_storeu_si512(positions.as_mut_ptr().cast(), planes);
    }
}

/// The piece codes of two boards, in the order of their squares.
#[inline(always)]
fn codes<N: Nibbles>(pair: &[NibbleBoard; 2]) -> __m512i {
    /// The bit offsets of a word's 16 nibbles, in two copies of it.
    const NIBBLES: [i64; 2] = [0x1c18_1410_0c08_0400, 0x3c38_3430_2c28_2420];
    unsafe {
        let pair = load(pair);
        let words = _mm512_permutexvar_epi64(_mm512_setr_epi64(1, 1, 2, 2, 5, 5, 6, 6), pair);
        let [low, high] = NIBBLES;
        let starts = _mm512_setr_epi64(low, high, low, high, low, high, low, high);
        // The look-up also takes two bits above the nibble, which are arbitrary.
        let list = _mm512_multishift_epi64_epi8(starts, words);
        let table = _mm512_loadu_si512(N::CODES[0].as_ptr().cast());
        if N::TURN == 0 {
            return _mm512_permutexvar_epi8(list, table);
        }
        let ends = _mm512_permutexvar_epi64(_mm512_setr_epi64(3, 3, 3, 3, 7, 7, 7, 7), pair);
        let black = _mm512_test_epi64_mask(ends, _mm512_set1_epi64(N::TURN.into()));
        let other = _mm512_loadu_si512(N::CODES[1].as_ptr().cast());
        let white_moves = _mm512_permutexvar_epi8(list, table);
        let black_moves = _mm512_permutexvar_epi8(list, other);
        _mm512_mask_mov_epi64(white_moves, black, black_moves)
    }
}

#[inline(always)]
fn occupied(board: &NibbleBoard) -> u64 {
    u64::from_le_bytes(*board.first_chunk().expect("32 bytes hold 8"))
}

/// For byte i of each of eight words: byte r of rank r's plane i.
static BY_PLANE: [u64; 8] = {
    let mut words = [0; 8];
    let mut byte = 0;
    while byte < 64 {
        let plane = byte / 8;
        let rank = byte % 8;
        words[plane] |= ((rank * 8 + plane) as u64) << (8 * rank);
        byte += 1;
    }
    words
};

#[inline(always)]
fn load(pair: &[NibbleBoard; 2]) -> __m512i {
    unsafe { _mm512_loadu_si512(pair.as_ptr().cast()) }
}
