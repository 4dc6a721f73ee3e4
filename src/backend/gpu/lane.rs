//! One thread's ring of slots: filling, computing and reading overlap.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

use super::chunks::Chunk;
use super::engine::Shared;
use super::errors::guarded;
use super::pipelines::Pipelines;
use super::slot::Slot;
use crate::backend::BackendError;
use crate::{Batch, Rules};

/// One is filled or read while the device is at work on another, and one waits.
const SLOTS: usize = 3;

pub(super) struct Lane {
    slots: Vec<Slot>,
}

/// A chunk, and where its scores belong.
pub(super) struct Job<'a> {
    pub chunk: Chunk,
    pub scores: &'a mut [i32],
}

/// What is left of a batch.
pub(super) struct Jobs<'a> {
    pub batch: &'a Batch,
    pub rules: &'a Rules,
    pub pipeline: wgpu::ComputePipeline,
    pub left: Mutex<std::vec::IntoIter<Job<'a>>>,
}

impl<'a> Jobs<'a> {
    fn next(&self) -> Option<Job<'a>> {
        let mut left = self.left.lock().unwrap_or_else(PoisonError::into_inner);
        left.next()
    }

    /// Leaves nothing to do for anyone.
    fn stop(&self) {
        let mut left = self.left.lock().unwrap_or_else(PoisonError::into_inner);
        left.by_ref().for_each(drop);
    }
}

impl Lane {
    /// Must be called under error scopes.
    pub fn new(
        shared: &Shared,
        pipelines: &Pipelines,
        masks: &wgpu::Buffer,
        measured: bool,
    ) -> Lane {
        let slot = |_| {
            let mut slot = Slot::new(&shared.device, pipelines, masks, shared.capacity);
            if measured {
                slot.measure(&shared.device);
            }
            slot
        };
        Lane {
            slots: (0..SLOTS).map(slot).collect(),
        }
    }

    /// Scores chunks until none is left; the ticks of their kernels. An error
    /// stops the other lanes too.
    pub fn run(&mut self, shared: &Shared, jobs: &Jobs) -> Result<u64, BackendError> {
        let result = self.take_turns(shared, jobs);
        if result.is_err() {
            jobs.stop();
        }
        result
    }

    fn take_turns(&mut self, shared: &Shared, jobs: &Jobs) -> Result<u64, BackendError> {
        let mut under_way = VecDeque::with_capacity(SLOTS);
        let mut turns = (0..SLOTS).cycle();
        let mut ticks = 0_u64;
        loop {
            let next = jobs.next();
            if next.is_none() || under_way.len() == SLOTS {
                let Some((turn, scores)) = under_way.pop_front() else {
                    return Ok(ticks);
                };
                ticks = ticks.saturating_add(self.collect(turn, shared, scores)?);
            }
            if let (Some(job), Some(turn)) = (next, turns.next()) {
                self.send(turn, shared, jobs, &job.chunk)?;
                under_way.push_back((turn, job.scores));
            }
        }
    }

    fn send(
        &mut self,
        turn: usize,
        shared: &Shared,
        jobs: &Jobs,
        chunk: &Chunk,
    ) -> Result<(), BackendError> {
        let slot = &mut self.slots[turn];
        guarded(&shared.device, || {
            let groups = slot.fill(jobs.batch, chunk, jobs.rules, shared.max_workgroups)?;
            slot.submit(&shared.device, &shared.queue, &jobs.pipeline, chunk, groups);
            Ok(())
        })
    }

    fn collect(
        &mut self,
        turn: usize,
        shared: &Shared,
        scores: &mut [i32],
    ) -> Result<u64, BackendError> {
        let slot = &mut self.slots[turn];
        guarded(&shared.device, || {
            slot.collect(&shared.device, shared.timeout, scores)
        })
    }
}
