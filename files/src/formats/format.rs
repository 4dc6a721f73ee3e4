//! The formats, the table of what is special in each, and the fields of their records.

use core::str::FromStr;

use super::spec::{FormatCode, FormatSpec};
use swaplist::choices;
use swaplist::{Choice, ParseError};

/// Declares [`Format`], with the properties and the code of each.
macro_rules! formats {
    ($($(#[doc = $about:literal])+ $(#[cfg($of:meta)])? $format:ident => $spec:expr,)+) => {
        /// The formats that files can have.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
        #[derive(serde::Deserialize, serde::Serialize)]
        #[non_exhaustive]
        pub enum Format {
            #[default]
            $($(#[doc = $about])+ $(#[cfg($of)])? $format,)+
        }

        impl Format {
            /// The names of the formats.
            const NAMES: &'static [&'static str] = &[$($(#[cfg($of)])? $spec.name),+];

            /// The properties of this format.
            pub const fn spec(self) -> &'static FormatSpec {
                match self {
                    $($(#[cfg($of)])? Format::$format => &$spec,)+
                }
            }
        }

        impl Choice for Format {
            const ALL: &'static [Format] = &[$($(#[cfg($of)])? Format::$format),+];

            fn name(self) -> &'static str {
                self.spec().name
            }
        }
    };
}

formats! {
    /// Lines: a FEN, an EPD record, `FEN | score | result` or `FEN;moves`.
    Text => super::text::SPEC,
    /// Stockfish's chains of positions.
    Binpack => super::binpack::SPEC,
    /// bullet's 32-byte boards.
    Bulletformat => super::bulletformat::SPEC,
    /// 32-byte boards, never turned around.
    Marlinformat => super::marlinformat::SPEC,
    /// viridithas's games.
    Viriformat => super::viriformat::SPEC,
    /// Stockfish's `.bin`: 40-byte positions.
    Sfbin => super::sfbin::SPEC,
    /// Stockfish's `.plain`: positions of several text lines.
    Plain => super::plain::SPEC,
    /// Monty's games with the visits of each search; read only.
    Montyformat => super::montyformat::POLICY_SPEC,
    /// Monty's games without them; read only.
    Montyvalue => super::montyformat::VALUE_SPEC,
    /// Games in PGN; read only.
    Pgn => super::pgn::SPEC,
    /// Tables with a FEN in each row; not written from other formats.
    Csv => super::csv::SPEC,
    /// Lichess's evaluations; not written from other formats.
    Jsonl => super::jsonl::SPEC,
}

impl Format {
    /// The code of this format.
    pub(crate) fn code(self) -> &'static dyn FormatCode {
        self.spec().code
    }

    /// The extensions that only this format uses; the first is that of new files.
    pub(crate) const fn extensions(self) -> &'static [&'static str] {
        self.spec().extensions
    }

    /// Whether files of this format are text.
    pub(crate) const fn is_text(self) -> bool {
        self.spec().is_text
    }

    /// Whether records can be written in it.
    pub(crate) const fn is_writable(self) -> bool {
        self.spec().is_writable
    }

    /// Whether other formats can be converted to it.
    pub(crate) const fn is_convertible_to(self) -> bool {
        self.spec().is_convertible_to
    }

    /// The size of a record in bytes, if all have the same.
    pub(crate) const fn record_bytes(self) -> Option<usize> {
        self.spec().record_bytes
    }

    /// Name of the record group (games or chains), if there is one. Records of a group have
    /// spans that begin at the same byte.
    pub(crate) const fn units(self) -> Option<&'static str> {
        self.spec().units
    }

    /// Whether records can be marked as skipped instead of dropped.
    pub(crate) const fn can_mark(self) -> bool {
        self.spec().can_mark
    }

    /// Whether dropping breaks up record groups and makes the file larger, so that marking is
    /// preferred.
    pub(crate) const fn prefers_mark(self) -> bool {
        self.spec().prefers_mark
    }

    /// Whether trainers on this format skip records with the score
    /// [`VALUE_NONE`](super::VALUE_NONE). If not, a conversion refuses
    /// records without a score.
    pub(crate) const fn skips_unscored(self) -> bool {
        self.spec().skips_unscored
    }

    /// Whether a record needs this field to be written in this format.
    pub(super) fn needs(self, field: Field) -> bool {
        self.spec().needs.contains(&field)
    }

    /// Whether records of this format can have this field.
    pub fn holds(self, field: Field) -> bool {
        !self.spec().lacks.contains(&field)
    }

    /// Whether conversions to it write the field.
    pub(crate) fn writes(self, field: Field) -> bool {
        self.holds(field) && !self.spec().unwritten.contains(&field)
    }

    /// Fields that this format holds and `to` cannot.
    pub fn lost_in(self, to: Format) -> impl Iterator<Item = Field> {
        Field::ALL
            .iter()
            .copied()
            .filter(move |&field| self != to && self.holds(field) && !to.writes(field))
    }

    /// Whether another format `to` has the scores of this one without the played moves. Then nothing
    /// tells there which zeros are placeholders.
    pub(crate) fn hides_placeholders_in(self, to: Format) -> bool {
        let loses_moves = self.lost_in(to).any(|field| field == Field::Played);
        loses_moves && self.holds(Field::Score) && to.writes(Field::Score)
    }

    /// Whether writing replays played moves.
    pub(super) fn replays_moves(self) -> bool {
        self.needs(Field::Played) && self.spec().units.is_some()
    }
}

impl FromStr for Format {
    type Err = ParseError;

    fn from_str(name: &str) -> Result<Format, ParseError> {
        Format::ALL
            .iter()
            .find(|format| {
                let spec = format.spec();
                spec.name == name || spec.aliases.contains(&name)
            })
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
        /// The rooks that may castle.
        Castling = "castling rights",
        /// The square on which a pawn can be captured en passant.
        EnPassant = "en-passant target",
        /// The half-move clock and the move number.
        Clocks = "clocks",
        /// The move that was played in the position.
        Played = "played move",
        /// The score, in centipawns.
        Score = "score",
        /// The result of the game.
        Result = "result",
    }
}
