//! Decoding on the calling thread or on others, in an order that does not depend on timing.

use std::sync::mpsc::{Receiver, sync_channel};
use std::thread;

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use serde::{Deserialize, Serialize};

use super::decode::{Decoder, DecoderState, Part, Source};

/// Parts that a thread decodes ahead.
const AHEAD: usize = 16;

/// Where parts come from.
pub struct Feed {
    decoders: Decoders,
    state: FeedState,
}

enum Decoders {
    Here(Box<Decoder>),
    /// Threads that decode shards of the shard.
    Threads(Vec<Receiver<PyResult<Part>>>),
}

/// How far a feed is.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct FeedState {
    /// Of each decoder, after the last of its parts that was taken.
    decoders: Vec<DecoderState>,
    /// Which of them have ended the epoch, and wait for the others.
    have_ended: Vec<bool>,
    /// The one whose turn it is.
    turn: usize,
}

impl FeedState {
    /// At the start of an epoch.
    pub fn at(epoch: u64, workers: usize) -> FeedState {
        let decoders = workers.max(1);
        FeedState {
            decoders: vec![DecoderState::at(epoch); decoders],
            have_ended: vec![false; decoders],
            turn: 0,
        }
    }

    /// Whether it is one of a feed with so many workers.
    pub fn suits(&self, workers: usize) -> bool {
        let decoders = workers.max(1);
        self.decoders.len() == decoders && self.have_ended.len() == decoders && self.turn < decoders
    }
}

impl Feed {
    /// On the calling thread if there are no workers. Workers begin a new epoch only if they are
    /// endless.
    pub fn new(source: &Source, workers: usize, endless: bool, state: FeedState) -> PyResult<Feed> {
        let decoders = if workers == 0 {
            let decoder = Decoder::new(source.clone(), state.decoders[0].clone());
            Decoders::Here(Box::new(decoder))
        } else {
            let (index, shards) = source.shard;
            let worker = |(nth, from): (usize, &DecoderState)| {
                let workers = workers as u64;
                let mut source = source.clone();
                source.shard = (index * workers + nth as u64, shards * workers);
                // One that has ended an epoch is at the start of the next one.
                let is_done = state.have_ended[nth] && !endless;
                start(Decoder::new(source, from.clone()), endless, is_done)
            };
            let threads = state.decoders.iter().enumerate().map(worker);
            Decoders::Threads(threads.collect::<PyResult<_>>()?)
        };
        Ok(Feed { decoders, state })
    }

    /// How far it is.
    pub fn state(&self) -> &FeedState {
        &self.state
    }

    /// The next part; one without entries ends the epoch. The workers take turns.
    pub fn next(&mut self) -> PyResult<Part> {
        let mut last = None;
        let decoders = self.state.decoders.len();
        for nth in 0..decoders {
            let number = (self.state.turn + nth) % decoders;
            if self.state.have_ended[number] {
                continue;
            }
            let part = match &mut self.decoders {
                Decoders::Here(decoder) => decoder.next()?,
                Decoders::Threads(threads) => threads[number].recv().unwrap_or_else(|_| {
                    let why = "internal error in a worker thread";
                    Err(PyRuntimeError::new_err(why))
                })?,
            };
            self.state.decoders[number] = part.state.clone();
            self.state.have_ended[number] = part.entries.is_none();
            if part.entries.is_some() {
                self.state.turn = (number + 1) % decoders;
                return Ok(part);
            }
            last = Some(part);
        }
        self.state.have_ended.fill(false);
        self.state.turn = 0;
        Ok(last.unwrap_or_else(|| Part {
            entries: None,
            counts: super::decode::Counts::default(),
            state: self.state.decoders[0].clone(),
        }))
    }
}

/// Starts a worker.
fn start(mut decoder: Decoder, endless: bool, is_done: bool) -> PyResult<Receiver<PyResult<Part>>> {
    let (sender, parts) = sync_channel(AHEAD);
    let decode = move || {
        let mut is_last = is_done;
        while !is_last {
            let part = decoder.next();
            let is_end = part.as_ref().map_or(true, |part| part.entries.is_none());
            is_last = part.is_err() || (is_end && !endless);
            if sender.send(part).is_err() {
                return;
            }
        }
    };
    let started = thread::Builder::new().spawn(decode);
    started.map_err(|error| PyRuntimeError::new_err(error.to_string()))?;
    Ok(parts)
}
