//! Fields of records.

use core::fmt;

/// A field that only some formats have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Part {
    /// The real side to move.
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
    /// The game's result.
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
