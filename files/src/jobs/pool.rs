//! A job's blocks on the threads of a run (`ordered.rs`): what they read, what they do with a
//! block, and what they share.
//!
//! ```text
//! read     the next block of the file, as large as the plan of the moment wants it
//! work     give it to the device, if one filters the job's files (`rewriting.rs`)
//!          else, for each part of the block:
//!              decode and judge; select and encode
//!              output above 1 MiB is handed in before the block is done
//! write    the job's own function
//! ```
//!
//! # A limit on the records
//!
//! `--limit N` ends a run after N kept records. How many a block keeps is known only when it is
//! done, so near the limit one block is worked on at a time: one that was read is held back until
//! all before it are written. Then the same records are kept as by one thread.
//!
//! # Plans
//!
//! The number of blocks in flight and their size come from a [`Plan`]. There are two plans, one for
//! the CPU and one for a GPU, which needs larger blocks. If a GPU takes over or gives up during the
//! run, the other plan holds from then on. There are as many threads as the larger plan wants;
//! those that the plan of the moment does not want pause.

use core::mem;
use std::collections::VecDeque;
use std::ops::ControlFlow;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::{self, Scope};
use std::time::Instant;

use super::block_output::{BlockOutput, MUCH, Made};
use super::error::{Context as _, Error, Result};
use super::plan::{Plan, Plans};
use super::rewriting::{Outcome, Rewriting, prepare};
use super::run_context::RunContext;
use super::step::Step;
use super::tally::Tally;
use crate::device::ReturnedPart;
use crate::formats::{Block, Reader};
use crate::ordered::{Limits, Ordered, Place, Stopped, Work};
use parking_lot::Mutex;
use swaplist::backend::{Answers, Question};
use swaplist::evaluator::Progress;
use swaplist::{Evaluator, Rules};

/// Works on every block of the input and hands the results to `write`, in order. `jobs/job.rs`
/// calls it once for a run; it returns when all threads have ended.
pub fn run<M: Made>(
    context: &RunContext<M>,
    reader: Reader<'_>,
    plans: Plans,
    evaluator: Option<&Evaluator>,
    mut write: impl FnMut(&mut BlockOutput<M>) -> Result<()> + Send,
) -> Result<()> {
    let ordered = Ordered::new();
    let pool = Pool {
        context,
        evaluator,
        plans,
        ordered: &ordered,
        spare: Mutex::default(),
        spent: Mutex::default(),
        kept: AtomicU64::new(0),
        rewriting: OnceLock::new(),
        noted: Mutex::new(Instant::now()),
    };
    let blocks = Queue {
        pool: &pool,
        reader,
        largest: 0,
        sizes: Sizes::default(),
    };
    let largest_block = plans.cpu.block_bytes.max(plans.gpu.block_bytes);
    let most_spare = 2 * largest_block.max(MUCH);
    let write = |mut done: BlockOutput<M>| {
        write(&mut done)?;
        // A buffer without memory is of no use: it would only be popped before one that has some. A
        // buffer with much memory would keep it for the rest of the run.
        if (1..=most_spare).contains(&done.data.capacity()) {
            pool.spare.lock().push(done.data);
        }
        // `invalid`: the block ended at an invalid record, and that is an error. `end`: the limit
        // was reached in this block. In both cases what comes before was written above.
        match (done.invalid, done.end) {
            (Some(error), _) => Err(error),
            (None, Some(_)) => Ok(ControlFlow::Break(())),
            (None, None) => Ok(ControlFlow::Continue(())),
        }
    };
    let ran = thread::scope(|scope| {
        let threads = plans.cpu.threads.max(plans.gpu.threads);
        let work = OnThreads { pool: &pool, scope };
        let ran = ordered.run(&work, threads, blocks, write);
        if let Some(rewriting) = pool.rewriting.get() {
            rewriting.feed().close();
        }
        ran
    });
    ran.map_err(Error::from)
}

impl From<Stopped<Error>> for Error {
    fn from(stopped: Stopped<Error>) -> Error {
        match stopped {
            Stopped::Error(error) => error,
            Stopped::Panicked => Error::panicked(),
            Stopped::Threads(count, error) => Error::threads(count, &error),
        }
    }
}

