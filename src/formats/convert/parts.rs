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
    pub(crate) const ALL: [Part; 7] = [
        Part::Turn,
        Part::Castling,
        Part::EnPassant,
        Part::Clocks,
        Part::Played,
        Part::Score,
        Part::Result,
    ];
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
    let mut needed = to.row().needs.iter().copied();
    match needed.find(|&part| !from.holds(part)) {
        None if to.is_convertible_to() => Ok(()),
        lacks => Err(Refused { from, to, lacks }),
    }
}
