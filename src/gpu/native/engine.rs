//! The pipeline of chunks through a device.
//!
//! A question about positions or moves in memory is cut into chunks. A chunk goes through a slot, a
//! set of buffers:
//!
//! 1. *Fill*: a thread takes an idle slot, writes the chunk into its mapped memory, and submits
//!    the device's commands: copy it there, compute, copy the answers back, map both buffers.
//! 2. *Poll*: one thread waits for the oldest submission. When that has ended, whoever is free
//!    may collect its chunk.
//! 3. *Collect*: a thread of the question that the chunk belongs to reads the answers, checks
//!    them, and puts the slot back.
//!
//! No thread waits for a chunk of its own. Each takes what is to be done next: it collects if a
//! chunk has ended, else fills if a slot is idle, else polls if nobody does, else sleeps until
//! another thread changes something. So one thread fills all slots before it polls, and eight
//! keep the bus busy in both directions. A question is served by the thread that asks it and, if it
//! has several chunks, by helpers. Threads that ask at the same time share the slots and
//! the poller; each collects only its own chunks, whose answers it has borrowed.
//!
//! **A chunk takes no longer than some 60 ms**, by what the chunks before it took
//! (`gpu/program/pace.rs`), and never has more than fits a slot. So chunks are cut one by one, when
//! they are filled.
//!
//! **At most four threads fill at once.** A discrete card's mapped memory is its own, written over
//! the bus: one thread writes 7 to 10 GB/s, four 20, eight 14, ten 11. Twelve slots of 131,072
//! positions, four threads that fill, one that polls and two that collect answered 611 to 623 M
//! questions about bounds a second; sixteen threads that each waited for a chunk of its own, 290
//! (NVIDIA H100 80GB, driver 580.159.04, `PCIe` 5 x16, 16 threads of a Xeon, 2026-11-26). The
//! kernel alone could do 5 G/s.
//!
//! **What must hold.** Chunks are numbered in the order in which they are submitted, and polled in
//! that order, so that one number tells which have ended. A sleeping thread has nothing to do until
//! the state changes, and whoever changes it wakes all: there are few of them, and few
//! changes a millisecond. No lock is held while a thread fills, polls or collects.
//!
//! **Errors.** The first one closes the engine: all threads, of all questions, return it.
//! Slots whose chunks have not ended are kept until the engine is dropped, and never used
//! again.

use core::num::NonZeroUsize;
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, MutexGuard};
use std::thread;
use std::time::Instant;

use super::context::{Context, Submitted};
use super::errors::guarded;
use super::options::GpuOptions;
use super::slot::Slot;
use crate::backend::BackendError;
use crate::gpu::program::plan::AnswerSlices;
use crate::gpu::program::{Dispatch, MAX_WRITERS, Pace, Plan};
use crate::locks::{Condvar, Mutex};

/// The default limit on threads that serve a question: four that fill, one that polls, and some
/// that collect.
const MAX_WORKERS: usize = 8;

/// A device with its slots; several threads may use it at once.
pub(super) struct Engine {
    pub context: Arc<Context>,
    state: Mutex<EngineState>,
    /// How many positions that are on the device already may be judged at a time. They need no bus,
    /// so there may be far more of them than a chunk has.
    pub pace_in_place: Mutex<Pace>,
    /// Signals any change of the state.
    changed: Condvar,
    /// The most chunks in flight, of all questions together.
    max_slots: usize,
    /// The most threads that serve questions: a thread that asks, and helpers of all questions.
    max_workers: usize,
}

/// What threads tell each other.
#[derive(Default)]
struct EngineState {
    /// How many answers a chunk may have, if its slot has room for them.
    pace: Pace,
    /// Slots without a chunk.
    idle: Vec<Slot>,
    /// The number of slots made so far; a slot is made when it is first needed.
    slot_count: usize,
    /// The number of threads that fill.
    writers: usize,
    /// The number of threads that serve other threads' questions.
    helpers: usize,
    /// The submissions that are not known to have ended, the oldest first.
    submitted: VecDeque<Submission>,
    /// The number of submissions that have ended: those with smaller numbers.
    ended: u64,
    /// Whether a thread polls.
    is_polling: bool,
    /// The first error, which closes the engine.
    error: Option<BackendError>,
}

/// A chunk's commands on the device.
#[derive(Clone)]
struct Submission {
    end: wgpu::SubmissionIndex,
    answers: usize,
    submitted: Instant,
}

/// A question, the pipeline that its chunks pass through, and the chunks.
struct Queue<'a> {
    plan: &'a Plan<'a>,
    pipeline: wgpu::ComputePipeline,
    chunks: Mutex<Chunks<'a>>,
}

