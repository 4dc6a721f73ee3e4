//! A device's workers and how work is divided among them.

use core::num::NonZeroUsize;
use core::time::Duration;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use super::context::Context;
use super::errors::{Mailbox, guarded, or_lost};
use super::options::Options;
use super::pipelines::Pipelines;
use super::timing::duration;
use super::worker::{Piece, Queue, Worker};
use crate::Rules;
use crate::backend::BackendError;
use crate::gpu::program::{Capacity, Slots, Work};

/// The default limit on workers: enough to fill a bus.
const MAX_WORKERS: usize = 8;

/// Several threads may use it at once: each takes its own workers.
pub(super) struct Engine {
    pub context: Context,
    pub pipelines: Pipelines,
    workers: Mutex<Workers>,
    /// Signals that workers were returned.
    returned: Condvar,
    max_workers: usize,
}

/// Idle workers and the number made so far; they are made when first needed.
#[derive(Default)]
struct Workers {
    idle: Vec<Worker>,
    made: usize,
    /// Set after an error, when workers may hold unfinished work: none is given out.
    closed: Option<BackendError>,
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
            workers: Mutex::default(),
            returned: Condvar::new(),
            max_workers: options.workers.unwrap_or(cores.min(MAX_WORKERS)),
        };
        let first = engine.take_workers(1).map(drop);
        engine.context.explained(first)?;
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

    /// Cuts the work into chunks, which workers take one by one.
    fn share_out(
        &self,
        work: &Work<'_>,
        rules: &Rules,
        slots: Slots<'_>,
    ) -> Result<u64, BackendError> {
        let passes = self.pipelines.passes(&self.context, work, rules)?;
        let pieces = pieces(work, slots, self.context.capacity);
        let mut taken = self.take_workers(pieces.len())?;
        let queue = Queue {
            work,
            rules,
            passes,
            left: Mutex::new(pieces.into_iter()),
        };
        let result = run(&mut taken.workers, &self.context, &queue);
        taken.failed = result.as_ref().err().cloned();
        result
    }

    /// Takes as many workers as wanted or available; waits for at least one.
    fn take_workers(&self, wanted: usize) -> Result<TakenWorkers<'_>, BackendError> {
        let none = |workers: &mut Workers| {
            workers.closed.is_none() && workers.idle.is_empty() && workers.made >= self.max_workers
        };
        let workers = self.returned.wait_while(self.workers(), none);
        let mut workers = workers.unwrap_or_else(PoisonError::into_inner);
        if let Some(error) = &workers.closed {
            return Err(error.clone());
        }
        while workers.idle.len() < wanted && workers.made < self.max_workers {
            let make = || Ok(Worker::new(&self.context, &self.pipelines));
            let worker = guarded(&self.context.device, make)?;
            workers.idle.push(worker);
            workers.made += 1;
        }
        let kept = workers.idle.len().saturating_sub(wanted.max(1));
        Ok(TakenWorkers {
            workers: workers.idle.split_off(kept),
            engine: self,
            failed: None,
        })
    }

    fn workers(&self) -> MutexGuard<'_, Workers> {
        self.workers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Workers in use, returned on drop.
struct TakenWorkers<'a> {
    workers: Vec<Worker>,
    engine: &'a Engine,
    failed: Option<BackendError>,
}

impl Drop for TakenWorkers<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.failed = Some(BackendError::Device("a thread panicked".to_owned()));
        }
        let mut workers = self.engine.workers();
        workers.idle.append(&mut self.workers);
        workers.closed = workers.closed.take().or(self.failed.take());
        drop(workers);
        self.engine.returned.notify_all();
    }
}

/// The chunks of some work with the slots for their answers.
fn pieces<'a>(work: &Work<'_>, mut left: Slots<'a>, capacity: Capacity) -> Vec<Piece<'a>> {
    let mut pieces: Vec<Piece> = Vec::new();
    while let Some(chunk) = work.chunk_after(pieces.last().map(|piece| &piece.chunk), capacity) {
        let (slots, others) = left.split(work.answers(&chunk));
        left = others;
        pieces.push(Piece { chunk, slots });
    }
    pieces
}

/// Runs all workers, the first on this thread. The threads are not rayon's: rayon could start
/// another batch on a waiting thread, which would then wait for this batch.
fn run(workers: &mut [Worker], context: &Context, queue: &Queue<'_>) -> Result<u64, BackendError> {
    let Some((first, others)) = workers.split_first_mut() else {
        return Ok(0);
    };
    thread::scope(|scope| {
        let mut threads = Vec::new();
        for worker in others {
            let thread = thread::Builder::new().name("swaplist".to_owned());
            // Without a thread, the running workers do its share.
            threads.extend(thread.spawn_scoped(scope, || worker.run(context, queue)));
        }
        let mut ticks = first.run(context, queue);
        for thread in threads {
            let panicked = |_| Err(BackendError::Device("a thread panicked".to_owned()));
            let result = thread.join().unwrap_or_else(panicked);
            ticks = ticks.and_then(|sum| Ok(sum.saturating_add(result?)));
        }
        ticks
    })
}
