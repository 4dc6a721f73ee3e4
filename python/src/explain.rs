//! Exchanges, step by step.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use swaplist::explain::Explanation;

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
    let explanation = Explanation::of_line(fen, r#move, &rules)
        .map_err(|error| PyValueError::new_err(error.to_string()))?;
    Ok(if json {
        explanation.to_json().to_string()
    } else {
        explanation.to_string()
    })
}
