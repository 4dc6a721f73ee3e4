//! Mixes files.

use std::ops::ControlFlow;
use std::sync::Arc;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use swaplist::BackendChoice;
use swaplist_files::formats::Scale;
use swaplist_files::jobs;
use swaplist_files::mix::{Identity, Keep, Mix, MixOptions, Order, SplitBy};

use crate::arguments::{Arguments, Paths, named_arguments};
use crate::backend::Opened;
use crate::jobs::{Keeper, attend};
use crate::settings::{self, THREADS, skips};

named_arguments! {
    Identity, "\"position\" or \"placement\"";
    Keep, "\"first\" or \"random\"";
    SplitBy, "\"position\" or \"game\"";
}

/// See the package's `mix`. Returns the summary as JSON.
#[pyfunction]
pub fn mix(py: Python<'_>, arguments: Arguments<'_>) -> PyResult<String> {
    let inputs: Paths = arguments.take("inputs")?;
    let outputs: Paths = arguments.take("output")?;
    let exclude: Paths = arguments.take("exclude")?;
    let scales: Option<Vec<Option<Scale>>> = arguments.take("scales")?;
    let backend: BackendChoice = arguments.take("backend")?;
    let progress: Option<Bound<'_, PyAny>> = arguments.take("progress")?;
    let rules: Bound<'_, PyDict> = arguments.take("rules")?;
    let preset: Option<String> = arguments.take("preset")?;
    let filter = settings::filter_by(&arguments, preset.as_deref().or(Some("none")), &rules)?;
    let has_rules = preset.is_some() || rules.len() > usize::from(rules.contains("seed")?);
    let options = MixOptions {
        job: jobs::Options {
            from: arguments.take("format")?,
            to: arguments.take("to")?,
            limit: arguments.optional_number("limit", 1..=u64::MAX)?,
            drop_castling: arguments.take("drop_castling")?,
            replace: arguments.take("overwrite")?,
            level: arguments.take("level")?,
            skip_invalid: skips(&arguments)?,
            threads: arguments.optional_number("threads", THREADS)?,
            ..jobs::Options::default()
        },
        order: order(&arguments)?,
        scales: scales.unwrap_or_default(),
        seed: settings::seed(&rules)?,
        dedupe: arguments.take("dedupe")?,
        dedupe_keep: arguments.take("dedupe_keep")?,
        exclude: exclude.paths,
        split: arguments.take("split")?,
        split_by: arguments.take("split_by")?,
        filter: has_rules.then_some(filter),
        sample: arguments.take("sample")?,
        records: arguments.take("records")?,
        memory: arguments.take("memory")?,
        temp: arguments.take("temp")?,
    };
    arguments.end()?;
    let threads = options
        .job
        .threads
        .unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from));
    let opened = Arc::new(Opened::new(py, &backend, threads)?);
    let its = Arc::clone(&opened);
    let told = Keeper::default();
    let keeper = told.clone();
    let summary = attend(py, &told, progress.as_ref(), move |cancel| {
        let mut options = options;
        options.job.cancel = cancel.clone();
        let mut mix = Mix::new(inputs.paths, options)?.watch(|event| {
            keeper.keep(event);
            ControlFlow::Continue(())
        });
        mix = match &outputs.paths[..] {
            [output] => mix.write_to(Some(output))?,
            outputs => mix.write_each(outputs)?,
        };
        mix.run(&its.evaluator)
    })?;
    opened.warn(py)?;
    Ok(summary.table().json.to_string())
}

/// Takes the order by `shuffle` and `weights`.
fn order(given: &Arguments<'_>) -> PyResult<Order> {
    match (given.take("shuffle")?, given.take("weights")?) {
        (true, Some::<Vec<f64>>(_)) => Err(PyValueError::new_err(
            "weights: they do not go with shuffle=True, which takes each record once, in an \
             order that is as likely as any other; shuffle each input by itself and mix the \
             results with weights, or take less of one first, with sample",
        )),
        (true, None) => Ok(Order::Shuffle),
        (false, Some(weights)) => Ok(Order::Weighted(weights)),
        (false, None) => Ok(Order::Interleaved),
    }
}
