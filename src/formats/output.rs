//! Records as they are written in another format.

use core::iter::Zip;
use core::slice::Iter;

use super::convert::Target;
use super::{
    Action, Fault, Field, Invalid, Outcome, Record, RecordError, VALUE_NONE, turned_score,
};
use crate::Capture;

/// The records of a block that are not dropped.
pub(crate) struct OutputRecords<'a> {
    pub(super) target: &'a Target,
    pub(super) records: Zip<Iter<'a, Record>, Iter<'a, Action>>,
}

impl<'a> Iterator for OutputRecords<'a> {
    type Item = OutputRecord<'a>;

    #[inline]
    fn next(&mut self) -> Option<OutputRecord<'a>> {
        let (source, action) = self.records.find(|(_, action)| **action != Action::Drop)?;
        let score = match action {
            Action::Mark => Some(VALUE_NONE.into()),
            _ => self.target.score_of(&source.fields),
        };
        Some(OutputRecord {
            source,
            to: self.target.format.name(),
            score,
        })
    }
}

/// A record to be written in another format.
pub(crate) struct OutputRecord<'a> {
    /// As read.
    pub source: &'a Record,
    /// Of the side to move.
    pub score: Option<i32>,
    to: &'static str,
}

impl OutputRecord<'_> {
    /// A fault that the checks before writing have not found.
    pub(crate) fn error(&self, fault: Invalid) -> RecordError {
        fault.at(self.source.fields.place(), self.source.fields.span())
    }

    fn needed<T>(&self, field: Field, value: Option<T>) -> Result<T, RecordError> {
        value.ok_or_else(|| self.error(lacks(self.to, field)))
    }

    /// The score of the side to move, in 16 bits.
    pub(crate) fn score(&self) -> Result<i16, RecordError> {
        self.in_16_bits(self.score)
    }

    /// White's score.
    pub(crate) fn white_score(&self) -> Result<i16, RecordError> {
        let white = |score| turned_score(score, self.source.position.turn());
        self.in_16_bits(self.score.map(white))
    }

    fn in_16_bits(&self, score: Option<i32>) -> Result<i16, RecordError> {
        let score = self.needed(Field::Score, score)?;
        let too_large = |_| self.error(no_place(self.to, &format!("the score {score}")));
        score.try_into().map_err(too_large)
    }

    /// White's result: 0 loss, 1 draw, 2 win.
    pub(crate) fn white_result(&self) -> Result<u8, RecordError> {
        let result = self.result()?;
        Ok(self.source.position.turn().fold_wb(result, 2 - result))
    }

    /// The result of the side to move: 0 loss, 1 draw, 2 win.
    pub(crate) fn result(&self) -> Result<u8, RecordError> {
        self.needed(Field::Result, self.known_result())
    }

    /// The same, if it is known.
    pub(crate) fn known_result(&self) -> Option<u8> {
        let white = match self.source.fields.outcome()? {
            Outcome::Black => 0,
            Outcome::Draw => 1,
            Outcome::White => 2,
        };
        Some(self.source.position.turn().fold_wb(white, 2 - white))
    }

    /// The played move.
    pub(crate) fn played(&self) -> Result<Capture, RecordError> {
        self.needed(Field::Played, self.source.fields.played())
    }
}

/// The fault of a record without a field that the output format needs.
pub(super) fn lacks(to: &str, field: Field) -> Invalid {
    let hint = match field {
        Field::Score => format!(" ({VALUE_NONE} means no score)"),
        _ => String::new(),
    };
    let message = format!("{to} needs a {field}, which this record lacks{hint}");
    Invalid::new(Fault::Lacks(field), message)
}

/// The fault of a record with something that the output format cannot hold.
pub(super) fn no_place(to: &str, what: &str) -> Invalid {
    Invalid::new(Fault::NoPlace, format!("{to} cannot hold {what}"))
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
