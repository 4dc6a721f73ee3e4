//! Settings that several functions share.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use swaplist::{ParseError, PieceValues, Profile, Rules};
use swaplist_files::filter::{Filter, Settings};
use swaplist_files::formats::Scale;

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
            raises: raises(errors, "null")?,
        })
    }
}

/// The rules of a filter, by the command's names with `_` for `-`.
fn settings(preset: Option<&str>, rules: Option<&Bound<'_, PyDict>>) -> PyResult<Settings> {
    let mut settings = Settings::default();
    let mut set = |name: &str, text: &str| {
        // The command's words in Python's.
        let wrong = |error: ParseError| {
            let reason = error.to_string().replace("'none'", "None");
            PyValueError::new_err(format!("{name}: {reason}"))
        };
        settings.set(name, text).map_err(wrong)
    };
    if let Some(preset) = preset {
        set("preset", preset)?;
    }
    for (name, value) in rules.into_iter().flatten() {
        let text = if value.is_none() {
            "none".to_owned()
        } else if let Ok(values) = value.extract::<Vec<String>>() {
            values.join(",")
        } else {
            // Python writes True.
            let flag = value.extract::<bool>();
            flag.map_or_else(|_| value.to_string(), |flag| flag.to_string())
        };
        set(&name.extract::<String>()?, &text)?;
    }
    Ok(settings)
}

/// A filter, with the preset's rules of the SEE unless others are named.
pub fn filter(
    preset: Option<&str>,
    rules: Option<&Bound<'_, PyDict>>,
    profile: Option<&str>,
    values: Option<&str>,
) -> PyResult<Filter> {
    let filter = settings(preset, rules)?
        .filter()
        .map_err(|error| PyValueError::new_err(error.to_string()))?;
    let mut see_rules = *filter.see_rules();
    if let Some(profile) = profile {
        see_rules = Rules::new(named_profile(profile)?, see_rules.values);
    }
    if let Some(values) = values {
        see_rules.values = named_values(values)?;
    }
    Ok(filter.with_see_rules(see_rules))
}

/// Whether bad rows and records are errors; else columns, which answer every row, answer
/// "null", and files and tables "skip" them.
fn raises(errors: &str, otherwise: &str) -> PyResult<bool> {
    if errors == "raise" || errors == otherwise {
        return Ok(errors == "raise");
    }
    let why = match errors {
        "skip" => ", which is for files: a column has an answer for every row",
        "null" => ", which is for columns: what cannot be read is not a record",
        _ => "",
    };
    Err(PyValueError::new_err(format!(
        "errors: expected \"raise\" or {otherwise:?}, not {errors:?}{why}"
    )))
}

/// Whether invalid records are skipped.
pub fn skips(errors: &str) -> PyResult<bool> {
    Ok(!raises(errors, "skip")?)
}

/// The rules of the SEE by the names of a profile and of piece values.
pub fn rules(profile: &str, values: &str) -> PyResult<Rules> {
    Ok(Rules::new(named_profile(profile)?, named_values(values)?))
}

/// A profile by its name.
fn named_profile(name: &str) -> PyResult<Profile> {
    name.parse()
        .map_err(|error| PyValueError::new_err(format!("profile: {error}")))
}

/// Piece values by their name or five numbers.
fn named_values(text: &str) -> PyResult<PieceValues> {
    text.parse()
        .map_err(|error| PyValueError::new_err(format!("values: {error}")))
}

/// A factor of scores.
pub fn scale(factor: f64) -> PyResult<Scale> {
    let wrong = || expected("scale", "a number from 0.001 to 1000", &factor.to_string());
    Scale::new(factor).ok_or_else(wrong)
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
