//! The threads of a run: they read, work and write in parallel, in order and in bounded memory.
//!
//! # What a worker does
//!
//! ```text
//! repeat
//!     if the plan has fewer threads now: pause
//!     under a lock: wait until fewer blocks are read and not yet written than the plan allows;
//!         read the next block
//!     for each part of the block:
//!         decode; what does the task ask?; the evaluator answers; the task finishes the part
//!         output above 1 MiB is handed on before the block is done
//!     hand the result to `order.rs`: whoever brings the next one in order writes it
//! ```
//!
//! All workers do the same; there is no thread that only reads or only writes. An error is the
//! result of its block and takes its place in the order, so the run ends with the first error of
//! the input, whichever thread met one first.
//!
//! # With a device that filters files
//!
//! If the job is a filter that a device can run as a whole (a *recipe*, `device/recipe.rs`), a
//! worker does the first of these that it can, and one more thread waits for the device
//! (`rewriting.rs`, `device/feed.rs`):
//!
//! ```text
//! 1. a block that the device is done with: put its output in order; if the device could not do
//!    it, work on it here, as above
//! 2. a block that this worker has read: hand it to the device, if there is room
//! 3. read a block and find its games or chains; if that fails, work on it here
//! 4. wait until one of these can be done, or all is done
//! ```
//!
//! # A limit on the records
//!
//! `--limit N` ends a run after N kept records. How many a block keeps is known only when it is
//! done, so near the limit one block is worked on at a time: a worker that has read one waits until
//! all before it are written. Then the same records are kept as by one thread.
//!
//! # Plans
//!
//! The number of blocks in flight and their size come from a [`Plan`]. There are two plans, one for
//! the CPU and one for a GPU, which needs larger blocks. If a GPU takes over or gives up during the
//! run, the other plan holds from then on. There are as many workers as the larger plan wants;
//! those that the plan of the moment does not want pause.
//!
//! # What must hold
//!
//! - A worker that holds the queue's lock waits for two things only: for its input, which it reads
//!   under the lock, and for earlier blocks to be written. Other workers have these blocks already,
//!   and finish and write them without the lock.
//! - A panic while a worker works on a block becomes that block's error. It takes the block's place
//!   in the order: else the others would wait for that block for ever. A panic anywhere else in a
//!   worker, or in the thread that waits for the device, ends the run.

use core::mem;
use std::collections::VecDeque;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock};
use std::thread::Scope;

use super::block_output::BlockOutput;
use super::error::{Context as _, Error, ErrorKind, Result};
use super::order::{Order, State, lock};
use super::plan::{Plan, Plans};
use super::rewriting::{Outcome, Rewriting};
use super::run_context::RunContext;
use super::step::Step;
use super::trial::Trial;
use crate::formats::{Block, Reader};
use swaplist::Evaluator;
use swaplist::backend::{Answers, BackendError};

