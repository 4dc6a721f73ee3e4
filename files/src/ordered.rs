//! Threads that take blocks one after another, work on them in any order, and have the results
//! written in the blocks' order, in bounded memory.
//!
//! [`run`] works on all blocks and returns at the end. [`ahead`] gives the results to a loop of
//! yours, which threads work ahead of. Neither result depends on the number of threads:
//!
//! ```
//! use std::ops::ControlFlow;
//! use swaplist_files::ordered::{self, Limits};
//!
//! // Blocks: anything that an iterator yields, one at a time. An `Err` is the last block.
//! let blocks = || (1..=1000).map(Ok::<u64, String>);
//! // Memory of a thread, which serves one block after another.
//! let scratch = Vec::new;
//! // The work on a block, which many threads do at once.
//! let square = |block: u64, scratch: &mut Vec<u64>| {
//!     scratch.push(block);
//!     Ok(block * block)
//! };
//!
//! // Written in order, by whichever thread has brought the next one.
//! let mut written = Vec::new();
//! ordered::run(Limits::new(4), blocks(), scratch, square, |done| {
//!     written.push(done);
//!     Ok(ControlFlow::Continue(()))
//! })?;
//! assert_eq!((written.len(), written[999]), (1000, 1_000_000));
//!
//! // Or taken in order, as a loader does that makes batches of them. Dropped, it ends its threads.
//! let mut sum = 0;
//! for done in ordered::ahead(Limits::new(4), blocks(), scratch, square) {
//!     sum += done?;
//! }
//! assert_eq!(sum, 333_833_500);
//! # Ok::<(), swaplist_files::ordered::Stopped<String>>(())
//! ```
//!
//! # What a thread does
//!
//! ```text
//! repeat, whichever can be done first
//!     read     the next block, if fewer blocks are in flight than the limits allow
//!     work     on that block, or on one that was brought back; a large result is handed in by parts
//!     write    if this result is the next one in order, and nobody writes: this one, and after it
//!              all that have arrived meanwhile; else the result waits, and the thread goes on
//!     rest     if there is nothing to do
//! ```
//!
//! All threads do the same, the one that called as well. There is none that only reads or writes,
//! so results are usually written from the cache of the core that made them. [Stages](crate::stages)
//! tell how long each of these steps takes.
//!
//! # An example
//!
//! Three threads are at blocks 0, 1 and 2. Block 1 is done first: its result waits, and its thread
//! reads block 3. Then block 0 is done: its thread writes 0 and 1. Meanwhile block 2 is done. Its
//! thread leaves the result, since somebody writes, and reads on. The one that writes finds it when
//! it is done with 1, and writes it too.
//!
//! # Blocks that go elsewhere
//!
//! `Work::work` may give a block away, to a device for example, and return `None`. The block still
//! has its place in the order. Somebody brings it back (`Ordered::bring_back`), and the next
//! thread that is free works on it again, before anything new is read.
//!
//! # What must hold
//!
//! - Memory is bounded twice: by the number of blocks that are read and not yet written, and by the
//!   bytes of the results that wait ([`Limits`]).
//! - The block that is next in order must never wait for somebody who waits for it. So its result
//!   waits for room only while somebody writes, who makes room; a block that is held back is taken
//!   by any thread as soon as those before it are written; and while blocks are elsewhere no result
//!   waits for room, as the next one may be among them, and all threads would wait for it.
//! - An error is the result of its block, and takes its place in the order: the run ends with the
//!   first error of the input, whichever thread met one first. So does a panic in the work on a
//!   block. A panic anywhere else ends the run at once.
//! - Nobody who waits holds the lock, the source or the writer.

use core::fmt;
use std::collections::{BTreeMap, VecDeque};
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc;
use std::{io, thread};

use parking_lot::{Condvar, Mutex, MutexGuard};

use crate::stages::{LaneKind, Stage, Stages, during};

/// How many blocks are worked on at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The threads that work, 1 or more. The others pause.
    pub threads: usize,
    /// The most blocks that are read and not yet written.
    pub in_flight: usize,
    /// The most bytes of results that wait to be written, where results have a size.
    pub room: usize,
}

