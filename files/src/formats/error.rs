//! Errors of files and records.

use core::ops::Range;
use std::io;

use super::{Field, Place};
use swaplist::{PackedMove, PositionError};

/// The longest valid line in bytes, with its end.
pub const MAX_LINE: usize = 1 << 20;

/// Why a file could not be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// The stream could not be read, or not be decompressed.
    #[error("cannot read: {0}")]
    Io(#[from] io::Error),
    /// The stream's structure is damaged.
    #[error("{place}: {reason}")]
    Broken {
        /// The place of the damage.
        place: Place,
        /// What is wrong there, as the end of a sentence that begins with the place.
        reason: String,
    },
    /// A record failed to decode. Only [`Records`](super::Records) return this, and go on
    /// reading after it.
    #[error("{0}")]
    Record(RecordError),
}

/// What the system says about an error, without the number that `std` adds to it as in "Permission
/// denied (os error 13)".
pub fn system_text(error: &io::Error) -> String {
    let mut text = error.to_string();
    if let Some(number) = error.raw_os_error()
        && let Some(without) = text.strip_suffix(&format!(" (os error {number})"))
    {
        text.truncate(without.len());
    }
    text
}

/// A record that failed to decode, or that the output format cannot hold.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {message}")]
#[non_exhaustive]
pub struct RecordError {
    /// Its place in the file. Truncated data is reported at the start of its record, game or
    /// chain.
    pub place: Place,
    /// The range of its bytes in the block.
    pub span: Range<u32>,
    pub(crate) fault: Fault,
    /// The fault in words, without the place.
    pub message: String,
}

impl RecordError {
    /// The kind of fault, as reports name it.
    pub(crate) const fn kind(&self) -> &'static str {
        self.fault.name()
    }

    /// The field that is missing, if the output format or a filter needs one.
    pub const fn lacks(&self) -> Option<Field> {
        match self.fault {
            Fault::Lacks(field) => Some(field),
            _ => None,
        }
    }
}

/// Kinds of faults in records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    TooLong,
    NotText,
    Fields,
    Tabs,
    Unexpected,
    Score,
    Outcome,
    OtherValues,
    Position,
    PieceCode,
    EnPassant,
    CastlingRook,
    Castling,
    MoveText,
    IllegalMove,
    AmbiguousMove,
    PlayedMove,
    ScoreCode,
    CutOff,
    Lacks(Field),
    NoPlace,
    NoRights,
    Unplayable,
    Other,
}

impl Fault {
    /// Whether the record decodes, but the output format or a filter needs more of it.
    pub(crate) const fn is_of_output(self) -> bool {
        self.is_of_one_record() || matches!(self, Fault::Lacks(_) | Fault::Unplayable)
    }

    /// Whether the output format cannot hold what the record alone says: the others of its game or
    /// chain do not depend on it.
    pub(crate) const fn is_of_one_record(self) -> bool {
        matches!(self, Fault::NoPlace | Fault::NoRights)
    }

    /// Whether the file is read otherwise than it is meant, so that its other records may be wrong,
    /// too: then none is skipped.
    pub(crate) const fn is_of_file(self) -> bool {
        matches!(self, Fault::OtherValues)
    }

    /// The name of the kind in reports.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Fault::TooLong => "line too long",
            Fault::NotText => "not text",
            Fault::Fields => "too few fields",
            Fault::Tabs => "tabs in a FEN",
            Fault::Unexpected => "unexpected text after the FEN",
            Fault::Score => "not a score",
            Fault::Outcome | Fault::OtherValues => "not a result",
            Fault::Position => "not a position",
            Fault::PieceCode => "not a piece code",
            Fault::EnPassant => "not an en-passant square",
            Fault::CastlingRook => "castling right of a rook not in the corner",
            Fault::Castling => "castling with the king off e1 and e8, the rest is lost",
            Fault::MoveText => "not a move",
            Fault::IllegalMove | Fault::Unplayable => "illegal move",
            Fault::AmbiguousMove => "ambiguous move",
            Fault::PlayedMove => "impossible played move, the rest is lost",
            Fault::ScoreCode => "endless score, the rest is lost",
            Fault::CutOff => "cut off",
            Fault::Lacks(_) => "incomplete for the other format",
            Fault::NoPlace | Fault::NoRights => "more than the other format can hold",
            Fault::Other => "other",
        }
    }
}

/// A fault before its place is known. Behind a pointer, so that results stay small.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", self.0.1)]
pub struct Invalid(Box<(Fault, String)>);

impl Invalid {
    #[cold]
    #[inline(never)]
    pub(crate) fn new(kind: Fault, message: impl Into<String>) -> Invalid {
        Invalid(Box::new((kind, message.into())))
    }

    pub(crate) fn other(message: impl Into<String>) -> Invalid {
        Invalid::new(Fault::Other, message)
    }

    pub(crate) fn too_long() -> Invalid {
        Invalid::new(Fault::TooLong, format!("longer than {MAX_LINE} bytes"))
    }

    /// A number that is not a result, a piece code or an en-passant square.
    #[cold]
    #[inline(never)]
    pub(super) fn code(kind: Fault, code: u8) -> Invalid {
        Invalid::new(kind, format!("{code} is {}", kind.name()))
    }

    /// A move that cannot be played, and why.
    #[cold]
    #[inline(never)]
    pub(super) fn played(m: PackedMove, why: &'static str) -> Invalid {
        Invalid::new(Fault::PlayedMove, format!("move {m}{why}"))
    }

    /// Bytes that end too early.
    #[cold]
    #[inline(never)]
    pub(super) fn cut_off(needed: usize, left: usize) -> Invalid {
        let message =
            format!("the file is cut off: at least {needed} bytes begin here, {left} are left");
        Invalid::new(Fault::CutOff, message)
    }

    pub(super) fn kind(&self) -> Fault {
        self.0.0
    }

    /// Puts a text before the message.
    pub(super) fn prefixed(mut self, text: &str) -> Invalid {
        self.0.1.insert_str(0, text);
        self
    }

    /// The error of a record.
    pub(crate) fn at(self, place: Place, span: Range<u32>) -> RecordError {
        let (fault, message) = *self.0;
        RecordError {
            place,
            span,
            fault,
            message,
        }
    }
}

/// A fault within a game or chain.
#[derive(Debug)]
pub(crate) struct FaultAt {
    /// Bytes between the start of the game or chain and the fault.
    pub offset: usize,
    pub fault: Invalid,
}

impl From<PositionError> for Invalid {
    #[cold]
    #[inline(never)]
    fn from(error: PositionError) -> Invalid {
        let kind = match error {
            PositionError::Fields(_) => Fault::Fields,
            _ => Fault::Position,
        };
        Invalid::new(kind, error.to_string())
    }
}
