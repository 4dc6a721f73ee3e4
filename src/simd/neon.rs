//! Two lanes: NEON, which every 64-bit Arm has.

// NEON is in the baseline of this architecture, so what its intrinsics need is
// there; loads and stores go through references to arrays of the right size. That
// is the reason for each `unsafe`.
#![allow(unsafe_code)]
// Dozens of intrinsics, whose names tell where they are from.
#![allow(clippy::wildcard_imports)]

use core::arch::aarch64::*;

use super::lanes::{List, MAX_LANES, Mask as _, PerLane, Sets, Simd, line_words};
use super::unit::Unit;
use crate::Position;

mod word;

use word::{Mask2, Word2};

/// The vector unit of every 64-bit Arm.
#[derive(Clone, Copy, Debug)]
pub(super) struct Neon(());

impl Unit for Neon {
    fn detect() -> Option<Neon> {
        const { assert!(cfg!(target_feature = "neon")) };
        Some(Neon(()))
    }
}

impl Simd for Neon {
    const LANES: usize = 2;
    type Word = Word2;
    type Table = uint8x16x2_t;

    #[inline(always)]
    fn splat(self, word: u64) -> Word2 {
        unsafe { Word2(vdupq_n_u64(word)) }
    }

    #[inline(always)]
    fn load(self, lanes: &PerLane) -> Word2 {
        unsafe { Word2(vmovl_u32(vld1_u32(lanes.as_ptr()))) }
    }

    #[inline(always)]
    fn load_words(self, lanes: &[u64; MAX_LANES]) -> Word2 {
        unsafe { Word2(vld1q_u64(lanes.as_ptr())) }
    }

    #[inline(always)]
    fn splat_value(self, value: i32) -> Word2 {
        unsafe { Word2(vreinterpretq_u64_s32(vdupq_n_s32(value))) }
    }

    #[inline(always)]
    fn table(self, values: [i32; 8]) -> uint8x16x2_t {
        let bytes: [u8; 32] = bytemuck::must_cast(values);
        unsafe { uint8x16x2_t(vld1q_u8(bytes.as_ptr()), vld1q_u8(bytes[16..].as_ptr())) }
    }

    #[inline(always)]
    fn look_up(self, table: uint8x16x2_t, codes: Word2) -> Word2 {
        unsafe {
            // The lane's code in each of its bytes, then where its value begins.
            let first = vreinterpretq_u8_u64(vcombine_u64(vcreate_u64(0), vcreate_u64(EIGHTS)));
            let codes = vqtbl1q_u8(vreinterpretq_u8_u64(codes.0), first);
            let bytes = vreinterpretq_u8_u32(vdupq_n_u32(0x0302_0100));
            let bytes = vorrq_u8(vshlq_n_u8::<2>(codes), bytes);
            Word2(vreinterpretq_u64_u8(vqtbl2q_u8(table, bytes)))
        }
    }

    #[inline(always)]
    fn planes(self, positions: [&Position; MAX_LANES]) -> [Word2; 4] {
        four_words(
            bytemuck::cast_ref(positions[0]),
            bytemuck::cast_ref(positions[1]),
        )
    }

    #[inline(always)]
    fn first_lanes(self, count: usize) -> Mask2 {
        unsafe {
            let lanes = vcombine_u64(vcreate_u64(0), vcreate_u64(1));
            Mask2(vcgtq_u64(vdupq_n_u64(count as u64), lanes))
        }
    }

    #[inline(always)]
    fn rows(self, rows: [&[u64; 8]; MAX_LANES]) -> [Word2; 8] {
        let [first, second, ..] = rows;
        let ([a, b], [c, d]) = (halves(first), halves(second));
        let [w0, w1, w2, w3] = four_words(a, c);
        let [w4, w5, w6, w7] = four_words(b, d);
        [w0, w1, w2, w3, w4, w5, w6, w7]
    }

    #[inline(always)]
    fn store_rows(self, [a, b, c, d]: [Word2; 4], rows: [&mut [u64; 4]; MAX_LANES]) {
        let [first, second, ..] = rows;
        store_row(first, firsts(a, b), firsts(c, d));
        store_row(second, seconds(a, b), seconds(c, d));
    }

    #[inline(always)]
    fn list<const SHIFT: u32, const CAPACITY: usize>(
        self,
        sets: Word2,
        tags: Word2,
        list: &mut List<CAPACITY>,
    ) {
        let ([first, second], [of_first, of_second]) = (sets.lanes(), tags.lanes());
        list.extend_set::<SHIFT>(first, of_first as u32);
        list.extend_set::<SHIFT>(second, of_second as u32);
    }

    #[inline(always)]
    fn pick<const CAPACITY: usize>(
        self,
        lanes: Mask2,
        sets: Word2,
        tags: Word2,
        list: &mut Sets<CAPACITY>,
    ) {
        let ([first, second], [of_first, of_second]) = (sets.lanes(), tags.lanes());
        let lanes = lanes.bits();
        list.push_if(lanes & 1 != 0, first, of_first);
        list.push_if(lanes & 2 != 0, second, of_second);
    }

    #[inline(always)]
    fn lines(self, squares: &PerLane) -> [Word2; 4] {
        four_words(line_words(squares[0]), line_words(squares[1]))
    }
}

/// Eight bytes that each take byte 8.
const EIGHTS: u64 = 0x0808_0808_0808_0808;

#[inline(always)]
fn halves(row: &[u64; 8]) -> &[[u64; 4]; 2] {
    bytemuck::must_cast_ref(row)
}

/// Two rows of four words, the rows becoming lanes.
#[inline(always)]
fn four_words(first: &[u64; 4], second: &[u64; 4]) -> [Word2; 4] {
    let (a, b) = (load(first, 0), load(second, 0));
    let (c, d) = (load(first, 2), load(second, 2));
    [firsts(a, b), seconds(a, b), firsts(c, d), seconds(c, d)]
}

#[inline(always)]
fn load(row: &[u64; 4], at: usize) -> Word2 {
    let pair: &[u64; 2] = row[at..].first_chunk().expect("at most 2");
    unsafe { Word2(vld1q_u64(pair.as_ptr())) }
}

#[inline(always)]
fn store_row(row: &mut [u64; 4], low: Word2, high: Word2) {
    let [a, b] = low.lanes();
    let [c, d] = high.lanes();
    *row = [a, b, c, d];
}

#[inline(always)]
fn firsts(a: Word2, b: Word2) -> Word2 {
    unsafe { Word2(vtrn1q_u64(a.0, b.0)) }
}

#[inline(always)]
fn seconds(a: Word2, b: Word2) -> Word2 {
    unsafe { Word2(vtrn2q_u64(a.0, b.0)) }
}
