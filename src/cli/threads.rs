//! Worker threads, and the memory that starting them takes.
//!
//! A thread that finds no memory for its signal stack ends the process by SIGABRT.
//! So threads start one by one, each only while there is room for more than one.

use std::hint::black_box;
use std::io;
use std::num::NonZeroUsize;
use std::sync::mpsc;

use anyhow::{Context as _, Result, anyhow};

/// More than these only cost memory.
const MOST: usize = 1024;

/// Room for a thread. An allocation of 64 MiB or less could come out of an arena that the
/// C library has reserved already.
const ROOM: usize = 72 << 20;

/// The value of `--threads`.
pub fn parse(text: &str) -> Result<NonZeroUsize, String> {
    let count = text
        .parse()
        .ok()
        .filter(|&count: &NonZeroUsize| count.get() <= MOST);
    count.ok_or_else(|| format!("expected a number of threads from 1 to {MOST}"))
}

/// So many, or one a core.
pub fn count(wanted: Option<NonZeroUsize>) -> usize {
    let cores = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
    wanted.map_or(cores, NonZeroUsize::get)
}

/// Starts the threads that the CPU backend shares.
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
    // Not its source, which says the same.
    let started = pool.build_global().map_err(|error| anyhow!("{error}"));
    started
        .and_then(|()| Ok(room(0)?))
        .with_context(|| cannot_start(threads))
}

/// What a thread tells the one that started it.
pub struct Running(mpsc::Sender<()>);

impl Running {
    pub fn tell(self) {
        // Its first allocation may take much.
        black_box(Box::new(0));
        drop(self.0);
    }
}

/// Starts a thread by `spawn`, and waits until it has told that it runs.
pub fn start<T>(spawn: impl FnOnce(Running) -> io::Result<T>) -> io::Result<T> {
    room(0)?;
    let (running, runs) = mpsc::channel();
    let thread = spawn(Running(running))?;
    // Nothing is sent: it ends when the other end is dropped.
    let _ = runs.recv();
    Ok(thread)
}

/// Whether so many bytes can be had, and a thread.
pub fn room(bytes: usize) -> io::Result<()> {
    let mut probe = Vec::<u8>::new();
    let had = probe.try_reserve_exact(bytes + ROOM);
    black_box(&probe);
    had.map_err(|_| io::ErrorKind::OutOfMemory.into())
}

/// Refuses threads that something else starts, for which there is no room.
pub fn room_for(threads: usize) -> Result<()> {
    const STACK: usize = 9 << 18; // of 2 MiB, as the standard library's, and more
    room(threads * STACK).with_context(|| cannot_start(threads))
}

/// What is said when threads cannot be started.
pub fn cannot_start(threads: usize) -> String {
    format!("cannot start {threads} worker threads; ask for fewer with --threads N")
}
