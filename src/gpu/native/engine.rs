//! A device's slots, and the threads that feed it.

use core::num::NonZeroUsize;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::{thread, vec};

use super::context::Context;
use super::errors::guarded;
use super::options::Options;
use super::pipelines::Pipelines;
use super::slot::Slot;
use crate::backend::BackendError;
use crate::gpu::program::{Chunk, Slots, Work};

/// The default limit on chunks in flight: enough to fill a bus.
const MAX_WORKERS: usize = 16;

/// Several threads may use it at once: each takes a slot, so that filling, computing and reading
/// overlap.
pub(super) struct Engine {
    pub context: Context,
    pub pipelines: Pipelines,
    pool: Mutex<Pool>,
    /// Signals that a slot was returned.
    returned: Condvar,
    max_slots: usize,
}

/// Idle slots and the number made so far; they are made when first needed.
#[derive(Default)]
struct Pool {
    idle: Vec<Slot>,
    made: usize,
    /// Set after an error, when slots may hold unfinished work: none is given out.
    closed: Option<BackendError>,
}

/// Some work, the pipelines that its chunks pass through, and its remaining chunks with the slots
/// for their answers.
pub(super) struct Queue<'a> {
    pub work: &'a Work<'a>,
    pub decoder: Option<wgpu::ComputePipeline>,
    pub kernel: wgpu::ComputePipeline,
    left: Mutex<vec::IntoIter<(Chunk, Slots<'a>)>>,
}

impl Engine {
    pub fn new(context: Context, options: &Options) -> Result<Engine, BackendError> {
        let pipelines = Pipelines::new(&context, options);
        let cores = thread::available_parallelism().map_or(1, NonZeroUsize::get);
        let engine = Engine {
            pipelines: pipelines.map_err(|error| context.or_lost(error))?,
            context,
            pool: Mutex::default(),
            returned: Condvar::new(),
            // While one thread waits for the device, another fills or reads.
            max_slots: options.workers.unwrap_or((2 * cores).min(MAX_WORKERS)),
        };
        let first = engine.context.explained(engine.take_slot(true))?;
        engine.pool().idle.extend(first);
        Ok(engine)
    }

    /// Cuts work into chunks, which this thread takes one by one, and others if there are
    /// several: a block of a job is one. The threads are not rayon's: rayon could start another
    /// batch on a waiting thread, which would then wait for this batch.
    pub fn run(&self, work: &Work<'_>, mut slots: Slots<'_>) -> Result<(), BackendError> {
        let (context, kernel) = (&self.context, work.kernel());
        let (device, grid, capacity) = (&context.device, context.grid, context.capacity);
        let decoder = work.coding().map(|coding| kernel.decoder(coding, grid));
        let decoder = decoder.map(|entry| self.pipelines.decoders.pipeline(device, entry));
        let kernel = kernel.entry(&work.rules, grid);
        let mut chunks: Vec<(Chunk, Slots<'_>)> = Vec::new();
        while let Some(chunk) = work.chunk_after(chunks.last().map(|last| &last.0), capacity) {
            let slots = slots.take(work.answers(&chunk));
            chunks.push((chunk, slots));
        }
        let helpers = chunks.len().clamp(1, self.max_slots) - 1;
        let queue = Queue {
            work,
            decoder: decoder.transpose()?,
            kernel: self.pipelines.kernels.pipeline(device, kernel)?,
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
            threads.into_iter().fold(own, |result, thread| {
                result.and(thread.join().unwrap_or_else(|_| Err(panicked())))
            })
        })
    }

    /// Works on chunks until none is left, if a slot is free or after waiting for one. An error
    /// stops the other threads too.
    fn feed(&self, queue: &Queue<'_>, waits: bool) -> Result<(), BackendError> {
        let Some(mut slot) = self.take_slot(waits)? else {
            return Ok(());
        };
        let work = AssertUnwindSafe(|| {
            while let Some((chunk, mut slots)) = queue.next() {
                guarded(&self.context.device, || {
                    slot.answer(&self.context, queue, &chunk, &mut slots)
                })?;
            }
            Ok(())
        });
        let result = catch_unwind(work).unwrap_or_else(|_| Err(panicked()));
        let mut pool = self.pool();
        pool.idle.push(slot);
        if let Err(error) = &result {
            pool.closed.get_or_insert(error.clone());
            while queue.next().is_some() {}
        }
        self.returned.notify_all();
        result
    }

    /// An idle slot, or a new one; `None` if there are as many as allowed, unless it `waits`.
    fn take_slot(&self, waits: bool) -> Result<Option<Slot>, BackendError> {
        let none = |pool: &mut Pool| {
            let all_in_use = pool.idle.is_empty() && pool.made >= self.max_slots;
            waits && all_in_use && pool.closed.is_none()
        };
        let pool = self.returned.wait_while(self.pool(), none);
        let mut pool = pool.unwrap_or_else(PoisonError::into_inner);
        if let Some(error) = &pool.closed {
            return Err(error.clone());
        }
        let idle = pool.idle.pop();
        if idle.is_some() || pool.made >= self.max_slots {
            return Ok(idle);
        }
        let make = || Ok(Slot::new(&self.context, &self.pipelines));
        let slot = guarded(&self.context.device, make)?;
        pool.made += 1;
        Ok(Some(slot))
    }

    fn pool(&self) -> MutexGuard<'_, Pool> {
        self.pool.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<'a> Queue<'a> {
    fn next(&self) -> Option<(Chunk, Slots<'a>)> {
        let mut left = self.left.lock().unwrap_or_else(PoisonError::into_inner);
        left.next()
    }
}

fn panicked() -> BackendError {
    BackendError::Device("a thread panicked".to_owned())
}
