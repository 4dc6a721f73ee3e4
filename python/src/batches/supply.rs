//! The positions of some files, part by part, decoded on the calling thread or on others.
//!
//! Threads share one [`Reader`]. Each takes the next unit from it and selects the positions of that
//! unit, and parts are given in the order of the units ([`ordered`]). So it does not matter how many
//! threads there are, and which is faster.

use std::sync::Arc;

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use serde::{Deserialize, Serialize};
use swaplist_files::ordered::{self, Ahead, Limits, Stopped};

use super::entry::{Counts, Entry};
use super::reader::{AfterPass, Reader, ReaderState};
use super::selection::{Part, Selector};
use super::skipping::{Curve, CurveState};
use super::source::Source;

/// How many parts a thread may be ahead of those that are taken, twice: at work, and done.
const AHEAD: usize = 8;

/// How far a supply is.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
pub struct SupplyState {
    /// Before the part in work.
    reader: ReaderState,
    curve: Option<CurveState>,
    /// How many positions of that part were given.
    given: usize,
    /// How many positions were given in this epoch.
    drawn: u64,
    /// Whether a position was given in the current pass.
    has_drawn: bool,
    /// Whether a pass has ended in this epoch.
    is_done: bool,
    /// Whether the last pass that ended had no position.
    is_empty: bool,
}

impl SupplyState {
    /// At the start of an epoch.
    pub fn at(epoch: u64) -> SupplyState {
        SupplyState {
            reader: ReaderState::at(epoch),
            ..SupplyState::default()
        }
    }

    /// The epoch that is read.
    pub fn epoch(&self) -> u64 {
        self.reader.epoch
    }
}

/// Gives the positions of some files.
pub struct Supply {
    source: Source,
    decoders: Decoders,
    /// What the curve of pieces has learnt after the part in work.
    curve: Option<Curve>,
    /// The part in work.
    entries: Vec<Entry>,
    /// How far the reader is after it.
    after: ReaderState,
    state: SupplyState,
    /// Whether the part in work had been begun when the state was taken from which this goes on.
    is_resumed: bool,
}

/// What a supply gives.
pub enum Drawn {
    Position(Entry),
    /// No position yet, as nothing of a part was kept. There may be more.
    Nothing,
    EndOfPass,
}

enum Decoders {
    Here(Box<(Reader, Selector)>),
    Ahead(Ahead<Part, PyErr>),
}

impl Supply {
    /// Goes on from a state, with so many threads.
    pub fn start(
        source: Source,
        state: SupplyState,
        workers: usize,
        after_pass: AfterPass,
    ) -> Supply {
        let reader = Reader::new(source.clone(), state.reader.clone(), after_pass);
        let decoders = Decoders::start(&source, reader, workers);
        let curve = source.skipping.as_ref().and_then(|skip| skip.curve());
        Supply {
            source,
            decoders,
            curve: curve.map(|curve| curve.at(state.curve.as_ref())),
            entries: Vec::new(),
            after: state.reader.clone(),
            is_resumed: state.given > 0,
            state,
        }
    }

    /// How far it is.
    pub fn state(&self) -> SupplyState {
        self.state.clone()
    }

    /// The positions given in this epoch.
    pub fn drawn(&self) -> u64 {
        self.state.drawn
    }

    /// Whether a pass has ended in this epoch.
    pub fn is_done(&self) -> bool {
        self.state.is_done
    }

    /// Whether the last pass that ended had no position.
    pub fn is_empty(&self) -> bool {
        self.state.is_empty
    }

    /// The next part as a whole; `None` at the end of a pass.
    pub fn part(&mut self, counts: &mut Counts) -> PyResult<Option<Vec<Entry>>> {
        let is_part = self.fetch(counts)?;
        self.finish_part();
        Ok(is_part.then(|| std::mem::take(&mut self.entries)))
    }

    /// The next position. At most one part is read for it.
    #[inline]
    pub fn draw(&mut self, counts: &mut Counts) -> PyResult<Drawn> {
        if (self.state.given >= self.entries.len() || self.is_resumed) && !self.fetch(counts)? {
            self.finish_part();
            self.state.is_done = true;
            self.state.is_empty = !self.state.has_drawn;
            self.state.has_drawn = false;
            return Ok(Drawn::EndOfPass);
        }
        let Some(&entry) = self.entries.get(self.state.given) else {
            self.finish_part();
            return Ok(Drawn::Nothing);
        };
        self.state.given += 1;
        self.state.drawn += 1;
        self.state.has_drawn = true;
        // A state never goes on after the last position of a part, but before the next part.
        if self.state.given == self.entries.len() {
            self.finish_part();
            self.entries.clear();
        }
        Ok(Drawn::Position(entry))
    }

    /// Notes that the part in work is given as a whole.
    fn finish_part(&mut self) {
        self.state.reader = self.after.clone();
        self.state.curve = self.curve.as_ref().map(Curve::state);
        self.state.given = 0;
    }

    /// Goes on to the next part; false at the end of a pass.
    fn fetch(&mut self, counts: &mut Counts) -> PyResult<bool> {
        let goes_on = std::mem::take(&mut self.is_resumed);
        if !goes_on {
            self.finish_part();
        }
        let mut part = self.decoders.next()?;
        self.after = part.state;
        let Some(mut entries) = part.entries else {
            self.entries.clear();
            counts.add(&part.counts);
            // What the curve has learnt does not go on from pass to pass.
            let skipping = self.source.skipping.as_ref();
            self.curve = skipping.and_then(|skip| skip.curve());
            return Ok(false);
        };
        if let Some(curve) = &mut self.curve {
            let all = entries.len();
            let mut draws = part.draws.iter();
            entries.retain(|entry| {
                let draw = draws.next().copied().unwrap_or_default();
                curve.takes(entry.pieces() as usize, draw)
            });
            part.counts.skip((all - entries.len()) as u64);
        }
        // A part that was begun before was counted then.
        if !goes_on {
            counts.add(&part.counts);
        }
        self.entries = entries;
        Ok(true)
    }
}

impl Decoders {
    fn start(source: &Source, reader: Reader, workers: usize) -> Decoders {
        let source = source.clone();
        let spare_parts = reader.spare_parts();
        let selector = move || Selector::new(source.clone(), Arc::clone(&spare_parts));
        if workers == 0 {
            return Decoders::Here(Box::new((reader, selector())));
        }
        let limits = Limits {
            in_flight: AHEAD * workers,
            ..Limits::new(workers)
        };
        let parts = ordered::ahead(limits, reader, selector, |unit, selector: &mut Selector| {
            selector.select(unit)
        });
        Decoders::Ahead(parts)
    }

    fn next(&mut self) -> PyResult<Part> {
        let part = match self {
            Decoders::Here(here) => {
                let (reader, selector) = &mut **here;
                reader.next().map(|unit| selector.select(unit?))
            }
            Decoders::Ahead(parts) => parts.next().map(|part| {
                part.map_err(|stopped| match stopped {
                    Stopped::Error(error) => error,
                    stopped => PyRuntimeError::new_err(stopped.to_string()),
                })
            }),
        };
        part.unwrap_or_else(|| Err(PyRuntimeError::new_err("internal error: no more parts")))
    }
}
