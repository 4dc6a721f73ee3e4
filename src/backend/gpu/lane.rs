//! One thread's ring of slots: filling, computing and reading overlap.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

use super::chunks::Chunk;
use super::engine::Shared;
use super::errors::guarded;
use super::pipelines::Pipelines;
use super::slot::Slot;
use super::task::Task;
use crate::Rules;
use crate::backend::BackendError;

/// One is filled or read while the device is at work on another, and one waits.
const SLOTS: usize = 3;

pub(super) struct Lane {
    slots: Vec<Slot>,
}

/// A chunk, and where its results belong.
pub(super) struct Job<'a, T: Task> {
    pub chunk: Chunk,
    pub outputs: &'a mut [T::Output],
}

/// What is left of a task.
pub(super) struct Jobs<'a, T: Task> {
    pub task: &'a T,
    pub rules: &'a Rules,
    pub pipeline: wgpu::ComputePipeline,
    pub left: Mutex<std::vec::IntoIter<Job<'a, T>>>,
}

impl<'a, T: Task> Jobs<'a, T> {
    fn next(&self) -> Option<Job<'a, T>> {
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

    /// Does chunks until none is left; the ticks of their kernels. An error
    /// stops the other lanes too.
    pub fn run<T: Task>(&mut self, shared: &Shared, jobs: &Jobs<T>) -> Result<u64, BackendError> {
        let result = self.take_turns(shared, jobs);
        if result.is_err() {
            jobs.stop();
        }
        result
    }

    fn take_turns<T: Task>(
        &mut self,
        shared: &Shared,
        jobs: &Jobs<T>,
    ) -> Result<u64, BackendError> {
        let mut under_way = VecDeque::with_capacity(SLOTS);
        let mut turns = (0..SLOTS).cycle();
        let mut ticks = 0_u64;
        loop {
            let next = jobs.next();
            if next.is_none() || under_way.len() == SLOTS {
                let Some((turn, outputs)) = under_way.pop_front() else {
                    return Ok(ticks);
                };
                ticks = ticks.saturating_add(self.collect(turn, shared, jobs, outputs)?);
            }
            if let (Some(job), Some(turn)) = (next, turns.next()) {
                self.send(turn, shared, jobs, &job.chunk)?;
                under_way.push_back((turn, job.outputs));
            }
        }
    }

    fn send<T: Task>(
        &mut self,
        turn: usize,
        shared: &Shared,
        jobs: &Jobs<T>,
        chunk: &Chunk,
    ) -> Result<(), BackendError> {
        let slot = &mut self.slots[turn];
        guarded(&shared.device, || {
            let groups = slot.fill(jobs.task, chunk, jobs.rules, shared.grid)?;
            let (device, queue) = (&shared.device, &shared.queue);
            slot.submit(jobs.task, device, queue, &jobs.pipeline, chunk, groups);
            Ok(())
        })
    }

    fn collect<T: Task>(
        &mut self,
        turn: usize,
        shared: &Shared,
        jobs: &Jobs<T>,
        outputs: &mut [T::Output],
    ) -> Result<u64, BackendError> {
        let slot = &mut self.slots[turn];
        guarded(&shared.device, || {
            slot.collect(jobs.task, &shared.device, shared.timeout, outputs)
        })
    }
}
