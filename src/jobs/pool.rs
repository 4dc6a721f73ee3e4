//! Reads, works and writes in parallel, in order and in bounded memory.
//!
//! A worker takes the next block under a lock, decodes and evaluates it without one, and puts
//! the result into [`Order`], where the workers write it. The number of blocks read but not
//! written is bounded, and so is their output; large output is handed over in parts. Errors travel
//! with their block, so that the first one in the input is reported.

use core::mem;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::error::{Context as _, Error, ErrorKind, Result};
use super::order::Order;
use super::plan::{Plan, Plans};
use super::step::{Step, Work, Yield};
use crate::Evaluator;
use crate::backend::Answers;
use crate::formats::{Block, Reader};

/// Works on every block and hands the results to `write`, in order.
pub fn run(
    work: &Work,
    reader: Reader<'_>,
    plans: Plans,
    evaluator: Option<&Evaluator>,
    mut write: impl FnMut(&mut Yield) -> Result<()> + Send,
) -> Result<()> {
    let spare: Mutex<Vec<Vec<u8>>> = Mutex::default();
    let order = Order::new(|outcome: Result<Yield>| {
        let mut done = outcome?;
        write(&mut done)?;
        // An empty one would be taken before those that are large enough.
        if done.data.capacity() > 0 {
            lock(&spare).push(done.data);
        }
        match (done.invalid, done.end) {
            (Some(error), _) => Err(error),
            (None, Some(_)) => Ok(ControlFlow::Break(())),
            (None, None) => Ok(ControlFlow::Continue(())),
        }
    });
    let worker = Worker {
        work,
        evaluator,
        plans,
        queue: Mutex::new(Queue {
            reader,
            next: 0,
            largest: 0,
            ended: false,
        }),
        order: &order,
        spare: &spare,
        kept: AtomicU64::new(0),
    };
    let started = std::thread::scope(|scope| {
        // None begins before all have started.
        let mut starting = lock(&worker.queue);
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

/// The input, one block at a time.
struct Queue<'a> {
    reader: Reader<'a>,
    next: u64,
    /// The size of the largest block so far.
    largest: usize,
    ended: bool,
}

struct Worker<'a, W> {
    work: &'a Work,
    evaluator: Option<&'a Evaluator>,
    plans: Plans,
    queue: Mutex<Queue<'a>>,
    order: &'a Order<W>,
    /// Buffers for output.
    spare: &'a Mutex<Vec<Vec<u8>>>,
    /// Records kept so far.
    kept: AtomicU64,
}

impl<'a, W: FnMut(Result<Yield>) -> Result<ControlFlow<()>>> Worker<'a, W> {
    /// The GPU, if one answers now.
    fn gpu(&self) -> Option<&'a Evaluator> {
        self.evaluator.filter(|evaluator| evaluator.uses_gpu())
    }

    fn plan(&self) -> &Plan {
        self.plans.now(self.gpu().is_some())
    }

    /// Takes blocks until there are none or the job has ended. Workers beyond the plan's number
    /// pause.
    fn work(&self, worker: usize) {
        let (mut step, mut answers) = (Step::default(), Answers::default());
        loop {
            if worker >= self.plan().threads {
                (step, answers) = (Step::default(), Answers::default());
            }
            if !self.order.may_work(|| worker < self.plan().threads) {
                return;
            }
            let Some((number, block)) = self.take(mem::take(&mut step.block.bytes)) else {
                self.order.all_read();
                return;
            };
            let run = || self.run(number, block, &mut step, &mut answers);
            // A panic would leave the others waiting for this block.
            let done = catch_unwind(AssertUnwindSafe(run));
            let done = done.unwrap_or_else(|_| Err(Error::panicked()));
            if self.order.put(number, done).is_err() {
                return;
            }
        }
    }

    /// Waits until a block may be read and takes it with its number, or a read error; `None` at
    /// the end. The buffer of a finished block is reused.
    fn take(&self, spent: Vec<u8>) -> Option<(u64, Result<Block>)> {
        let mut queue = lock(&self.queue);
        queue.reader.recycle(spent);
        if queue.ended || !self.order.may_read(queue.next, || self.plan().in_flight) {
            return None;
        }
        queue.reader.set_block_bytes(self.plan().block_bytes);
        let block = queue.reader.next_block().map_err(Error::from).transpose();
        queue.ended = !matches!(block, Some(Ok(_)));
        let (number, block) = (queue.next, block?);
        queue.next += 1;
        if let (Some(limit), Ok(block)) = (self.work.needs.limit, &block) {
            // Near the limit one block is worked on at a time, so that it is known how many
            // records those before it kept. No format has more than two records a byte.
            queue.largest = queue.largest.max(block.bytes.len());
            let in_flight = self.plans.cpu.in_flight.max(self.plans.gpu.in_flight);
            let most = 2 * (in_flight * queue.largest) as u64;
            let is_near = || self.kept.load(Ordering::Acquire) + most >= limit;
            let alone = || if is_near() { 1 } else { in_flight };
            if !self.order.may_read(number, alone) {
                return None;
            }
        }
        Some((number, block))
    }

    fn run(
        &self,
        number: u64,
        block: Result<Block>,
        step: &mut Step,
        answers: &mut Answers,
    ) -> Result<Yield> {
        let work = self.work;
        step.begin(block.context(&work.name)?);
        while step.decode(work, self.gpu(), self.plan().records_a_part, answers) {
            if answers.records.is_empty()
                && let Some(question) = step.question(work)?
                && let Some(evaluator) = self.evaluator
            {
                evaluator.answer(&question, &work.needs.rules.unwrap_or_default(), answers);
            }
            if step.done.data.capacity() == 0 {
                step.done.data = lock(self.spare).pop().unwrap_or_default();
                step.done.data.clear();
            }
            let left = |limit: u64| limit.saturating_sub(self.kept.load(Ordering::Acquire));
            step.left = work.needs.limit.map(left);
            let kept = step.finish(work, answers)?;
            self.kept.fetch_add(kept, Ordering::AcqRel);
            if let Some(early) = step.done.early() {
                self.order.put(number, Ok(early))?;
            }
        }
        Ok(step.end())
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
