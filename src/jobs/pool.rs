//! Reads, works and writes in parallel, in order and in bounded memory.
//!
//! A worker takes the next block under a lock, decodes and evaluates it without one, and puts
//! the result into [`Order`], where the workers write it. The number of blocks read but not
//! written is bounded, and so is their output; large output is handed over in parts. Errors travel
//! with their block, so that the first one in the input is reported.

use core::mem;
use std::collections::{BTreeMap, VecDeque};
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use super::error::{Context as _, Error, ErrorKind, Result};
use super::step::{Plan, Plans, Step, Work, Yield};
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

/// Puts results in order, and lets the workers themselves write them.
///
/// The worker that puts the next result in order writes it, and all that arrive after it
/// meanwhile; the others go on with the next block. So no writer thread is needed, no worker
/// waits for its turn, and results are usually still in the cache of the core that writes them.
struct Order<W> {
    state: Mutex<State>,
    changed: Condvar,
    /// Locked by the worker that writes.
    write: Mutex<W>,
}

#[derive(Default)]
struct State {
    /// By block number.
    waiting: BTreeMap<u64, VecDeque<Result<Yield>>>,
    /// Bytes of all output waiting or being written.
    bytes: usize,
    /// The next block to write.
    next: u64,
    writing: bool,
    all_read: bool,
    /// Set when writing has ended, with or without an error.
    end: Option<Result<()>>,
}

impl State {
    fn take_next(&mut self) -> Option<Result<Yield>> {
        let outcome = self.waiting.get_mut(&self.next)?.pop_front()?;
        if is_last(&outcome) {
            self.waiting.remove(&self.next);
        }
        Some(outcome)
    }

    /// Output of later blocks waits until it fits in `ROOM`. That of the next block to write
    /// passes as long as the limit is kept without them: their writer is at work.
    fn has_room(&self, block: u64, bytes: usize) -> bool {
        let more = if self.next == block { 0 } else { bytes };
        self.bytes + more <= ROOM
    }
}

/// Whether a block is done, or has failed.
fn is_last(outcome: &Result<Yield>) -> bool {
    !outcome.as_ref().is_ok_and(|done| done.is_part)
}

/// Limit on the bytes of waiting output.
const ROOM: usize = 24 << 20;

impl<W: FnMut(Result<Yield>) -> Result<ControlFlow<()>>> Order<W> {
    fn new(write: W) -> Order<W> {
        Order {
            state: Mutex::default(),
            changed: Condvar::new(),
            write: Mutex::new(write),
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }

    fn wait_while(&self, waits: impl Fn(&State) -> bool) -> MutexGuard<'_, State> {
        let state = self
            .changed
            .wait_while(self.lock(), |state| state.end.is_none() && waits(state));
        state.unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until fewer than `in_flight` blocks are read and not written; false once writing
    /// has ended.
    fn may_read(&self, block: u64, in_flight: impl Fn() -> usize) -> bool {
        let state = self.wait_while(|state| block >= state.next + in_flight() as u64);
        state.end.is_none()
    }

    /// Waits until this worker is wanted; false once there is nothing left to do.
    fn may_work(&self, wanted: impl Fn() -> bool) -> bool {
        let state = self.wait_while(|state| !state.all_read && !wanted());
        state.end.is_none() && !state.all_read
    }

    /// Marks the input as read to its end and wakes paused workers.
    fn all_read(&self) {
        self.lock().all_read = true;
        self.changed.notify_all();
    }

    /// Takes a result. Writes all that can be written now unless another worker does. Output
    /// waits for room first. Fails if writing has ended.
    fn put(&self, block: u64, outcome: Result<Yield>) -> Result<()> {
        let bytes = outcome.as_ref().map_or(0, Yield::bytes);
        let mut state = self.wait_while(|state| bytes > 0 && !state.has_room(block, bytes));
        if state.end.is_some() {
            return Err(Error::cancelled());
        }
        state.bytes += bytes;
        state.waiting.entry(block).or_default().push_back(outcome);
        if state.writing {
            return Ok(());
        }
        state.writing = true;
        while state.end.is_none()
            && let Some(outcome) = state.take_next()
        {
            drop(state);
            let bytes = outcome.as_ref().map_or(0, Yield::bytes);
            let is_last = is_last(&outcome);
            let written = self.write(outcome);
            state = self.lock();
            state.bytes -= bytes;
            state.next += u64::from(is_last);
            match written {
                Ok(ControlFlow::Continue(())) => {}
                Ok(ControlFlow::Break(())) => state.end = Some(Ok(())),
                Err(error) => state.end = Some(Err(error)),
            }
            self.changed.notify_all();
        }
        state.writing = false;
        Ok(())
    }

    fn write(&self, outcome: Result<Yield>) -> Result<ControlFlow<()>> {
        let mut write = lock(&self.write);
        // A panic would leave the other workers waiting.
        catch_unwind(AssertUnwindSafe(|| write(outcome))).unwrap_or_else(|_| Err(Error::panicked()))
    }

    /// How writing ended, after all workers have stopped: with the first error in the input's
    /// order.
    fn end(self) -> Result<()> {
        let state = self.state.into_inner();
        let state = state.unwrap_or_else(PoisonError::into_inner);
        state.end.unwrap_or(Ok(()))
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
