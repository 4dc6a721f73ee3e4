//! Positions on their way from files to batches, and how to go on from a moment of it.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Instant;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::entry::{Counts, Entry};
use super::feed::{Feed, FeedState};
use super::files::File;
use super::source::{Source, WINDOW};
use super::window::{Window, WindowState};
use crate::jobs::TICK;

/// At least so many positions come between two checkpoints.
const APART: u64 = 1 << 16;

/// Where a stream can go on from.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct StreamState {
    pub epoch: u64,
    /// `None` at the start of the epoch.
    within: Option<Within>,
}

/// A place within an epoch.
#[derive(Clone, Debug, Deserialize, Serialize)]
struct Within {
    #[serde(
        serialize_with = "write_checkpoint",
        deserialize_with = "read_checkpoint"
    )]
    checkpoint: Arc<Checkpoint>,
    /// The window before it let out the positions that are given now. Without a window, these begin
    /// at the checkpoint.
    window: Option<WindowState>,
    /// How many of these positions are given.
    given: usize,
}

/// How far the files were read when so many positions had come.
#[derive(Clone, Debug, Deserialize, Serialize)]
struct Checkpoint {
    arrived: u64,
    counts: Counts,
    feed: FeedState,
}

impl StreamState {
    /// The start of an epoch.
    pub const fn at(epoch: u64) -> StreamState {
        StreamState {
            epoch,
            within: None,
        }
    }
}

/// Positions on their way from files to batches.
pub struct Stream {
    source: Source,
    weights: Option<Arc<[f64]>>,
    workers: usize,
    endless: bool,
    /// `None` before the first part.
    feed: Option<Feed>,
    /// The last part, and how much of it has entered the window.
    part: Vec<Entry>,
    at: usize,
    /// `None` keeps the order.
    window: Option<Window<Entry>>,
    /// What the window is to become, while its entries are decoded again.
    again: Option<WindowState>,
    /// The number of the next entry of the part.
    number: u64,
    /// The positions that left the window last, and how many of them are given to batches.
    ready: Vec<Entry>,
    given: usize,
    /// The batch that is being filled.
    batch: Vec<Entry>,
    epoch: u64,
    /// Whether the epoch's last part was read.
    is_read: bool,
    pub counts: Counts,
    checkpoints: VecDeque<Arc<Checkpoint>>,
    /// Where to go on after the last whole batch, and where among the positions that left the
    /// window last.
    whole: StreamState,
    last: StreamState,
}

impl Stream {
    /// A stream that goes on from a state.
    pub fn new(
        source: Source,
        weights: Option<Arc<[f64]>>,
        workers: usize,
        shuffle: usize,
        endless: bool,
        state: StreamState,
    ) -> PyResult<Stream> {
        let seed = window_seed(&source, state.epoch);
        let mut stream = Stream {
            window: (shuffle > 0).then(|| Window::new(shuffle, seed)),
            source,
            weights,
            workers,
            endless,
            feed: None,
            part: Vec::new(),
            at: 0,
            again: None,
            number: 0,
            ready: Vec::new(),
            given: 0,
            batch: Vec::new(),
            epoch: state.epoch,
            is_read: false,
            counts: Counts::default(),
            checkpoints: VecDeque::new(),
            whole: state.clone(),
            last: state.clone(),
        };
        if let Some(within) = &state.within {
            let suits = match (&stream.window, &within.window) {
                (None, None) => true,
                (Some(window), Some(state)) => window.suits(state),
                _ => false,
            };
            if !suits || !within.checkpoint.feed.suits(stream.weights.as_deref()) {
                let why = "the state is one of other batches";
                return Err(PyValueError::new_err(why));
            }
            stream.number = within.checkpoint.arrived;
            stream.counts = within.checkpoint.counts;
            stream.checkpoints.push_back(Arc::clone(&within.checkpoint));
            stream.again.clone_from(&within.window);
            stream.given = within.given;
        }
        Ok(stream)
    }

    /// The files that are read.
    pub fn files(&self) -> &[File] {
        &self.source.files
    }

    /// How many positions of the epoch have come so far.
    pub fn positions(&self) -> u64 {
        self.number
    }

    /// Where to go on after the last whole batch.
    pub fn state(&self) -> &StreamState {
        &self.whole
    }

    /// Fills a batch. `None` after some time, so that the caller can look for signals: it goes on
    /// with the next call. The batch is smaller, or empty, if nothing is left.
    pub fn batch(&mut self, size: usize) -> PyResult<Option<Vec<Entry>>> {
        let begin = Instant::now();
        self.batch.reserve(size - self.batch.len());
        while self.batch.len() < size {
            if begin.elapsed() > TICK {
                return Ok(None);
            }
            if self.given < self.ready.len() {
                let rest = &self.ready[self.given..];
                let some = rest.len().min(size - self.batch.len());
                self.batch.extend_from_slice(&rest[..some]);
                self.given += some;
                if let Some(within) = &mut self.last.within {
                    within.given = self.given;
                }
            } else if !self.mix()? {
                break;
            }
        }
        self.whole.clone_from(&self.last);
        if self.batch.is_empty() {
            // There are no more rows: this epoch is over, and the next one begins.
            self.whole = StreamState::at(self.epoch + 1);
        }
        Ok(Some(std::mem::take(&mut self.batch)))
    }