impl Limits {
    /// So many threads, and half as many blocks more: a thread finds one to work on while others
    /// wait to be written.
    pub const fn new(threads: usize) -> Limits {
        Limits {
            threads,
            in_flight: threads + threads / 2 + 2,
            room: 24 << 20,
        }
    }
}

/// Why a run has ended before its last block.
#[derive(Debug)]
pub enum Stopped<E> {
    /// An error of the source, the work or the writer: the first one in the order of the blocks.
    Error(E),
    /// A thread has panicked.
    Panicked,
    /// So many threads could not be started. Nothing was done.
    Threads(usize, io::Error),
}

impl<E: fmt::Display> fmt::Display for Stopped<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Stopped::Error(error) => error.fmt(f),
            Stopped::Panicked => f.write_str("a thread panicked"),
            Stopped::Threads(count, error) => {
                write!(f, "cannot start {count} worker threads: {error}")
            }
        }
    }
}

impl<E: fmt::Debug + fmt::Display> core::error::Error for Stopped<E> {}

/// Works on all blocks with so many threads, the calling one among them, and hands the results to
/// `write` in the order of the blocks. `scratch` makes the memory of a thread. A `Break` of `write`
/// ends the run without an error.
///
/// # Errors
///
/// The first error in the order of the blocks; or else that a thread has panicked or could not be
/// started.
pub fn run<B: Send, S, D: Send, E: Send>(
    limits: Limits,
    blocks: impl Iterator<Item = Result<B, E>> + Send,
    scratch: impl Fn() -> S + Sync,
    work: impl Fn(B, &mut S) -> Result<D, E> + Sync,
    write: impl FnMut(D) -> Result<ControlFlow<()>, E> + Send,
) -> Result<(), Stopped<E>> {
    let plain = Plain {
        limits,
        scratch,
        work,
        types: core::marker::PhantomData::<fn(B) -> (D, E)>,
    };
    Ordered::new().run(&plain, limits.threads, blocks, write)
}

/// Works on all blocks with so many threads of its own, as far ahead of the loop that takes the
/// results as the limits allow, and as many results again. After an error there are no more. Threads
/// end once the iterator is dropped.
pub fn ahead<B, S, D, E>(
    limits: Limits,
    blocks: impl Iterator<Item = Result<B, E>> + Send + 'static,
    scratch: impl Fn() -> S + Send + Sync + 'static,
    work: impl Fn(B, &mut S) -> Result<D, E> + Send + Sync + 'static,
) -> Ahead<D, E>
where
    B: Send + 'static,
    D: Send + 'static,
    E: Send + 'static,
{
    let (sender, results) = mpsc::sync_channel(limits.in_flight);
    let to_itself = sender.clone();
    let started = thread::Builder::new().spawn(move || {
        let ended = run(limits, blocks, scratch, work, |done| {
            // Nobody takes it: the iterator was dropped.
            Ok(match sender.send(Ok(done)) {
                Ok(()) => ControlFlow::Continue(()),
                Err(_) => ControlFlow::Break(()),
            })
        });
        if let Err(stopped) = ended {
            let _ = sender.send(Err(stopped));
        }
    });
    if let Err(error) = started {
        let _ = to_itself.send(Err(Stopped::Threads(limits.threads, error)));
    }
    Ahead { results }
}

/// The results of [`ahead`], in order.
#[derive(Debug)]
pub struct Ahead<D, E> {
    results: mpsc::Receiver<Result<D, Stopped<E>>>,
}

impl<D, E> Iterator for Ahead<D, E> {
    type Item = Result<D, Stopped<E>>;

    fn next(&mut self) -> Option<Result<D, Stopped<E>>> {
        self.results.recv().ok()
    }
}

/// What threads do with blocks. They share one value of it.
pub(crate) trait Work: Sync {
    type Block: Send;
    /// What becomes of a block, or of a part of it.
    type Done: Send;
    type Error: Send;
    /// Memory of a thread, which serves one block after another.
    type Scratch;

    /// How many threads work, and on how many blocks. Asked anew each time, so it may change during
    /// the run.
    fn limits(&self) -> Limits;

