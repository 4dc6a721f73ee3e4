//! Reading, many workers, writing in order: all at once, in bounded memory.
//!
//! A worker takes the next block under a lock, decodes and evaluates it without
//! one, and brings what came out into [`Order`], where the workers write it. Only so
//! many blocks behind the last one written are read. A block of which much comes out
//! is handed over in parts, as long as there is room. Errors travel with their block,
//! so that the first one in the input is the one reported.

use core::mem;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::error::{Error, ErrorKind, Of as _, Result};
use super::tally::Tally;
use super::threads;
use crate::Evaluator;
use crate::filter;
use crate::formats::{Block, Codec, Decoded, Open, Part, Reader, Reason, RecordError};

mod order;
mod plan;
#[cfg(test)]
mod tests;

use order::{Order, Outcome};
pub use plan::{Plan, Plans};

/// What a worker does with a block, one part behind the other.
pub trait Task: Sync {
    /// How many bytes come out of a record, about.
    fn bytes_a_record(&self) -> usize {
        64
    }

    /// How large a block may be at most while the CPU evaluates.
    fn most_bytes(&self) -> usize {
        Plan::MOST
    }

    /// What evaluates, if anything does.
    fn evaluator(&self) -> Option<&Evaluator> {
        None
    }

    /// Whether a GPU evaluates now.
    fn is_on_gpu(&self) -> bool {
        self.evaluator().is_some_and(Evaluator::uses_gpu)
    }

    /// What is done with a block in the input's order, before it is written; no more
    /// blocks are wanted then, or more are.
    fn settle(
        &self,
        _codec: &dyn Codec,
        _done: &mut Done,
        _before: &Tally,
    ) -> Result<ControlFlow<()>> {
        Ok(ControlFlow::Continue(()))
    }

    /// Takes memory back that was written.
    fn recycle(&self, _data: Vec<u8>) {}

    /// Adds what comes out of the records of a part. What is in `Done::data` and
    /// `Done::rejects` may go out before the block is done, through `send`.
    fn run(
        &self,
        codec: &dyn Codec,
        block: &Block,
        decoded: &mut Decoded,
        done: &mut Done,
        send: &mut dyn FnMut(Ahead) -> Result<()>,
    ) -> Result<()>;
}

/// What came out of a block.
#[derive(Default)]
pub struct Done {
    pub data: Vec<u8>,
    pub rejects: Vec<u8>,
    /// What the parts so far leave open in the data and in the rejects.
    pub open: [Open; 2],
    pub tally: Tally,
    /// For each record, why it is dropped, if it is, where the writer may have to
    /// encode the block anew.
    pub dropped: Option<Vec<Option<filter::Reason>>>,
    /// The block itself, then.
    pub held: Option<Held>,
    /// The bytes of the block, if they are not needed any more.
    pub spent: Vec<u8>,
    /// The record that ended the block early.
    pub invalid: Option<RecordError>,
}

impl Done {
    /// Sends ahead what is much and will not change, so that it does not wait in
    /// memory: a record of 2 bytes can become one of 200.
    pub fn send_if_large(&mut self, send: &mut dyn FnMut(Ahead) -> Result<()>) -> Result<()> {
        const MUCH: usize = 1 << 20;
        let [of_data, of_rejects] = &self.open;
        let much = |bytes: &mut Vec<u8>, open: &Open| {
            let goes = bytes.len() >= MUCH && *open == Open::default();
            if goes { mem::take(bytes) } else { Vec::new() }
        };
        let ahead = Ahead {
            data: much(&mut self.data, of_data),
            rejects: much(&mut self.rejects, of_rejects),
        };
        if ahead.bytes() == 0 {
            return Ok(());
        }
        send(ahead)
    }
}

/// Part of what comes out of a block, before it is done.
pub struct Ahead {
    data: Vec<u8>,
    rejects: Vec<u8>,
}

impl Ahead {
    fn bytes(&self) -> usize {
        self.data.len() + self.rejects.len()
    }
}

/// A decided block.
pub struct Held {
    pub block: Block,
    skip_invalid: bool,
}

impl Held {
    /// All of its records, decoded again.
    pub fn decode(&self, codec: &dyn Codec) -> Decoded {
        let mut decoded = Decoded::default();
        codec.decode(&self.block, &mut decoded);
        if !self.skip_invalid {
            end_at_invalid(&mut decoded);
        }
        decoded
    }
}

/// What is read, and how.
pub struct Source<'a> {
    pub name: &'a str,
    pub reader: Box<dyn Reader + 'a>,
    pub codec: &'a dyn Codec,
    pub skip_invalid: bool,
}

/// Runs the task on every block, and hands what comes out to
/// `write`, in order, until that breaks off.
pub fn run(
    source: Source<'_>,
    plans: Plans,
    task: &impl Task,
    mut write: impl FnMut(Done) -> Result<ControlFlow<()>> + Send,
) -> Result<()> {
    let order = Order::new(|outcome| {
        let mut done = match outcome {
            Outcome::Part(Ahead { data, rejects }) => Done {
                data,
                rejects,
                ..Done::default()
            },
            Outcome::Done(done) => (*done)?,
        };
        let invalid = done.invalid.take();
        match (write(done)?, invalid) {
            (ControlFlow::Continue(()), Some(error)) => {
                Err(invalid_record(source.name, &error, source.codec.units()))
            }
            (flow, _) => Ok(flow),
        }
    });
    let worker = Worker {
        name: source.name,
        codec: source.codec,
        skip_invalid: source.skip_invalid,
        plans,
        queue: Mutex::new(Queue {
            reader: source.reader,
            block_bytes: plans.now(task.is_on_gpu()).block_bytes,
            next: 0,
            ended: false,
        }),
        order: &order,
        task,
    };
    let started = std::thread::scope(|scope| {
        // No worker begins before all are there: what one takes could be what the
        // next would need.
        let mut starting = worker.lock();
        let (workers, worker) = (plans.cpu.threads.max(plans.gpu.threads), &worker);
        let mut give_up = |error: std::io::Error| {
            starting.ended = true;
            order.all_read();
            Err(threads::cannot_start(workers, error))
        };
        for number in 0..workers {
            let started = threads::start(|running| {
                let work = move || {
                    running.tell();
                    worker.work(number);
                };
                std::thread::Builder::new().spawn_scoped(scope, work)
            });
            if let Err(error) = started {
                return give_up(error);
            }
        }
        let Plan {
            in_flight,
            block_bytes,
            ..
        } = plans.cpu;
        // With what is decoded from them and comes out.
        threads::room(4 * in_flight * block_bytes).or_else(give_up)
    });
    drop(worker);
    started.and_then(|()| order.end())
}