    /// Lets positions into the window until some leave it, or until another part is needed; false
    /// at the end.
    fn mix(&mut self) -> PyResult<bool> {
        if self.at == self.part.len() && !self.is_read {
            self.read()?;
        }
        let Some(window) = &mut self.window else {
            if !self.part.is_empty() {
                self.note_ready(None);
                std::mem::swap(&mut self.ready, &mut self.part);
                self.number += self.ready.len() as u64;
                self.part.clear();
                self.at = 0;
                return Ok(true);
            }
            return self.end_epoch();
        };
        if let Some(then) = &self.again {
            for entry in &self.part[self.at..] {
                if self.number == then.arrived {
                    break;
                }
                window.put_again(self.number, entry, then);
                self.number += 1;
                self.at += 1;
            }
            if self.number < then.arrived {
                if self.is_read {
                    let why = "the files hold less than when the state was taken";
                    return Err(PyValueError::new_err(why));
                }
                return Ok(true);
            }
            if let Some(then) = self.again.take() {
                window.go_on(then);
            }
        } else {
            for entry in &self.part[self.at..] {
                if window.is_full() {
                    break;
                }
                window.put(entry);
                self.at += 1;
            }
            self.number = window.arrived();
            if !window.is_full() && !self.is_read {
                return Ok(true);
            }
        }
        if window.is_empty() {
            return self.end_epoch();
        }
        let before = window.state().clone();
        self.note_ready(Some(before));
        self.ready.clear();
        if let Some(window) = &mut self.window {
            window.leave(&mut self.ready);
        }
        Ok(true)
    }

    /// Notes how to go on among the positions that come out now. If the stream has just gone on
    /// from a state, some of these are already given.
    fn note_ready(&mut self, window: Option<WindowState>) {
        let first = window.as_ref().map_or(self.number, WindowState::first);
        while self.checkpoints.len() > 1 && self.checkpoints[1].arrived <= first {
            self.checkpoints.pop_front();
        }
        let resumed = self.ready.is_empty() && self.last.within.is_some();
        self.given = if resumed { self.given } else { 0 };
        let Some(checkpoint) = self.checkpoints.front() else {
            return;
        };
        self.last = StreamState {
            epoch: self.epoch,
            within: Some(Within {
                checkpoint: Arc::clone(checkpoint),
                window,
                given: self.given,
            }),
        };
    }

    /// Begins the next epoch if there is one.
    fn end_epoch(&mut self) -> PyResult<bool> {
        if !self.is_read {
            return Ok(true);
        }
        if !self.endless {
            return Ok(false);
        }
        if self.number == 0 {
            return Err(PyValueError::new_err(if self.counts.is_empty() {
                "no record is in this shard: take fewer shards"
            } else {
                "no position of this shard is left in an epoch: see counts"
            }));
        }
        self.epoch += 1;
        self.is_read = false;
        self.number = 0;
        self.checkpoints.clear();
        let seed = window_seed(&self.source, self.epoch);
        if let Some(window) = &mut self.window {
            window.begin(seed);
        }
        Ok(true)
    }

    /// Reads the next part.
    fn read(&mut self) -> PyResult<()> {
        let feed = match &mut self.feed {
            Some(feed) => feed,
            none => {
                let weights = self.weights.as_deref();
                let state = match self.checkpoints.front() {
                    Some(checkpoint) => checkpoint.feed.clone(),
                    None => FeedState::at(self.epoch, weights),
                };
                let feed = Feed::new(&self.source, weights, self.workers, self.endless, state);
                none.insert(feed)
            }
        };
        let is_due = self
            .checkpoints
            .back()
            .is_none_or(|last| self.window.is_none() || self.number >= last.arrived + APART);
        if is_due {
            self.checkpoints.push_back(Arc::new(Checkpoint {
                arrived: self.number,
                counts: self.counts,
                feed: feed.state(),
            }));
        }
        let part = feed.next()?;
        self.counts.add(&part.counts);
        self.at = 0;
        self.is_read = part.entries.is_none();
        self.part = part.entries.unwrap_or_default();
        Ok(())
    }
}

fn write_checkpoint<S: Serializer>(checkpoint: &Arc<Checkpoint>, to: S) -> Result<S::Ok, S::Error> {
    checkpoint.as_ref().serialize(to)
}

fn read_checkpoint<'a, D: Deserializer<'a>>(from: D) -> Result<Arc<Checkpoint>, D::Error> {
    Checkpoint::deserialize(from).map(Arc::new)
}

fn window_seed(source: &Source, epoch: u64) -> u64 {
    source.seed_of(epoch, WINDOW) ^ source.shard.0.rotate_right(20)
}