/// A block on its way.
enum Job {
    /// It was just read.
    Read {
        block: Block,
        /// How many blocks may be in flight with this one.
        in_flight: usize,
    },
    /// It was on the device.
    Returned(ReturnedPart),
}

/// The input, one block at a time.
struct Queue<'p, 'a, M> {
    pool: &'p Pool<'a, M>,
    /// The stream that is cut into blocks.
    reader: Reader<'a>,
    /// The size of the largest block so far, in bytes.
    largest: usize,
    sizes: Sizes,
}

/// The bytes of the last blocks, as many as may be in flight, the newest first.
#[derive(Default)]
pub struct Sizes(VecDeque<usize>);

impl Sizes {
    /// Notes the bytes of the next block. Returns how many blocks may be in flight with it by the
    /// plan's limit on their bytes: at least that one.
    pub fn note(&mut self, size: usize, plan: &Plan) -> usize {
        self.0.truncate(plan.in_flight);
        self.0.push_front(size);
        let bytes = self.0.iter().scan(0_usize, |sum, size| {
            *sum = sum.saturating_add(*size);
            Some(*sum)
        });
        // The first sum is that of this block alone, which may always be worked on.
        let others = bytes.skip(1);
        1 + others
            .take_while(|&sum| sum <= plan.bytes_in_flight)
            .count()
    }
}

impl<M: Made> Iterator for Queue<'_, '_, M> {
    type Item = Result<Job>;

    fn next(&mut self) -> Option<Result<Job>> {
        let pool = self.pool;
        if let Some(spent) = pool.spent.lock().pop() {
            self.reader.recycle(spent);
        }
        self.reader.set_block_bytes(pool.plan().block_bytes);
        let next_block = self.reader.next_block().map_err(Error::from).transpose()?;
        let block = next_block.context(&pool.context.name);
        Some(block.map(|block| Job::Read {
            in_flight: self.in_flight_with(block.bytes.len()),
            block,
        }))
    }
}

impl<M: Made> Queue<'_, '_, M> {
    /// How many blocks may be in flight with one of so many bytes, which was just read: at least
    /// that one.
    fn in_flight_with(&mut self, size: usize) -> usize {
        let pool = self.pool;
        let fitting = self.sizes.note(size, pool.plan());
        if let Some(limit) = pool.context.spec.limit {
            // Near the limit one block is worked on at a time, so that it is known how many records
            // the blocks before it kept. The limit is near if the blocks in flight may hold enough
            // records to reach it. They hold at most `most`: no record is shorter than 5 bits (a
            // binpack's forced move with its score), so a byte has fewer than two.
            self.largest = self.largest.max(size);
            let in_flight = pool.plans.cpu.in_flight.max(pool.plans.gpu.in_flight);
            let most = 2 * (in_flight * self.largest) as u64;
            if pool.kept.load(Ordering::Acquire) + most >= limit {
                return 1;
            }
        }
        fitting
    }
}

/// What all threads of a run share.
struct Pool<'a, M> {
    /// The task, the codec and their settings.
    context: &'a RunContext<M>,
    /// Answers the task's questions; `None` for a job that asks nothing.
    evaluator: Option<&'a Evaluator>,
    /// The number of threads, of blocks in flight, and the size of a block: for the CPU and for a
    /// GPU.
    plans: Plans,
    /// The order of the blocks, to which the device brings its parts back.
    ordered: &'a Ordered<Job, BlockOutput<M>, Error>,
    /// Memory for output, of blocks that are written.
    spare: Mutex<Vec<Vec<u8>>>,
    /// Memory to read into, of blocks that are done.
    spent: Mutex<Vec<Vec<u8>>>,
    /// Records kept so far, in all blocks.
    kept: AtomicU64,
    /// The way through a device that filters files (`rewriting.rs`), once there is one.
    rewriting: OnceLock<Rewriting<'a, M>>,
    /// Until when the time of the run was noted, for the choice between the device and the CPU.
    noted: Mutex<Instant>,
}

