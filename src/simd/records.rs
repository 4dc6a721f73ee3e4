//! Records of 32 bytes to packed positions, eight at a time.
//!
//! A record's list of nibbles becomes piece codes by one look-up, the codes
//! spread over their squares by one expansion, and the board of 64 codes turns
//! into planes as a matrix of bits. Then each of eight positions is tested in its
//! own lane. What does not pass, for whatever reason, is left to the scalar code:
//! it alone knows the faults, so both can only differ in time.

// `Units` is proof of the features; loads and stores go through references to
// arrays of the right size. That is the reason for each `unsafe`.
#![allow(unsafe_code)]
// Dozens of intrinsics, whose names tell where they are from.
#![allow(clippy::wildcard_imports)]

use core::arch::x86_64::*;

use super::avx512::{Avx512, Mask8, Word8};
use super::board::{Board, Lines};
use super::lanes::{MAX_LANES, Mask, Simd, Word};
use super::scheme::{Raw, Scheme};
use crate::Position;

/// Eight records, one a lane.
type Rows = [Raw; MAX_LANES];

/// Proof that this machine has the features named in [`Units::detect`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Units(Avx512);

impl Units {
    pub(crate) fn detect() -> Option<Units> {
        let has = is_x86_feature_detected!("avx512vbmi") && is_x86_feature_detected!("avx512vbmi2");
        Avx512::detect().filter(|_| has).map(Units)
    }

    /// Unpacks the records into as many positions. Bit i is set where record i is
    /// valid; of the others, nothing is known, and the position is any bits.
    ///
    /// # Panics
    ///
    /// If there are more than 64, or fewer positions than records.
    #[inline]
    pub(crate) fn unpack<S: Scheme>(self, records: &[Raw], positions: &mut [Position]) -> u64 {
        assert!(records.len() <= 64 && records.len() <= positions.len());
        unsafe { compiled::<S>(self, records, positions) }
    }
}

#[rustfmt::skip]
#[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx512vpopcntdq,avx512vbmi,avx512vbmi2,gfni,bmi1,bmi2,lzcnt,popcnt")]
fn compiled<S: Scheme>(units: Units, records: &[Raw], positions: &mut [Position]) -> u64 {
    let (records, _) = records.as_chunks();
    let (positions, _) = positions.as_chunks_mut();
    // Two passes, since each is a long chain of instructions: more records are
    // under way at once.
    for (record, position) in records.as_flattened().iter().zip(positions.as_flattened_mut()) {
        unpack_row::<S>(units, record, position);
    }
    let mut valid = 0;
    for (i, (records, positions)) in records.iter().zip(positions).enumerate() {
        valid |= units.valid::<S>(records, positions) << (i * MAX_LANES);
    }
    valid
}

/// How far ahead memory is asked for, in bytes: while a batch of 64 is tested, the
/// next ones arrive.
const AHEAD: usize = 4096;

impl Units {
    /// One bit for each record that is valid, given its planes.
    #[inline(always)]
    fn valid<S: Scheme>(self, records: &Rows, positions: &[Position; MAX_LANES]) -> u64 {
        for line in records.as_flattened().chunks(64) {
            // A hint, which never faults.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(line.as_ptr().wrapping_add(AHEAD).cast()) }
        }
        let simd = self.0;
        let board = Board::new(simd.planes(positions.each_ref()));
        let (occupied, rest) = ends(self, records);
        // A nibble that is no piece, or one beyond the 32nd, left its square empty.
        let holes = board.occupied() ^ occupied;
        let rest = rest ^ simd.splat(S::FLIP);
        let no_result = rest & rest.shr::<1>() & simd.splat(S::RESULT);
        let wrong = holes | rest & simd.splat(S::ZERO) | no_result;
        let valid = wrong.misses(wrong) & sound(simd, &board);
        valid.bits().into()
    }
}

/// The planes of one record, unchecked.
#[inline(always)]
fn unpack_row<S: Scheme>(_: Units, record: &Raw, position: &mut Position) {
    /// Where in two copies of a word its 16 nibbles begin.
    const NIBBLES: [i64; 2] = [0x1c18_1410_0c08_0400, 0x3c38_3430_2c28_2420];
    /// Byte i of each word selects bit i.
    const EACH_BIT: i64 = 0x8040_2010_0804_0201_u64.cast_signed();
    /// Row i of the bit matrix takes bit 7 - i.
    const REVERSE_BITS: i64 = EACH_BIT;
    /// Byte i of each of eight words: byte r of rank r's plane i.
    const BY_PLANE: [u64; 8] = by_plane();
    let occupied = u64::from_le_bytes(*record.first_chunk().expect("32 bytes hold 8"));
    let black = usize::from(record[24] & S::TURN != 0);
    let planes: &mut [u64; 4] = bytemuck::cast_mut(position);
    unsafe {
        let nibbles = _mm_loadu_si128(record[8..24].as_ptr().cast());
        let words = _mm512_permutexvar_epi64(
            _mm512_setr_epi64(0, 0, 1, 1, 0, 0, 0, 0),
            _mm512_castsi128_si512(nibbles),
        );
        let [low, high] = NIBBLES;
        let starts = _mm512_setr_epi64(low, high, low, high, 0, 0, 0, 0);
        let list = _mm512_multishift_epi64_epi8(starts, words);
        let table = _mm512_loadu_si512(S::CODES[black].as_ptr().cast());
        let codes = _mm512_maskz_permutexvar_epi8(0xffff_ffff, list, table);
        let board = _mm512_maskz_expand_epi8(occupied, codes);
        // Each rank's eight codes as a matrix, transposed: its rows are planes.
        let ranks = _mm512_gf2p8affine_epi64_epi8::<0>(_mm512_set1_epi64(EACH_BIT), board);
        let by_plane = _mm512_loadu_si512(BY_PLANE.as_ptr().cast());
        let mirrored = _mm512_castsi512_si256(_mm512_permutexvar_epi8(by_plane, ranks));
        let all = _mm256_gf2p8affine_epi64_epi8::<0>(mirrored, _mm256_set1_epi64x(REVERSE_BITS));
        _mm256_storeu_si256(planes.as_mut_ptr().cast(), all);
    }
}

