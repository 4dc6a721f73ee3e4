//! What comes out of the blocks is written in the input's order, by the workers.
//!
//! Whoever brings what is to be written next writes it, and what has come in behind it
//! meanwhile; everybody else goes on with the next block. So no thread but the workers
//! is needed, none of them waits for another's turn, and what is written lies in the
//! cache of the core that made it, as a rule.

use std::collections::{BTreeMap, VecDeque};
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use anyhow::{Result, anyhow, bail};

use super::Done;

/// What comes from a worker.
pub enum Outcome {
    /// Data of a block that is not done yet.
    Part(Vec<u8>),
    Done(Box<Result<Done>>),
}

impl Outcome {
    fn part_bytes(&self) -> usize {
        match self {
            Outcome::Part(data) => data.len(),
            Outcome::Done(_) => 0,
        }
    }
}

/// Brings outcomes into order.
pub struct Order<W> {
    state: Mutex<State>,
    changed: Condvar,
    /// Locked by the one worker that writes.
    write: Mutex<W>,
}

#[derive(Default)]
struct State {
    /// By the numbers of their blocks.
    waiting: BTreeMap<u64, VecDeque<Outcome>>,
    /// Of all parts that are waiting or being written.
    part_bytes: usize,
    /// The block that is written next.
    next: u64,
    /// Whether somebody writes.
    writing: bool,
    /// Nothing more is read.
    all_read: bool,
    /// How writing ended; nothing more is written.
    end: Option<Result<()>>,
}

impl State {
    fn take_next(&mut self) -> Option<Outcome> {
        let outcome = self.waiting.get_mut(&self.next)?.pop_front()?;
        if matches!(outcome, Outcome::Done(_)) {
            self.waiting.remove(&self.next);
        }
        Some(outcome)
    }

    /// Parts of later blocks may fill the room, but not more; those of the block that
    /// is written next pass unless its own are waiting, which somebody is writing then.
    fn has_room(&self, block: u64, bytes: usize) -> bool {
        let more = if self.next == block { 0 } else { bytes };
        self.part_bytes + more <= ROOM
    }
}

/// The bytes of parts that wait at most.
const ROOM: usize = 24 << 20;

impl<W: FnMut(Outcome) -> Result<ControlFlow<()>>> Order<W> {
    pub fn new(write: W) -> Order<W> {
        Order {
            state: Mutex::default(),
            changed: Condvar::new(),
            write: Mutex::new(write),
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait_while(&self, waits: impl Fn(&State) -> bool) -> MutexGuard<'_, State> {
        let state = self
            .changed
            .wait_while(self.lock(), |state| state.end.is_none() && waits(state));
        state.unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until a block may be read, of which so many may be on their way at most;
    /// no, if nothing more is wanted.
    pub fn may_read(&self, block: u64, in_flight: impl Fn() -> usize) -> bool {
        let state = self.wait_while(|state| block >= state.next + in_flight() as u64);
        state.end.is_none()
    }

    /// Waits until a worker is wanted; no, if none is wanted any more.
    pub fn may_work(&self, wanted: impl Fn() -> bool) -> bool {
        let state = self.wait_while(|state| !state.all_read && !wanted());
        state.end.is_none() && !state.all_read
    }

    /// Nobody needs to wait for more to read.
    pub fn all_read(&self) {
        self.lock().all_read = true;
        self.changed.notify_all();
    }

    /// Takes an outcome, and writes what can be written now if nobody else does.
    /// Parts wait for room first.
    ///
    /// # Errors
    ///
    /// If nothing more is written.
    pub fn put(&self, block: u64, outcome: Outcome) -> Result<()> {
        let bytes = outcome.part_bytes();
        let mut state = self.wait_while(|state| bytes > 0 && !state.has_room(block, bytes));
        if state.end.is_some() {
            bail!("the output ended");
        }
        state.part_bytes += bytes;
        state.waiting.entry(block).or_default().push_back(outcome);
        if state.writing {
            return Ok(());
        }
        state.writing = true;
        while state.end.is_none()
            && let Some(outcome) = state.take_next()
        {
            drop(state);
            let (bytes, is_done) = (outcome.part_bytes(), matches!(outcome, Outcome::Done(_)));
            let written = self.write(outcome);
            state = self.lock();
            state.part_bytes -= bytes;
            state.next += u64::from(is_done);
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

    fn write(&self, outcome: Outcome) -> Result<ControlFlow<()>> {
        let mut write = self.write.lock().unwrap_or_else(PoisonError::into_inner);
        // A panic would leave the other workers waiting.
        catch_unwind(AssertUnwindSafe(|| write(outcome)))
            .unwrap_or_else(|_| Err(anyhow!("internal error in a worker thread")))
    }

    /// How it ended, once all workers have.
    ///
    /// # Errors
    ///
    /// The first in the input's order.
    pub fn end(self) -> Result<()> {
        let state = self.state.into_inner();
        let state = state.unwrap_or_else(PoisonError::into_inner);
        state.end.unwrap_or(Ok(()))
    }
}
