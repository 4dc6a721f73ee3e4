//! Fields of records that filters may need.

use core::fmt;

use crate::formats::{Format, Part, Place, Record};

/// A field that a record may have besides its position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Field {
    /// The move played in the position.
    Played,
    /// The score.
    Score,
    /// The game's result.
    Outcome,
    /// Half-moves since the start of the game.
    Ply,
}

impl Field {
    /// All fields.
    pub const ALL: [Field; 4] = [Field::Played, Field::Score, Field::Outcome, Field::Ply];

    /// Whether a record has it.
    #[must_use]
    pub const fn is_in(self, record: &Record) -> bool {
        match self {
            Field::Played => record.played().is_some(),
            Field::Score => record.score().is_some(),
            Field::Outcome => record.outcome().is_some(),
            Field::Ply => record.ply().is_some(),
        }
    }

    /// Whether a format can hold it.
    #[must_use]
    pub fn is_of(self, format: Format) -> bool {
        format.holds(self.part())
    }

    /// How a format writes it, if it is optional there.
    #[must_use]
    pub fn form_in(self, format: Format) -> Option<&'static str> {
        format.form_of(self.part())
    }

    const fn part(self) -> Part {
        match self {
            Field::Played => Part::Played,
            Field::Score => Part::Score,
            Field::Outcome => Part::Result,
            Field::Ply => Part::Clocks,
        }
    }
}

impl fmt::Display for Field {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Field::Played => "played move",
            Field::Score => "score",
            Field::Outcome => "result",
            Field::Ply => "move number",
        })
    }
}

/// A record lacks a field that a rule needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Missing {
    /// The missing field.
    pub field: Field,
    /// The record's place in the file.
    pub place: Place,
}

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Missing { field, place } = self;
        write!(
            f,
            "{place}: the filter asks for the {field}, which this record does not have"
        )
    }
}

impl core::error::Error for Missing {}
