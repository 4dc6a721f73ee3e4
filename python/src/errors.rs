//! Errors as Python exceptions.

use std::io;

use pyo3::exceptions::{
    PyFileExistsError, PyFileNotFoundError, PyKeyboardInterrupt, PyOSError, PyPermissionError,
    PyRuntimeError, PyValueError,
};
use pyo3::prelude::*;
use swaplist::jobs::{Error, ErrorKind};

/// The exception of a job's error, with the argument that helps.
pub fn job(error: &Error) -> PyErr {
    let hint = match error.kind() {
        ErrorKind::Exists => "; pass overwrite=True to replace it",
        ErrorKind::UnknownFormat(_) => "; name the format, with format=",
        ErrorKind::Misnamed(_) => "; choose another name, or name the format with to=",
        ErrorKind::Invalid { .. } => "; pass skip_invalid=True to skip and count such records",
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
