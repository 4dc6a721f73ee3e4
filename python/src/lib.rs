//! The Python module `swaplist._swaplist`: SEE over Arrow columns, and training files.
//!
//! The package's Python files wrap these functions and convert results to the caller's library.

use pyo3::prelude::*;
use swaplist_files::filter::FLAGS;

mod arguments;
mod backend;
mod batches;
mod capsule;
mod column;
mod errors;
mod explain;
mod files;
mod given;
mod jobs;
mod mix;
mod read;
mod rows;
mod scores;
mod settings;
mod uci;
mod verdicts;
mod write;

#[pymodule]
fn _swaplist(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    let rules: Vec<&str> = FLAGS.iter().map(|flag| flag.name).collect();
    module.add("RULES", rules)?;
    module.add_class::<column::Column>()?;
    module.add_class::<read::Records>()?;
    module.add_class::<batches::Loader>()?;
    module.add_class::<batches::Batches>()?;
    module.add_function(wrap_pyfunction!(batches::pack_rows, module)?)?;
    module.add_function(wrap_pyfunction!(backend::devices, module)?)?;
    module.add_function(wrap_pyfunction!(backend::close_devices, module)?)?;
    #[cfg(debug_assertions)]
    module.add_function(wrap_pyfunction!(backend::lose_devices, module)?)?;
    module.add_function(wrap_pyfunction!(verdicts::is_quiet, module)?)?;
    module.add_function(wrap_pyfunction!(verdicts::verdicts, module)?)?;
    module.add_function(wrap_pyfunction!(scores::scores, module)?)?;
    module.add_function(wrap_pyfunction!(scores::see, module)?)?;
    module.add_function(wrap_pyfunction!(explain::explain, module)?)?;
    module.add_function(wrap_pyfunction!(read::read, module)?)?;
    module.add_function(wrap_pyfunction!(write::write, module)?)?;
    module.add_function(wrap_pyfunction!(jobs::cut, module)?)?;
    module.add_function(wrap_pyfunction!(jobs::filter, module)?)?;
    module.add_function(wrap_pyfunction!(jobs::convert, module)?)?;
    module.add_function(wrap_pyfunction!(mix::mix, module)?)?;
    module.add_function(wrap_pyfunction!(jobs::count, module)?)?;
    module.add_function(wrap_pyfunction!(jobs::validate, module)?)?;
    module.add_function(wrap_pyfunction!(jobs::output_name, module)?)?;
    Ok(())
}
