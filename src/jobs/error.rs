//! Why a job could not be done.

use core::fmt;
use std::io;

use crate::filter::{Field, Missing};
use crate::formats::{EncodeError, Format, ReadError, Refused};

/// Why a job could not be done: in words that name the file, and of a kind. The words
/// name no option of any program; who offers one adds it by the kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    kind: ErrorKind,
    message: String,
}

/// A kind of [`Error`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// Reading or writing failed.
    Io(io::ErrorKind),
    /// There is a file of this name already.
    Exists,
    /// The format of the input does not show: it may be any of these, or none that is
    /// known.
    UnknownFormat(Vec<Format>),
    /// The format can only be read.
    ReadOnly,
    /// The output's name tells this format, and another would be written.
    Misnamed(Format),
    /// What is binary would go to a terminal.
    Terminal,
    /// Compressed files have no such level, or the file is not compressed.
    Level,
    /// A record is invalid.
    Invalid {
        /// It is one because it has no score.
        is_unscored: bool,
        /// What is passed over as a whole: "games" or "chains".
        units: Option<&'static str>,
    },
    /// The structure of the input is broken: nothing behind it can be read.
    Broken,
    /// The filter asks for what a record does not hold.
    Missing(Field),
    /// So many threads cannot be started.
    Threads(usize),
    /// It was cancelled.
    Cancelled,
    /// What is asked for cannot be done.
    Refused,
    /// A fault of this crate.
    Internal,
}

pub(super) type Result<T, E = Error> = core::result::Result<T, E>;

impl Error {
    pub(super) fn new(kind: ErrorKind, message: impl Into<String>) -> Error {
        let message = message.into();
        Error { kind, message }
    }

    pub(super) fn refused(message: impl Into<String>) -> Error {
        Error::new(ErrorKind::Refused, message)
    }

    pub(super) fn cancelled() -> Error {
        Error::new(ErrorKind::Cancelled, "cancelled")
    }

    pub(super) fn panicked() -> Error {
        Error::new(ErrorKind::Internal, "internal error in a worker thread")
    }

    /// What kind it is of.
    #[must_use]
    pub const fn kind(&self) -> &ErrorKind {
        &self.kind
    }

    /// Whether nobody reads what is written any more: the reader has seen enough.
    #[must_use]
    pub fn is_broken_pipe(&self) -> bool {
        self.kind == ErrorKind::Io(io::ErrorKind::BrokenPipe)
    }

    pub(super) fn with_suffix(mut self, suffix: &str) -> Error {
        self.message.push_str(suffix);
        self
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl core::error::Error for Error {}

/// Says of what an error is.
pub(super) trait Of<T> {
    /// Puts a name before its words.
    fn of(self, name: impl fmt::Display) -> Result<T>;
}

impl<T, E: Into<Error>> Of<T> for Result<T, E> {
    fn of(self, name: impl fmt::Display) -> Result<T> {
        self.map_err(|error| {
            let Error { kind, message } = error.into();
            Error::new(kind, format!("{name}: {message}"))
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

impl From<EncodeError> for Error {
    fn from(error: EncodeError) -> Error {
        Error::refused(error.to_string())
    }
}

impl From<Refused> for Error {
    fn from(error: Refused) -> Error {
        Error::refused(error.to_string())
    }
}

impl From<Missing> for Error {
    fn from(error: Missing) -> Error {
        Error::new(ErrorKind::Missing(error.field), error.to_string())
    }
}

impl From<serde_json::Error> for Error {
    fn from(error: serde_json::Error) -> Error {
        Error::new(ErrorKind::Internal, error.to_string())
    }
}
