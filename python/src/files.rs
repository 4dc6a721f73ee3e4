//! Opening training files.

use std::path::Path;

use pyo3::prelude::*;
use swaplist_files::formats::Format;
use swaplist_files::jobs::Input;

use crate::errors;
use crate::settings::expected;

/// A format by its name, one that can be written for the argument `to`.
pub fn named(argument: &str, name: Option<&str>) -> PyResult<Option<Format>> {
    let suits = |format: &Format| argument != "to" || format.is_convertible_to();
    let named = |name: &str| {
        let format = name.parse().ok().filter(suits);
        format.ok_or_else(|| {
            let all = Format::ALL.iter().filter(|&format| suits(format));
            let names: Vec<_> = all.map(|format| format.name()).collect();
            expected(argument, &format!("one of {names:?}"), name)
        })
    };
    name.map(named).transpose()
}

/// Opens a file, and finds out its format if it is not given.
pub fn open(path: &Path, format: Option<Format>) -> PyResult<(Input, Format)> {
    let found = Input::open(Some(path)).and_then(|mut input| {
        let format = input.format(format)?;
        Ok((input, format))
    });
    found.map_err(|error| errors::job(&error))
}
