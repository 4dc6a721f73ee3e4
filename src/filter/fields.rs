//! What a record may lack, and a filter need.

use core::fmt;

use crate::formats::{Format, Part, Place, Record};

/// Something that a record may hold besides its position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Field {
    /// The move played in the position.
    Played,
    /// The score.
    Score,
    /// How the game ended.
    Outcome,
    /// Half-moves since the start of the game.
    Ply,
}

impl Field {
    /// All fields.
    pub const ALL: [Field; 4] = [Field::Played, Field::Score, Field::Outcome, Field::Ply];

    /// Whether a record holds it.
    #[must_use]
    pub const fn is_in(self, record: &Record) -> bool {
        match self {
            Field::Played => record.played().is_some(),
            Field::Score => record.score().is_some(),
            Field::Outcome => record.outcome().is_some(),
            Field::Ply => record.ply().is_some(),
        }
    }

    /// Whether records of a format have a place for it.
    #[must_use]
    pub fn is_of(self, format: Format) -> bool {
        format.holds(self.part())
    }

    /// How records of a format tell it, where they may leave it out.
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

/// For people.
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

/// A record lacks what a rule of the filter asks about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Missing {
    /// What it lacks.
    pub field: Field,
    /// Where it begins in the file.
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
