//! Batches of positions for a training loop.
//!
//! Files are cut into blocks, and [`plan`] tells which of them belong to a shard and in which order
//! an epoch reads them. A [`reader::Reader`] decodes them in parts, and a [`selection::Selector`]
//! selects the positions to train on. A [`supply::Supply`] does both, on the calling thread or on
//! several others, and a [`feed::Feed`] draws from several supplies by their weights. In a
//! [`stream::Stream`] positions wait in a [`window::Window`], which shuffles them, and leave it in
//! batches, of which [`features`] makes arrays. Everything random depends on the seed, the epoch
//! and the position's place alone. So the state of each of these is a few numbers, and a stream can
//! go on from any batch.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use parking_lot::{Mutex, MutexGuard};
use pyo3::exceptions::{PyOSError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde::{Deserialize, Serialize};
use swaplist_files::filter::Filter;
use swaplist_files::formats::Format;

use crate::arguments::{Arguments, expected};
use crate::capsule;
use crate::jobs::TICK;
use crate::settings::{self, skips};

mod content;
mod entry;
mod features;
mod feed;
mod files;
mod plan;
mod random;
mod reader;
mod rows;
mod selection;
mod skipping;
mod source;
mod stream;
mod supply;
mod window;

use entry::Counts;
use features::{Array, Features};
use files::{File, Path};
pub use rows::pack_rows;
use skipping::Skipping;
use source::{Source, keeps_all};
use stream::{Stream, StreamState};

/// Knows which files to read and how to make batches of them.
#[pyclass(module = "swaplist", frozen)]
pub struct Loader {
    paths: Vec<Path>,
    format: Option<Format>,
    /// Where the blocks of the files are, once they are found.
    files: Mutex<Option<Arc<[File]>>>,
    weights: Option<Arc<[f64]>>,
    filter: Filter,
    filter_seed: u64,
    skipping: Option<Arc<Skipping>>,
    skips: bool,
    features: Arc<Features>,
    batch_size: usize,
    shuffle: usize,
    seed: u64,
    endless: bool,
    shard: (u64, u64),
    workers: usize,
}

/// Positions of an epoch, or of all that follow, in batches.
#[pyclass(module = "swaplist", frozen)]
pub struct Batches {
    /// Only one thread may ask for the next batch.
    stream: Mutex<Stream>,
    /// The stream's counts, and below its positions, as they were after the last call: they can be
    /// asked for while another thread waits for the next batch.
    counts: Mutex<Counts>,
    positions: AtomicU64,
    /// A hash of each file, by which it is known again; computed when a state is first asked for.
    contents: OnceLock<Vec<u64>>,
    paths: Vec<Path>,
    features: Arc<Features>,
    batch_size: usize,
    /// The epoch that the first batch was of.
    #[pyo3(get)]
    epoch: u64,
}

/// All that it takes to go on later, as JSON.
#[derive(Deserialize, Serialize)]
struct State {
    files: Vec<FileState>,
    stream: StreamState,
}

/// How a state knows a file again.
#[derive(Deserialize, Serialize)]
struct FileState {
    length: u64,
    /// A hash of what it holds.
    content: u64,
    /// Where its blocks are, if it takes long to find them.
    blocks: Option<Vec<u64>>,
}

#[pymethods]
impl Loader {
    #[new]
    fn new(paths: Vec<(std::path::PathBuf, bool)>, arguments: Arguments<'_>) -> PyResult<Loader> {
        let rules: Bound<'_, PyDict> = arguments.take("rules")?;
        let preset: Option<String> = arguments.take("preset")?;
        let weights: Option<Vec<f64>> = arguments.take("weights")?;
        let skipping: Option<Skipping> = arguments.take("skipping")?;
        let (index, count) = arguments.take("shard")?;
        if index >= count || count > 1 << 20 {
            let shape = "(i, n) with i below n";
            return Err(expected("shard", shape, &format!("({index}, {count})")));
        }
        if paths.is_empty() {
            return Err(PyValueError::new_err("there are no files to read"));
        }
        let loader = Loader {
            paths: paths
                .into_iter()
                .map(|(path, has_rows)| Path { path, has_rows })
                .collect(),
            format: arguments.take("format")?,
            files: Mutex::new(None),
            weights: weights.map(Arc::from),
            filter: settings::filter_by(&arguments, preset.as_deref(), &rules)?,
            filter_seed: settings::seed(&rules)?.unwrap_or_default(),
            skipping: skipping.map(Arc::new),
            skips: skips(&arguments)?,
            features: Arc::new(Features::take(&arguments)?),
            batch_size: arguments.number("batch_size", 1..=1 << 24)?,
            shuffle: arguments.number("shuffle", 0..=1 << 32)?,
            seed: arguments.take("seed")?,
            endless: arguments.take("endless")?,
            shard: (index, count),
            workers: arguments.number("workers", 0..=256)?,
        };
        arguments.end()?;
        Ok(loader)
    }

    /// The batches of an epoch, or those that follow what [`Batches::state`] has written down.
    #[pyo3(signature = (epoch, state=None))]
    fn batches(&self, py: Python<'_>, epoch: u64, state: Option<&str>) -> PyResult<Batches> {
        let state: Option<State> = state
            .map(serde_json::from_str)
            .transpose()
            .map_err(|error| PyValueError::new_err(format!("the state is damaged: {error}")))?;
        let files = py.detach(|| self.find(state.as_ref()))?;
        let start = state.map_or(StreamState::at(epoch), |state| state.stream);
        let epoch = start.epoch;
        let source = self.source(files);
        let weights = self.weights.clone();
        let stream = Stream::new(
            source,
            weights,
            self.workers,
            self.shuffle,
            self.endless,
            start,
        )?;
        Ok(Batches {
            counts: Mutex::new(stream.counts),
            positions: AtomicU64::new(stream.positions()),
            contents: OnceLock::new(),
            paths: self.paths.clone(),
            stream: Mutex::new(stream),
            features: Arc::clone(&self.features),
            batch_size: self.batch_size,
            epoch,
        })
    }

    /// Whether each epoch keeps other positions.
    #[getter]
    fn is_random(&self) -> bool {
        self.source(Arc::from([])).is_random()
    }

    /// How many positions an epoch has, if that is known without reading the files: all records are
    /// of one size, none is left out, and, as there are no weights, none comes twice.
    fn positions(&self, py: Python<'_>) -> PyResult<Option<u64>> {
        let is_read_again = self.weights.is_some();
        if is_read_again || !keeps_all(&self.filter, self.skipping.as_deref()) {
            return Ok(None);
        }
        py.detach(|| {
            let mut positions = 0;
            for (number, path) in self.paths.iter().enumerate() {
                let Some(file) = File::from_records(path, self.format)? else {
                    return Ok(None);
                };
                let Some(record) = file.record_bytes() else {
                    return Ok(None);
                };
                for piece in plan::pieces(number, &file, self.shard) {
                    let bytes = file.bytes(piece.block);
                    let records = (bytes.end - bytes.start) / record;
                    positions += if piece.share == plan::Share::WHOLE {
                        records
                    } else {
                        (0..records).filter(|&record| piece.has(record)).count() as u64
                    };
                }
            }
            Ok(Some(positions))
        })
    }
}

impl Loader {
    /// Finds the blocks of all files, unless that was done before and nothing has changed.
    fn find(&self, state: Option<&State>) -> PyResult<Arc<[File]>> {
        let mut found = self.files.lock();
        if let Some(files) = found.as_ref().filter(|_| state.is_none())
            && files.iter().all(File::is_current)
        {
            return Ok(Arc::clone(files));
        }
        let mut looked = Instant::now();
        let mut files = Vec::with_capacity(self.paths.len());
        if state.is_some_and(|state| state.files.len() != self.paths.len()) {
            let why = "the state is one of another number of files";
            return Err(PyValueError::new_err(why));
        }
        for (number, path) in self.paths.iter().enumerate() {
            let of_file = state.map(|state| &state.files[number]);
            let blocks = of_file.and_then(|file| file.blocks.as_deref());
            let file = File::find(path, self.format, blocks, &mut || {
                if looked.elapsed() < TICK {
                    return true;
                }
                looked = Instant::now();
                capsule::signal().is_none()
            })?;
            if let Some(of_file) = of_file {
                of_file.check(&file, path)?;
            }
            files.push(file);
        }
        Ok(Arc::clone(found.insert(Arc::from(files))))
    }

    fn source(&self, files: Arc<[File]>) -> Source {
        Source {
            numbers: 0..files.len(),
            files,
            filter: self.filter.clone(),
            filter_seed: self.filter_seed,
            skipping: self.skipping.clone(),
            skips: self.skips,
            seed: self.seed,
            shuffles: self.shuffle > 0,
            shard: self.shard,
        }
    }
}

impl FileState {
    fn new(file: &File, content: u64) -> FileState {
        FileState {
            length: file.file_length(),
            content,
            blocks: file.to_numbers(),
        }
    }

    /// Fails if the file is not the one that the state was taken of.
    fn check(&self, file: &File, path: &Path) -> PyResult<()> {
        let name = file.name();
        let length = file.file_length();
        if self.length != length {
            return Err(PyValueError::new_err(format!(
                "{name} has {length} bytes, not as many as when the state was taken"
            )));
        }
        if self.content != content_of(file, path)? {
            return Err(PyValueError::new_err(format!(
                "{name} holds other data than when the state was taken"
            )));
        }
        Ok(())
    }
}

/// A hash of what a file holds.
fn content_of(file: &File, path: &Path) -> PyResult<u64> {
    let hash = content::content_of(&path.path);
    hash.map_err(|error| PyOSError::new_err(format!("cannot read '{}': {error}", file.name())))
}

#[pymethods]
impl Batches {
    /// The next batch, as arrays: each has a name, a type, a number of columns and its memory.
    fn __next__(&self, py: Python<'_>) -> PyResult<Option<Vec<Array>>> {
        let mut stream = self.stream()?;
        let stream = &mut *stream;
        let entries = loop {
            let batch = py.detach(|| stream.batch(self.batch_size));
            *self.counts.lock() = stream.counts;
            self.positions.store(stream.positions(), Ordering::Relaxed);
            match batch? {
                Some(entries) => break entries,
                None => py.check_signals()?,
            }
        };
        if entries.is_empty() {
            return Ok(None);
        }
        Ok(Some(py.detach(|| self.features.arrays(&entries))))
    }

    fn __iter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    /// The state after the last batch, as JSON, to go on from later.
    fn state(&self, py: Python<'_>) -> PyResult<String> {
        let stream = self.stream()?;
        let stream = &*stream;
        let files = stream.files();
        let contents = if let Some(contents) = self.contents.get() {
            contents
        } else {
            let contents = py.detach(|| self.contents_of(files))?;
            self.contents.get_or_init(|| contents)
        };
        let files = files.iter().zip(contents);
        let state = State {
            files: files
                .map(|(file, content)| FileState::new(file, *content))
                .collect(),
            stream: stream.state().clone(),
        };
        serde_json::to_string(&state).map_err(|error| PyValueError::new_err(error.to_string()))
    }

    /// How many positions of the epoch were read so far.
    #[getter]
    fn positions(&self) -> u64 {
        self.positions.load(Ordering::Relaxed)
    }

    /// How many records were read, kept, filtered and so on, by name.
    #[getter]
    fn counts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let counts = PyDict::new(py);
        for (name, count) in self.counts.lock().all() {
            counts.set_item(name, count)?;
        }
        Ok(counts)
    }
}

impl Batches {
    /// A hash of each file. Fails if one was changed since it was opened.
    fn contents_of(&self, files: &[File]) -> PyResult<Vec<u64>> {
        files
            .iter()
            .zip(&self.paths)
            .map(|(file, path)| {
                if !file.is_current() {
                    let name = file.name();
                    return Err(PyValueError::new_err(format!(
                        "{name} was changed while it was read, so there is no going on from here"
                    )));
                }
                content_of(file, path)
            })
            .collect()
    }

    fn stream(&self) -> PyResult<MutexGuard<'_, Stream>> {
        self.stream.try_lock().ok_or_else(|| {
            let why = "another thread waits for the next batch of this iterator";
            PyRuntimeError::new_err(why)
        })
    }
}
