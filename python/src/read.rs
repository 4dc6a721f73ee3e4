//! The records of a training file as an Arrow stream.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::{self, ThreadId};
use std::time::Instant;

use arrow_array::{ArrayRef, StructArray};
use arrow_schema::{DataType, Field, FieldRef, Fields};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use swaplist::{Choice, Rules};
use swaplist_files::formats::{self, Format};

use crate::arguments::Arguments;
use crate::capsule;
use crate::errors::skip_hint;
use crate::files;
use crate::jobs::TICK;
use crate::settings::{rules, skips};

mod fields;

use fields::{Builders, Kind};

const MOST_ROWS: u64 = 1 << 22;

/// The records of a file, for every library that reads the Arrow `PyCapsule` interface. Each stream
/// starts at the beginning of the file.
#[pyclass(module = "swaplist", frozen)]
pub struct Records {
    path: PathBuf,
    format: Format,
    kinds: Vec<Kind>,
    batch_size: usize,
    /// Whether records without a score are read too.
    unscored: bool,
    rules: Rules,
    skips: bool,
    /// How many invalid records the last stream has skipped so far.
    skipped: Arc<AtomicU64>,
}

/// See the package's `read`.
#[pyfunction]
pub fn read(arguments: Arguments<'_>) -> PyResult<Records> {
    let path: PathBuf = arguments.take("path")?;
    let named_format = arguments.take("format")?;
    let kinds = arguments.take("columns")?;
    let batch_size = arguments.number("batch_size", 1..=MOST_ROWS)?;
    let unscored = arguments.take("unscored")?;
    let rules = rules(&arguments)?;
    let skips = skips(&arguments)?;
    arguments.end()?;
    let (_, format) = files::open(&path, named_format)?;
    Ok(Records {
        path,
        format,
        kinds,
        batch_size,
        unscored,
        rules,
        skips,
        skipped: Arc::default(),
    })
}

#[pymethods]
impl Records {
    /// The name of the file's format.
    #[getter]
    fn format(&self) -> &'static str {
        self.format.name()
    }

    /// How many invalid records the last stream has skipped so far, with errors="skip".
    #[getter]
    fn skipped(&self) -> u64 {
        self.skipped.load(Ordering::Relaxed)
    }

    fn __repr__(&self) -> String {
        let fields = self.fields();
        let names: Vec<&str> = fields.iter().map(|field| field.name().as_str()).collect();
        let path = self.path.display();
        let format = self.format.name();
        format!(
            "<swaplist.Records of '{path}', {format}: {}>",
            names.join(", ")
        )
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        capsule::schema_capsule(py, &self.field())
    }

    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let _ = requested_schema;
        let (input, format) = files::open(&self.path, Some(self.format))?;
        self.skipped.store(0, Ordering::Relaxed);
        let batches = Batches {
            name: self.path.display().to_string(),
            units: format.spec().units,
            records: format.records(input.into_stream()),
            taken: 0,
            held: 0,
            fields: self.fields(),
            builders: Builders::new(&self.kinds, self.batch_size, self.rules),
            batch_size: self.batch_size,
            unscored: self.unscored,
            skips: self.skips,
            skipped: Arc::clone(&self.skipped),
            thread: thread::current().id(),
            looked: Instant::now(),
        };
        capsule::stream_capsule(py, self.field(), batches)
    }
}

impl Records {
    fn fields(&self) -> Fields {
        self.kinds.iter().map(|kind| kind.field()).collect()
    }

    fn field(&self) -> FieldRef {
        Arc::new(Field::new("", DataType::Struct(self.fields()), false))
    }
}

/// Reads the records of a stream in batches.
struct Batches {
    name: String,
    /// What the format's records are grouped in, such as games, if they are.
    units: Option<&'static str>,
    records: formats::Records<'static>,
    /// How many records the decoded batch has, and how many of them are in the columns.
    held: usize,
    taken: usize,
    fields: Fields,
    builders: Builders,
    batch_size: usize,
    unscored: bool,
    skips: bool,
    skipped: Arc<AtomicU64>,
    /// The thread that opened the stream.
    thread: ThreadId,
    /// When it last looked for signals.
    looked: Instant,
}

impl Batches {
    /// Ends the stream at Ctrl-C, as libraries read it without letting Python look. Only the thread
    /// that opened the stream asks: Python's main thread may wait for the others.
    fn check_signals(&mut self) -> Result<(), String> {
        if self.looked.elapsed() < TICK || thread::current().id() != self.thread {
            return Ok(());
        }
        self.looked = Instant::now();
        match capsule::signal() {
            Some(error) => Err(format!("interrupted by a {error}")),
            None => Ok(()),
        }
    }

    /// Decodes more records; false at the end.
    fn decode(&mut self) -> Result<bool, String> {
        let at = |error: &dyn std::fmt::Display| format!("{}, {error}", self.name);
        let next_batch = self.records.next_batch();
        let Some(decoded) = next_batch.map_err(|error| at(&error))? else {
            return Ok(false);
        };
        if let (Some(error), false) = (decoded.invalid.first(), self.skips) {
            return Err(at(error) + &skip_hint(self.units));
        }
        let skipped = decoded.invalid.len() as u64;
        self.skipped.fetch_add(skipped, Ordering::Relaxed);
        (self.taken, self.held) = (0, decoded.records.len());
        Ok(true)
    }

    fn batch(&mut self) -> Result<Option<ArrayRef>, String> {
        while self.builders.rows() < self.batch_size {
            if self.taken == self.held && !self.decode()? {
                break;
            }
            let room = self.batch_size - self.builders.rows();
            let fitting = self.taken..self.held.min(self.taken + room);
            self.taken = fitting.end;
            let records = &self.records.batch().records;
            let rows: Vec<usize> = fitting
                .filter(|&row| self.unscored || !records[row].is_unscored())
                .collect();
            self.builders.add(&mut self.records, &rows);
        }
        let rows = self.builders.rows();
        if rows == 0 {
            return Ok(None);
        }
        let arrays = self.builders.finish();
        let batch = StructArray::try_new_with_length(self.fields.clone(), arrays, None, rows);
        batch
            .map(|batch| Some(Arc::new(batch) as ArrayRef))
            .map_err(|error| error.to_string())
    }
}

impl Iterator for Batches {
    type Item = Result<ArrayRef, String>;

    fn next(&mut self) -> Option<Result<ArrayRef, String>> {
        self.check_signals().and_then(|()| self.batch()).transpose()
    }
}
