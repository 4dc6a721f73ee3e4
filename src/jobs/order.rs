//! Writes results in the input's order, by the workers themselves.
//!
//! The worker that puts the next result in order writes it, and all that arrive after it
//! meanwhile; the others go on with the next block. So no writer thread is needed, no worker
//! waits for its turn, and results are usually still in the cache of the core that writes them.

use std::collections::{BTreeMap, VecDeque};
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use super::error::{Error, Result};
use super::step::Done;

/// Puts results in order.
pub struct Order<W> {
    state: Mutex<State>,
    changed: Condvar,
    /// Locked by the worker that writes.
    write: Mutex<W>,
}

#[derive(Default)]
struct State {
    /// By block number.
    waiting: BTreeMap<u64, VecDeque<Result<Done>>>,
    /// Bytes of all output waiting or being written.
    bytes: usize,
    /// The next block to write.
    next: u64,
    /// Whether a worker is writing.
    writing: bool,
    all_read: bool,
    /// Set when writing has ended, with or without an error.
    end: Option<Result<()>>,
}

impl State {
    fn take_next(&mut self) -> Option<Result<Done>> {
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
fn is_last(outcome: &Result<Done>) -> bool {
    !outcome.as_ref().is_ok_and(|done| done.is_part)
}

/// Limit on the bytes of waiting output.
const ROOM: usize = 24 << 20;

impl<W: FnMut(Result<Done>) -> Result<ControlFlow<()>>> Order<W> {
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

    /// Marks the input as read to its end and wakes paused workers.
    pub fn all_read(&self) {
        self.lock().all_read = true;
        self.changed.notify_all();
    }

    /// Takes a result. Writes all that can be written now unless another worker does. Output
    /// waits for room first.
    ///
    /// # Errors
    ///
    /// If writing has ended.
    pub fn put(&self, block: u64, outcome: Result<Done>) -> Result<()> {
        let bytes = outcome.as_ref().map_or(0, Done::bytes);
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
            let bytes = outcome.as_ref().map_or(0, Done::bytes);
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

    fn write(&self, outcome: Result<Done>) -> Result<ControlFlow<()>> {
        let mut write = self.write.lock().unwrap_or_else(PoisonError::into_inner);
        // A panic would leave the other workers waiting.
        catch_unwind(AssertUnwindSafe(|| write(outcome))).unwrap_or_else(|_| Err(Error::panicked()))
    }

    /// How writing ended, after all workers have stopped.
    ///
    /// # Errors
    ///
    /// The first one in the input's order.
    pub fn end(self) -> Result<()> {
        let state = self.state.into_inner();
        let state = state.unwrap_or_else(PoisonError::into_inner);
        state.end.unwrap_or(Ok(()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(data: Vec<u8>, is_part: bool) -> Done {
        Done {
            is_part,
            data,
            ..Done::default()
        }
    }

    fn part(byte: u8) -> Done {
        of(vec![byte], true)
    }

    fn done(byte: u8) -> Done {
        of(vec![byte], false)
    }

    #[test]
    fn what_comes_early_waits_for_its_turn() {
        let mut written = Vec::new();
        let order = Order::new(|outcome: Result<Done>| {
            written.extend(outcome?.data);
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
            order.put(block, Ok(outcome)).unwrap();
        }
        assert!(order.may_read(3, || 1));
        order.end().unwrap();
        assert_eq!(written, [0, 1, 2, 3, 4, 5]);
    }

    /// Errors, `Break` and panics: the first one in order ends the run.
    #[test]
    fn the_first_end_is_the_end() {
        let ends = |last: fn() -> Result<ControlFlow<()>>| {
            let mut written = 0;
            let order = Order::new(|outcome: Result<Done>| {
                outcome?;
                written += 1;
                if written == 2 {
                    return last();
                }
                Ok(ControlFlow::Continue(()))
            });
            let error = Err(Error::refused("of a later block"));
            order.put(2, error).unwrap();
            order.put(1, Ok(done(1))).unwrap();
            order.put(0, Ok(done(0))).unwrap();
            assert!(order.put(3, Ok(done(3))).is_err() && !order.may_read(4, || 9));
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

    /// Many threads and parts, little room: everything arrives in order, within the memory
    /// limit.
    #[test]
    fn parts_wait_for_room() {
        const PART: usize = 4 << 20;
        let mut written = Vec::new();
        let order = Order::new(|outcome: Result<Done>| {
            let data = outcome?.data;
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
                            let part = of(vec![block as u8; PART], true);
                            order.put(block, Ok(part)).unwrap();
                            // One more part of the block that is written next may pass.
                            assert!(order.lock().bytes <= ROOM + PART);
                        }
                        order.put(block, Ok(done(block as u8))).unwrap();
                    }
                });
            }
        });
        order.end().unwrap();
        let expected: Vec<u8> = (0..12).flat_map(|block| [block; 5]).collect();
        assert_eq!(written, expected);
    }
}
