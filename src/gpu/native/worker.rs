//! A thread's ring of slots: filling, computing and reading overlap.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

use super::context::Context;
use super::errors::guarded;
use super::pipelines::{Passes, Pipelines};
use super::slot::Slot;
use crate::Rules;
use crate::backend::BackendError;
use crate::gpu::program::{Chunk, Slots, Work};

/// One is filled or read, one is computed, one waits.
const SLOTS: usize = 3;

/// The slots of a thread that feeds the device.
pub(super) struct Worker {
    slots: [Slot; SLOTS],
}

/// A chunk with the slots for its answers.
pub(super) struct Piece<'a> {
    pub chunk: Chunk,
    pub slots: Slots<'a>,
}

/// The remaining chunks of some work.
pub(super) struct Queue<'a> {
    pub work: &'a Work<'a>,
    pub rules: &'a Rules,
    pub passes: Passes,
    pub left: Mutex<std::vec::IntoIter<Piece<'a>>>,
}

impl<'a> Queue<'a> {
    fn next(&self) -> Option<Piece<'a>> {
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
    pub fn run(&mut self, context: &Context, queue: &Queue<'_>) -> Result<u64, BackendError> {
        let result = self.take_turns(context, queue);
        if result.is_err() {
            queue.stop();
        }
        result
    }

    fn take_turns(&mut self, context: &Context, queue: &Queue<'_>) -> Result<u64, BackendError> {
        let mut under_way = VecDeque::with_capacity(SLOTS);
        let mut turns = (0..SLOTS).cycle();
        let mut ticks = 0_u64;
        loop {
            let next = queue.next();
            if next.is_none() || under_way.len() == SLOTS {
                let Some((turn, mut slots)) = under_way.pop_front() else {
                    return Ok(ticks);
                };
                let slot: &mut Slot = &mut self.slots[turn];
                let collect = || slot.collect(context, queue.work, &mut slots);
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
                under_way.push_back((turn, piece.slots));
            }
        }
    }
}
