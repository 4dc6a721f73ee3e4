//! Fields of records.

use core::fmt;

/// A field that only some formats have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Field {
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

impl Field {
    pub(crate) const ALL: [Field; 7] = [
        Field::Turn,
        Field::Castling,
        Field::EnPassant,
        Field::Clocks,
        Field::Played,
        Field::Score,
        Field::Result,
    ];
}

impl fmt::Display for Field {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Field::Turn => "side to move",
            Field::Castling => "castling rights",
            Field::EnPassant => "en-passant target",
            Field::Clocks => "clocks",
            Field::Played => "played move",
            Field::Score => "score",
            Field::Result => "result",
        })
    }
}
