//! Decoding on the calling thread or on others, in an order that does not depend on timing.

use std::sync::mpsc::{Receiver, sync_channel};
use std::thread;

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

use super::decode::{Decoder, Entry, Source};

/// Parts that a thread decodes ahead.
const AHEAD: usize = 16;

/// A part, or the end of an epoch.
type Part = Option<PyResult<Vec<Entry>>>;

pub enum Feed {
    Here(Box<Decoder>),
    Threads(Vec<Worker>),
}

/// A thread that decodes a shard of the shard.
pub struct Worker {
    parts: Receiver<Part>,
    /// Whether it waits for the others at the end of the epoch.
    has_ended: bool,
}

impl Feed {
    /// On the calling thread if there are no workers, which begin a new epoch only if they are
    /// endless.
    pub fn new(source: &Source, workers: usize, endless: bool) -> PyResult<Feed> {
        if workers == 0 {
            return Ok(Feed::Here(Box::new(Decoder::new(source.clone()))));
        }
        let (index, shards) = source.shard;
        let worker = |nth: usize| {
            let (nth, workers) = (nth as u64, workers as u64);
            let mut source = source.clone();
            source.shard = (index * workers + nth, shards * workers);
            Worker::start(source, endless)
        };
        Ok(Feed::Threads(
            (0..workers).map(worker).collect::<PyResult<_>>()?,
        ))
    }

    /// The next part; `None` at the end of an epoch. The workers take turns.
    pub fn next(&mut self) -> Part {
        let workers = match self {
            Feed::Here(decoder) => return decoder.next(),
            Feed::Threads(workers) => workers,
        };
        while let Some(next) = workers.iter().position(|worker| !worker.has_ended) {
            // Whose turn it is stands first.
            workers.rotate_left(next);
            let died = || {
                Some(Err(PyRuntimeError::new_err(
                    "internal error in a worker thread",
                )))
            };
            let part = workers[0].parts.recv().unwrap_or_else(|_| died());
            workers[0].has_ended = part.is_none();
            workers.rotate_left(1);
            if part.is_some() {
                return part;
            }
        }
        for worker in workers {
            worker.has_ended = false;
        }
        None
    }
}

impl Worker {
    fn start(source: Source, endless: bool) -> PyResult<Worker> {
        let (sender, parts) = sync_channel(AHEAD);
        let mut decoder = Decoder::new(source);
        let decode = move || {
            loop {
                let part = decoder.next();
                let is_last = part.is_none() && !endless;
                if sender.send(part).is_err() || is_last {
                    return;
                }
            }
        };
        let started = thread::Builder::new().spawn(decode);
        started.map_err(|error| PyRuntimeError::new_err(error.to_string()))?;
        Ok(Worker {
            parts,
            has_ended: false,
        })
    }
}