/// Works on every block of the input and hands the results to `write`, in order. `jobs/job.rs`
/// calls it once for a run; it returns when all threads have ended.
pub fn run(
    context: &RunContext,
    reader: Reader<'_>,
    plans: Plans,
    evaluator: Option<&Evaluator>,
    mut write: impl FnMut(&mut BlockOutput) -> Result<()> + Send,
) -> Result<()> {
    // Memory of output that was written: a worker takes some for its next output.
    let spare: Mutex<Vec<Vec<u8>>> = Mutex::default();
    let largest_block = plans.cpu.block_bytes.max(plans.gpu.block_bytes);
    let most_spare = 2 * largest_block.max(BlockOutput::MUCH);
    let order = Order::new(|outcome: Result<BlockOutput>| {
        let mut done = outcome?;
        write(&mut done)?;
        // A buffer without memory is of no use: it would only be popped before one that has some.
        // And one with much memory would keep it.
        if (1..=most_spare).contains(&done.data.capacity()) {
            lock(&spare).push(done.data);
        }
        // `invalid`: the block ended at an invalid record, and that is an error. `end`: the limit
        // was reached in this block. In both cases what comes before was written above.
        match (done.invalid, done.end) {
            (Some(error), _) => Err(error),
            (None, Some(_)) => Ok(ControlFlow::Break(())),
            (None, None) => Ok(ControlFlow::Continue(())),
        }
    });
    let worker = Worker {
        context,
        evaluator,
        plans,
        queue: Mutex::new(Queue {
            reader,
            next: 0,
            largest: 0,
            sizes: VecDeque::new(),
            ended: false,
        }),
        order: &order,
        spare: &spare,
        spent: Mutex::default(),
        kept: AtomicU64::new(0),
        read: AtomicU64::new(0),
        rewriting: OnceLock::new(),
        at_work: AtomicUsize::new(0),
        trial: Trial::begin(),
    };
    let started = std::thread::scope(|scope| {
        // Holds the queue, so that no block is read before all have started: if one cannot be
        // started, nothing has been done.
        let mut starting = lock(&worker.queue);
        let workers = plans.cpu.threads.max(plans.gpu.threads);
        let worker = &worker;
        for number in 0..workers {
            let work = move || worker.work(number, scope);
            worker.at_work.fetch_add(1, Ordering::AcqRel);
            if let Err(error) = std::thread::Builder::new().spawn_scoped(scope, work) {
                // Those that have started end without a block: `may_work` says no after `all_read`,
                // and one that is waiting for the queue's lock in `take` finds it ended. This one
                // never runs, so it cannot call `leave`: that is done for it here.
                starting.ended = true;
                order.all_read();
                worker.leave();
                let message = format!("cannot start {workers} worker threads: {error}");
                return Err(Error::new(ErrorKind::Threads(workers), message));
            }
        }
        Ok(())
    });
    drop(worker); // it borrows the order, which `end` consumes
    started.and_then(|()| order.end())
}

/// The input, one block at a time.
struct Queue<'a> {
    /// The stream that is cut into blocks.
    reader: Reader<'a>,
    /// The number of the next block, from 0.
    next: u64,
    /// The size of the largest block so far, in bytes. Kept only in runs with a limit on the
    /// records.
    largest: usize,
    /// The bytes of the last blocks, as many as may be in flight, the newest first.
    sizes: VecDeque<usize>,
    /// Whether nothing more is read: after the last block, or an error.
    ended: bool,
}

impl Queue<'_> {
    /// How many blocks may be in flight with one of this size, which was just read: at least that
    /// one.
    fn allowed(&self, size: usize, plan: &Plan) -> usize {
        let bytes = self.sizes.iter().scan(size, |sum, before| {
            *sum = sum.saturating_add(*before);
            Some(*sum)
        });
        1 + bytes.take_while(|&sum| sum <= plan.bytes_in_flight).count()
    }

    /// Notes the size of a block.
    fn note(&mut self, size: usize, plan: &Plan) {
        self.sizes.truncate(plan.in_flight);
        self.sizes.push_front(size);
    }
}

/// What all workers share. Each thread calls [`Worker::work`] once, with its number, from 0.
struct Worker<'a, W> {
    /// The task, the codec and their settings.
    context: &'a RunContext,
    /// Answers the task's questions; `None` for a job that asks nothing.
    evaluator: Option<&'a Evaluator>,
    /// The number of threads, of blocks in flight, and the size of a block: for the CPU and for a
    /// GPU.
    plans: Plans,
    /// Locked by the worker that reads.
    queue: Mutex<Queue<'a>>,
    /// Where results are handed in (`order.rs`). Workers also wait here until something changes,
    /// for example output was written or the device has finished something.
    order: &'a Order<W>,
    /// Memory for output, of blocks that are written.
    spare: &'a Mutex<Vec<Vec<u8>>>,
    /// Memory to read into, of blocks that a device has filtered. Shared by all workers, since the
    /// worker that finishes such a block is often not the one that reads next.
    spent: Mutex<Vec<Vec<u8>>>,
    /// Records kept so far, in all blocks.
    kept: AtomicU64,
    /// Blocks read so far, and those that workers are about to read as [`Worker::next_turn`] has told
    /// them. It must not wait for the queue, so it does not look at `queue.next`.
    read: AtomicU64,
    /// The way through a device that filters files (`rewriting.rs`), once there is one.
    rewriting: OnceLock<Rewriting<'a>>,
    /// Workers that have not ended. The last one closes the feed of the device.
    at_work: AtomicUsize,
    /// Finds out by the records a second whether the device or the CPU is faster, if the user left
    /// that open (`trial.rs`).
    trial: Trial,
}

