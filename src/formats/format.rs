//! The formats, and the fields of their records.

use core::fmt;

/// The formats that files can have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[cfg_attr(feature = "files", derive(serde::Deserialize, serde::Serialize))]
pub enum Format {
    /// Lines: a FEN, an EPD record, `FEN | score | result` or `FEN;moves`.
    #[default]
    Text,
    /// Stockfish's chains of positions.
    Binpack,
    /// bullet's 32-byte boards.
    Bulletformat,
    /// 32-byte boards, never turned around.
    Marlinformat,
    /// viridithas's games.
    Viriformat,
    /// Stockfish's `.bin`: 40-byte positions.
    Sfbin,
    /// Stockfish's `.plain`: positions of several text lines.
    Plain,
    /// Monty's games with the visits of each search; read only.
    Montyformat,
    /// Monty's games without them; read only.
    Montyvalue,
    /// Games in PGN; read only.
    Pgn,
    /// Tables with a FEN in each row; not written from other formats.
    Csv,
    /// Lichess's evaluations; not written from other formats.
    #[cfg(feature = "files")]
    Jsonl,
}

impl Format {
    /// All formats.
    pub const ALL: &'static [Format] = &[
        Format::Text,
        Format::Binpack,
        Format::Bulletformat,
        Format::Marlinformat,
        Format::Viriformat,
        Format::Sfbin,
        Format::Plain,
        Format::Montyformat,
        Format::Montyvalue,
        Format::Pgn,
        Format::Csv,
        #[cfg(feature = "files")]
        Format::Jsonl,
    ];
}

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
