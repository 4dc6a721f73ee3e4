//! Batches of positions for a training loop, shuffled within a window.

use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};
use std::time::Instant;

use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::files::named;
use crate::jobs::TICK;
use crate::settings::{self, expected, skips};

mod decode;
mod features;
mod feed;
mod window;

use decode::{Counts, Entry, Source};
use features::{Array, Features};
use feed::Feed;
use window::Window;

const MOST: usize = 1 << 24;

/// Positions of files, in batches.
#[pyclass(module = "swaplist", frozen)]
pub struct Batches {
    /// Only one thread may ask for the next batch.
    stream: Mutex<Stream>,
    counts: Arc<Counts>,
    features: Features,
    batch_size: usize,
    shard: (u64, u64),
}

#[pymethods]
impl Batches {
    #[new]
    #[pyo3(signature = (paths, *, preset, rules, profile, values, batch_size, features, shuffle,
        seed, endless, shard, workers, format, errors))]
    fn new(
        paths: Vec<std::path::PathBuf>,
        preset: Option<&str>,
        rules: Option<&Bound<'_, PyDict>>,
        profile: Option<&str>,
        values: Option<&str>,
        batch_size: usize,
        features: &str,
        shuffle: usize,
        seed: u64,
        endless: bool,
        shard: (u64, u64),
        workers: usize,
        format: Option<&str>,
        errors: &str,
    ) -> PyResult<Batches> {
        let filter = settings::filter(preset, rules, profile, values)?;
        for (name, number, least, most) in [
            ("batch_size", batch_size, 1, MOST),
            ("shuffle", shuffle, 0, 1 << 32),
            ("workers", workers, 0, 256),
        ] {
            if !(least..=most).contains(&number) {
                let range = format!("a number from {least} to {most}");
                return Err(expected(name, &range, &number.to_string()));
            }
        }
        let (index, count) = shard;
        if index >= count || count > 1 << 20 {
            let shape = "(i, n) with i below n";
            return Err(expected("shard", shape, &format!("({index}, {count})")));
        }
        if paths.is_empty() {
            return Err(PyValueError::new_err("there are no files to read"));
        }
        let counts = Arc::new(Counts::default());
        let source = Source {
            paths,
            format: named("format", format)?,
            filter,
            skips: skips(errors)?,
            seed: (shuffle > 0).then_some(seed),
            shard,
            counts: Arc::clone(&counts),
        };
        Ok(Batches {
            stream: Mutex::new(Stream {
                source,
                workers,
                feed: None,
                part: Vec::new(),
                at: 0,
                window: (shuffle > 0).then(|| Window::new(shuffle, seed ^ index.rotate_right(20))),
                ready: Vec::new(),
                given: 0,
                endless,
                has_ended: false,
                kept: 0,
            }),
            counts,
            features: Features::named(features)?,
            batch_size,
            shard,
        })
    }

    /// The next batch: names, types and rows of arrays, and their memory.
    fn __next__(&self, py: Python<'_>) -> PyResult<Option<Vec<Array>>> {
        let Ok(mut stream) = self.stream.try_lock() else {
            let why = "another thread waits for the next batch of this iterator";
            return Err(PyRuntimeError::new_err(why));
        };
        let stream = &mut *stream;
        let mut entries = Vec::with_capacity(self.batch_size);
        loop {
            let more = py.detach(|| stream.fill(&mut entries, self.batch_size))?;
            if !more || entries.len() == self.batch_size {
                break;
            }
            py.check_signals()?;
        }
        if entries.is_empty() {
            return Ok(None);
        }
        let arrays = py.detach(|| self.features.arrays(&entries));
        Ok(Some(arrays))
    }

    fn __iter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    /// The number of the shard, and that of all.
    #[getter]
    const fn shard(&self) -> (u64, u64) {
        self.shard
    }

    /// What was read, kept and skipped so far.
    #[getter]
    fn counts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let counts = PyDict::new(py);
        for (name, count) in self.counts.all() {
            counts.set_item(name, count.load(Ordering::Relaxed))?;
        }
        Ok(counts)
    }
}

/// Positions on their way from files to batches.
struct Stream {
    source: Source,
    workers: usize,
    /// `None` before the first batch.
    feed: Option<Feed>,
    /// The last part, and how much of it has entered the window.
    part: Vec<Entry>,
    at: usize,
    /// `None` keeps the order.
    window: Option<Window<Entry>>,
    /// What left the window last, and how much of it was given to batches.
    ready: Vec<Entry>,
    given: usize,
    endless: bool,
    has_ended: bool,
    /// Positions of this epoch.
    kept: usize,
}

impl Stream {
    /// Adds to a batch, until it is full or some time has passed; false if nothing is left.
    fn fill(&mut self, batch: &mut Vec<Entry>, size: usize) -> PyResult<bool> {
        let begin = Instant::now();
        while batch.len() < size && begin.elapsed() < TICK {
            if self.given < self.ready.len() {
                let rest = &self.ready[self.given..];
                let some = rest.len().min(size - batch.len());
                batch.extend_from_slice(&rest[..some]);
                self.given += some;
            } else if !self.mix()? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Lets positions into the window until some leave it, or it needs more; false at the end.
    fn mix(&mut self) -> PyResult<bool> {
        self.ready.clear();
        self.given = 0;
        if self.at == self.part.len() && !self.has_ended {
            self.read()?;
        }
        let Some(window) = &mut self.window else {
            std::mem::swap(&mut self.ready, &mut self.part);
            return Ok(!self.has_ended);
        };
        for entry in &self.part[self.at..] {
            if window.is_full() {
                break;
            }
            window.put(*entry);
            self.at += 1;
        }
        if window.is_full() || self.has_ended {
            return Ok(window.leave(&mut self.ready));
        }
        Ok(true)
    }

    fn read(&mut self) -> PyResult<()> {
        self.at = 0;
        self.part.clear();
        let feed = match &mut self.feed {
            Some(feed) => feed,
            none => none.insert(Feed::new(&self.source, self.workers, self.endless)?),
        };
        match feed.next() {
            Some(part) => {
                self.part = part?;
                self.kept += self.part.len();
            }
            None if self.endless && self.kept == 0 => {
                let is_empty = self.source.counts.is_empty();
                return Err(PyValueError::new_err(if is_empty {
                    "no record is in this shard: files are cut at blocks of 256 KiB and more, so \
                     take fewer shards or larger files"
                } else {
                    "no position of this shard is left in an epoch: see counts"
                }));
            }
            None => {
                self.kept = 0;
                self.has_ended = !self.endless;
            }
        }
        Ok(())
    }
}