/// What the threads of a run do with a block.
struct OnThreads<'scope, 'env, 'a, M> {
    pool: &'scope Pool<'a, M>,
    /// The scope in which the thread that waits for the device is started.
    scope: &'scope Scope<'scope, 'env>,
}

impl<M: Made> Work for OnThreads<'_, '_, '_, M> {
    type Block = Job;
    type Done = BlockOutput<M>;
    type Error = Error;
    type Scratch = Step<M>;

    fn limits(&self) -> Limits {
        let plan = self.pool.plan();
        Limits {
            threads: plan.threads,
            in_flight: plan.in_flight,
            ..Limits::new(plan.threads)
        }
    }

    fn scratch(&self) -> Step<M> {
        Step::default()
    }

    fn bytes(&self, done: &BlockOutput<M>) -> usize {
        done.bytes()
    }

    fn in_flight_with(&self, job: &Job) -> usize {
        match job {
            Job::Read { in_flight, .. } => *in_flight,
            Job::Returned(_) => usize::MAX,
        }
    }

    fn work(
        &self,
        job: Job,
        step: &mut Step<M>,
        place: &Place<'_, BlockOutput<M>>,
    ) -> Result<Option<BlockOutput<M>>> {
        let pool = self.pool;
        let outcome = match job {
            Job::Returned(part) => match pool.rewriting.get() {
                Some(rewriting) => rewriting.take_up(part, || pool.spare_buffer()),
                None => return Err(Error::panicked()), // nobody else returns parts
            },
            Job::Read { block, .. } => match self.device() {
                Some(device) if pool.uses_device() => device.offer(place.number, block),
                _ => Outcome::ForCpu(block),
            },
        };
        let done = match outcome {
            Outcome::OnDevice => return Ok(None),
            Outcome::Done(done, bytes) => {
                pool.keep_spent(bytes, pool.plan());
                *done
            }
            Outcome::ForCpu(block) => pool.work_on_block(block, step, place)?,
        };
        pool.note_done(&done.tally);
        Ok(Some(done))
    }

    /// A batch that is only partly filled goes to a device that is idle.
    fn rest(&self) {
        if let Some(rewriting) = self.pool.rewriting.get() {
            rewriting.feed().flush_if_idle();
        }
    }
}

impl<'scope, 'a, M: Made> OnThreads<'scope, '_, 'a, M> {
    /// The way through a device that filters files, if there is one now. The first call that finds
    /// such a device begins it, with a thread that waits for the device.
    fn device(&self) -> Option<&'scope Rewriting<'a, M>> {
        let pool = self.pool;
        // Several threads may begin one. The first one is used; the others are dropped unused.
        if pool.rewriting.get().is_none()
            && let Some(evaluator) = pool.evaluator
            && let Some(begun) = pool.begin_rewriting(evaluator)
            && pool.rewriting.set(begun).is_ok()
            && let Some(rewriting) = pool.rewriting.get()
        {
            rewriting.start(self.scope, || pool.ordered.fail());
        }
        // A feed is closed if its thread has panicked or could not be started. An error of the
        // device does not close it: parts that are offered come back for the CPU.
        pool.rewriting
            .get()
            .filter(|rewriting| !rewriting.feed().is_closed())
    }
}

impl<'a, M: Made> Pool<'a, M> {
    /// Whether a device gets the next blocks: the GPU in use, or one that is tried, to choose
    /// between it and the CPU.
    fn uses_device(&self) -> bool {
        self.evaluator
            .is_some_and(|evaluator| evaluator.device().is_some())
    }

    /// The plan that holds now: that for a GPU if a device gets the next blocks. It changes when a
    /// GPU takes over or gives up, so it is asked for anew each time.
    fn plan(&self) -> &Plan {
        self.plans.now(self.uses_device())
    }

