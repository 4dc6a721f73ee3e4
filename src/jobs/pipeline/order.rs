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

use super::super::error::{Error, Result};
use super::task::{Ahead, Done};

/// What comes from a worker.
pub enum Outcome {
    /// Of a block that is not done yet.
    Part(Ahead),
    Done(Box<Result<Done>>),
}

impl Outcome {
    fn part_bytes(&self) -> usize {
        match self {
            Outcome::Part(ahead) => ahead.bytes(),
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
            return Err(Error::cancelled());
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
        catch_unwind(AssertUnwindSafe(|| write(outcome))).unwrap_or_else(|_| Err(Error::panicked()))
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

#[cfg(test)]
mod tests {
    use super::*;

    fn part_of(data: Vec<u8>) -> Outcome {
        let rejects = Vec::new();
        Outcome::Part(Ahead { data, rejects })
    }

    fn part(byte: u8) -> Outcome {
        part_of(vec![byte])
    }

    fn done(byte: u8) -> Outcome {
        let data = vec![byte];
        Outcome::Done(Box::new(Ok(Done {
            data,
            ..Done::default()
        })))
    }

    fn bytes(outcome: Outcome) -> Result<Vec<u8>> {
        match outcome {
            Outcome::Part(ahead) => Ok(ahead.data),
            Outcome::Done(done) => Ok((*done)?.data),
        }
    }

    #[test]
    fn what_comes_early_waits_for_its_turn() {
        let mut written = Vec::new();
        let order = Order::new(|outcome| {
            written.extend(bytes(outcome)?);
            Ok(ControlFlow::Continue(()))
        });
        for (block, outcome) in [
            (2, done(5)),
            (1, part(2)),
            (0, part(0)),
            (1, part(3)),
            (0, done(1)),
            (1, done(4)),
        ] {
            order.put(block, outcome).unwrap();
        }
        assert!(order.may_read(3, || 1));
        order.end().unwrap();
        assert_eq!(written, [0, 1, 2, 3, 4, 5]);
    }

    /// Errors, ends and panics: the first of the input's order stops it all.
    #[test]
    fn the_first_end_is_the_end() {
        let ends = |last: fn() -> Result<ControlFlow<()>>| {
            let mut written = 0;
            let order = Order::new(|outcome| {
                bytes(outcome)?;
                written += 1;
                if written == 2 {
                    return last();
                }
                Ok(ControlFlow::Continue(()))
            });
            let error = Outcome::Done(Box::new(Err(Error::refused("of a later block"))));
            order.put(2, error).unwrap();
            order.put(1, done(1)).unwrap();
            order.put(0, done(0)).unwrap();
            assert!(order.put(3, done(3)).is_err() && !order.may_read(4, || 9));
            let end = order.end();
            assert_eq!(written, 2);
            end.map_err(|error| error.to_string())
        };
        assert_eq!(ends(|| Ok(ControlFlow::Break(()))), Ok(()));
        assert_eq!(ends(|| Err(Error::refused("full"))), Err("full".to_owned()));
        let of_block = ends(|| Ok(ControlFlow::Continue(())));
        assert_eq!(of_block, Err("of a later block".to_owned()));
        let panics = ends(|| panic!("this one is meant to"));
        assert!(panics.unwrap_err().contains("internal error"));
    }

    /// Many threads, many parts, little room: all of it, in order, and no more in
    /// memory than there is room for.
    #[test]
    fn parts_wait_for_room() {
        const PART: usize = 4 << 20;
        let mut written = Vec::new();
        let order = Order::new(|outcome| {
            let data = bytes(outcome)?;
            written.extend(data.first().copied());
            std::thread::sleep(std::time::Duration::from_millis(1));
            Ok(ControlFlow::Continue(()))
        });
        std::thread::scope(|scope| {
            for thread in 0..4 {
                let order = &order;
                scope.spawn(move || {
                    for block in (thread..12).step_by(4) {
                        assert!(order.may_read(block, || 5));
                        for _ in 0..4 {
                            let part = vec![block as u8; PART];
                            order.put(block, part_of(part)).unwrap();
                            // One more of the block that is written next may pass.
                            assert!(order.lock().part_bytes <= ROOM + PART);
                        }
                        order.put(block, done(block as u8)).unwrap();
                    }
                });
            }
        });
        order.end().unwrap();
        let expected: Vec<u8> = (0..12).flat_map(|block| [block; 5]).collect();
        assert_eq!(written, expected);
    }
}
