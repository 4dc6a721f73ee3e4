//! Records as they are written in another format.

use core::iter::Enumerate;
use core::slice::Iter;

use super::convert::Target;
use super::{Action, DecodedPart, Outcome, Record, VALUE_NONE, turned_score};

/// The records of a part that are not dropped.
pub(crate) struct OutputRecords<'a> {
    pub(super) target: &'a Target,
    pub(super) decoded: &'a DecodedPart,
    pub(super) actions: Enumerate<Iter<'a, Action>>,
}

impl Iterator for OutputRecords<'_> {
    type Item = OutputRecord;

    #[inline(always)]
    fn next(&mut self) -> Option<OutputRecord> {
        let (i, action) = (self.actions).find(|(_, action)| **action != Action::Drop)?;
        let source = self.decoded.record(i);
        let score = match action {
            Action::Mark => Some(VALUE_NONE.into()),
            _ => self.target.score_of(&source.fields),
        };
        Some(OutputRecord { source, score })
    }
}

/// A record to be written in another format, which was found to hold it.
pub(crate) struct OutputRecord {
    /// As read.
    pub source: Record,
    /// Of the side to move.
    pub score: Option<i32>,
}

impl OutputRecord {
    /// The score of the side to move, in 16 bits.
    pub(crate) fn score(&self) -> i16 {
        in_16_bits(self.score)
    }

    pub(crate) fn white_score(&self) -> i16 {
        let white = |score| turned_score(score, self.source.position.turn());
        in_16_bits(self.score.map(white))
    }

    /// White's result: 0 loss, 1 draw, 2 win.
    pub(crate) fn white_result(&self) -> u8 {
        self.source.fields.outcome().unwrap_or(Outcome::Draw) as u8
    }

    /// The same of the side to move.
    pub(crate) fn result(&self) -> u8 {
        let white = self.white_result();
        self.source.position.turn().fold_wb(white, 2 - white)
    }
}

fn in_16_bits(score: Option<i32>) -> i16 {
    let score = score.and_then(|score| score.try_into().ok());
    score.unwrap_or(VALUE_NONE)
}

/// A score (the side to move's) that does not fit in 16 bits.
pub(crate) fn no_place_in_16_bits(score: Option<i32>, _: &Record) -> Option<String> {
    let score = score.filter(|&score| i16::try_from(score).is_err())?;
    Some(format!("the score {score}"))
}

/// The same for White's score.
pub(crate) fn no_place_for_white_in_16_bits(score: Option<i32>, record: &Record) -> Option<String> {
    let white = score.map(|score| turned_score(score, record.position.turn()));
    no_place_in_16_bits(white, record)
}
