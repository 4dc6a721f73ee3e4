//! Writing tables of records in training formats.

use std::path::{Path, PathBuf};

use arrow_array::cast::AsArray as _;
use arrow_array::{Array as _, StructArray};
use pyo3::exceptions::{PyTypeError, PyUserWarning, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use swaplist::formats::{EncodeError, Format, Part, Place, Writer};
use swaplist::jobs::{Cancel, Error, Files, Output};

use crate::capsule;
use crate::errors;
use crate::files;
use crate::settings::expected;

mod fields;

use fields::Columns;

/// See the package's `write`.
#[pyfunction]
#[pyo3(signature = (table, path, *, format=None, overwrite=false, level=None, errors="raise"))]
pub fn write<'py>(
    py: Python<'py>,
    table: &Bound<'py, PyAny>,
    path: PathBuf,
    format: Option<&str>,
    overwrite: bool,
    level: Option<u32>,
    errors: &str,
) -> PyResult<Bound<'py, PyDict>> {
    let skips = match errors {
        "raise" => false,
        "skip" => true,
        _ => return Err(expected("errors", "\"raise\" or \"skip\"", errors)),
    };
    let Some(mut batches) = capsule::arrays(table)? else {
        return Err(PyTypeError::new_err(
            "table: expected an Arrow table, such as a polars DataFrame or a pyarrow Table",
        ));
    };
    let mut sink = Sink::create(&path, files::named("format", format)?, overwrite, level)?;
    while let Some(batch) = batches.next()? {
        let Some(batch) = batch.as_struct_opt() else {
            let kind = batch.data_type();
            return Err(PyTypeError::new_err(format!(
                "table: expected columns, not {kind}"
            )));
        };
        sink.add(py, batch, skips)?;
        py.check_signals()?;
    }
    let (records, skipped) = sink.finish()?;
    let summary = PyDict::new(py);
    summary.set_item("records", records)?;
    summary.set_item("skipped", skipped)?;
    Ok(summary)
}

/// An output file with its writer.
struct Sink {
    files: Files,
    output: Output,
    writer: Writer,
    format: Format,
    holds_moves: bool,
    bytes: Vec<u8>,
    /// Rows read so far.
    rows: u64,
    skipped: u64,
}

/// Bytes collected before they are written.
const TOGETHER: usize = 1 << 20;

impl Sink {
    fn create(
        path: &Path,
        format: Option<Format>,
        overwrite: bool,
        level: Option<u32>,
    ) -> PyResult<Sink> {
        // An aborted run drops the temporary file.
        let mut files = Files::new(&Cancel::default());
        let output = files.create(Some(path), overwrite, level).map_err(job)?;
        let Some(format) = format.or(output.named_format()) else {
            let path = path.display();
            return Err(PyValueError::new_err(format!(
                "'{path}': the name does not tell the format; name it, with format="
            )));
        };
        let writer = Writer::new(format);
        Ok(Sink {
            files,
            output,
            writer: writer.map_err(|error| PyValueError::new_err(error.to_string()))?,
            format,
            // As a conversion from a format with moves would write it.
            holds_moves: format == Format::Binpack
                || Format::Binpack
                    .lost_in(format)
                    .all(|part| part != Part::Played),
            bytes: Vec::new(),
            rows: 0,
            skipped: 0,
        })
    }

    fn add(&mut self, py: Python<'_>, batch: &StructArray, skips: bool) -> PyResult<()> {
        let columns = Columns::of(batch)?;
        if self.rows == 0 && columns.has_moves() && !self.holds_moves {
            let format = self.format.name();
            let text = format!("not carried over to {format}: played move");
            let text = std::ffi::CString::new(text)?;
            PyErr::warn(py, &py.get_type::<PyUserWarning>(), &text, 2)?;
        }
        let first_row = self.rows;
        self.rows += batch.len() as u64;
        py.detach(|| {
            for row in 0..batch.len() {
                let number = first_row + row as u64;
                if let Err(reason) = self.push(&columns, row, number) {
                    if !skips {
                        return Err(PyValueError::new_err(format!("row {number}: {reason}")));
                    }
                    self.skipped += 1;
                }
                if self.bytes.len() >= TOGETHER {
                    self.flush()?;
                }
            }
            Ok(())
        })
    }

    fn push(&mut self, columns: &Columns<'_>, row: usize, number: u64) -> Result<(), String> {
        let entry = columns.entry(row, Place::Line(number))?;
        self.writer
            .push(&entry, &mut self.bytes)
            .map_err(|error| match error {
                EncodeError::Record { reason, .. } => reason,
                error => error.to_string(),
            })
    }

    fn flush(&mut self) -> PyResult<()> {
        self.output.write(&self.bytes).map_err(job)?;
        self.bytes.clear();
        Ok(())
    }

    /// Gives the file its name; returns the records written and those skipped.
    fn finish(mut self) -> PyResult<(u64, u64)> {
        let last = std::mem::replace(&mut self.writer, Writer::new(Format::Text).map_err(encode)?);
        last.finish(&mut self.bytes).map_err(encode)?;
        self.flush()?;
        self.files.finish([self.output]).map_err(job)?;
        Ok((self.rows - self.skipped, self.skipped))
    }
}

fn job(error: Error) -> PyErr {
    errors::job(&error)
}

fn encode(error: EncodeError) -> PyErr {
    PyValueError::new_err(error.to_string())
}