/// The chunks of a question that are not answered.
struct Chunks<'a> {
    /// The number of the first answer of the rest of the question.
    next: usize,
    /// The rows for the answers to the rest.
    rest: AnswerSlices<'a>,
    /// The number of answers to the rest.
    waiting: usize,
    /// The chunks on the device, in the order of their numbers.
    in_flight: VecDeque<ChunkInFlight<'a>>,
}

/// A chunk on the device.
struct ChunkInFlight<'a> {
    /// The number of its submission, from 0.
    number: u64,
    slot: Slot,
    submitted: Submitted,
    chunk: Dispatch<'a>,
    /// The rows for its answers.
    answers: AnswerSlices<'a>,
}

/// What a thread does next.
enum Task<'a> {
    Collect(ChunkInFlight<'a>),
    /// In this slot, or with `None` in a new one.
    Fill(Option<Slot>, Dispatch<'a>, AnswerSlices<'a>),
    Poll(Submission),
}

impl Engine {
    pub fn new(context: Context, options: &GpuOptions) -> Result<Engine, BackendError> {
        let cores = thread::available_parallelism().map_or(1, NonZeroUsize::get);
        let engine = Engine {
            context: Arc::new(context),
            state: Mutex::default(),
            pace_in_place: Mutex::default(),
            changed: Condvar::default(),
            max_slots: options.slots,
            // One of them sleeps until the device is done.
            max_workers: options.workers.unwrap_or((cores + 1).min(MAX_WORKERS)),
        };
        let first = engine.context.explained(engine.new_slot())?;
        let mut state = engine.state();
        state.idle.push(first);
        state.slot_count = 1;
        drop(state);
        Ok(engine)
    }

    /// Answers a question with `waiting` answers. The helpers' threads are not rayon's: rayon could
    /// start another question on a waiting thread, which would then wait for this one.
    pub fn run(
        &self,
        plan: &Plan<'_>,
        waiting: usize,
        answers: AnswerSlices<'_>,
    ) -> Result<(), BackendError> {
        let context = &self.context;
        let queue = Queue {
            plan,
            pipeline: context.kernels.pipeline(&context.device, plan.entry())?,
            chunks: Mutex::new(Chunks {
                next: 0,
                rest: answers,
                waiting,
                in_flight: VecDeque::new(),
            }),
        };
        let helpers = self.add_helpers(waiting);
        let result = thread::scope(|scope| {
            let mut threads = Vec::new();
            for _ in 0..helpers {
                let thread = thread::Builder::new().name("swaplist".to_owned());
                // Without a thread, the others do its share.
                threads.extend(thread.spawn_scoped(scope, || self.serve(&queue)));
            }
            let own = self.serve(&queue);
            threads.into_iter().fold(own, |result, thread| {
                result.and(thread.join().unwrap_or_else(|_| Err(panicked())))
            })
        });
        let mut state = self.state();
        state.helpers -= helpers;
        // After an error some slots have unfinished work. They are kept here, where nobody takes
        // them any more, since the engine is closed.
        let in_flight = core::mem::take(&mut queue.chunks().in_flight);
        state
            .idle
            .extend(in_flight.into_iter().map(|chunk| chunk.slot));
        result
    }

    /// The number of helpers for a question of so many answers: one for each chunk but the first, as
    /// far as the limit on workers leaves any. They are counted as helping from now on.
    fn add_helpers(&self, answers: usize) -> usize {
        let mut state = self.state();
        let chunk_count = answers.div_ceil(state.pace.records());
        let allowed = self.max_workers - 1 - state.helpers;
        let helpers = allowed.min(chunk_count.saturating_sub(1));
        state.helpers += helpers;
        helpers
    }

    /// Works on a question until nothing is left for this thread. An error stops all threads.
    fn serve(&self, queue: &Queue<'_>) -> Result<(), BackendError> {
        let tasks = AssertUnwindSafe(|| {
            while let Some(task) = self.next(queue)? {
                self.perform(task, queue)?;
            }
            Ok(())
        });
        let result = catch_unwind(tasks).unwrap_or_else(|_| Err(panicked()));
        result.map_err(|error| {
            let mut state = self.state();
            let first = state.error.get_or_insert(error).clone();
            self.changed.notify_all();
            first
        })
    }