    fn scratch(&self) -> Self::Scratch;

    /// Works on a block. `None`: it went elsewhere, from where [`Ordered::bring_back`] brings it.
    fn work(
        &self,
        block: Self::Block,
        scratch: &mut Self::Scratch,
        place: &Place<'_, Self::Done>,
    ) -> Result<Option<Self::Done>, Self::Error>;

    /// The bytes of a result that count for [`Limits::room`].
    fn bytes(&self, _: &Self::Done) -> usize {
        0
    }

    /// How many blocks may be in flight when this one is begun, this one included: 1 or more. It
    /// is held back until then, and nothing is read meanwhile.
    fn in_flight_with(&self, _: &Self::Block) -> usize {
        usize::MAX
    }

    /// Called by a thread that has nothing to do, before it waits.
    fn rest(&self) {}
}

/// A block's place in the order.
pub(crate) struct Place<'a, D> {
    /// The number of the block, from 0.
    pub number: u64,
    hand_in: &'a dyn Fn(D) -> bool,
}

impl<D> Place<'_, D> {
    /// Hands in a part of the block's result: more follows, and the last part is what
    /// [`Work::work`] returns. False once the run has ended: then nothing is written any more.
    pub fn hand_in(&self, part: D) -> bool {
        (self.hand_in)(part)
    }
}

/// What the threads of a run tell each other.
pub(crate) struct Ordered<B, D, E> {
    state: Mutex<State<B, D, E>>,
    /// Signals threads that have nothing to do.
    idle: Condvar,
    /// Signals threads that the limits do not want now.
    paused: Condvar,
    /// Signals threads whose result waits for room.
    room: Condvar,
}

struct State<B, D, E> {
    /// The number of blocks that were read.
    read: u64,
    /// The number of blocks that were written: that of the next one to be written.
    written: u64,
    is_reading: bool,
    is_writing: bool,
    /// Whether the source has no more blocks.
    is_all_read: bool,
    /// A block that was read, and is not begun before some of those before it are written.
    held: Option<(u64, B)>,
    /// Blocks that were elsewhere.
    returned: VecDeque<(u64, B)>,
    /// How many blocks were read and are not done.
    open: usize,
    /// How many of these blocks a thread works on.
    in_work: usize,
    /// Results that wait to be written, by the block's number.
    waiting: BTreeMap<u64, VecDeque<Outcome<D, E>>>,
    /// The bytes of results that wait or are being written.
    bytes: usize,
    /// How the run has ended, once it has.
    end: Option<Result<(), Stopped<E>>>,
    /// The threads that wait for each signal.
    idle: usize,
    paused: usize,
    for_room: usize,
}

/// The result of a block, or a part of it.
struct Outcome<D, E> {
    result: Result<D, Stopped<E>>,
    bytes: usize,
    /// Whether nothing more of this block follows.
    is_last: bool,
}

impl<B, D, E> State<B, D, E> {
    /// Whether blocks are elsewhere, or were and wait for a thread.
    fn has_some_elsewhere(&self) -> bool {
        // A block that comes back before its thread has noted that it went is counted twice.
        self.open > self.in_work + usize::from(self.held.is_some())
    }

    /// Whether nothing is left to do.
    fn is_over(&self) -> bool {
        self.end.is_some() || self.is_all_read && self.open == 0
    }

    /// Whether the result of a block may wait here: that of the next block in order unless somebody
    /// writes an earlier part of it and too much waits; that of a later one if there is room.
    fn has_room(&self, number: u64, bytes: usize, room: usize) -> bool {
        self.end.is_some()
            || self.has_some_elsewhere()
            || if number == self.written {
                !self.is_writing || self.bytes <= room
            } else {
                self.bytes + bytes <= room
            }
    }

    fn may_begin(&self, number: u64, in_flight: usize) -> bool {
        number < self.written.saturating_add(in_flight as u64)
    }

    fn may_read(&self, limits: Limits) -> bool {
        !self.is_reading
            && !self.is_all_read
            && self.held.is_none()
            && self.may_begin(self.read, limits.in_flight.max(1))
    }