/// The first and the last eight bytes of the records.
#[inline(always)]
fn ends(_: Units, records: &Rows) -> (Word8, Word8) {
    let (pairs, _) = records.as_chunks::<2>();
    unsafe {
        let pair = |i: usize| _mm512_loadu_si512(pairs[i].as_ptr().cast());
        let ends = _mm512_setr_epi64(0, 4, 8, 12, 3, 7, 11, 15);
        let a = _mm512_permutex2var_epi64(pair(0), ends, pair(1));
        let b = _mm512_permutex2var_epi64(pair(2), ends, pair(3));
        (
            Word8(_mm512_shuffle_i64x2::<0b01_00_01_00>(a, b)),
            Word8(_mm512_shuffle_i64x2::<0b11_10_11_10>(a, b)),
        )
    }
}

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

/// Lanes in which SEE has a meaning: `Position::is_sound`, apart from the number
/// of men.
#[inline(always)]
fn sound(simd: Avx512, board: &Board<Word8>) -> Mask8 {
    const BACK_RANKS: u64 = 0xff00_0000_0000_00ff;
    let mover = board.kings() & board.bit0;
    let their_king = board.kings() ^ mover;
    let us = board.occupied() & (board.black ^ mover.misses(board.black).keep(simd.splat(!0)));
    let attackers = attackers(simd, board, their_king);
    let wrong = (their_king | attackers) & us | board.pawns() & simd.splat(BACK_RANKS);
    wrong.misses(wrong) & is_single(simd, mover) & is_single(simd, their_king)
}

#[inline(always)]
fn is_single(simd: Avx512, set: Word8) -> Mask8 {
    set.meets(set) & set.misses(set - simd.splat(1))
}

/// `attacks::attackers` of one square a lane, given as a bit; any bits in lanes
/// that have another number of them.
#[inline(always)]
fn attackers(simd: Avx512, board: &Board<Word8>, square: Word8) -> Word8 {
    let [file, rank, diagonal, antidiagonal] = lines(simd, square);
    let others = board.occupied() ^ square;
    let lines = Lines::new([file, rank, diagonal, antidiagonal], square);
    let straight = lines.nearest_on(simd, file, others) | lines.nearest_on(simd, rank, others);
    let diagonal =
        lines.nearest_on(simd, diagonal, others) | lines.nearest_on(simd, antidiagonal, others);
    steps(simd, board, square)
        | straight & board.straight_sliders()
        | diagonal & board.diagonal_sliders()
}

/// File, rank, diagonal and antidiagonal of a square, itself included. Worked out:
/// to fetch and transpose eight rows of masks takes longer.
#[inline(always)]
fn lines(simd: Avx512, square: Word8) -> [Word8; 4] {
    unsafe {
        let index = Word8(_mm512_popcnt_epi64((square - simd.splat(1)).0));
        let file = index & simd.splat(7);
        let rank = index.shr::<3>();
        let diagonals = |index: Word8, table: &[u64; 16]| {
            let (low, high) = table.split_at(8);
            let low = _mm512_loadu_si512(low.as_ptr().cast());
            let high = _mm512_loadu_si512(high.as_ptr().cast());
            Word8(_mm512_permutex2var_epi64(low, index.0, high))
        };
        [
            Word8(_mm512_sllv_epi64(
                simd.splat(0x0101_0101_0101_0101).0,
                file.0,
            )),
            Word8(_mm512_sllv_epi64(simd.splat(0xff).0, (index - file).0)),
            diagonals(rank - file, &DIAGONALS),
            diagonals(rank + file, &ANTIDIAGONALS),
        ]
    }
}

/// By rank minus file, modulo 16.
static DIAGONALS: [u64; 16] = diagonals(false);
/// By rank plus file.
static ANTIDIAGONALS: [u64; 16] = diagonals(true);

const fn diagonals(anti: bool) -> [u64; 16] {
    let mut lines = [0; 16];
    let mut square = 0;
    while square < 64 {
        let (rank, file) = (square / 8, square % 8);
        let line = if anti { rank + file } else { rank + 16 - file };
        lines[line % 16] |= 1 << square;
        square += 1;
    }
    lines
}

/// Pawns, knights and kings that attack a square.
#[inline(always)]
fn steps(simd: Avx512, board: &Board<Word8>, square: Word8) -> Word8 {
    const NOT_A: u64 = 0xfefe_fefe_fefe_fefe;
    const NOT_H: u64 = 0x7f7f_7f7f_7f7f_7f7f;
    const NOT_AB: u64 = 0xfcfc_fcfc_fcfc_fcfc;
    const NOT_GH: u64 = 0x3f3f_3f3f_3f3f_3f3f;
    let beside = square.shl::<1>() & simd.splat(NOT_A) | square.shr::<1>() & simd.splat(NOT_H);
    let two_off = square.shl::<2>() & simd.splat(NOT_AB) | square.shr::<2>() & simd.splat(NOT_GH);
    let (above, below) = (beside.shl::<8>(), beside.shr::<8>());
    let king = beside | above | below | square.shl::<8>() | square.shr::<8>();
    let knight = beside.shl::<16>() | beside.shr::<16>() | two_off.shl::<8>() | two_off.shr::<8>();
    let pawns = above & board.black | below & !board.black;
    board.pawns() & pawns | board.knights() & knight | board.kings() & king
}
