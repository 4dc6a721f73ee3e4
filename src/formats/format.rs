//! The formats, the table of what is special in each, and the fields of their records.

use core::str::FromStr;

use super::row::Row;
use crate::ParseError;
use crate::rules::choices;

/// Declares [`Format`], with the row of each in the table of formats.
macro_rules! formats {
    ($($(#[doc = $about:literal])+ $(#[cfg($of:meta)])? $format:ident => $row:expr,)+) => {
        /// The formats that files can have.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
        #[derive(serde::Deserialize, serde::Serialize)]
        #[non_exhaustive]
        pub enum Format {
            #[default]
            $($(#[doc = $about])+ $(#[cfg($of)])? $format,)+
        }

        impl Format {
            /// All formats.
            pub const ALL: &'static [Format] = &[$($(#[cfg($of)])? Format::$format),+];

            /// The names of the formats.
            pub const NAMES: &'static [&'static str] = &[$($(#[cfg($of)])? $row.name),+];

            /// Its properties.
            pub(crate) const fn row(self) -> &'static Row {
                match self {
                    $($(#[cfg($of)])? Format::$format => &$row,)+
                }
            }
        }
    };
}

formats! {
    /// Lines: a FEN, an EPD record, `FEN | score | result` or `FEN;moves`.
    Text => super::text::ROW,
    /// Stockfish's chains of positions.
    Binpack => super::binpack::ROW,
    /// bullet's 32-byte boards.
    Bulletformat => super::bulletformat::ROW,
    /// 32-byte boards, never turned around.
    Marlinformat => super::marlinformat::ROW,
    /// viridithas's games.
    Viriformat => super::viriformat::ROW,
    /// Stockfish's `.bin`: 40-byte positions.
    Sfbin => super::sfbin::ROW,
    /// Stockfish's `.plain`: positions of several text lines.
    Plain => super::plain::ROW,
    /// Monty's games with the visits of each search; read only.
    Montyformat => super::montyformat::POLICY,
    /// Monty's games without them; read only.
    Montyvalue => super::montyformat::VALUE,
    /// Games in PGN; read only. Feature `pgn`.
    #[cfg(feature = "pgn")]
    Pgn => super::pgn::ROW,
    /// Tables with a FEN in each row; not written from other formats.
    Csv => super::csv::ROW,
    /// Lichess's evaluations; not written from other formats.
    Jsonl => super::jsonl::ROW,
}

impl Format {
    /// This format's name.
    pub const fn name(self) -> &'static str {
        self.row().name
    }

    /// The extensions that only this format uses; the first is that of new files.
    pub const fn extensions(self) -> &'static [&'static str] {
        self.row().extensions
    }

    /// Whether a GPU can filter its files.
    pub const fn filters_on_gpu(self) -> bool {
        self.row().cut.is_some()
    }

    /// Whether files of this format are text.
    pub const fn is_text(self) -> bool {
        self.row().is_text
    }

    /// Whether records can be written in it.
    pub const fn is_writable(self) -> bool {
        self.row().is_writable
    }

    /// Whether other formats can be converted to it.
    pub const fn is_convertible_to(self) -> bool {
        self.row().write.is_some()
    }

    /// The size of a record, if it is fixed.
    pub const fn record_bytes(self) -> Option<usize> {
        self.row().record_bytes
    }

    /// Name of the record group (games or chains), if there is one. Records of a group have
    /// spans that begin at the same byte.
    pub const fn units(self) -> Option<&'static str> {
        self.row().units
    }

    /// Whether records can be marked as skipped instead of dropped.
    pub const fn can_mark(self) -> bool {
        self.row().can_mark
    }

    /// Whether dropping breaks up record groups and makes the file larger, so that marking is
    /// preferred.
    pub const fn prefers_mark(self) -> bool {
        self.row().prefers_mark
    }

    /// Whether trainers on this format skip records with the score
    /// [`VALUE_NONE`](super::VALUE_NONE). If not, a conversion refuses
    /// records without a score.
    pub const fn skips_unscored(self) -> bool {
        self.row().skips_unscored
    }

    /// Whether every record of this format must have it.
    pub(super) fn needs(self, part: Field) -> bool {
        self.row().needs.contains(&part)
    }

    /// Whether the format can hold it.
    pub fn holds(self, part: Field) -> bool {
        !self.row().lacks.contains(&part)
    }

    /// Whether conversions to it write the field.
    pub(crate) fn writes(self, part: Field) -> bool {
        self.holds(part) && !self.row().unwritten.contains(&part)
    }

    /// Fields that this format holds and `to` cannot.
    pub fn lost_in(self, to: Format) -> impl Iterator<Item = Field> {
        Field::ALL
            .into_iter()
            .filter(move |&part| self != to && self.holds(part) && !to.writes(part))
    }

    /// Whether writing replays played moves.
    pub(super) fn replays_moves(self) -> bool {
        self.needs(Field::Played)
    }
}

impl FromStr for Format {
    type Err = ParseError;

    fn from_str(name: &str) -> Result<Format, ParseError> {
        let is_named = |format: &&Format| {
            let row = format.row();
            row.name == name || row.aliases.contains(&name)
        };
        Format::ALL
            .iter()
            .find(is_named)
            .copied()
            .ok_or_else(|| ParseError::unknown("format", name, Format::NAMES))
    }
}

choices! {
    "field",
    /// A field that only some formats have.
    #[non_exhaustive]
    pub enum Field {
        /// The real side to move.
        Turn = "side to move",
        /// Castling rights.
        Castling = "castling rights",
        /// The en-passant target.
        EnPassant = "en-passant target",
        /// The half-move clock and the move number.
        Clocks = "clocks",
        /// The played move.
        Played = "played move",
        /// The score.
        Score = "score",
        /// The game's result.
        Result = "result",
    }
}
