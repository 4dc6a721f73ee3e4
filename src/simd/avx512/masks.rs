//! The masks of squares, from tables in registers: faster than rows in memory, which have to be
//! transposed.

// Why each `unsafe` is sound: see the file above, `avx512.rs`.
#![allow(unsafe_code)]

use core::arch::x86_64::{
    _mm512_loadu_si512, _mm512_permutex2var_epi64, _mm512_permutexvar_epi64, _mm512_rolv_epi64,
};

use super::{Avx512, Word8};
use crate::attacks::MASKS;
use crate::captures::fill::Shift as _;
use crate::simd::lanes::{Simd as _, Word as _};

/// In the order of [`Simd::masks`](crate::simd::lanes::Simd::masks).
#[inline(always)]
pub(super) fn masks(unit: Avx512, square: Word8) -> [Word8; 8] {
    let [file, rank, diagonal, antidiagonal] = lines(unit, square);
    // The steps of c3, moved, and what went over the board's edge masked off.
    let (c3, by) = (&MASKS[18], square - unit.splat(18));
    let near = look_up(&TABLES[6], square) & look_up(&TABLES[7], square.shr::<3>());
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
pub(super) fn lines(unit: Avx512, square: Word8) -> [Word8; 4] {
    let (file, rank, others) = (square & unit.splat(7), square.shr::<3>(), !square.bit());
    [
        look_up(&TABLES[0], file) & others,
        look_up(&TABLES[1], rank) & others,
        look_up_two([&TABLES[2], &TABLES[3]], rank - file) & others,
        look_up_two([&TABLES[4], &TABLES[5]], rank + file) & others,
    ]
}

#[inline(always)]
fn moved(board: Word8, by: Word8) -> Word8 {
    unsafe { Word8(_mm512_rolv_epi64(board.0, by.0)) }
}

/// By the lowest three bits of the index.
#[inline(always)]
fn look_up(table: &[u64; 8], index: Word8) -> Word8 {
    unsafe {
        let table = _mm512_loadu_si512(table.as_ptr().cast());
        Word8(_mm512_permutexvar_epi64(index.0, table))
    }
}

/// By the lowest four bits of the index.
#[inline(always)]
fn look_up_two([low, high]: [&[u64; 8]; 2], index: Word8) -> Word8 {
    unsafe {
        let low = _mm512_loadu_si512(low.as_ptr().cast());
        let high = _mm512_loadu_si512(high.as_ptr().cast());
        Word8(_mm512_permutex2var_epi64(low, index.0, high))
    }
}

/// Files, ranks, diagonals by rank minus file modulo 16, antidiagonals by rank plus file; the
/// squares at most two files from a file, two ranks from a rank.
static TABLES: [[u64; 8]; 8] = {
    let mut tables = [[0; 8]; 8];
    let mut square = 0;
    while square < 64 {
        let (file, rank, bit) = (square % 8, square / 8, 1 << square);
        let (diagonal, antidiagonal) = ((rank + 16 - file) % 16, rank + file);
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
