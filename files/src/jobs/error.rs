//! The error of a job: what went wrong, in which file and at which place.
//!
//! An error is data: a kind, the file, the place in it, what was done with the file, and the reason.
//! The message is made of these only where it is shown, so code that needs one of them asks for it
//! and reads no text:
//!
//! ```text
//! in.plain, line 7: illegal move 'e2e4'       file, place: reason
//! in.csv: the filter asks for the score       file: reason
//! cannot open 'in.csv': Permission denied     access with the file: reason
//! there is no output                          reason
//! ```

use core::fmt;
use std::io;

use crate::formats::error::system_text;
use crate::formats::{Fault, Field, Format, Place, ReadError, RecordError};
use crate::report::quoted;
use swaplist::ParseError;

/// Why a job failed: a kind, the file and the place in it, and a message for people. Messages name
/// no command-line option; the command adds one by the kind.
// Behind a pointer, so that results stay small.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Error(Box<Details>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Details {
    kind: ErrorKind,
    /// What was done with the file when it failed, if that is what failed.
    access: Option<Access>,
    /// The file's name in messages.
    file: Option<String>,
    place: Option<Place>,
    /// What went wrong, without the file and the place.
    reason: String,
}

/// What a job does with a file, and can fail at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    Open,
    Read,
    Create,
    /// Going on with a file that was opened.
    ReadOn,
    /// Opening a device or a pipe for writing, or beginning a compressed stream.
    BeginWriting,
    Write,
    /// The file is the folder of temporary files.
    ReadTemporary,
    /// The file is the folder of temporary files.
    WriteTemporary,
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
    /// The system cannot start so many threads.
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
    pub(crate) fn new(kind: ErrorKind, reason: impl Into<String>) -> Error {
        Error(Box::new(Details {
            kind,
            access: None,
            file: None,
            place: None,
            reason: reason.into(),
        }))
    }

    pub(crate) fn refused(reason: impl Into<String>) -> Error {
        Error::new(ErrorKind::Refused, reason)
    }

    /// The error of an invalid record, with which a whole game or chain may be skipped.
    pub(crate) fn invalid(file: &str, error: &RecordError, units: Option<&'static str>) -> Error {
        let kind = if error.fault.is_of_file() {
            ErrorKind::Refused
        } else {
            ErrorKind::Invalid {
                is_unscored: error.lacks() == Some(Field::Score),
                is_broken: !error.fault.is_of_output(),
                is_of_castling: error.fault == Fault::NoRights,
                units: units.filter(|_| !error.fault.is_of_one_record()),
            }
        };
        let error = Error::new(kind, &*error.message).at(error.place);
        error.about(file)
    }

    pub(crate) fn cancelled() -> Error {
        Error::new(ErrorKind::Cancelled, "cancelled")
    }

    pub(crate) fn panicked() -> Error {
        Error::new(ErrorKind::Internal, "internal error in a worker thread")
    }

    /// The error if so many worker threads cannot be started.
    pub(crate) fn threads(count: usize, error: &io::Error) -> Error {
        let reason = system_text(error);
        Error::new(
            ErrorKind::Threads(count),
            format!("cannot start {count} worker threads: {reason}"),
        )
    }

    /// The kind of error, to decide by; the text may change between versions.
    pub const fn kind(&self) -> &ErrorKind {
        &self.0.kind
    }

    /// The file that it is about, by its name in messages; `None` if it is about no single file.
    pub fn file(&self) -> Option<&str> {
        self.0.file.as_deref()
    }

    /// The place in the file, if it is about one.
    pub const fn place(&self) -> Option<Place> {
        self.0.place
    }

    /// Sets the file that it is about, unless it is about one already.
    pub(crate) fn about(mut self, file: impl Into<String>) -> Error {
        self.0.file.get_or_insert_with(|| file.into());
        self
    }

    /// Sets what was done with a file, unless it is about a file already.
    fn while_doing(mut self, access: Access, file: &str) -> Error {
        if self.0.file.is_none() {
            self.0.access = Some(access);
        }
        self.about(file)
    }

    pub(crate) fn at(mut self, place: Place) -> Error {
        self.0.place = Some(place);
        self
    }

    pub(crate) fn with_kind(mut self, kind: ErrorKind) -> Error {
        self.0.kind = kind;
        self
    }

    fn beginning(mut self, text: &str) -> Error {
        self.0.reason.insert_str(0, text);
        self
    }

    /// Adds to the end of the message.
    pub(crate) fn and(mut self, more: &str) -> Error {
        self.0.reason += more;
        self
    }

    /// The message without the file, for a report on this file.
    pub(crate) fn without_file(&self) -> String {
        match self.0.place {
            Some(place) => format!("{place}: {}", self.0.reason),
            None => self.0.reason.clone(),
        }
    }
}

impl fmt::Display for Details {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.file, self.access) {
            (Some(file), Some(access)) => access.describe(file, f)?,
            (Some(file), None) => f.write_str(file)?,
            (None, _) => {}
        }
        let sign = match (&self.file, self.place) {
            (Some(_), Some(_)) => ", ",
            (Some(_), None) => ": ",
            (None, _) => "",
        };
        f.write_str(sign)?;
        if let Some(place) = self.place {
            write!(f, "{place}: ")?;
        }
        f.write_str(&self.reason)
    }
}

impl Access {
    fn describe(self, file: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (cannot, advice) = match self {
            Access::Open => ("cannot open", ""),
            Access::Read => ("cannot read", ""),
            Access::ReadOn => return write!(f, "{file}: cannot read"),
            Access::Create => ("cannot create", ""),
            Access::BeginWriting => ("cannot write", ""),
            Access::Write => ("cannot write", "; make room or choose another output"),
            Access::ReadTemporary => ("cannot read temporary files in", ""),
            Access::WriteTemporary => (
                "cannot write temporary files in",
                "; make room or choose another folder",
            ),
        };
        write!(f, "{cannot} {}{advice}", quoted(file))
    }
}

/// Adds to errors which file they are about.
pub(crate) trait Context<T> {
    /// An error about this file, by its name in messages, unless it is about one already.
    fn context(self, file: impl Into<String>) -> Result<T>;

    /// An error of what was done with this file, unless it is about a file already.
    fn doing(self, access: Access, file: &str) -> Result<T>;
}

impl<T, E: Into<Error>> Context<T> for Result<T, E> {
    fn context(self, file: impl Into<String>) -> Result<T> {
        self.map_err(|error| error.into().about(file))
    }

    fn doing(self, access: Access, file: &str) -> Result<T> {
        self.map_err(|error| error.into().while_doing(access, file))
    }
}

impl From<io::Error> for Error {
    fn from(error: io::Error) -> Error {
        Error::new(ErrorKind::Io(error.kind()), system_text(&error))
    }
}

impl From<ReadError> for Error {
    fn from(error: ReadError) -> Error {
        match error {
            ReadError::Io(error) => Error::from(error).beginning("cannot read: "),
            ReadError::Broken { place, reason } => Error::new(ErrorKind::Broken, reason).at(place),
            ReadError::Record(error) => Error::from(error).with_kind(ErrorKind::Broken),
        }
    }
}

impl From<RecordError> for Error {
    fn from(error: RecordError) -> Error {
        Error::refused(error.message).at(error.place)
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
