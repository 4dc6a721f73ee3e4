//! What waits for the writer takes bounded memory.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use anyhow::{Result, bail};

/// Lets parts through to the writer as long as few bytes wait there.
///
/// Those of later blocks may fill the room, but not more; those of the block that
/// is written next pass unless its own are waiting, so that the writer never waits
/// in vain.
#[derive(Default)]
pub struct Gate {
    waiting: Mutex<Waiting>,
    changed: Condvar,
}

#[derive(Default)]
struct Waiting {
    bytes: usize,
    /// The block that is written next.
    next: u64,
    closed: bool,
}

impl Gate {
    const ROOM: usize = 24 << 20;

    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for room; fails once nobody writes any more.
    pub fn pass(&self, block: u64, bytes: usize) -> Result<()> {
        let full = |waiting: &mut Waiting| {
            let more = if waiting.next == block { 0 } else { bytes };
            !waiting.closed && waiting.bytes + more > Gate::ROOM
        };
        let waiting = self.changed.wait_while(self.lock(), full);
        let mut waiting = waiting.unwrap_or_else(PoisonError::into_inner);
        if waiting.closed {
            bail!("the output ended");
        }
        waiting.bytes += bytes;
        Ok(())
    }

    pub fn written(&self, bytes: usize) {
        self.lock().bytes -= bytes;
        self.changed.notify_all();
    }

    pub fn next_block(&self) {
        self.lock().next += 1;
        self.changed.notify_all();
    }

    fn close(&self) {
        self.lock().closed = true;
        self.changed.notify_all();
    }
}

/// Sets the workers free, however writing ends.
pub struct CloseAtEnd<'a>(pub &'a Gate);

impl Drop for CloseAtEnd<'_> {
    fn drop(&mut self) {
        self.0.close();
    }
}
