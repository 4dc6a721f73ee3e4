//! The formats.

/// The formats that files can have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
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
    /// Games in PGN; read only.
    Pgn,
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
        Format::Pgn,
        #[cfg(feature = "files")]
        Format::Jsonl,
    ];
}
