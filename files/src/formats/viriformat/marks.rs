//! Marks on the records of a block, as a device tells them: a bit for each record.
//!
//! A mark changes the score of a record, two bytes, and no other byte. So a device that marks games
//! need not send them back: a bit for each of some hundred records takes 13 bytes where the game
//! has 440.

use super::{RECORD, SCORE, STEP};
use crate::formats::isa::{self, Isa, IsaFn};
use crate::formats::{Block, Cut, CutUnit, VALUE_NONE};

/// Which records of a block of viriformat are marked.
#[derive(Debug)]
pub(crate) struct RecordMarks {
    /// A bit for each record, the lowest bit of a word first.
    words: Vec<u32>,
    /// The bit of the block's first record in the first word. A device numbers the records of
    /// several blocks, so it may be any of 32. Lower bits belong to another block, and bits after
    /// the last record's to another one or to none.
    first: usize,
    /// The number of records.
    records: usize,
}

impl RecordMarks {
    /// The marks of a block with this many records. `first` is the bit of its first record in
    /// `words`, of which the last one has the bit of its last record.
    pub fn new(words: Vec<u32>, first: usize, records: usize) -> RecordMarks {
        RecordMarks {
            words,
            first,
            records,
        }
    }

    /// The number of records that are marked.
    pub fn count(&self) -> usize {
        // All bits, without those of other blocks in the first and in the last word.
        let end = self.first + self.records;
        let all: u32 = self.words.iter().map(|word| word.count_ones()).sum();
        let before = self
            .words
            .first()
            .map_or(0, |word| word & low_bits(self.first));
        let after = self
            .words
            .last()
            .map_or(0, |word| word & !low_bits((end - 1) % 32 + 1));
        (all - before.count_ones() - after.count_ones()) as usize
    }

    /// Marks records in the bytes of the block, which has these games.
    pub fn put_into(&self, bytes: &mut [u8], games: &[CutUnit]) {
        isa::run(PutMarks {
            marks: self,
            bytes,
            games,
        });
    }

    /// A copy of a game with its marks. `number` counts the games of the block from 0.
    pub fn marked_unit(&self, block: &Block, cut: &Cut, number: usize) -> Vec<u8> {
        let game = &cut.units[number];
        let records_before: u32 = cut.units[..number].iter().map(|game| game.records).sum();
        let mut marked = block.slice(&game.bytes).to_vec();
        self.put_into_game(&mut marked, records_before as usize, game.records as usize);
        marked
    }

    /// Marks the records of a game, the first of which has the number `first_record` in the block.
    #[inline(always)]
    fn put_into_game(&self, game: &mut [u8], first_record: usize, records: usize) {
        let steps = &mut game[RECORD..RECORD + STEP * records];
        let (groups, last_steps) = steps.as_chunks_mut::<{ 32 * STEP }>();
        let mut bit = self.first + first_record;
        for group in groups {
            mark_steps(group, self.bits(bit));
            bit += 32;
        }
        if !last_steps.is_empty() {
            mark_steps(last_steps, self.bits(bit));
        }
    }

    /// The 32 bits from a bit of `words` on; zeros after the last word.
    #[inline(always)]
    fn bits(&self, bit: usize) -> u32 {
        let word = |index: usize| u64::from(self.words.get(index).copied().unwrap_or(0));
        let two_words = word(bit / 32) | word(bit / 32 + 1) << 32;
        (two_words >> (bit % 32)) as u32
    }
}

/// The lowest `count` bits, at most 32 of them.
const fn low_bits(count: usize) -> u32 {
    ((1_u64 << count) - 1) as u32
}

/// Marks at most 32 steps: bit i of `bits` is that of the i-th step. Without a branch for each
/// step, the compiler makes vector instructions of it.
#[inline(always)]
fn mark_steps(steps: &mut [u8], bits: u32) {
    const SCORE_BITS: u32 = 0xffff << (8 * SCORE);
    const NO_SCORE: u32 = (VALUE_NONE.cast_unsigned() as u32) << (8 * SCORE);
    let (steps, _) = steps.as_chunks_mut::<STEP>();
    for (i, step) in steps.iter_mut().enumerate() {
        let word = u32::from_le_bytes(*step);
        // All bits if the record is marked, else none.
        let is_marked = (bits >> i & 1).wrapping_neg();
        // The bits in which its score differs from the one that says no score.
        let changed = (word ^ NO_SCORE) & SCORE_BITS & is_marked;
        *step = (word ^ changed).to_le_bytes();
    }
}

/// Marks all games of a block.
struct PutMarks<'a> {
    marks: &'a RecordMarks,
    bytes: &'a mut [u8],
    games: &'a [CutUnit],
}

impl IsaFn for PutMarks<'_> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self, _: I) {
        let mut first_record = 0;
        for game in self.games {
            let records = game.records as usize;
            let game_bytes = &mut self.bytes[game.bytes.start as usize..game.bytes.end as usize];
            self.marks.put_into_game(game_bytes, first_record, records);
            first_record += records;
        }
    }
}
