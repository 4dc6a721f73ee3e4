//! Mixing files.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use swaplist_files::mix::{Event, Mix, Options, Order};

use crate::backend::Opened;
use crate::files::named;
use crate::jobs::{Keeper, attend};
use crate::settings::{self, checked_threads, expected, skips};

/// See the package's `mix`; returns the summary as JSON. Rules are given if there is a filter.
#[pyfunction]
#[pyo3(signature = (inputs, outputs, *, shuffle, weights, scales, seed, dedupe, dedupe_keep,
    exclude, split, split_by, preset, rules, sample, limit, records, memory, temp, to,
    drop_castling, format, errors, overwrite, level, profile, values, threads, backend, progress))]
#[allow(clippy::fn_params_excessive_bools)]
pub fn mix(
    py: Python<'_>,
    inputs: Vec<PathBuf>,
    outputs: Vec<PathBuf>,
    shuffle: bool,
    weights: Option<Vec<f64>>,
    scales: Option<Vec<Option<f64>>>,
    seed: Option<u64>,
    dedupe: Option<&str>,
    dedupe_keep: &str,
    exclude: Vec<PathBuf>,
    split: Vec<f64>,
    split_by: &str,
    preset: Option<&str>,
    rules: Option<&Bound<'_, PyDict>>,
    sample: Option<f64>,
    limit: Option<u64>,
    records: bool,
    memory: Option<u64>,
    temp: Option<PathBuf>,
    to: Option<&str>,
    drop_castling: bool,
    format: Option<&str>,
    errors: &str,
    overwrite: bool,
    level: Option<u32>,
    profile: Option<&str>,
    values: Option<&str>,
    threads: Option<usize>,
    backend: &str,
    progress: Option<Bound<'_, PyAny>>,
) -> PyResult<String> {
    let by = "\"position\" or \"placement\"";
    let dedupe = dedupe.map(|by_what| {
        let parsed = by_what.parse();
        parsed.map_err(|_| expected("dedupe", by, by_what))
    });
    let of_split = "\"position\" or \"game\"";
    let filter = rules.map(|rules| settings::filter(preset, Some(rules), profile, values));
    let order = match (shuffle, weights) {
        (true, Some(_)) => {
            return Err(PyValueError::new_err(
                "weights: they do not go with shuffle=True, which takes each record once, in an \
                 order that is as likely as any other; shuffle each input by itself and mix the \
                 results with weights, or take less of one first, with sample",
            ));
        }
        (true, None) => Order::Shuffle,
        (false, Some(weights)) => Order::Weighted(weights),
        (false, None) => Order::Interleaved,
    };
    let scales = scales.map(|scales| {
        let each = scales
            .into_iter()
            .map(|scale| scale.map(settings::scale).transpose());
        each.collect::<PyResult<Vec<_>>>()
    });
    let threads = threads.map(checked_threads).transpose()?;
    let options = Options {
        from: named("format", format)?,
        to: named("to", to)?,
        order,
        scales: scales.transpose()?.unwrap_or_default(),
        seed,
        dedupe: dedupe.transpose()?,
        dedupe_keep: dedupe_keep
            .parse()
            .map_err(|_| expected("dedupe_keep", "\"first\" or \"random\"", dedupe_keep))?,
        exclude,
        split,
        split_by: split_by
            .parse()
            .map_err(|_| expected("split_by", of_split, split_by))?,
        filter: filter.transpose()?,
        sample,
        limit,
        records,
        drop_castling,
        memory,
        temp,
        replace: overwrite,
        level,
        skip_invalid: skips(errors)?,
        threads,
        ..Options::default()
    };
    let cores = || std::thread::available_parallelism().map_or(1, usize::from);
    let opened = Arc::new(Opened::new(py, backend, threads.unwrap_or_else(cores))?);
    let its = Arc::clone(&opened);
    let told = Keeper::default();
    let keeper = told.clone();
    let summary = attend(py, &told, progress.as_ref(), move |cancel| {
        let keep = |event: Event<'_>| {
            match event {
                Event::Note(text) => keeper.note(text),
                Event::Progress { records, bytes, .. } => keeper.progress(records, bytes),
                _ => {}
            }
            ControlFlow::Continue(())
        };
        let mut mix = Mix::new(inputs, options)?.cancelled_by(cancel).watch(keep);
        mix = match &outputs[..] {
            [output] => mix.write_to(Some(output))?,
            _ => mix.write_each(&outputs)?,
        };
        mix.run(&its.evaluator)
    })?;
    opened.warn(py)?;
    Ok(summary.to_json().to_string())
}
