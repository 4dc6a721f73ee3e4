//! What a record may lack, and a filter need.

use core::fmt;

use crate::formats::{Place, Record};

/// Something that a record may hold besides its position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
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

    /// Which formats can hold it.
    #[must_use]
    pub const fn formats(self) -> &'static str {
        match self {
            Field::Played => "binpack, viriformat, or EPD with 'sm MOVE;'",
            Field::Score => {
                "binpack, viriformat, marlinformat, bulletformat, \
                 'FEN | score | result', or EPD with 'ce SCORE;'"
            }
            Field::Outcome => {
                "binpack, viriformat, marlinformat, bulletformat, \
                 'FEN | score | result', or EPD with 'c9 \"RESULT\";'"
            }
            Field::Ply => {
                "binpack, viriformat and marlinformat with move numbers, or FENs of six fields"
            }
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
        let formats = field.formats();
        write!(
            f,
            "{place}: the filter asks for the {field}, which this record does not have; \
             it can stand in {formats}"
        )
    }
}

impl core::error::Error for Missing {}
