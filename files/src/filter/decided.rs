//! Zeros in decided games, which nnue-pytorch's loader skips.
//!
//! Some tools write the score 0 where they have none. nnue-pytorch's loader guesses which zeros
//! these are: one in a game that was not drawn, after a score that was far from 0. It looks at the
//! last score that it did not skip, so zeros that follow each other are skipped one after another:
//!
//! | score | result | last score | |
//! |---|---|---|---|
//! | 20 | won | none | |
//! | 0 | won | 20 | kept |
//! | 130 | won | 0 | |
//! | 0 | won | 130 | skipped |
//! | 32002 (no score) | won | 130 | |
//! | 0 | won | 130 | skipped |
//! | 40 | won | 130 | |
//! | 0 | won | 40 | kept |
//!
//! That loader forgets the last score where the ply does not grow, which is at the start of most
//! games. Here the start of each game or chain does it, so that a result depends neither on what
//! is before it in the file, nor on how the file is divided among threads. In formats of single
//! records, such as `plain`, there is no score before, and so no such zero.
//!
//! `files/shaders/encode.wgsl` has the same rule, as `is_far_after`.

use crate::formats::{Outcome, RecordFields};

/// Finds the zeros in decided games, in the records of a part of a block in their order. Records
/// whose [spans](RecordFields::span) begin at one place are of one game or chain. One with an empty
/// span is in none.
#[derive(Clone, Debug, Default)]
pub struct DecidedZeros {
    /// The [unit](RecordFields::unit) of the record before.
    unit: Option<u32>,
    /// Whether its last score was far from 0.
    is_far: bool,
}

// As the documentation says.
const _: () = assert!(DecidedZeros::FAR == 100);

impl DecidedZeros {
    /// A score further from 0 than this is far.
    pub(crate) const FAR: u32 = 100;

    /// Whether the next record has such a zero.
    #[inline]
    pub fn has_next(&mut self, record: &RecordFields) -> bool {
        let unit = record.unit();
        if unit.is_none() || self.unit != unit {
            self.unit = unit;
            self.is_far = false;
        }
        let Some(score) = record.score().filter(|_| !record.is_unscored()) else {
            return false;
        };
        let is_decided = matches!(record.outcome(), Some(Outcome::White | Outcome::Black));
        if score == 0 && is_decided && self.is_far {
            return true;
        }
        self.is_far = score.unsigned_abs() > DecidedZeros::FAR;
        false
    }
}