    /// Takes what is to be written next, if it is here.
    fn take_next(&mut self) -> Option<Outcome<D, E>> {
        let outcome = self.waiting.get_mut(&self.written)?.pop_front()?;
        if outcome.is_last {
            self.waiting.remove(&self.written);
        }
        Some(outcome)
    }
}

impl<B: Send, D: Send, E: Send> Ordered<B, D, E> {
    pub fn new() -> Ordered<B, D, E> {
        let state = State {
            read: 0,
            written: 0,
            is_reading: false,
            is_writing: false,
            is_all_read: false,
            held: None,
            returned: VecDeque::new(),
            open: 0,
            in_work: 0,
            waiting: BTreeMap::new(),
            bytes: 0,
            end: None,
            idle: 0,
            paused: 0,
            for_room: 0,
        };
        Ordered {
            state: Mutex::new(state),
            idle: Condvar::default(),
            paused: Condvar::default(),
            room: Condvar::default(),
        }
    }

    /// Works on all blocks. `threads` is the most that the limits will ever want.
    pub fn run<W: Work<Block = B, Done = D, Error = E>>(
        &self,
        work: &W,
        threads: usize,
        blocks: impl Iterator<Item = Result<B, E>> + Send,
        write: impl FnMut(D) -> Result<ControlFlow<()>, E> + Send,
    ) -> Result<(), Stopped<E>> {
        let crew = Crew {
            ordered: self,
            work,
            blocks: Mutex::new(blocks),
            write: Mutex::new(write),
            recording: Stages::for_this_thread(),
        };
        thread::scope(|scope| {
            // Nobody gets a block before all have started: if one cannot be started, nothing has
            // been done.
            let mut state = self.state.lock();
            for number in 1..threads {
                let crew = &crew;
                let started =
                    thread::Builder::new().spawn_scoped(scope, move || crew.serve(number));
                if let Err(error) = started {
                    state.end = Some(Err(Stopped::Threads(threads, error)));
                    return;
                }
            }
            drop(state);
            crew.serve(0);
        });
        self.state.lock().end.take().unwrap_or(Ok(()))
    }

    /// Brings a block back that [`Work::work`] gave away. Any thread may do so.
    pub fn bring_back(&self, number: u64, block: B) {
        let mut state = self.state.lock();
        state.returned.push_back((number, block));
        self.wake_one(&state);
        if state.for_room > 0 {
            self.room.notify_all();
        }
    }

    /// Ends the run, since somebody whom it needs has panicked.
    pub fn fail(&self) {
        self.end(&mut self.state.lock(), Err(Stopped::Panicked));
    }

    /// Ends the run, unless it has ended before.
    fn end(&self, state: &mut State<B, D, E>, result: Result<(), Stopped<E>>) {
        state.end.get_or_insert(result);
        self.wake_all();
    }

    fn wake_one(&self, state: &State<B, D, E>) {
        if state.idle > 0 {
            self.idle.notify_one();
        }
    }

    fn wake_all(&self) {
        self.idle.notify_all();
        self.paused.notify_all();
        self.room.notify_all();
    }
}

/// The threads of a run.
struct Crew<'a, W: Work, I, F> {
    ordered: &'a Ordered<W::Block, W::Done, W::Error>,
    work: &'a W,
    /// Locked by the thread that reads.
    blocks: Mutex<I>,
    /// Locked by the thread that writes.
    write: Mutex<F>,
    /// Records what the threads do, if somebody wants to know.
    recording: Option<Stages>,
}

type Guard<'a, W> =
    MutexGuard<'a, State<<W as Work>::Block, <W as Work>::Done, <W as Work>::Error>>;

