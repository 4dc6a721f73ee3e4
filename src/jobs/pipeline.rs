//! Reads, works and writes in parallel, in order and in bounded memory.
//!
//! A worker takes the next block under a lock, decodes and evaluates it without one, and puts
//! the result into [`Order`], where the workers write it. The number of blocks read but not
//! written is bounded. Large results are handed over in parts. Errors travel with their block,
//! so that the first one in the input is reported.

use core::mem;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::error::{Context as _, Error, ErrorKind, Result};
use crate::formats::{Block, Codec, Cut, Decoded, Invalid, Part, Reader, RecordError, unit_of};

mod order;
mod plan;
mod task;
#[cfg(test)]
mod tests;

use order::Order;
pub use plan::{Plan, Plans};
pub use task::{Done, Held, Parts, Step, Task};

/// Records outlined at a time, relative to those decoded: they take less memory without positions,
/// and a device wants many games at once.
const OUTLINED: usize = 4;

/// The input and how to read it.
pub struct Source<'a> {
    pub name: &'a str,
    pub reader: Box<dyn Reader + 'a>,
    pub codec: &'a dyn Codec,
    pub skip_invalid: bool,
}

/// Runs the task on every block and hands the results to `write`, in order, until that returns
/// `Break`.
pub fn run(
    source: Source<'_>,
    plans: Plans,
    task: &dyn Task,
    mut write: impl FnMut(Done) -> Result<ControlFlow<()>> + Send,
) -> Result<()> {
    let order = Order::new(|outcome: Result<Done>| {
        let mut done = outcome?;
        let invalid = done.invalid.take();
        match (write(done)?, invalid) {
            (ControlFlow::Continue(()), Some(error)) => Err(invalid_record(
                source.name,
                &error,
                source.codec.format().units(),
            )),
            (flow, _) => Ok(flow),
        }
    });
    let worker = Worker {
        name: source.name,
        codec: source.codec,
        skip_invalid: source.skip_invalid,
        plans,
        queue: Mutex::new(Queue {
            reader: source.reader,
            next: 0,
            ended: false,
        }),
        order: &order,
        task,
    };
    let started = std::thread::scope(|scope| {
        // None begins before all have started.
        let mut starting = worker.lock();
        let (workers, worker) = (plans.cpu.threads.max(plans.gpu.threads), &worker);
        for number in 0..workers {
            let work = move || worker.work(number);
            if let Err(error) = std::thread::Builder::new().spawn_scoped(scope, work) {
                starting.ended = true;
                order.all_read();
                let message = format!("cannot start {workers} worker threads: {error}");
                return Err(Error::new(ErrorKind::Threads(workers), message));
            }
        }
        Ok(())
    });
    drop(worker);
    started.and_then(|()| order.end())
}

/// A whole game or chain is skipped with its invalid record.
pub fn invalid_record(name: &str, error: &RecordError, units: Option<&'static str>) -> Error {
    let kind = match &error.reason {
        Invalid::Foreign {
            format: Some(name), ..
        } => ErrorKind::UnknownFormat(name.parse().into_iter().collect()),
        reason => ErrorKind::Invalid {
            is_unscored: matches!(
                reason,
                Invalid::Incomplete {
                    lacks: Part::Score,
                    ..
                }
            ),
            is_broken: matches!(
                reason,
                Invalid::InGame { .. } | Invalid::Fault(_) | Invalid::Position(_)
            ),
            units,
        },
    };
    Error::new(kind, format!("{name}, {}: {}", error.place, error.reason))
}

/// The input, one block at a time.
struct Queue<'a> {
    reader: Box<dyn Reader + 'a>,
    next: u64,
    ended: bool,
}

impl Queue<'_> {
    /// The next block and its number, or a read error; `None` at the end.
    fn take(&mut self) -> Option<(u64, Result<Block>)> {
        let block = self.reader.next_block().map_err(Error::from);
        let block = block.transpose();
        self.ended = !matches!(block, Some(Ok(_)));
        let number = self.next;
        self.next += 1;
        Some((number, block?))
    }
}

struct Worker<'a, W> {
    name: &'a str,
    codec: &'a dyn Codec,
    skip_invalid: bool,
    plans: Plans,
    queue: Mutex<Queue<'a>>,
    order: &'a Order<W>,
    task: &'a dyn Task,
}

impl<'a, W: FnMut(Result<Done>) -> Result<ControlFlow<()>>> Worker<'a, W> {
    fn lock(&self) -> MutexGuard<'_, Queue<'a>> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn plan(&self) -> &Plan {
        self.plans.now(self.task.is_on_gpu())
    }

    /// Takes blocks until there are none or the job has ended. Workers beyond the plan's number
    /// pause.
    fn work(&self, worker: usize) {
        let mut decoded = Decoded::default();
        let mut spent = Vec::new();
        loop {
            if worker >= self.plan().threads {
                decoded = Decoded::default();
                spent = Vec::new();
            }
            if !self.order.may_work(|| worker < self.plan().threads) {
                return;
            }
            let Some((number, block)) = self.take(mem::take(&mut spent)) else {
                self.order.all_read();
                return;
            };
            let mut part = |early| self.order.put(number, Ok(early));
            let run = || self.run(block, &mut decoded, &mut part);
            // A panic would leave the others waiting for this block.
            let mut done =
                catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|_| Err(Error::panicked()));
            if let Ok(done) = &mut done {
                spent = mem::take(&mut done.spent);
            }
            if self.order.put(number, done).is_err() {
                return;
            }
        }
    }

    /// Waits until a block may be read and takes it. The buffer of a finished block is reused.
    fn take(&self, spent: Vec<u8>) -> Option<(u64, Result<Block>)> {
        let mut queue = self.lock();
        queue.reader.recycle(spent);
        if queue.ended || !self.order.may_read(queue.next, || self.plan().in_flight) {
            return None;
        }
        queue.reader.set_block_bytes(self.plan().block_bytes);
        queue.take()
    }

    /// Lets a GPU decode a part of a block, and fills in its records and what is told of them.
    /// `None` if the CPU must decode.
    fn outline(
        &self,
        block: &Block,
        from: usize,
        records: usize,
        into: &mut Decoded,
    ) -> Option<Cut> {
        let (rules, ask) = self.task.of_device()?;
        let evaluator = self.task.evaluator().filter(|gpu| gpu.uses_gpu())?;
        let cut = self.codec.cut(block, from, records)?;
        let replay = |unit| unit_of(self.codec, block, &cut, unit);
        let told = evaluator.decode(&cut.raw(&block.bytes), rules, ask, replay)?;
        into.clear();
        self.codec.outline(block, &cut, &told.answers, into);
        for (record, facts) in into.records.iter_mut().zip(&told.facts) {
            *record = record.with_played(facts.played());
        }
        into.told = told;
        Some(cut)
    }

    fn run(
        &self,
        block: Result<Block>,
        decoded: &mut Decoded,
        send: &mut dyn FnMut(Done) -> Result<()>,
    ) -> Result<Done> {
        let mut parts = Parts::new(block.context(self.name)?, self.skip_invalid);
        let decode = |block: &Block, from, into: &mut Decoded| {
            let records = self.plan().records_a_part;
            match self.outline(block, from, records * OUTLINED, into) {
                Some(cut) => cut.next,
                None => self.codec.decode_part(block, from, records, into),
            }
        };
        while parts.decode(decode, decoded) {
            parts
                .run(self.codec, self.task, decoded, send)
                .context(self.name)?;
        }
        Ok(parts.end())
    }
}
