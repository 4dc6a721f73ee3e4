//! Starting worker threads with enough memory.
//!
//! A thread without memory for its signal stack aborts the process. So threads start one by
//! one, each only if there is memory for more than one.

use std::hint::black_box;
use std::io;
use std::sync::mpsc;

use super::error::{Error, ErrorKind, Result};

/// Memory to probe for a thread. Up to 64 MiB could come from an arena that the C library has
/// already reserved.
const ROOM: usize = 72 << 20;

/// Starts rayon's global threads, which a process shares for batches on the CPU.
///
/// # Errors
///
/// [`ErrorKind::Threads`] if memory is short, or they run already.
pub fn start_shared(threads: usize) -> Result<()> {
    let builder = rayon::ThreadPoolBuilder::new().num_threads(threads);
    let pool = builder.spawn_handler(|thread| {
        start(|running| {
            let run = move || {
                running.tell();
                thread.run();
            };
            std::thread::Builder::new().spawn(run).map(drop)
        })
    });
    pool.build_global()
        .map_err(|error| cannot_start(threads, error))?;
    room(0).map_err(|error| cannot_start(threads, error))
}

/// Tells the starting thread that this one runs.
pub(super) struct Running(mpsc::Sender<()>);

impl Running {
    pub(super) fn tell(self) {
        // The first allocation may map a whole arena.
        black_box(Box::new(0));
        drop(self.0);
    }
}

/// Starts a thread by `spawn`, and waits until it runs.
pub(super) fn start<T>(spawn: impl FnOnce(Running) -> io::Result<T>) -> io::Result<T> {
    room(0)?;
    let (running, runs) = mpsc::channel();
    let thread = spawn(Running(running))?;
    // Nothing is sent: `recv` returns when the sender is dropped.
    let _ = runs.recv();
    Ok(thread)
}

/// Whether `bytes` and a thread can be allocated.
pub(super) fn room(bytes: usize) -> io::Result<()> {
    let mut probe = Vec::<u8>::new();
    let had = probe.try_reserve_exact(bytes + ROOM);
    black_box(&probe);
    had.map_err(|_| io::ErrorKind::OutOfMemory.into())
}

/// Whether there is memory for threads that other code starts.
///
/// # Errors
///
/// [`ErrorKind::Threads`] if not.
pub fn room_for(threads: usize) -> Result<()> {
    const STACK: usize = 9 << 18; // the standard library's 2 MiB and some more
    room(threads * STACK).map_err(|error| cannot_start(threads, error))
}

pub(super) fn cannot_start(threads: usize, error: impl core::fmt::Display) -> Error {
    let message = format!("cannot start {threads} worker threads: {error}");
    Error::new(ErrorKind::Threads(threads), message)
}