impl<W, I, F> Crew<'_, W, I, F>
where
    W: Work,
    I: Iterator<Item = Result<W::Block, W::Error>> + Send,
    F: FnMut(W::Done) -> Result<ControlFlow<()>, W::Error> + Send,
{
    /// What a thread of the run does from its start to its end. They have numbers from 0.
    fn serve(&self, number: usize) {
        let _lane = self.recording.as_ref().map(|recording| {
            recording.begin_lane(format!("thread {}", number + 1), LaneKind::Worker)
        });
        let served = catch_unwind(AssertUnwindSafe(|| {
            let mut scratch = None;
            while let Some((number, block)) = self.next_block(number, &mut scratch) {
                self.work_on(number, block, &mut scratch);
            }
        }));
        if served.is_err() {
            self.ordered.fail();
        }
    }

    /// Waits for a block to work on; `None` at the end of the run.
    fn next_block(
        &self,
        thread: usize,
        scratch: &mut Option<W::Scratch>,
    ) -> Option<(u64, W::Block)> {
        let ordered = self.ordered;
        let mut has_rested = false;
        let mut state = ordered.state.lock();
        while !state.is_over() {
            if thread >= self.work.limits().threads.max(1) {
                // Another thread may have to do what this one was woken for.
                self.wake_for_more(&state);
                // This thread gives up its memory, which others need.
                let unused = scratch.take();
                if unused.is_some() {
                    drop(state);
                    drop(unused);
                    state = ordered.state.lock();
                    continue;
                }
                state.paused += 1;
                during(Stage::Wait, || ordered.paused.wait(&mut state));
                state.paused -= 1;
            } else if let Some(block) = self.take(&mut state) {
                state.in_work += 1;
                self.wake_for_more(&state);
                return Some(block);
            } else if state.may_read(self.work.limits()) {
                state = self.read(state);
            } else if has_rested {
                state.idle += 1;
                during(Stage::Wait, || ordered.idle.wait(&mut state));
                state.idle -= 1;
            } else {
                drop(state);
                self.work.rest();
                has_rested = true;
                state = ordered.state.lock();
            }
        }
        None
    }

    /// A block that was elsewhere, or the one that was held back, if it may be begun.
    fn take(&self, state: &mut Guard<'_, W>) -> Option<(u64, W::Block)> {
        if let Some(returned) = state.returned.pop_front() {
            return Some(returned);
        }
        let may_begin = self.may_begin_held(state);
        state.held.take_if(|_| may_begin)
    }

    fn may_begin_held(&self, state: &Guard<'_, W>) -> bool {
        state.held.as_ref().is_some_and(|(number, block)| {
            let in_flight = self.work.in_flight_with(block).max(1);
            state.may_begin(*number, in_flight)
        })
    }

    /// Wakes a thread, if there is something to do for another one.
    fn wake_for_more(&self, state: &Guard<'_, W>) {
        if state.idle > 0
            && (!state.returned.is_empty()
                || state.may_read(self.work.limits())
                || self.may_begin_held(state))
        {
            self.ordered.idle.notify_one();
        }
    }

    /// Reads the next block, without the lock, and holds it back until it may be begun: usually
    /// this thread takes it at once. An error is the result of the block.
    fn read<'s>(&'s self, mut state: Guard<'s, W>) -> Guard<'s, W> {
        state.is_reading = true;
        drop(state);
        let next = catch_unwind(AssertUnwindSafe(|| {
            during(Stage::Read, || self.blocks.lock().next())
        }));
        let mut state = self.ordered.state.lock();
        state.is_reading = false;
        state.is_all_read = !matches!(next, Ok(Some(Ok(_))));
        let number = state.read;
        match next {
            Ok(Some(Ok(block))) => {
                state.read += 1;
                state.open += 1;
                state.held = Some((number, block));
            }
            Ok(Some(Err(error))) => {
                state.read += 1;
                state.open += 1;
                state.in_work += 1;
                drop(state);
                self.put(number, Err(Stopped::Error(error)), true);
                state = self.ordered.state.lock();
            }
            Ok(None) => {
                if state.is_over() {
                    self.ordered.wake_all();
                }
            }
            Err(_) => self.ordered.end(&mut state, Err(Stopped::Panicked)),
        }
        state
    }

    /// Works on a block and hands in its result.
    fn work_on(&self, number: u64, block: W::Block, scratch: &mut Option<W::Scratch>) {
        let place = Place {
            number,
            hand_in: &|part| self.put(number, Ok(part), false),
        };
        let memory = scratch.get_or_insert_with(|| self.work.scratch());
        let worked = catch_unwind(AssertUnwindSafe(|| self.work.work(block, memory, &place)));
        let result = match worked {
            Ok(Ok(Some(done))) => Ok(done),
            Ok(Ok(None)) => {
                let mut state = self.ordered.state.lock();
                state.in_work -= 1;
                // Results that wait for room need not do so any more.
                if state.for_room > 0 {
                    self.ordered.room.notify_all();
                }
                return;
            }
            Ok(Err(error)) => Err(Stopped::Error(error)),
            Err(_) => {
                // It may be in any state.
                *scratch = None;
                Err(Stopped::Panicked)
            }
        };
        self.put(number, result, true);
    }

    /// Takes a result, which waits for room first. Writes all that can be written now, unless
    /// another thread does. False once the run has ended.
    fn put(&self, number: u64, result: Result<W::Done, Stopped<W::Error>>, is_last: bool) -> bool {
        let ordered = self.ordered;
        let bytes = result.as_ref().map_or(0, |done| self.work.bytes(done));
        let mut state = ordered.state.lock();
        while bytes > 0 && !state.has_room(number, bytes, self.work.limits().room) {
            state.for_room += 1;
            during(Stage::Wait, || ordered.room.wait(&mut state));
            state.for_room -= 1;
        }
        if state.end.is_some() {
            return false;
        }
        if is_last {
            state.open -= 1;
            state.in_work -= 1;
        }
        state.bytes += bytes;
        state.waiting.entry(number).or_default().push_back(Outcome {
            result,
            bytes,
            is_last,
        });
        if !state.is_writing {
            state.is_writing = true;
            state = self.write_all(state);
            state.is_writing = false;
            // The next block may wait for that.
            if state.for_room > 0 {
                ordered.room.notify_all();
            }
        }
        if state.is_over() {
            ordered.wake_all();
        }
        state.end.is_none()
    }

    /// Writes results as long as the next one in order is there.
    fn write_all<'s>(&'s self, mut state: Guard<'s, W>) -> Guard<'s, W> {
        let ordered = self.ordered;
        while state.end.is_none()
            && let Some(outcome) = state.take_next()
        {
            drop(state);
            let written = outcome.result.and_then(|done| self.write(done));
            state = ordered.state.lock();
            state.bytes -= outcome.bytes;
            state.written += u64::from(outcome.is_last);
            match written {
                Ok(ControlFlow::Continue(())) => {}
                Ok(ControlFlow::Break(())) => ordered.end(&mut state, Ok(())),
                Err(stopped) => ordered.end(&mut state, Err(stopped)),
            }
            self.wake_for_more(&state);
            if state.for_room > 0 {
                ordered.room.notify_all();
            }
            // The limits may have changed, so that paused threads can go on.
            if state.paused > 0 {
                ordered.paused.notify_all();
            }
        }
        state
    }

    fn write(&self, done: W::Done) -> Result<ControlFlow<()>, Stopped<W::Error>> {
        let mut write = self.write.lock();
        match catch_unwind(AssertUnwindSafe(|| during(Stage::Write, || write(done)))) {
            Ok(written) => written.map_err(Stopped::Error),
            Err(_) => Err(Stopped::Panicked),
        }
    }
}

/// What [`run`] does: its limits do not change, and each block has one result.
struct Plain<S, W, T> {
    limits: Limits,
    scratch: S,
    work: W,
    types: core::marker::PhantomData<T>,
}

impl<M, S, W, B: Send, D: Send, E: Send> Work for Plain<S, W, fn(B) -> (D, E)>
where
    S: Fn() -> M + Sync,
    W: Fn(B, &mut M) -> Result<D, E> + Sync,
{
    type Block = B;
    type Done = D;
    type Error = E;
    type Scratch = M;

    fn limits(&self) -> Limits {
        self.limits
    }

    fn scratch(&self) -> M {
        (self.scratch)()
    }

    fn work(&self, block: B, scratch: &mut M, _: &Place<'_, D>) -> Result<Option<D>, E> {
        (self.work)(block, scratch).map(Some)
    }
}
