//! Turns errors into Python exceptions.

use std::io;

use pyo3::exceptions::{
    PyFileExistsError, PyFileNotFoundError, PyKeyboardInterrupt, PyOSError, PyPermissionError,
    PyRuntimeError, PyValueError,
};
use pyo3::prelude::*;
use swaplist::Choice;
use swaplist_files::jobs::{Error, ErrorKind};

/// Says how to skip an invalid record, in a format whose records come in these units, as the end of
/// a message.
pub fn skip_hint(units: Option<&str>) -> String {
    format!("; {}", how_to_skip(units))
}

fn how_to_skip(units: Option<&str>) -> String {
    let records = units.map_or("records".to_owned(), |units| format!("{units} as a whole"));
    format!("pass errors=\"skip\" to skip and count such {records}")
}

/// Makes an exception of a job's error, and names the argument that helps.
pub fn job(error: &Error) -> PyErr {
    let hint = match error.kind() {
        ErrorKind::Exists => "; pass overwrite=True to replace it",
        ErrorKind::UnknownFormat(_) => "; name the format, with format=",
        ErrorKind::Unnamed => "; name it, with to=",
        ErrorKind::ReadOnly => "; name another format to write, with to=",
        ErrorKind::Misnamed(named) if named.spec().is_convertible_to => &format!(
            "; choose another name, or to={:?} to convert into that",
            named.name()
        ),
        ErrorKind::Misnamed(_) => "; choose another name",
        // Skipping them would lose whole games and chains.
        ErrorKind::Invalid {
            is_unscored: true, ..
        } => "; drop_unscored=True of filter, unscored=\"drop\" of convert leave such records out",
        ErrorKind::Invalid {
            is_of_castling: true,
            units,
            ..
        } => &format!(
            "; drop_castling=True drops such rights, {}",
            how_to_skip(*units)
        ),
        ErrorKind::Invalid { units, .. } => &skip_hint(*units),
        ErrorKind::Threads(_) => "; ask for fewer with threads=",
        _ => "",
    };
    let message = format!("{error}{hint}");
    match error.kind() {
        ErrorKind::Io(io::ErrorKind::NotFound) => PyFileNotFoundError::new_err(message),
        ErrorKind::Io(io::ErrorKind::PermissionDenied) => PyPermissionError::new_err(message),
        ErrorKind::Io(_) => PyOSError::new_err(message),
        ErrorKind::Exists => PyFileExistsError::new_err(message),
        ErrorKind::Cancelled => PyKeyboardInterrupt::new_err(message),
        ErrorKind::Internal | ErrorKind::Threads(_) => PyRuntimeError::new_err(message),
        _ => PyValueError::new_err(message),
    }
}