/// A worker's buffers, whose memory serves for one block after another.
#[derive(Default)]
struct Buffers {
    /// The block in work, with its decoded records and its output.
    step: Step,
    /// The answers to the task's question about a part.
    answers: Answers,
    /// The bytes of the last block, for reuse by the reader.
    spent: Vec<u8>,
    /// Whether output is handed in without waiting for room (`put_at_once` in `order.rs`), even if
    /// more than `ROOM` bytes wait there. Without a device `put` is used. If the block is not the
    /// one to be written next, `put` waits until its output fits in `ROOM` together with all that
    /// waits already. If it is the next one, `put` waits only while somebody writes and more than
    /// `ROOM` bytes wait. With a device output must not wait: the block that is written next may be
    /// on the device, and if all workers waited for room, nobody could finish it.
    ignores_room: bool,
}

impl<'a, W: FnMut(Result<BlockOutput>) -> Result<ControlFlow<()>> + Send> Worker<'a, W> {
    /// Whether a device gets the next blocks: the GPU in use, or one whose speed is being compared
    /// with that of the CPU (`trial.rs`), to choose between the two.
    fn uses_device(&self) -> bool {
        let is_wanted = |evaluator: &Evaluator| evaluator.uses_gpu() || evaluator.is_comparing();
        self.evaluator.is_some_and(is_wanted)
    }

    /// The plan that holds now: that for a GPU if a device gets the next blocks. It changes when a
    /// GPU takes over or gives up, so it is asked for anew each time.
    fn plan(&self) -> &Plan {
        self.plans.now(self.uses_device())
    }

