//! Takes arguments that several functions share.

use std::ops::RangeInclusive;
use std::str::FromStr;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use swaplist::{BackendChoice, ParseError, PieceValues, Profile, Rules};
use swaplist_files::filter::{Filter, Settings};
use swaplist_files::formats::Scale;

use crate::arguments::{Argument, Arguments, expected};

/// How many threads a call may start.
pub const THREADS: RangeInclusive<u64> = 1..=1024;

/// How columns are worked on.
pub struct Options {
    /// How many threads, at least 1.
    pub threads: usize,
    /// Whether bad rows are errors; else they are null.
    pub raises: bool,
    /// Which backend answers.
    pub backend: BackendChoice,
}

impl Options {
    /// Takes the arguments of these names.
    pub fn take(given: &Arguments<'_>) -> PyResult<Options> {
        Ok(Options {
            threads: given.number("threads", THREADS)?,
            raises: raises(given, "null")?,
            backend: given.take("backend")?,
        })
    }
}

/// Reads the rules of a filter, which have the command's names with `_` for `-`.
fn settings(preset: Option<&str>, rules: &Bound<'_, PyDict>) -> PyResult<Settings> {
    let mut settings = Settings::default();
    let mut set = |name: &str, text: &str| {
        settings.set(name, text).map_err(|error| {
            let or_none = if error.takes_none {
                ", or None for no bound"
            } else {
                ""
            };
            PyValueError::new_err(format!("{name}: {}{or_none}", error.reason))
        })
    };
    if let Some(preset) = preset {
        set("preset", preset)?;
    }
    for (name, value) in rules {
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

/// Finds the seed among a filter's rules.
pub fn seed(rules: &Bound<'_, PyDict>) -> PyResult<Option<u64>> {
    match rules.get_item("seed")? {
        Some(seed) => Argument::from_python("seed", &seed),
        None => Ok(None),
    }
}

/// Takes `preset`, `rules`, `profile` and `values`, and makes a filter of them. If the latter two
/// are None, the rules of the SEE are the preset's.
pub fn filter(given: &Arguments<'_>) -> PyResult<Filter> {
    let preset: Option<String> = given.take("preset")?;
    let rules: Bound<'_, PyDict> = given.take("rules")?;
    filter_by(given, preset.as_deref(), &rules)
}

/// Makes a filter of `profile`, `values`, and a preset and rules that were taken before.
pub fn filter_by(
    given: &Arguments<'_>,
    preset: Option<&str>,
    rules: &Bound<'_, PyDict>,
) -> PyResult<Filter> {
    let filter = settings(preset, rules)?
        .filter()
        .map_err(|error| PyValueError::new_err(error.to_string()))?;
    let mut see_rules = *filter.see_rules();
    if let Some(profile) = given.take("profile")? {
        see_rules = Rules::new(profile, see_rules.values);
    }
    if let Some(values) = given.take("values")? {
        see_rules.values = values;
    }
    Ok(filter.with_see_rules(see_rules))
}

/// Whether bad rows and records are `errors`; else columns, which answer every row, answer
/// "null", and files and tables "skip" them.
fn raises(given: &Arguments<'_>, otherwise: &str) -> PyResult<bool> {
    let errors: String = given.take("errors")?;
    if errors == "raise" || errors == otherwise {
        return Ok(errors == "raise");
    }
    let why = match errors.as_str() {
        "skip" => ", which is for files: a column has an answer for every row",
        "null" => ", which is for columns: what cannot be read is not a record",
        _ => "",
    };
    Err(PyValueError::new_err(format!(
        "errors: expected \"raise\" or {otherwise:?}, not {errors:?}{why}"
    )))
}

/// Whether invalid records are skipped.
pub fn skips(given: &Arguments<'_>) -> PyResult<bool> {
    Ok(!raises(given, "skip")?)
}

/// Takes `profile` and `values`, the rules of the SEE.
pub fn rules(given: &Arguments<'_>) -> PyResult<Rules> {
    Ok(Rules::new(given.take("profile")?, given.take("values")?))
}

impl<'py> Argument<'py> for Profile {
    fn from_python(name: &str, value: &Bound<'py, PyAny>) -> PyResult<Profile> {
        parsed(name, value)
    }
}

/// Piece values are given by their name, or as five numbers.
impl<'py> Argument<'py> for PieceValues {
    fn from_python(name: &str, value: &Bound<'py, PyAny>) -> PyResult<PieceValues> {
        parsed(name, value)
    }
}

/// Parses text whose error says itself what is expected.
fn parsed<T: FromStr<Err = ParseError>>(name: &str, value: &Bound<'_, PyAny>) -> PyResult<T> {
    String::from_python(name, value)?
        .parse()
        .map_err(|error| PyValueError::new_err(format!("{name}: {error}")))
}

impl<'py> Argument<'py> for Scale {
    fn from_python(name: &str, value: &Bound<'py, PyAny>) -> PyResult<Scale> {
        let factor = f64::from_python(name, value)?;
        let range = "a number from 0.001 to 1000";
        Scale::new(factor).ok_or_else(|| expected(name, range, &factor.to_string()))
    }
}
