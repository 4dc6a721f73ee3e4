//! Lanes in plain words, for any machine: what the compiler makes of arrays.

use super::lanes::{List, MAX_LANES, PerLane, Sets, Simd, line_words};
use super::unit::Unit;
use crate::Position;

mod word;

use word::{LANES, Mask, Word};

/// Every machine has it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Portable;

impl Unit for Portable {
    fn detect() -> Option<Portable> {
        Some(Portable)
    }
}

impl Simd for Portable {
    const LANES: usize = LANES;
    type Word = Word;
    type Table = [i32; 8];

    #[inline(always)]
    fn splat(self, word: u64) -> Self::Word {
        Word([word; LANES])
    }

    #[inline(always)]
    fn load(self, lanes: &PerLane) -> Self::Word {
        Word::each(|i| lanes[i].into())
    }

    #[inline(always)]
    fn load_words(self, lanes: &[u64; MAX_LANES]) -> Self::Word {
        Word::each(|i| lanes[i])
    }

    #[inline(always)]
    fn splat_value(self, value: i32) -> Self::Word {
        self.splat(i64::from(value).cast_unsigned())
    }

    #[inline(always)]
    fn table(self, values: [i32; 8]) -> [i32; 8] {
        values
    }

    #[inline(always)]
    fn look_up(self, table: [i32; 8], codes: Self::Word) -> Self::Word {
        Word::each(|i| i64::from(table[codes.0[i] as usize & 7]).cast_unsigned())
    }

    #[inline(always)]
    fn planes(self, positions: [&Position; MAX_LANES]) -> [Self::Word; 4] {
        four_words(
            bytemuck::cast_ref(positions[0]),
            bytemuck::cast_ref(positions[1]),
        )
    }

    #[inline(always)]
    fn first_lanes(self, count: usize) -> Mask {
        Mask::each(|i| i < count)
    }

    #[inline(always)]
    fn rows(self, rows: [&[u64; 8]; MAX_LANES]) -> [Self::Word; 8] {
        let [[a, b], [c, d]] = [rows[0], rows[1]].map(bytemuck::must_cast_ref);
        let [w0, w1, w2, w3] = four_words(a, c);
        let [w4, w5, w6, w7] = four_words(b, d);
        [w0, w1, w2, w3, w4, w5, w6, w7]
    }

    #[inline(always)]
    fn store_rows(self, words: [Self::Word; 4], rows: [&mut [u64; 4]; MAX_LANES]) {
        let ([a, b, c, d], [first, second, ..]) = (words, rows);
        *first = [a.0[0], b.0[0], c.0[0], d.0[0]];
        *second = [a.0[1], b.0[1], c.0[1], d.0[1]];
    }

    #[inline(always)]
    fn list<const SHIFT: u32, const CAPACITY: usize>(
        self,
        sets: Self::Word,
        tags: Self::Word,
        list: &mut List<CAPACITY>,
    ) {
        list.extend_set::<SHIFT>(sets.0[0], tags.0[0] as u32);
        list.extend_set::<SHIFT>(sets.0[1], tags.0[1] as u32);
    }

    #[inline(always)]
    fn pick<const CAPACITY: usize>(
        self,
        lanes: Mask,
        sets: Self::Word,
        tags: Self::Word,
        list: &mut Sets<CAPACITY>,
    ) {
        list.push_if(lanes.is_set(0), sets.0[0], tags.0[0]);
        list.push_if(lanes.is_set(1), sets.0[1], tags.0[1]);
    }

    #[inline(always)]
    fn lines(self, squares: &PerLane) -> [Self::Word; 4] {
        four_words(line_words(squares[0]), line_words(squares[1]))
    }
}

/// Two rows of four words, the rows becoming lanes.
#[inline(always)]
fn four_words(first: &[u64; 4], second: &[u64; 4]) -> [Word; 4] {
    [
        Word([first[0], second[0]]),
        Word([first[1], second[1]]),
        Word([first[2], second[2]]),
        Word([first[3], second[3]]),
    ]
}