    /// The way through a device that filters files, if there is one now. The first call that finds
    /// such a device begins it, with a thread that waits for the device.
    fn rewriting<'scope>(
        &'scope self,
        scope: &'scope Scope<'scope, '_>,
    ) -> Option<&'scope Rewriting<'a>> {
        // Several workers may begin one. The first one is used; the others are dropped unused.
        if self.rewriting.get().is_none()
            && let Some(evaluator) = self.evaluator
            && let Some(begun) = self.begin_rewriting(evaluator)
            && self.rewriting.set(begun).is_ok()
            && let Some(rewriting) = self.rewriting.get()
        {
            let waiting = std::thread::Builder::new().name("swaplist device".to_owned());
            // `wait_for_device` returns once the feed is closed. If it panics, close the feed here.
            let wait = || {
                if !self.ends_well(|| rewriting.wait_for_device()) {
                    rewriting.feed().close();
                }
            };
            if let Err(error) = waiting.spawn_scoped(scope, wait) {
                // Other workers may have offered parts already, for which nobody waits now.
                rewriting.give_up(&BackendError::Threads(error.to_string()));
            }
        }
        // A feed is closed if its thread has panicked or could not be started, and after the last
        // worker. A worker that is already in `work_with_device` stays there even so; all others go
        // on without the device. An error of the device does not close the feed: the workers stay
        // with it, and get their parts back for the CPU.
        self.rewriting
            .get()
            .filter(|rewriting| !rewriting.feed().is_closed())
    }

    /// Begins a way through the device; `None` if the job has no recipe, or no device can have the
    /// job now. The device calls the closure when it has finished something, so that workers that
    /// wait look again.
    fn begin_rewriting(&self, evaluator: &'a Evaluator) -> Option<Rewriting<'a>> {
        // The closure outlives this call, so it borrows the order alone.
        let order = self.order;
        Rewriting::begin(self.context, evaluator, &self.trial, move || order.wake())
    }

    /// The life of a worker: what a thread of the run does from its start to its end.
    fn work<'scope>(&'scope self, worker: usize, scope: &'scope Scope<'scope, '_>) {
        self.ends_well(|| self.work_on_blocks(worker, scope));
        self.leave();
    }

    /// Whether a function returns. If it panics, the run ends with an error: else the others would
    /// wait for what it left undone.
    fn ends_well(&self, run: impl FnOnce()) -> bool {
        let has_returned = catch_unwind(AssertUnwindSafe(run)).is_ok();
        if !has_returned {
            self.order.fail(Error::panicked());
        }
        has_returned
    }

    /// Takes blocks until there are none or the job has ended. Workers beyond the plan's number
    /// pause. Once a device filters the file, the worker goes over to [`Worker::work_with_device`],
    /// and does not come back.
    fn work_on_blocks<'scope>(&'scope self, worker: usize, scope: &'scope Scope<'scope, '_>) {
        let mut buffers = Buffers::default();
        loop {
            if let Some(rewriting) = self.rewriting(scope) {
                self.work_with_device(worker, rewriting, &mut buffers);
                break;
            }
            // This worker is going to pause: others need the memory.
            if worker >= self.plan().threads {
                buffers = Buffers::default();
            }
            // Waits while the plan has fewer threads; false if there is nothing left to do.
            if !self.order.may_work(|| worker < self.plan().threads) {
                break;
            }
            let spent = mem::take(&mut buffers.spent);
            let Some((number, block)) = self.take(spent, true) else {
                self.order.all_read();
                break;
            };
            let done = self.run(number, block, &mut buffers);
            if let Ok(done) = &done {
                // How many records the CPU has done alone: the trial compares that with the device.
                self.trial.note_cpu(done.tally.records);
            }
            // An error here says that the run has ended: nothing more is written.
            if self.order.put(number, done).is_err() {
                break;
            }
        }
    }

    /// Notes that a worker has ended. After the last one nobody feeds the device any more.
    fn leave(&self) {
        if self.at_work.fetch_sub(1, Ordering::AcqRel) == 1
            && let Some(rewriting) = self.rewriting.get()
        {
            rewriting.feed().close();
        }
    }

    /// The same as [`Worker::work_on_blocks`] with a device that filters files: a worker finishes
    /// what the device is done with, hands on a block that it has read, or reads another one, in
    /// this order. Returns at the end of the run.
    fn work_with_device(&self, worker: usize, rewriting: &Rewriting<'a>, buffers: &mut Buffers) {
        let feed = rewriting.feed();
        // A block that was read and cut into games or chains, until the device takes it.
        let mut waiting_part = None;
        // `rewriting.rs` and `device/feed.rs` have the device's side of this loop: `cut` makes a
        // part of a block, `offer` hands it on, and `finish` gives its output, or the block itself.
        buffers.ignores_room = true;
        loop {
            let (number, done) = if let Some(finished) = feed.take_finished() {
                let data = lock(self.spare).pop().unwrap_or_default();
                match rewriting.finish(finished, data) {
                    Outcome::Done(number, done, bytes) => {
                        lock(&self.spent).push(bytes);
                        (number, Ok(*done))
                    }
                    Outcome::ForCpu(number, block) => {
                        (number, self.run(number, Ok(block), buffers))
                    }
                }
            } else if let Some(part) = waiting_part.take_if(|_| feed.may_take()) {
                match rewriting.offer(part) {
                    Ok(later) => {
                        // `None`: it was taken. `Some`: there was room when `may_take` was asked,
                        // but other workers have filled it meanwhile. Keep the part, and try again.
                        waiting_part = later;
                        continue;
                    }
                    // Too large for an empty batch. (A device that has failed takes parts, and
                    // finishes them with its error: they come back above as `ForCpu`.)
                    Err((number, block)) => (number, self.run(number, Ok(block), buffers)),
                }
            } else {
                match self.next_turn(worker, rewriting, waiting_part.is_some()) {
                    Turn::LookAgain => continue,
                    Turn::End => return,
                    Turn::Read => {}
                }
                // Memory to read into: that of a block that the device has filtered or, if there is
                // none, that of the last block that this worker has filtered by itself.
                let of_device = lock(&self.spent).pop();
                let spent = of_device.unwrap_or_else(|| mem::take(&mut buffers.spent));
                let Some((number, block)) = self.take(spent, false) else {
                    self.order.all_read();
                    continue;
                };
                // A part for the device; the block itself, if the CPU has to work on it; or the
                // error of reading.
                let cut = block.map(|block| {
                    if self.uses_device() {
                        rewriting.cut(number, block)
                    } else {
                        Err(block)
                    }
                });
                match cut {
                    Ok(Ok(part)) => {
                        waiting_part = Some(part);
                        continue;
                    }
                    Ok(Err(block)) => (number, self.run(number, Ok(block), buffers)),
                    Err(error) => (number, self.run(number, Err(error), buffers)),
                }
            };
            // While device and CPU are compared (`trial.rs`), every record that is done since the
            // device took over counts for the device, also in blocks that the CPU worked on here.
            // The first batch only warms up: the clock starts once as many records are done as one
            // batch can hold, and stops once those of two more are done. Then the evaluator goes on
            // with the faster of the two. `threads` is only for the sentence that says so.
            if let (Ok(done), Some(evaluator)) = (&done, self.evaluator) {
                let records = done.tally.records;
                let batch = feed.batch_records();
                let threads = self.plans.cpu.threads;
                self.trial.note_device(records, batch, threads, evaluator);
            }
            if self.order.put_at_once(number, done).is_err() {
                return;
            }
        }
    }

    /// Waits until there is something to do, and says what. `holds`: whether the worker has a part
    /// that waits for room on the device; then it reads no further block. `wait_for` (`order.rs`)
    /// asks again after each change: output was written, all input is read, the device has finished
    /// something, or the run has failed.
    fn next_turn(&self, worker: usize, rewriting: &Rewriting<'_>, holds: bool) -> Turn {
        let feed = rewriting.feed();
        // `None`: nothing to do yet, ask again when something has changed.
        let turn = |state: &State| {
            // Whether fewer blocks are read and not yet written than the plan allows.
            let may_read = || {
                let read = self.read.load(Ordering::Acquire);
                read < state.next + self.plan().in_flight as u64
            };
            if state.end.is_some() {
                Some(Turn::End)
            } else if feed.has_finished() || holds && feed.may_take() {
                Some(Turn::LookAgain)
            } else if state.all_read {
                // All is read. There may still be parts on the device, which workers have to take
                // back.
                (!holds && feed.is_empty()).then_some(Turn::End)
            } else {
                let reads = !holds && worker < self.plan().threads && may_read();
                reads.then(|| {
                    // Reserved under the order's lock: no other worker is told to read this block.
                    self.read.fetch_add(1, Ordering::AcqRel);
                    Turn::Read
                })
            }
        };
        if let Some(turn) = turn(&self.order.lock()) {
            return turn;
        }
        // This worker has nothing to add now: a batch that is only partly filled goes to a device
        // that is idle.
        feed.flush_if_idle();
        self.order.wait_for(turn)
    }

    /// Reads the next block, with its number, or an error; `None` at the end of the input or of the
    /// run. `spent` is the buffer of a block that is done, for reuse.
    ///
    /// With `waits` it first waits until the plan allows one more block in flight and, if the block
    /// turns out to be so large that too many bytes would be in flight, until some of the blocks
    /// before it are written: the worker keeps the queue locked meanwhile, so nobody reads on.
    /// Without, `next_turn` has reserved the block for the caller. In a run with a limit on the
    /// records, and near that
    /// limit, it also waits after reading, until all blocks before this one are written: the worker
    /// keeps the queue locked meanwhile, so nobody reads on.
    fn take(&self, spent: Vec<u8>, waits: bool) -> Option<(u64, Result<Block>)> {
        let mut queue = lock(&self.queue);
        queue.reader.recycle(spent);
        if queue.ended {
            return None;
        }
        if waits && !self.order.may_read(queue.next, || self.plan().in_flight) {
            return None;
        }
        queue.reader.set_block_bytes(self.plan().block_bytes);
        let next_block = queue.reader.next_block().map_err(Error::from).transpose();
        queue.ended = !matches!(next_block, Some(Ok(_)));
        let number = queue.next;
        let block = next_block?;
        queue.next += 1;
        if waits {
            self.read.fetch_add(1, Ordering::AcqRel);
        }
        let size = block.as_ref().map_or(0, |block| block.bytes.len());
        if waits
            && !self
                .order
                .may_read(number, || queue.allowed(size, self.plan()))
        {
            return None;
        }
        queue.note(size, self.plan());
        if let (Some(limit), Ok(block)) = (self.context.spec.limit, &block) {
            // Near the limit one block is worked on at a time, so that it is known how many records
            // the blocks before it kept. The limit is near if the blocks in flight may hold enough
            // records to reach it. They hold at most `most`: no record is shorter than 5 bits (a
            // binpack's forced move with its score), so a byte has fewer than two.
            //
            // To wait here would be wrong if a device filtered the file, since this worker might
            // have to finish the block that it waits for. But a job with a limit has no recipe
            // (`jobs/filter.rs`), so no device filters its file.
            queue.largest = queue.largest.max(block.bytes.len());
            let in_flight = self.plans.cpu.in_flight.max(self.plans.gpu.in_flight);
            let most = 2 * (in_flight * queue.largest) as u64;
            let is_near = || self.kept.load(Ordering::Acquire) + most >= limit;
            let allowed_blocks = || if is_near() { 1 } else { in_flight };
            if !self.order.may_read(number, allowed_blocks) {
                return None;
            }
        }
        Some((number, block))
    }

    /// Works on a block in this thread, part by part (a GPU may answer its questions, but does not
    /// filter it), and returns its result. A panic becomes the block's error: otherwise all would
    /// wait for this block.
    fn run(&self, number: u64, block: Result<Block>, buffers: &mut Buffers) -> Result<BlockOutput> {
        let run = || self.run_parts(number, block, buffers);
        let done = catch_unwind(AssertUnwindSafe(run));
        done.unwrap_or_else(|_| Err(Error::panicked()))
    }

    /// [`Worker::run`] without the care for panics: decodes each part, has its question answered,
    /// and lets the task finish it.
    fn run_parts(
        &self,
        number: u64,
        block: Result<Block>,
        buffers: &mut Buffers,
    ) -> Result<BlockOutput> {
        let context = self.context;
        let Buffers {
            step,
            answers,
            spent,
            ignores_room,
        } = buffers;
        // If reading failed, its error is the result of this block.
        step.begin(block.context(&context.name)?);
        while context.decode(step, self.plan().records_a_part) {
            if let Some(question) = context.question(step)?
                && let Some(evaluator) = self.evaluator
            {
                // Every task that asks something sets its rules: the default is never used.
                let rules = context.spec.rules.unwrap_or_default();
                // While it is not yet chosen between CPU and GPU, the evaluator (`evaluator.rs`)
                // times this answer. All workers ask at once, each for its own part, so in that
                // time about `workers` answers are given: it divides the time by that number.
                let workers = self.plan().threads;
                // There are two ways to choose between CPU and GPU. Without a recipe the evaluator
                // chooses by the times of answers like this one. With a recipe the device can
                // filter the file itself, and `trial` compares whole runs, from reading to writing:
                // then the evaluator must not time this answer.
                if context.task.recipe().is_some() {
                    evaluator.answer_untimed(workers, &question, &rules, answers);
                } else {
                    evaluator.answer_from(workers, &question, &rules, answers);
                }
            }
            // No memory for output yet: take that of a block that was written.
            if step.done.data.capacity() == 0 {
                step.done.data = lock(self.spare).pop().unwrap_or_default();
                step.done.data.clear();
            }
            // How many more records may be kept, for the task to stop there.
            let left = |limit: u64| limit.saturating_sub(self.kept.load(Ordering::Acquire));
            step.left = context.spec.limit.map(left);
            let kept = context.finish(step, answers)?;
            self.kept.fetch_add(kept, Ordering::AcqRel);
            // Output above 1 MiB goes on before the block is done (`early` in `block_output.rs`).
            // It has `is_part` set: more of the same number follows, and `order.rs` goes on to the
            // next number only after the rest.
            if let Some(early) = step.done.early() {
                if *ignores_room {
                    self.order.put_at_once(number, Ok(early))?;
                } else {
                    self.order.put(number, Ok(early))?;
                }
            }
        }
        let done = step.end();
        let plan = self.plan();
        if step.decoded.capacity() > plan.records_kept {
            // The block had more records than planned: other threads need the memory.
            *step = Step::default();
            *answers = Answers::default();
        }
        let bytes = mem::take(&mut step.block.bytes);
        if bytes.capacity() <= 2 * plan.block_bytes.max(plan.bytes_in_flight / plan.in_flight) {
            *spent = bytes;
        }
        Ok(done)
    }
}

/// What a worker that works with a device does next, by [`Worker::next_turn`].
enum Turn {
    /// Read another block.
    Read,
    /// The device has finished a part, or has room for the one that waits: begin the loop anew.
    LookAgain,
    /// The run has ended, or all is read and taken back.
    End,
}
