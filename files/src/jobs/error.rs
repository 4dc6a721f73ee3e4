//! Errors of jobs.

use core::fmt;
use std::io;

use super::present::without_number;
use crate::formats::{Fault, Field, Format, ReadError, RecordError};
use swaplist::ParseError;

/// Why a job failed: a message that names the file, and a kind. Messages name no command-line
/// option; the command adds one by the kind.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Error {
    pub(crate) kind: ErrorKind,
    pub(crate) message: String,
}

/// Why a job failed, for code that decides by it; the error itself is a sentence for people.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// Reading or writing a file failed, for the reason that the system gives.
    Io(io::ErrorKind),
    /// The output file exists, and [`Options::replace`](super::Options::replace) is not set.
    Exists,
    /// The format of the input is not clear: one of these, or, if empty, no known one.
    UnknownFormat(Vec<Format>),
    /// The output's name does not tell the format.
    Unnamed,
    /// The format can only be read.
    ReadOnly,
    /// The output's name says this format, but another would be written.
    Misnamed(Format),
    /// Binary data would go to a terminal.
    Terminal,
    /// This compression has no such level, or the output is not compressed.
    Level,
    /// A record cannot be decoded, or the output format cannot hold it, and invalid records are not
    /// skipped.
    Invalid {
        /// Because it has no score.
        is_unscored: bool,
        /// Because it is broken: then what is before it in its unit stays.
        is_broken: bool,
        /// Because the output format cannot hold its castling rights.
        is_of_castling: bool,
        /// The unit that is skipped with it: "games" or "chains".
        units: Option<&'static str>,
    },
    /// The input is damaged and cannot be read further.
    Broken,
    /// The filter needs a field that the record lacks.
    Missing(Field),
    /// So many threads cannot be started.
    Threads(usize),
    /// The job was cancelled, by a [`Cancel`](super::Cancel) or by who watches it.
    Cancelled,
    /// The request cannot be carried out.
    Refused,
    /// A bug in this crate.
    Internal,
}

pub(crate) type Result<T, E = Error> = core::result::Result<T, E>;

impl Error {
    pub(crate) fn new(kind: ErrorKind, message: impl Into<String>) -> Error {
        let message = without_number(&message.into());
        Error { kind, message }
    }

    pub(crate) fn refused(message: impl Into<String>) -> Error {
        Error::new(ErrorKind::Refused, message)
    }

    /// Of an invalid record, with which a whole game or chain may be skipped.
    pub(crate) fn invalid(name: &str, error: &RecordError, units: Option<&'static str>) -> Error {
        let kind = ErrorKind::Invalid {
            is_unscored: error.lacks() == Some(Field::Score),
            is_broken: !error.fault.is_of_output(),
            is_of_castling: error.fault == Fault::NoRights,
            units: units.filter(|_| !error.fault.is_of_one_record()),
        };
        Error::new(kind, format!("{name}, {error}"))
    }

    pub(crate) fn cancelled() -> Error {
        Error::new(ErrorKind::Cancelled, "cancelled")
    }

    pub(crate) fn panicked() -> Error {
        Error::new(ErrorKind::Internal, "internal error in a worker thread")
    }

    /// The kind of error, to decide by; the text may change between versions.
    pub const fn kind(&self) -> &ErrorKind {
        &self.kind
    }
}

/// Adds context to errors.
pub(crate) trait Context<T> {
    fn context(self, name: impl fmt::Display) -> Result<T>;
}

impl<T, E: Into<Error>> Context<T> for Result<T, E> {
    fn context(self, name: impl fmt::Display) -> Result<T> {
        self.map_err(|error| {
            let Error { kind, message } = error.into();
            // These messages begin with a place.
            let begins_with_place = matches!(kind, ErrorKind::Broken | ErrorKind::Missing(_));
            let sign = if begins_with_place { ',' } else { ':' };
            Error::new(kind, format!("{name}{sign} {message}"))
        })
    }
}

impl From<io::Error> for Error {
    fn from(error: io::Error) -> Error {
        Error::new(ErrorKind::Io(error.kind()), error.to_string())
    }
}

impl From<ReadError> for Error {
    fn from(error: ReadError) -> Error {
        let kind = match &error {
            ReadError::Io(error) => ErrorKind::Io(error.kind()),
            ReadError::Broken { .. } | ReadError::Record(_) => ErrorKind::Broken,
        };
        Error::new(kind, error.to_string())
    }
}

impl From<RecordError> for Error {
    fn from(error: RecordError) -> Error {
        Error::refused(error.to_string())
    }
}

impl From<ParseError> for Error {
    fn from(error: ParseError) -> Error {
        Error::refused(error.to_string())
    }
}

impl From<serde_json::Error> for Error {
    fn from(error: serde_json::Error) -> Error {
        Error::new(ErrorKind::Internal, error.to_string())
    }
}
