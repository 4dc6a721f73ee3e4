//! Reading, many workers, writing in order: all at once, in bounded memory.
//!
//! A worker takes the next block under a lock, decodes and evaluates it without
//! one, and sends what came out to the calling thread, which puts the blocks
//! back in order. A block may only be read against a permit, and its permit comes
//! back when it is written: so many are in flight at most. Errors travel with
//! their block, so that the first one in the input is the one reported.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Mutex, PoisonError};

use anyhow::{Context as _, Result, anyhow};
use swaplist::filter::Reason;
use swaplist::formats::{Block, Codec, Decoded, Reader, RecordError};

use super::options::cannot_start;
use super::summary::Tally;

/// What a worker does with a block.
pub trait Task: Sync {
    /// How many times the input's bytes come out, about.
    fn expansion(&self) -> usize {
        2
    }

    fn run(&self, codec: &dyn Codec, block: Block, decoded: &mut Decoded) -> Result<Done>;
}

/// What came out of a block.
#[derive(Default)]
pub struct Done {
    pub data: Vec<u8>,
    pub rejects: Vec<u8>,
    pub tally: Tally,
    /// The block itself, where the writer may have to encode a part of it.
    pub held: Option<Held>,
    /// The record that ended the block early.
    pub invalid: Option<RecordError>,
}

/// A decided block.
pub struct Held {
    pub block: Block,
    pub decoded: Decoded,
    /// For each record, why it is dropped, if it is.
    pub dropped: Vec<Option<Reason>>,
}

/// What is read, and how.
pub struct Source<'a> {
    pub name: &'a str,
    pub reader: Box<dyn Reader + 'a>,
    pub codec: &'a dyn Codec,
    pub skip_invalid: bool,
}

/// The bytes of a block: large enough to hide what handing it over costs, small
/// enough that all blocks in flight, what is decoded from them and what comes out
/// (so many times their size) stay far below 200 MiB.
pub fn block_bytes(threads: usize, expansion: usize) -> usize {
    const ALL_IN_FLIGHT: usize = 96 << 20;
    (ALL_IN_FLIGHT / in_flight(threads) / (3 + expansion)).clamp(1 << 13, 1 << 20)
}

/// How many blocks are read and not yet written, at most.
fn in_flight(threads: usize) -> usize {
    threads + threads / 2 + 2
}

/// Runs the task on every block, on so many threads, and hands what comes out to
/// `write`, in order, until that breaks off.
pub fn run(
    source: Source<'_>,
    threads: usize,
    task: &impl Task,
    mut write: impl FnMut(Done) -> Result<ControlFlow<()>>,
) -> Result<()> {
    let (give_permit, permits) = mpsc::channel();
    for _ in 0..in_flight(threads) {
        let _ = give_permit.send(());
    }
    let queue = Mutex::new(Queue {
        reader: source.reader,
        permits,
        next: 0,
        ended: false,
    });
    let worker = Worker {
        name: source.name,
        codec: source.codec,
        skip_invalid: source.skip_invalid,
        queue: &queue,
        task,
    };
    std::thread::scope(|scope| {
        // Dropped at the end of this closure, which lets the workers end.
        let give_permit = give_permit;
        let (send, results) = mpsc::channel();
        for _ in 0..threads {
            let send = send.clone();
            let worker = &worker;
            std::thread::Builder::new()
                .spawn_scoped(scope, move || worker.work(&send))
                .with_context(|| cannot_start(threads))?;
        }
        drop(send);
        in_order(&results, |result| {
            let mut done: Done = result?;
            let invalid = done.invalid.take();
            let flow = write(done)?;
            let _ = give_permit.send(());
            match (flow, invalid) {
                (ControlFlow::Continue(()), Some(error)) => {
                    Err(invalid_record(source.name, &error))
                }
                (flow, _) => Ok(flow),
            }
        })
    })
}

pub fn invalid_record(name: &str, error: &RecordError) -> anyhow::Error {
    anyhow!(
        "{name}, {}: {}; --skip-invalid passes over such records",
        error.place,
        error.reason
    )
}

/// Calls `each` with the results in the order of their numbers.
fn in_order<T>(
    results: &Receiver<(u64, T)>,
    mut each: impl FnMut(T) -> Result<ControlFlow<()>>,
) -> Result<()> {
    let mut early = BTreeMap::new();
    let mut next = 0;
    for (number, result) in results {
        early.insert(number, result);
        while let Some(result) = early.remove(&next) {
            next += 1;
            if each(result)?.is_break() {
                return Ok(());
            }
        }
    }
    Ok(())
}

/// The input, one block at a time.
struct Queue<'a> {
    reader: Box<dyn Reader + 'a>,
    permits: Receiver<()>,
    next: u64,
    ended: bool,
}

impl Queue<'_> {
    /// The next block and its number, or why there is none; `None` at the end.
    fn take(&mut self) -> Option<(u64, Result<Block>)> {
        if self.ended || self.permits.recv().is_err() {
            return None;
        }
        let block = self.reader.next_block().map_err(anyhow::Error::new);
        let block = block.transpose();
        self.ended = !matches!(block, Some(Ok(_)));
        let number = self.next;
        self.next += 1;
        Some((number, block?))
    }
}

struct Worker<'a, 'q, T> {
    name: &'a str,
    codec: &'a dyn Codec,
    skip_invalid: bool,
    queue: &'q Mutex<Queue<'a>>,
    task: &'a T,
}

impl<T: Task> Worker<'_, '_, T> {
    /// Takes blocks until there are no more, or nobody wants them.
    fn work(&self, results: &Sender<(u64, Result<Done>)>) {
        let mut decoded = Decoded::default();
        loop {
            let taken = self
                .queue
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .take();
            let Some((number, block)) = taken else { return };
            let run = || self.run(block, &mut decoded);
            // A panic would leave the writer waiting for this block.
            let done = catch_unwind(AssertUnwindSafe(run))
                .unwrap_or_else(|_| Err(anyhow!("internal error in a worker thread")));
            if results.send((number, done)).is_err() {
                return;
            }
        }
    }

    fn run(&self, block: Result<Block>, decoded: &mut Decoded) -> Result<Done> {
        let block = block.with_context(|| self.name.to_owned())?;
        self.codec.decode(&block, decoded);
        let invalid = self.end_at_invalid(decoded);
        let mut noted = Tally {
            bytes: block.bytes.len() as u64,
            ..Tally::default()
        };
        noted.note_invalid(&decoded.invalid);
        let done = self.task.run(self.codec, block, decoded);
        let mut done = done.with_context(|| self.name.to_owned())?;
        done.tally.add(noted);
        done.invalid = invalid;
        Ok(done)
    }

    /// Unless they are skipped: the first invalid record, and nothing behind it.
    fn end_at_invalid(&self, decoded: &mut Decoded) -> Option<RecordError> {
        if self.skip_invalid || decoded.invalid.is_empty() {
            return None;
        }
        let first = decoded.invalid.swap_remove(0);
        decoded.invalid.clear();
        let before = decoded
            .records
            .partition_point(|record| record.span.start < first.span.start);
        decoded.records.truncate(before);
        decoded.positions.truncate(before);
        Some(first)
    }
}
