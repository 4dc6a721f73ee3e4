//! Worker threads, and the memory that starting them takes.
//!
//! A thread that finds no memory for its signal stack ends the process by SIGABRT.
//! So threads start one by one, each only while there is room for more than one.

use std::hint::black_box;
use std::io;
use std::sync::mpsc;

use super::error::{Error, ErrorKind, Result};

/// Room for a thread. An allocation of 64 MiB or less could come out of an arena that the
/// C library has reserved already.
const ROOM: usize = 72 << 20;

/// Starts the threads that all of a process share for batches on the CPU: rayon's.
///
/// # Errors
///
/// [`ErrorKind::Threads`] if there is no room for them, or they run already.
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

/// What a thread tells the one that started it.
pub(super) struct Running(mpsc::Sender<()>);

impl Running {
    pub(super) fn tell(self) {
        // Its first allocation may take much.
        black_box(Box::new(0));
        drop(self.0);
    }
}

/// Starts a thread by `spawn`, and waits until it has told that it runs.
pub(super) fn start<T>(spawn: impl FnOnce(Running) -> io::Result<T>) -> io::Result<T> {
    room(0)?;
    let (running, runs) = mpsc::channel();
    let thread = spawn(Running(running))?;
    // Nothing is sent: it ends when the other end is dropped.
    let _ = runs.recv();
    Ok(thread)
}

/// Whether so many bytes can be had, and a thread.
pub(super) fn room(bytes: usize) -> io::Result<()> {
    let mut probe = Vec::<u8>::new();
    let had = probe.try_reserve_exact(bytes + ROOM);
    black_box(&probe);
    had.map_err(|_| io::ErrorKind::OutOfMemory.into())
}

/// Refuses threads that something else starts, for which there is no room.
///
/// # Errors
///
/// [`ErrorKind::Threads`].
pub fn room_for(threads: usize) -> Result<()> {
    const STACK: usize = 9 << 18; // of 2 MiB, as the standard library's, and more
    room(threads * STACK).map_err(|error| cannot_start(threads, error))
}

pub(super) fn cannot_start(threads: usize, error: impl core::fmt::Display) -> Error {
    let message = format!("cannot start {threads} worker threads: {error}");
    Error::new(ErrorKind::Threads(threads), message)
}
