//! A thread's ring of slots: filling, computing and reading overlap.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

use super::context::Context;
use super::errors::guarded;
use super::pipelines::{Passes, Pipelines};
use super::slot::Slot;
use crate::Rules;
use crate::backend::BackendError;
use crate::gpu::program::{Chunk, Workload};

/// One is filled or read, one is computed, one waits.
const SLOTS: usize = 3;

/// The slots of a thread that feeds the device.
pub(super) struct Worker {
    slots: [Slot; SLOTS],
}

/// A chunk with the slots for its answers.
pub(super) struct Piece<'a, W: Workload> {
    pub chunk: Chunk,
    pub answers: &'a mut [W::Answer],
}

/// The remaining chunks of some work.
pub(super) struct Queue<'a, W: Workload> {
    pub work: &'a W,
    pub rules: &'a Rules,
    pub passes: Passes,
    pub left: Mutex<std::vec::IntoIter<Piece<'a, W>>>,
}

impl<'a, W: Workload> Queue<'a, W> {
    fn next(&self) -> Option<Piece<'a, W>> {
        let mut left = self.left.lock().unwrap_or_else(PoisonError::into_inner);
        left.next()
    }

    /// Discards the remaining chunks.
    fn stop(&self) {
        let mut left = self.left.lock().unwrap_or_else(PoisonError::into_inner);
        left.by_ref().for_each(drop);
    }
}

impl Worker {
    /// Call it under error scopes.
    pub fn new(context: &Context, pipelines: &Pipelines) -> Worker {
        Worker {
            slots: core::array::from_fn(|_| Slot::new(context, pipelines)),
        }
    }

    /// Works on chunks until none is left; returns the kernels' ticks. An error stops the other
    /// workers too.
    pub fn run<W: Workload>(
        &mut self,
        context: &Context,
        queue: &Queue<W>,
    ) -> Result<u64, BackendError> {
        let result = self.take_turns(context, queue);
        if result.is_err() {
            queue.stop();
        }
        result
    }

    fn take_turns<W: Workload>(
        &mut self,
        context: &Context,
        queue: &Queue<W>,
    ) -> Result<u64, BackendError> {
        let mut under_way = VecDeque::with_capacity(SLOTS);
        let mut turns = (0..SLOTS).cycle();
        let mut ticks = 0_u64;
        loop {
            let next = queue.next();
            if next.is_none() || under_way.len() == SLOTS {
                let Some((turn, answers)) = under_way.pop_front() else {
                    return Ok(ticks);
                };
                let slot: &mut Slot = &mut self.slots[turn];
                let collect = || slot.collect(context, queue.work, answers);
                ticks = ticks.saturating_add(guarded(&context.device, collect)?);
            }
            if let (Some(piece), Some(turn)) = (next, turns.next()) {
                let slot = &mut self.slots[turn];
                guarded(&context.device, || {
                    slot.send(
                        context,
                        &queue.passes,
                        queue.work,
                        &piece.chunk,
                        queue.rules,
                    )
                })?;
                under_way.push_back((turn, piece.answers));
            }
        }
    }
}
