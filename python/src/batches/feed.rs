//! Where positions come from, in an order that does not depend on timing or on how many threads
//! there are.
//!
//! A [`Supply`] gives the positions of some files, part by part: of all files or, if there are
//! weights, of one. With weights the [`Feed`] draws single positions from the supplies, each time
//! from the one that is behind, by the number of its positions divided by its weight. A supply at
//! its end begins anew, until each has been through once: then the epoch ends.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;

use pyo3::prelude::*;
use serde::{Deserialize, Serialize};
use swaplist_files::mix::Clock;

use super::entry::{Counts, Entry};
use super::reader::{AfterPass, PART};
use super::source::Source;
use super::supply::{Drawn, Supply, SupplyState};

/// Some positions on their way to the window.
pub struct Given {
    /// `None` at the end of an epoch.
    pub entries: Option<Vec<Entry>>,
    /// What became of the records that were read for them.
    pub counts: Counts,
}

/// Draws positions from supplies.
pub struct Feed {
    source: Source,
    weights: Option<Vec<f64>>,
    workers: usize,
    endless: bool,
    /// The state that the supplies are started from.
    start: FeedState,
    /// Empty before the first part of an epoch.
    supplies: Vec<Supply>,
    /// The supplies by when their next positions are due: the one that is behind comes first. Empty
    /// without weights.
    due: BinaryHeap<Reverse<(u64, usize)>>,
}

/// How far a feed is.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct FeedState {
    supplies: Vec<SupplyState>,
}

impl FeedState {
    /// At the start of an epoch.
    pub fn at(epoch: u64, weights: Option<&[f64]>) -> FeedState {
        let supplies = weights.map_or(1, <[f64]>::len);
        FeedState {
            supplies: vec![SupplyState::at(epoch); supplies],
        }
    }

    /// Whether it is the state of a feed with these weights.
    pub fn suits(&self, weights: Option<&[f64]>) -> bool {
        self.supplies.len() == weights.map_or(1, <[f64]>::len)
    }
}

impl Feed {
    /// A feed that goes on from a state. A supply without a worker decodes on the calling thread.
    pub fn new(
        source: &Source,
        weights: Option<&[f64]>,
        workers: usize,
        endless: bool,
        state: FeedState,
    ) -> Feed {
        Feed {
            source: source.clone(),
            weights: weights.map(<[f64]>::to_vec),
            workers,
            endless,
            start: state,
            supplies: Vec::new(),
            due: BinaryHeap::new(),
        }
    }

    /// How far it is.
    pub fn state(&self) -> FeedState {
        if self.supplies.is_empty() {
            return self.start.clone();
        }
        FeedState {
            supplies: self.supplies.iter().map(Supply::state).collect(),
        }
    }

    /// Reads the next positions.
    pub fn next(&mut self) -> PyResult<Given> {
        if self.supplies.is_empty() {
            self.begin();
        }
        let mut counts = Counts::default();
        let entries = if self.weights.is_some() {
            self.mixed(&mut counts)?
        } else {
            self.supplies[0].part(&mut counts)?
        };
        Ok(Given { entries, counts })
    }

    /// Starts the supplies.
    fn begin(&mut self) {
        let states = self.start.supplies.iter().cloned();
        let Some(weights) = &self.weights else {
            let after_pass = if self.endless {
                AfterPass::NextEpoch
            } else {
                AfterPass::Stop
            };
            self.supplies = states
                .map(|state| Supply::start(self.source.clone(), state, self.workers, after_pass))
                .collect();
            return;
        };
        let workers = dealt(self.workers, weights);
        for ((number, state), workers) in states.enumerate().zip(workers) {
            let source = Source {
                numbers: number..number + 1,
                ..self.source.clone()
            };
            let supply = Supply::start(source, state, workers, AfterPass::ReadAgain);
            if !supply.is_empty() {
                let weight = weights[number];
                let time = Clock::Weight { weight }.time(0, supply.drawn());
                self.due.push(Reverse((time, number)));
            }
            self.supplies.push(supply);
        }
    }

    /// Draws some positions from all supplies, by weight; `None` once each was read to its end.
    fn mixed(&mut self, counts: &mut Counts) -> PyResult<Option<Vec<Entry>>> {
        let weights = self.weights.as_deref().unwrap_or_default();
        let mut mixed = Vec::with_capacity(PART);
        let mut is_over = self.supplies.iter().all(Supply::is_done);
        while mixed.len() < PART && !is_over {
            let Some(mut first) = self.due.peek_mut() else {
                break;
            };
            let number = first.0.1;
            let supply = &mut self.supplies[number];
            match supply.draw(counts)? {
                Drawn::Position(entry) => {
                    mixed.push(entry);
                    let weight = weights[number];
                    first.0.0 = Clock::Weight { weight }.time(0, supply.drawn());
                }
                // Nothing was kept for some time: the caller may want to look for signals.
                Drawn::Nothing => return Ok(Some(mixed)),
                Drawn::EndOfPass => {
                    if supply.is_empty() {
                        PeekMut::pop(first);
                    }
                    is_over = self.supplies.iter().all(Supply::is_done);
                }
            }
        }
        if !mixed.is_empty() {
            return Ok(Some(mixed));
        }
        let epoch = self.start.supplies[0].epoch() + 1;
        self.start = FeedState::at(epoch, self.weights.as_deref());
        self.supplies.clear();
        self.due.clear();
        Ok(None)
    }
}

/// Deals the workers out to the supplies, so that those with more weight have more of them.
#[allow(clippy::cast_precision_loss)] // few
fn dealt(workers: usize, weights: &[f64]) -> Vec<usize> {
    let mut dealt = vec![0; weights.len()];
    for _ in 0..workers {
        let need = |number: &usize| weights[*number] / (dealt[*number] + 1) as f64;
        let neediest = (0..dealt.len()).max_by(|one, other| need(one).total_cmp(&need(other)));
        if let Some(number) = neediest {
            dealt[number] += 1;
        }
    }
    dealt
}
