//! Errors of files and records.

use core::{fmt, ops::Range};
use std::io;

use super::part::Field;
use super::{Fault, Place, VALUE_NONE};
use crate::PositionError;

/// The longest valid line in bytes, with its end.
pub const MAX_LINE: usize = 1 << 20;

/// Why a file could not be read.
#[derive(Debug)]
#[non_exhaustive]
pub enum ReadError {
    /// Reading failed.
    Io(io::Error),
    /// The stream's structure is damaged.
    Broken {
        /// The place.
        place: Place,
        /// The reason.
        reason: String,
    },
    /// A record failed to decode. Only [`Records`](super::Records) return this, and go on
    /// reading after it.
    Record(RecordError),
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReadError::Io(error) => write!(f, "cannot read: {error}"),
            ReadError::Broken { place, reason } => write!(f, "{place}: {reason}"),
            ReadError::Record(error) => error.fmt(f),
        }
    }
}

impl core::error::Error for ReadError {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        match self {
            // The error itself is in the message.
            ReadError::Io(error) => error.source(),
            ReadError::Broken { .. } | ReadError::Record(_) => None,
        }
    }
}

impl From<io::Error> for ReadError {
    fn from(error: io::Error) -> ReadError {
        ReadError::Io(error)
    }
}

/// Bytes of a block that failed to decode.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordError {
    /// Their place in the file.
    pub place: Place,
    /// Their range in the block.
    pub span: Range<u32>,
    /// The reason.
    pub reason: Invalid,
}

impl RecordError {
    /// Truncated data is reported at the start of its record, game or chain: this many bytes
    /// before the end.
    pub(super) fn new(place: Place, span: Range<u32>, reason: impl Into<Invalid>) -> RecordError {
        let reason = reason.into();
        let place = match (&reason, place) {
            (Invalid::Fault(Fault::Truncated { left, .. }), Place::Offset(offset)) => {
                let end = offset + u64::from(span.end - span.start);
                Place::Offset(end.saturating_sub(*left as u64))
            }
            _ => place,
        };
        RecordError {
            place,
            span,
            reason,
        }
    }
}

impl fmt::Display for RecordError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.reason)
    }
}

impl core::error::Error for RecordError {}

/// Why a record failed to decode.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Invalid {
    /// The line is longer than [`MAX_LINE`].
    TooLong,
    /// Not UTF-8, at this byte of the line, from 1.
    NotText(usize),
    /// A NUL, at this byte of the line, from 1.
    Nul(usize),
    /// Another kind of line.
    Foreign {
        /// Completes "looks like ...".
        what: &'static str,
        /// The name of the format that has such lines.
        format: Option<&'static str>,
    },
    /// Tabs between the fields of a FEN.
    Tabs,
    /// Unknown text after the FEN.
    Unexpected(String),
    /// Not a whole number of centipawns.
    Score(String),
    /// Not a game's result.
    Outcome(String),
    /// Not a position, or one for which SEE has no meaning.
    Position(PositionError),
    /// A named move that is neither UCI nor SAN.
    MoveText {
        /// The move.
        text: String,
        /// The position.
        fen: String,
    },
    /// A named move that is not legal.
    IllegalMove {
        /// The move.
        text: String,
        /// The position.
        fen: String,
    },
    /// A named pawn move to the last rank without the promotion piece, which would be legal
    /// with one.
    NoPromotion(String),
    /// A named move that fits several legal ones.
    AmbiguousMove {
        /// The move.
        text: String,
        /// The position.
        fen: String,
    },
    /// Invalid bytes of a binary format.
    Fault(Fault),
    /// A field that the output format needs is missing.
    Incomplete {
        /// The output format's name.
        format: &'static str,
        /// The missing field.
        lacks: Field,
    },
    /// The output format cannot hold this.
    NoPlace(String),
    /// A fault in a game of PGN, with its tags.
    InGame {
        /// The tags.
        game: String,
        /// The fault.
        reason: Box<Invalid>,
    },
    /// Another fault, specific to a format.
    Other(String),
}