/// Of games and chains, nothing less can be passed over.
fn invalid_record(name: &str, error: &RecordError, units: Option<&'static str>) -> Error {
    let lacks_score = |reason: &Reason| match reason {
        Reason::Incomplete { lacks, .. } => *lacks == Part::Score,
        _ => false,
    };
    let kind = ErrorKind::Invalid {
        is_unscored: lacks_score(&error.reason),
        units,
    };
    Error::new(kind, format!("{name}, {}: {}", error.place, error.reason))
}

/// The input, one block at a time.
struct Queue<'a> {
    reader: Box<dyn Reader + 'a>,
    block_bytes: usize,
    next: u64,
    ended: bool,
}

impl Queue<'_> {
    /// From now on blocks are so large.
    fn resize(&mut self, block_bytes: usize) {
        if self.block_bytes != block_bytes {
            self.block_bytes = block_bytes;
            self.reader.set_block_bytes(block_bytes);
        }
    }

    /// The next block and its number, or why there is none; `None` at the end.
    fn take(&mut self) -> Option<(u64, Result<Block>)> {
        let block = self.reader.next_block().map_err(Error::from);
        let block = block.transpose();
        self.ended = !matches!(block, Some(Ok(_)));
        let number = self.next;
        self.next += 1;
        Some((number, block?))
    }
}

struct Worker<'a, T, W> {
    name: &'a str,
    codec: &'a dyn Codec,
    skip_invalid: bool,
    plans: Plans,
    queue: Mutex<Queue<'a>>,
    order: &'a Order<W>,
    task: &'a T,
}

impl<'a, T: Task, W: FnMut(Outcome) -> Result<ControlFlow<()>>> Worker<'a, T, W> {
    fn lock(&self) -> MutexGuard<'_, Queue<'a>> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn plan(&self) -> &Plan {
        self.plans.now(self.task.is_on_gpu())
    }

    /// Takes blocks until there are no more, or nobody wants them. Workers beyond those
    /// of the plan pause.
    fn work(&self, worker: usize) {
        let mut decoded = Decoded::default();
        let mut spent = Vec::new();
        loop {
            if worker >= self.plan().threads {
                decoded = Decoded::default();
                spent = Vec::new();
            }
            if !self.order.may_work(|| worker < self.plan().threads) {
                return;
            }
            let Some((number, block)) = self.take(mem::take(&mut spent)) else {
                self.order.all_read();
                return;
            };
            let mut part = |ahead| self.order.put(number, Outcome::Part(ahead));
            let run = || self.run(block, &mut decoded, &mut part);
            // A panic would leave the others waiting for this block.
            let mut done =
                catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|_| Err(Error::panicked()));
            if let Ok(done) = &mut done {
                spent = mem::take(&mut done.spent);
            }
            let done = Outcome::Done(Box::new(done));
            if self.order.put(number, done).is_err() {
                return;
            }
        }
    }

    /// The next block, once it may be on its way. Takes the bytes of one that is done
    /// with.
    fn take(&self, spent: Vec<u8>) -> Option<(u64, Result<Block>)> {
        let mut queue = self.lock();
        queue.reader.recycle(spent);
        if queue.ended || !self.order.may_read(queue.next, || self.plan().in_flight) {
            return None;
        }
        queue.resize(self.plan().block_bytes);
        queue.take()
    }

    fn run(
        &self,
        block: Result<Block>,
        decoded: &mut Decoded,
        send: &mut dyn FnMut(Ahead) -> Result<()>,
    ) -> Result<Done> {
        let block = block.of(self.name)?;
        let mut done = Done::default();
        let mut at = Some(0);
        while let Some(from) = at {
            at = self
                .codec
                .decode_part(&block, from, self.plan().records_a_part, decoded);
            if !self.skip_invalid {
                done.invalid = end_at_invalid(decoded);
            }
            done.tally.note_decoded(decoded);
            self.task
                .run(self.codec, &block, decoded, &mut done, send)
                .of(self.name)?;
            at = at.filter(|_| done.invalid.is_none());
        }
        done.tally.bytes = block.bytes.len() as u64;
        if done.dropped.is_some() {
            done.held = Some(Held {
                block,
                skip_invalid: self.skip_invalid,
            });
        } else {
            done.spent = block.bytes;
        }
        Ok(done)
    }
}

/// The first invalid record; nothing is left behind it.
fn end_at_invalid(decoded: &mut Decoded) -> Option<RecordError> {
    let first = decoded.invalid.first()?.clone();
    // Not forgotten, so that no codec takes the block for sound, but without
    // bytes to write.
    decoded.invalid.truncate(1);
    decoded.invalid[0].span.end = first.span.start;
    let before = decoded
        .records
        .partition_point(|record| record.span().start < first.span.start);
    decoded.records.truncate(before);
    decoded.positions.truncate(before);
    Some(first)
}
