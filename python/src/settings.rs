//! Settings that several functions share.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use swaplist::{PieceValues, Profile, Rules};

/// Most threads that a call may start.
const MOST_THREADS: usize = 1024;

/// How columns are worked on.
#[derive(Clone, Copy)]
pub struct Options {
    /// The rules of the SEE.
    pub rules: Rules,
    /// Threads, at least 1.
    pub threads: usize,
    /// Whether bad rows are errors; else they are null.
    pub raises: bool,
}

impl Options {
    /// From a function's keywords.
    pub fn new(profile: &str, values: &str, errors: &str, threads: usize) -> PyResult<Options> {
        Ok(Options {
            rules: rules(profile, values)?,
            threads: checked_threads(threads)?,
            raises: match errors {
                "raise" => true,
                "null" => false,
                _ => return Err(expected("errors", "\"raise\" or \"null\"", errors)),
            },
        })
    }
}

/// Whether invalid records are skipped.
pub fn skips(errors: &str) -> PyResult<bool> {
    match errors {
        "raise" => Ok(false),
        "skip" => Ok(true),
        _ => Err(expected("errors", "\"raise\" or \"skip\"", errors)),
    }
}

/// The rules of the SEE by the names of a profile and of piece values.
pub fn rules(profile: &str, values: &str) -> PyResult<Rules> {
    Ok(Rules::new(named_profile(profile)?, named_values(values)?))
}

/// A profile by its name.
pub fn named_profile(name: &str) -> PyResult<Profile> {
    name.parse()
        .map_err(|error| PyValueError::new_err(format!("profile: {error}")))
}

/// Piece values by their name or five numbers.
pub fn named_values(text: &str) -> PyResult<PieceValues> {
    text.parse()
        .map_err(|error| PyValueError::new_err(format!("values: {error}")))
}

/// A number of threads that can be started.
pub fn checked_threads(threads: usize) -> PyResult<usize> {
    if (1..=MOST_THREADS).contains(&threads) {
        return Ok(threads);
    }
    let expected_count = format!("a number from 1 to {MOST_THREADS}");
    Err(expected("threads", &expected_count, &threads.to_string()))
}

/// An argument with a wrong value.
pub fn expected(name: &str, expected: &str, given: &str) -> PyErr {
    PyValueError::new_err(format!("{name}: expected {expected}, not {given:?}"))
}