impl Invalid {
    /// The kind of fault, for grouping.
    #[must_use]
    pub const fn kind(&self) -> &'static str {
        match self {
            Invalid::TooLong => "line too long",
            Invalid::NotText(_) | Invalid::Nul(_) => "not text",
            Invalid::Foreign { .. } => "another kind of file",
            Invalid::Tabs => "tabs in a FEN",
            Invalid::NoPromotion(_) => "no promotion piece",
            Invalid::Position(PositionError::Fields(_)) => "too few fields",
            Invalid::Unexpected(_) => "unexpected text after the FEN",
            Invalid::Score(_) => "not a score",
            Invalid::Outcome(_) => "not a result",
            Invalid::Position(_) => "not a position",
            Invalid::MoveText { .. } => "not a move",
            Invalid::IllegalMove { .. } => "illegal move",
            Invalid::AmbiguousMove { .. } => "ambiguous move",
            Invalid::Fault(fault) => fault.kind(),
            Invalid::Incomplete { .. } => "incomplete for the other format",
            Invalid::NoPlace(_) => "more than the other format can hold",
            Invalid::InGame { reason, .. } => reason.kind(),
            Invalid::Other(_) => "other",
        }
    }
}

impl fmt::Display for Invalid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Invalid::TooLong => write!(f, "longer than {MAX_LINE} bytes"),
            Invalid::NotText(column) => write!(f, "not UTF-8 text at byte {column} of the line"),
            Invalid::Nul(column) => {
                write!(f, "not text: a NUL at byte {column} of the line")
            }
            Invalid::Foreign { what, .. } => write!(f, "not a position, looks like {what}"),
            Invalid::Tabs => f.write_str("tabs in a FEN, its fields are separated by spaces"),
            Invalid::Unexpected(text) => write!(
                f,
                "unexpected '{text}' after the FEN, where '|', ';' or an EPD operation may follow"
            ),
            Invalid::Score(text) => {
                write!(f, "'{text}' is not a score, a whole number of centipawns")
            }
            Invalid::Outcome(text) => write!(
                f,
                "'{text}' is not a result, expected 1.0, 0.5, 0.0, 1-0, 1/2-1/2 or 0-1"
            ),
            Invalid::Position(error) => error.fmt(f),
            Invalid::MoveText { text, fen } => write!(
                f,
                "'{text}' is not a move in UCI or SAN (in the position '{fen}')"
            ),
            Invalid::NoPromotion(text) => write!(
                f,
                "move '{text}' lacks the piece that the pawn becomes, as in '{text}q'"
            ),
            Invalid::IllegalMove { text, fen } => {
                write!(f, "illegal move '{text}' in the position '{fen}'")
            }
            Invalid::AmbiguousMove { text, fen } => write!(
                f,
                "ambiguous move '{text}' in the position '{fen}', name the piece's square too"
            ),
            Invalid::Fault(fault) => fault.fmt(f),
            Invalid::Incomplete {
                format,
                lacks: Field::Score,
            } => write!(
                f,
                "{format} needs a score, which this record lacks ({VALUE_NONE} means no score)"
            ),
            Invalid::Incomplete { format, lacks } => {
                write!(f, "{format} needs a {lacks}, which this record lacks")
            }
            Invalid::InGame { game, reason } => write!(f, "{game}{reason}"),
            Invalid::NoPlace(reason) | Invalid::Other(reason) => f.write_str(reason),
        }
    }
}

impl From<Fault> for Invalid {
    fn from(fault: Fault) -> Invalid {
        match fault {
            Fault::Position(error) => Invalid::Position(error),
            fault => Invalid::Fault(fault),
        }
    }
}

/// Why records cannot be encoded.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum EncodeError {
    /// Records cannot be marked in this format.
    NoMark(&'static str),
    /// Records cannot be written in this format.
    ReadOnly(&'static str),
    /// This record cannot be written in the format.
    Record {
        /// Its place in the input.
        place: Place,
        /// The reason.
        reason: String,
    },
}

impl fmt::Display for EncodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EncodeError::NoMark(format) => {
                write!(
                    f,
                    "records of the format {format} cannot be marked, only dropped"
                )
            }
            EncodeError::ReadOnly(format) => {
                write!(
                    f,
                    "{format} can only be read, choose another format to write"
                )
            }
            EncodeError::Record { place, reason } => write!(f, "{place}: {reason}"),
        }
    }
}

impl core::error::Error for EncodeError {}
