//! What formats hold besides positions and pieces.

use core::fmt;

use super::super::EncodeError;
use super::Format;

/// Something that some formats hold and others do not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Part {
    /// Who really moves.
    Turn,
    /// Castling rights.
    Castling,
    /// The en-passant target.
    EnPassant,
    /// The half-move clock and the move number.
    Clocks,
    /// The played move.
    Played,
    /// The score.
    Score,
    /// How the game ended.
    Result,
}

impl Part {
    pub(super) const ALL: [Part; 7] = [
        Part::Turn,
        Part::Castling,
        Part::EnPassant,
        Part::Clocks,
        Part::Played,
        Part::Score,
        Part::Result,
    ];

    /// Whether a format has a place for it.
    const fn is_in(self, format: Format) -> bool {
        match (format, self) {
            (Format::Bulletformat, Part::Score | Part::Result) => true,
            #[cfg(feature = "formats")]
            (Format::Jsonl, Part::Result | Part::Clocks) => false,
            (Format::Bulletformat, _) | (Format::Marlinformat, Part::Played) => false,
            _ => true,
        }
    }

    /// Whether it is written: lines are written as `FEN | score | result`.
    const fn is_written(self, format: Format) -> bool {
        match (format, self) {
            (Format::Text, Part::Played) => false,
            _ => self.is_in(format),
        }
    }

    /// Whether a format has no way to leave it out.
    pub(super) const fn is_needed(self, format: Format) -> bool {
        match self {
            Part::Score | Part::Result => !matches!(format, Format::Text | Format::Plain),
            Part::Played => matches!(format, Format::Viriformat | Format::Binpack),
            _ => false,
        }
    }
}

/// For people.
impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Part::Turn => "side to move",
            Part::Castling => "castling rights",
            Part::EnPassant => "en-passant target",
            Part::Clocks => "clocks",
            Part::Played => "played move",
            Part::Score => "score",
            Part::Result => "result",
        })
    }
}

/// Why one format cannot become another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Refused {
    /// The format read.
    pub from: Format,
    /// The format asked for.
    pub to: Format,
    /// What `to` must hold and `from` never does; none if `to` can only be read.
    pub lacks: Option<Part>,
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (from, to, lacks) = (self.from.name(), self.to.name(), self.lacks);
        let Some(lacks) = lacks else {
            return EncodeError::ReadOnly(to).fmt(f);
        };
        write!(
            f,
            "{from} cannot be converted to {to}: it holds no {lacks}, which {to} needs"
        )
    }
}

impl core::error::Error for Refused {}

/// Whether a conversion can work at all.
pub(super) fn possible(from: Format, to: Format) -> Result<(), Refused> {
    let missing = |part: &Part| part.is_needed(to) && !part.is_in(from);
    match Part::ALL.into_iter().find(missing) {
        None if to.is_convertible_to() => Ok(()),
        lacks => Err(Refused { from, to, lacks }),
    }
}

impl Format {
    /// Whether records of this format have a place for it.
    #[must_use]
    pub const fn holds(self, part: Part) -> bool {
        part.is_in(self)
    }

    /// What records of this format may hold and `to` has no place for.
    pub fn lost_in(self, to: Format) -> impl Iterator<Item = Part> {
        Part::ALL
            .into_iter()
            .filter(move |part| self != to && part.is_in(self) && !part.is_written(to))
    }

    /// Whether what trains on records of this format passes over those with the score
    /// that stands for none, [`VALUE_NONE`](super::super::VALUE_NONE). Where it does not,
    /// a [`Conversion`](super::Conversion) refuses them.
    #[must_use]
    pub const fn skips_unscored(self) -> bool {
        matches!(self, Format::Binpack | Format::Sfbin | Format::Viriformat)
    }

    /// Whether a record's move is played to write the next one.
    pub(super) const fn plays(self) -> bool {
        Part::Played.is_needed(self)
    }

    /// What `to` has a place for and records of this format never hold.
    pub fn unknown_in(self, to: Format) -> impl Iterator<Item = Part> {
        Part::ALL
            .into_iter()
            .filter(move |part| !part.is_in(self) && part.is_written(to))
    }
}