    /// What this thread does next, after sleeping while there is nothing; `None` if all chunks are
    /// answered, or other threads are about to collect or fill the last ones.
    fn next<'a>(&self, queue: &Queue<'a>) -> Result<Option<Task<'a>>, BackendError> {
        let mut state = self.state();
        loop {
            if let Some(error) = &state.error {
                return Err(error.clone());
            }
            let mut chunks = queue.chunks();
            if chunks.waiting == 0 && chunks.in_flight.is_empty() {
                return Ok(None);
            }
            if let Some(task) = self.choose(&mut state, queue.plan, &mut chunks) {
                return Ok(Some(task));
            }
            drop(chunks);
            state = self.changed.wait(state);
        }
    }

    /// A task for a thread that is free, taken from the state.
    fn choose<'a>(
        &self,
        state: &mut EngineState,
        plan: &Plan<'a>,
        chunks: &mut Chunks<'a>,
    ) -> Option<Task<'a>> {
        let ended = state.ended;
        if let Some(chunk) = chunks.in_flight.pop_front_if(|chunk| chunk.number < ended) {
            return Some(Task::Collect(chunk));
        }
        let has_slot = !state.idle.is_empty() || state.slot_count < self.max_slots;
        if state.writers < MAX_WRITERS
            && has_slot
            && let Some((chunk, answers)) = chunks.cut(plan, state.pace.records())
        {
            state.writers += 1;
            let slot = state.idle.pop();
            state.slot_count += usize::from(slot.is_none());
            return Some(Task::Fill(slot, chunk, answers));
        }
        let oldest = state
            .submitted
            .front()
            .filter(|_| !state.is_polling)
            .cloned();
        state.is_polling |= oldest.is_some();
        oldest.map(Task::Poll)
    }

    /// Does a task to its end.
    fn perform<'a>(&self, task: Task<'a>, queue: &Queue<'a>) -> Result<(), BackendError> {
        match task {
            Task::Collect(chunk) => self.collect(chunk, queue),
            Task::Fill(slot, chunk, answers) => self.fill(slot, chunk, answers, queue),
            Task::Poll(submission) => self.poll(submission),
        }
    }

    /// Fills a slot and submits it.
    fn fill<'a>(
        &self,
        slot: Option<Slot>,
        chunk: Dispatch<'a>,
        answers: AnswerSlices<'a>,
        queue: &Queue<'a>,
    ) -> Result<(), BackendError> {
        let mut slot = match slot {
            Some(slot) => slot,
            None => self.new_slot()?,
        };
        let context = &self.context;
        // A submission that the device refuses is an error here, before anyone polls it.
        let submitted = guarded(&context.device, || {
            slot.submit(context, &queue.pipeline, &chunk)
        })?;
        let mut state = self.state();
        state.writers -= 1;
        let number = state.ended + state.submitted.len() as u64;
        state.submitted.push_back(Submission {
            end: submitted.end.clone(),
            answers: chunk.rows.len(),
            submitted: Instant::now(),
        });
        queue.chunks().in_flight.push_back(ChunkInFlight {
            number,
            slot,
            submitted,
            chunk,
            answers,
        });
        self.changed.notify_all();
        Ok(())
    }

    /// Waits for the oldest submission.
    fn poll(&self, submission: Submission) -> Result<(), BackendError> {
        let Submission {
            end,
            answers,
            submitted,
        } = submission;
        guarded(&self.context.device, || self.context.wait(end))?;
        let mut state = self.state();
        state.pace.note_end(answers, submitted, Instant::now());
        state.submitted.pop_front();
        state.ended += 1;
        state.is_polling = false;
        self.changed.notify_all();
        Ok(())
    }

    /// Reads a chunk's answers, and puts its slot back.
    fn collect<'a>(&self, chunk: ChunkInFlight<'a>, queue: &Queue<'a>) -> Result<(), BackendError> {
        let ChunkInFlight {
            slot,
            submitted,
            chunk,
            mut answers,
            ..
        } = chunk;
        guarded(&self.context.device, || {
            submitted.mapped(&self.context)?;
            slot.collect(queue.plan, &chunk, &mut answers)
        })?;
        self.state().idle.push(slot);
        self.changed.notify_all();
        Ok(())
    }

    /// Makes the buffers of a slot.
    fn new_slot(&self) -> Result<Slot, BackendError> {
        guarded(&self.context.device, || Ok(Slot::new(&self.context)))
    }

    fn state(&self) -> MutexGuard<'_, EngineState> {
        self.state.lock()
    }
}

impl<'a> Chunks<'a> {
    /// Cuts the next chunk off the question, of at most so many answers, with the rows for its answers; `None` after the last.
    fn cut(&mut self, plan: &Plan<'a>, most: usize) -> Option<(Dispatch<'a>, AnswerSlices<'a>)> {
        let chunk = plan.dispatch(self.next, most)?;
        self.next = chunk.rows.end;
        self.waiting -= chunk.rows.len();
        let rows = self.rest.take(chunk.rows.len());
        Some((chunk, rows))
    }
}

impl<'a> Queue<'a> {
    /// Locks the chunks. Whoever needs the engine's state too locks that first.
    fn chunks(&self) -> MutexGuard<'_, Chunks<'a>> {
        self.chunks.lock()
    }
}

fn panicked() -> BackendError {
    BackendError::Device("a thread panicked".to_owned())
}
