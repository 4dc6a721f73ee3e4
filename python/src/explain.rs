//! Exchanges, step by step.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use swaplist_files::explain::{explain_line, explanation_to_json};

use crate::settings::rules;

/// See the package's `explain`: as text, or as JSON.
#[pyfunction]
#[pyo3(signature = (fen, r#move=None, *, json=false, profile="swap", values="cpw"))]
pub fn explain(
    fen: &str,
    r#move: Option<&str>,
    json: bool,
    profile: &str,
    values: &str,
) -> PyResult<String> {
    let rules = rules(profile, values)?;
    let explanation = explain_line(fen, r#move, &rules)
        .map_err(|error| PyValueError::new_err(error.to_string()))?;
    Ok(if json {
        explanation_to_json(&explanation).to_string()
    } else {
        explanation.to_string()
    })
}
