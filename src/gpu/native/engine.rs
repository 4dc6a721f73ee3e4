//! A device's slots, and the threads that feed it.

use core::num::NonZeroUsize;
use core::time::Duration;
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::{thread, vec};

use super::context::Context;
use super::errors::{Mailbox, guarded, or_lost};
use super::options::Options;
use super::pipelines::{Passes, Pipelines};
use super::slot::Slot;
use super::timing::duration;
use crate::Rules;
use crate::backend::BackendError;
use crate::gpu::program::{Capacity, Chunk, Slots, Work};

/// The default limit on threads that feed a device: enough to fill a bus.
const MAX_WORKERS: usize = 8;

/// The slots of a thread, so that filling, computing and reading overlap.
type Ring = [Slot; SLOTS];

/// One is filled or read, one is computed, one waits.
const SLOTS: usize = 3;

/// Several threads may use it at once: each takes a ring.
pub(super) struct Engine {
    pub context: Context,
    pub pipelines: Pipelines,
    rings: Mutex<Rings>,
    /// Signals that a ring was returned.
    returned: Condvar,
    max_rings: usize,
}

/// Idle rings and the number made so far; they are made when first needed.
#[derive(Default)]
struct Rings {
    idle: Vec<Ring>,
    made: usize,
    /// Set after an error, when rings may hold unfinished work: none is given out.
    closed: Option<BackendError>,
}

/// Some work, with its remaining chunks and the slots for their answers.
struct Queue<'a> {
    work: &'a Work<'a>,
    rules: &'a Rules,
    passes: Passes,
    left: Mutex<vec::IntoIter<(Chunk, Slots<'a>)>>,
}

impl Engine {
    pub fn new(
        device: wgpu::Device,
        queue: wgpu::Queue,
        mailbox: Mailbox,
        options: &Options,
    ) -> Result<Engine, BackendError> {
        let context = Context::new(device, queue, mailbox, options)?;
        let pipelines = Pipelines::new(&context, options);
        let cores = thread::available_parallelism().map_or(1, NonZeroUsize::get);
        let engine = Engine {
            pipelines: pipelines.map_err(|error| or_lost(&context.device, error))?,
            context,
            rings: Mutex::default(),
            returned: Condvar::new(),
            max_rings: options.workers.unwrap_or(cores.min(MAX_WORKERS)),
        };
        let first = engine.context.explained(engine.take_ring(true))?;
        engine.rings().idle.extend(first);
        Ok(engine)
    }

    /// Does all of some work; returns the kernels' time if measured.
    pub fn run(
        &self,
        work: &Work<'_>,
        rules: &Rules,
        slots: Slots<'_>,
    ) -> Result<Option<Duration>, BackendError> {
        let result = self.share_out(work, rules, slots);
        let ticks = self.context.explained(result)?;
        Ok(self.context.tick.map(|tick| duration(ticks, tick)))
    }

    /// Cuts the work into chunks, which this thread takes one by one, and others if there are
    /// several: a block of a job is one. The threads are not rayon's: rayon could start another
    /// batch on a waiting thread, which would then wait for this batch.
    fn share_out(
        &self,
        work: &Work<'_>,
        rules: &Rules,
        slots: Slots<'_>,
    ) -> Result<u64, BackendError> {
        let passes = self.pipelines.passes(&self.context, work, rules)?;
        let chunks = chunks(work, slots, self.context.capacity);
        let helpers = chunks.len().clamp(1, self.max_rings) - 1;
        let queue = Queue {
            work,
            rules,
            passes,
            left: Mutex::new(chunks.into_iter()),
        };
        thread::scope(|scope| {
            let mut threads = Vec::new();
            for _ in 0..helpers {
                let thread = thread::Builder::new().name("swaplist".to_owned());
                // Without a thread, the others do its share.
                threads.extend(thread.spawn_scoped(scope, || self.feed(&queue, false)));
            }
            let own = self.feed(&queue, true);
            threads.into_iter().fold(own, |ticks, thread| {
                let result = thread.join().unwrap_or_else(|_| Err(panicked()));
                Ok(ticks?.saturating_add(result?))
            })
        })
    }

    /// Works on chunks until none is left, if a ring is free or after waiting for one; returns
    /// the kernels' ticks. An error stops the other threads too.
    fn feed(&self, queue: &Queue<'_>, waits: bool) -> Result<u64, BackendError> {
        let Some(mut ring) = self.take_ring(waits)? else {
            return Ok(0);
        };
        let work = AssertUnwindSafe(|| queue.take_turns(&self.context, &mut ring));
        let result = catch_unwind(work).unwrap_or_else(|_| Err(panicked()));
        let mut rings = self.rings();
        rings.idle.push(ring);
        if let Err(error) = &result {
            rings.closed.get_or_insert(error.clone());
            queue.left().by_ref().for_each(drop);
        }
        self.returned.notify_all();
        result
    }

    /// An idle ring, or a new one; `None` if there are as many as allowed, unless it `waits`.
    fn take_ring(&self, waits: bool) -> Result<Option<Ring>, BackendError> {
        let none = |rings: &mut Rings| {
            let all_in_use = rings.idle.is_empty() && rings.made >= self.max_rings;
            waits && all_in_use && rings.closed.is_none()
        };
        let rings = self.returned.wait_while(self.rings(), none);
        let mut rings = rings.unwrap_or_else(PoisonError::into_inner);
        if let Some(error) = &rings.closed {
            return Err(error.clone());
        }
        let idle = rings.idle.pop();
        if idle.is_some() || rings.made >= self.max_rings {
            return Ok(idle);
        }
        let slot = |_| Slot::new(&self.context, &self.pipelines);
        let ring = guarded(&self.context.device, || Ok(core::array::from_fn(slot)))?;
        rings.made += 1;
        Ok(Some(ring))
    }

    fn rings(&self) -> MutexGuard<'_, Rings> {
        self.rings.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<'a> Queue<'a> {
    fn left(&self) -> MutexGuard<'_, vec::IntoIter<(Chunk, Slots<'a>)>> {
        self.left.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn take_turns(&self, context: &Context, ring: &mut Ring) -> Result<u64, BackendError> {
        let Queue { work, rules, .. } = *self;
        let mut under_way = VecDeque::with_capacity(SLOTS);
        let mut turns = (0..SLOTS).cycle();
        let mut ticks = 0_u64;
        loop {
            let next = self.left().next();
            if next.is_none() || under_way.len() == SLOTS {
                let Some((turn, mut slots)) = under_way.pop_front() else {
                    return Ok(ticks);
                };
                let slot: &mut Slot = &mut ring[turn];
                let collect = || slot.collect(context, work, &mut slots);
                ticks = ticks.saturating_add(guarded(&context.device, collect)?);
            }
            if let (Some((chunk, slots)), Some(turn)) = (next, turns.next()) {
                let slot = &mut ring[turn];
                let send = || slot.send(context, &self.passes, work, &chunk, rules);
                guarded(&context.device, send)?;
                under_way.push_back((turn, slots));
            }
        }
    }
}

/// The chunks of some work with the slots for their answers.
fn chunks<'a>(work: &Work<'_>, mut left: Slots<'a>, capacity: Capacity) -> Vec<(Chunk, Slots<'a>)> {
    let mut chunks: Vec<(Chunk, Slots<'a>)> = Vec::new();
    while let Some(chunk) = work.chunk_after(chunks.last().map(|(chunk, _)| chunk), capacity) {
        let slots = left.take(work.answers(&chunk));
        chunks.push((chunk, slots));
    }
    chunks
}

fn panicked() -> BackendError {
    BackendError::Device("a thread panicked".to_owned())
}