    /// Begins a way through the device; `None` if the job has no recipe, or no device can have the
    /// job now.
    fn begin_rewriting(&self, evaluator: &'a Evaluator) -> Option<Rewriting<'a, M>> {
        // The closure outlives this call, so it borrows what outlives the pool.
        let ordered = self.ordered;
        Rewriting::begin(self.context, evaluator, move |part| {
            ordered.bring_back(part.number(), Job::Returned(part));
        })
    }

    /// Notes a block that is done, for the evaluator's choice between device and CPU, if a device
    /// can filter the file itself. Then whole runs are compared, from reading to writing: the time
    /// since the block before was done counts, and every record that is done since there is a way
    /// through the device counts for the device, also in blocks that the CPU worked on.
    fn note_done(&self, tally: &Tally) {
        let (Some(evaluator), Some(recipe)) = (self.evaluator, self.context.task.recipe()) else {
            return;
        };
        let now = Instant::now();
        let before = mem::replace(&mut *self.noted.lock(), now);
        let work = Progress {
            amount: tally.records,
            bytes: tally.bytes,
            time: now.saturating_duration_since(before),
        };
        if let Some(rewriting) = self.rewriting.get() {
            let batch = rewriting.feed().batch_records();
            evaluator.note_on_gpu(work, batch);
        } else {
            let threads = self.plans.cpu.threads;
            evaluator.note_on_cpu(work, threads, || prepare(recipe.clone()));
        }
    }

    /// Memory for output: that of a block that was written, if there is some.
    fn spare_buffer(&self) -> Vec<u8> {
        let mut buffer = self.spare.lock().pop().unwrap_or_default();
        buffer.clear();
        buffer
    }

    /// Works on a block part by part. (A GPU may answer its questions, but does not filter it.)
    fn work_on_block(
        &self,
        block: Block,
        step: &mut Step<M>,
        place: &Place<'_, BlockOutput<M>>,
    ) -> Result<BlockOutput<M>> {
        let context = self.context;
        step.begin(block);
        while context.judge(
            step,
            self.plan().records_a_part,
            |question, rules, answers| {
                self.answer(question, rules, answers);
            },
        )? {
            if step.done.data.capacity() == 0 {
                step.done.data = self.spare_buffer();
            }
            // How many more records may be kept, for the task to stop there.
            let limit = context.spec.limit;
            step.left = limit.map(|limit| limit.saturating_sub(self.kept.load(Ordering::Acquire)));
            let kept = context.write(step)?;
            self.kept.fetch_add(kept, Ordering::AcqRel);
            // Output above 1 MiB goes on before the block is done.
            if let Some(early) = step.done.early()
                && !place.hand_in(early)
            {
                return Err(Error::cancelled());
            }
        }
        let done = step.end();
        let plan = self.plan();
        if step.decoded.capacity() > plan.records_kept {
            // The block had more records than planned: other threads need the memory.
            *step = Step::default();
        } else {
            self.keep_spent(mem::take(&mut step.block.bytes), plan);
        }
        Ok(done)
    }

    /// Has the evaluator answer what the task asks about a part.
    fn answer(&self, question: &Question<'_>, rules: &Rules, answers: &mut Answers) {
        let Some(evaluator) = self.evaluator else {
            return;
        };
        // While it is not yet chosen between CPU and GPU, the evaluator (`evaluator.rs`) times this
        // answer. All threads ask at once, each for its own part, so in that time about `threads`
        // answers are given: it divides the time by that number.
        let threads = self.plan().threads;
        // Without a recipe the evaluator chooses between CPU and GPU by the times of answers like
        // this one. With a recipe the device can filter the file itself, and whole runs are compared
        // (`note_done`): then the evaluator must not time this answer.
        if self.context.task.recipe().is_some() {
            evaluator.answer_untimed(threads, question, rules, answers);
        } else {
            evaluator.answer_from(threads, question, rules, answers);
        }
    }

    /// Keeps the memory of a block that is done, unless the next ones need less.
    fn keep_spent(&self, bytes: Vec<u8>, plan: &Plan) {
        let usual = plan.block_bytes.max(plan.bytes_in_flight / plan.in_flight);
        let mut spent = self.spent.lock();
        if bytes.capacity() <= 2 * usual && spent.len() < plan.in_flight {
            spent.push(bytes);
        }
    }
}
