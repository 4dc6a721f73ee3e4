//! Explains exchanges step by step.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use swaplist_files::explain::{explain_line, explanation_to_json};

use crate::arguments::Arguments;
use crate::settings::rules;

/// See the package's `explain`. Returns text, or JSON for `as_dict`.
#[pyfunction]
pub fn explain(arguments: Arguments<'_>) -> PyResult<String> {
    let fen: String = arguments.take("fen")?;
    let capture: Option<String> = arguments.take("move")?;
    let as_json: bool = arguments.take("as_dict")?;
    let rules = rules(&arguments)?;
    arguments.end()?;
    let explanation = explain_line(&fen, capture.as_deref(), &rules)
        .map_err(|error| PyValueError::new_err(error.to_string()))?;
    Ok(if as_json {
        explanation_to_json(&explanation).to_string()
    } else {
        explanation.to_string()
    })
}
