//! Opens training files.

use std::path::Path;

use pyo3::prelude::*;
use swaplist::Choice;
use swaplist_files::formats::Format;
use swaplist_files::jobs::Input;

use crate::arguments::{Argument, expected};
use crate::errors;

/// A format is given by its name. The argument `to` takes only formats that can be written.
impl<'py> Argument<'py> for Format {
    fn from_python(name: &str, value: &Bound<'py, PyAny>) -> PyResult<Format> {
        let suits = |format: &Format| name != "to" || format.spec().is_convertible_to;
        let text = String::from_python(name, value)?;
        text.parse().ok().filter(suits).ok_or_else(|| {
            let all = Format::ALL.iter().filter(|&format| suits(format));
            let names: Vec<_> = all.map(|format| format.name()).collect();
            expected(name, &format!("one of {names:?}"), &text)
        })
    }
}

/// Opens a file, and finds out its format if it is not given.
pub fn open(path: &Path, format: Option<Format>) -> PyResult<(Input, Format)> {
    let found = Input::open(Some(path)).and_then(|mut input| {
        let format = input.format(format, None)?;
        Ok((input, format))
    });
    found.map_err(|error| errors::job(&error))
}
