//! Puts the results of blocks in order, and has them written by the threads that bring them.
//!
//! Blocks are done in any order. A result waits here until all before it are written. Whoever
//! brings the one that is next writes it, and after it all that have arrived meanwhile; so nobody
//! waits for a turn, and no thread is needed that only writes.
//!
//! # An example
//!
//! Three workers are at blocks 0, 1 and 2. Block 1 is done first: it waits, and its worker reads
//! the next block, 3. Then block 0 is done: its worker writes 0 and 1. Meanwhile block 2 is done.
//! Its worker leaves it here, since somebody writes, and reads on. The worker that writes finds it
//! when it is done with 1, and writes it too.
//!
//! # What must hold
//!
//! - Memory is bounded twice: by the number of blocks that are read and not yet written
//!   ([`Order::may_read`]), and by the bytes of output that wait ([`ROOM`]). The block that is next
//!   waits for room only while somebody writes, who makes room. If it waited when nobody writes,
//!   nobody could go on: all others wait for it.
//! - After an error nothing is written. The first error in the order of the input is the run's.

use core::ops::ControlFlow;
use std::collections::{BTreeMap, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use super::block_output::BlockOutput;
use super::error::{Error, Result};

/// Puts results in order, and lets the workers themselves write them.
///
/// The worker that puts the next result in order writes it, and all that arrive after it
/// meanwhile; the others go on with the next block. So no writer thread is needed, no worker
/// waits for its turn, and results are usually still in the cache of the core that writes them.
pub struct Order<W> {
    state: Mutex<State>,
    changed: Condvar,
    /// Locked by the worker that writes.
    write: Mutex<W>,
}

/// What the workers of a run tell each other.
#[derive(Default)]
pub struct State {
    /// By block number.
    waiting: BTreeMap<u64, VecDeque<Result<BlockOutput>>>,
    /// Bytes of all output waiting or being written.
    bytes: usize,
    /// The next block to write.
    pub next: u64,
    writing: bool,
    pub all_read: bool,
    /// Set when writing has ended, with or without an error.
    pub end: Option<Result<()>>,
}

impl State {
    fn take_next(&mut self) -> Option<Result<BlockOutput>> {
        let outcome = self.waiting.get_mut(&self.next)?.pop_front()?;
        if is_last(&outcome) {
            self.waiting.remove(&self.next);
        }
        Some(outcome)
    }

    /// Whether output of a block may be handed in: output of a later block if it fits in `ROOM`;
    /// that of the block which is next if nobody writes. If somebody writes, that is an earlier
    /// part of the same block: then it may as long as the others alone do not exceed `ROOM`. They
    /// may exceed it, since a device's output does not wait for room ([`Order::put_at_once`]).
    fn has_room(&self, block: u64, bytes: usize) -> bool {
        if self.next == block {
            !self.writing || self.bytes <= ROOM
        } else {
            self.bytes + bytes <= ROOM
        }
    }
}

/// Whether a block is done, or has failed.
fn is_last(outcome: &Result<BlockOutput>) -> bool {
    !outcome.as_ref().is_ok_and(|done| done.is_part)
}

/// Limit on the bytes of waiting output.
const ROOM: usize = 24 << 20;

impl<W: FnMut(Result<BlockOutput>) -> Result<ControlFlow<()>>> Order<W> {
    pub fn new(write: W) -> Order<W> {
        Order {
            state: Mutex::default(),
            changed: Condvar::new(),
            write: Mutex::new(write),
        }
    }

    pub fn lock(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }

    pub fn wait_while(&self, waits: impl Fn(&State) -> bool) -> MutexGuard<'_, State> {
        let state = self
            .changed
            .wait_while(self.lock(), |state| state.end.is_none() && waits(state));
        state.unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until fewer than `in_flight` blocks are read and not written; false once writing
    /// has ended.
    pub fn may_read(&self, block: u64, in_flight: impl Fn() -> usize) -> bool {
        let state = self.wait_while(|state| block >= state.next + in_flight() as u64);
        state.end.is_none()
    }

    /// Waits until this worker is wanted; false once there is nothing left to do.
    pub fn may_work(&self, wanted: impl Fn() -> bool) -> bool {
        let state = self.wait_while(|state| !state.all_read && !wanted());
        state.end.is_none() && !state.all_read
    }

    /// Waits until a function knows what to do next.
    pub fn wait_for<T>(&self, next: impl Fn(&State) -> Option<T>) -> T {
        let mut state = self.lock();
        loop {
            if let Some(next) = next(&state) {
                return next;
            }
            state = self
                .changed
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Lets all that wait look again.
    pub fn wake(&self) {
        drop(self.lock());
        self.changed.notify_all();
    }

    /// Marks the input as read to its end and wakes paused workers.
    pub fn all_read(&self) {
        self.lock().all_read = true;
        self.changed.notify_all();
    }

    /// Takes a result. Writes all that can be written now unless another worker does. Output
    /// waits for room first. Fails if writing has ended.
    pub fn put(&self, block: u64, outcome: Result<BlockOutput>) -> Result<()> {
        let bytes = outcome.as_ref().map_or(0, BlockOutput::bytes);
        let state = self.wait_while(|state| bytes > 0 && !state.has_room(block, bytes));
        self.add(state, block, outcome)
    }

    /// The same without waiting for room: the number of blocks that are read and not written bounds
    /// the output.
    pub fn put_at_once(&self, block: u64, outcome: Result<BlockOutput>) -> Result<()> {
        self.add(self.lock(), block, outcome)
    }

    fn add<'a>(
        &'a self,
        mut state: MutexGuard<'a, State>,
        block: u64,
        outcome: Result<BlockOutput>,
    ) -> Result<()> {
        let bytes = outcome.as_ref().map_or(0, BlockOutput::bytes);
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
            let bytes_written = outcome.as_ref().map_or(0, BlockOutput::bytes);
            let is_last = is_last(&outcome);
            let written = self.write(outcome);
            state = self.lock();
            state.bytes -= bytes_written;
            state.next += u64::from(is_last);
            match written {
                Ok(ControlFlow::Continue(())) => {}
                Ok(ControlFlow::Break(())) => state.end = Some(Ok(())),
                Err(error) => state.end = Some(Err(error)),
            }
            self.changed.notify_all();
        }
        state.writing = false;
        // The next block may wait for that.
        self.changed.notify_all();
        Ok(())
    }

    fn write(&self, outcome: Result<BlockOutput>) -> Result<ControlFlow<()>> {
        let mut write = lock(&self.write);
        // A panic would leave the other workers waiting.
        catch_unwind(AssertUnwindSafe(|| write(outcome))).unwrap_or_else(|_| Err(Error::panicked()))
    }

    /// Ends the run with an error, unless it has ended already.
    pub fn fail(&self, error: Error) {
        self.lock().end.get_or_insert(Err(error));
        self.changed.notify_all();
    }

    /// How writing ended, after all workers have stopped: with the first error in the input's
    /// order.
    pub fn end(self) -> Result<()> {
        let state = self
            .state
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner);
        state.end.unwrap_or(Ok(()))
    }
}

pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
