//! Interleaving in one pass: all threads work on the blocks of all inputs, and the
//! [lanes](super::lanes) are merged into the outputs by whichever thread brings the next block.
//!
//! Blocks are read in the order in which the merging will need them: next is always a block of the
//! input whose clock is behind at the end of what was read of it. So little of each input waits, and
//! the merging seldom waits for one of them. By length that order is exact. By weight it depends on
//! how many records are kept, so it is estimated by what the blocks so far have become.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering};

use super::clock::Clock;
use super::joiner::Joiner;
use super::lanes::{Batch, Merge};
use super::options::Order;
use super::run::Run;
use super::sinks::Sinks;
use super::source::Source;
use super::task::Mixed;
use crate::formats::{Block, Reader};
use crate::jobs::block_output::BlockOutput;
use crate::jobs::caller::Event;
use crate::jobs::error::{Context as _, Error, Result};
use crate::jobs::pass::Pass;
use crate::jobs::plan::Plan;
use crate::jobs::pool::Sizes;
use crate::jobs::run_context::RunContext;
use crate::jobs::step::Step;
use crate::jobs::tally::Tally;
use crate::ordered::{Limits, Ordered, Place, Work};
use crate::report;
use parking_lot::Mutex;
use swaplist::Evaluator;

impl Run<'_, '_> {
    /// A clock for each input, by which they are interleaved.
    fn clocks(&mut self) -> Result<Vec<Clock>> {
        if let Order::Weighted(weights) = &self.mix.options.order {
            return Ok(weights
                .iter()
                .map(|&weight| Clock::Weight { weight })
                .collect());
        }
        if let [_] = self.mix.sources[..] {
            return Ok(vec![Clock::Share { length: 1 }]);
        }
        let teller = &self.mix.caller.teller;
        let sources = &mut self.mix.sources;
        let of: Option<u64> = sources
            .iter()
            .filter(|source| source.known_length().is_none())
            .map(Source::length)
            .sum();
        let mut before = 0;
        let mut clocks = Vec::new();
        for source in sources.iter_mut() {
            let length = match source.known_length() {
                Some(length) => length,
                None => source.measure(|read| {
                    teller.tell(Event::Progress {
                        pass: Some(Pass::Measure),
                        records: 0,
                        bytes: before + read,
                        of: of.unwrap_or(0),
                    })
                })?,
            };
            if source.known_length().is_none() {
                before += source.length().unwrap_or(0);
            }
            clocks.push(Clock::Share { length });
        }
        Ok(clocks)
    }

    /// Interleaves in one pass.
    pub(super) fn interleave(&mut self, evaluator: &Evaluator, sinks: &mut Sinks) -> Result<()> {
        let clocks = self.clocks()?;
        let mut inputs = Vec::new();
        let mut readers = Vec::new();
        for (number, &clock) in clocks.iter().enumerate() {
            let opened = self.read(number, self.threads)?;
            let plan = opened.plans.cpu;
            let mut reader = opened.reader;
            reader.set_block_bytes(plan.block_bytes);
            readers.push(Some(reader));
            inputs.push(Input {
                context: opened.context,
                plan,
                clock,
                bytes_read: AtomicU64::new(0),
                bytes_merged: AtomicU64::new(0),
                records: AtomicU64::new(0),
            });
        }
        let mut merge = Merge::new(self.shared.layout, &clocks, &self.shared.spare);
        let work = Interleaving {
            limits: limits(&inputs),
            evaluator: self.asked(evaluator),
            inputs,
            spent: Mutex::default(),
        };
        let blocks = Blocks {
            work: &work,
            readers,
            sizes: Sizes::default(),
        };
        let mut tallies = vec![Tally::default(); clocks.len()];
        let mut joiners: Vec<Joiner> = Vec::new();
        joiners.resize_with(clocks.len(), Joiner::default);
        let layout = self.shared.layout;
        let teller = &self.mix.caller.teller;
        let counters: Vec<_> = self.mix.sources.iter().map(Source::counter).collect();
        let of: Option<u64> = self.mix.sources.iter().map(Source::length).sum();
        Ordered::new().run(&work, work.limits.threads, blocks, |done| {
            let Merged { lane, first, what } = done;
            match what {
                Ok(Some(mut output)) => {
                    joiners[lane].join(layout, &mut output.made, output.is_part);
                    for encoded in output.made.encoded {
                        merge.add(lane, Batch { encoded, first });
                    }
                    work.inputs[lane].note(&output.tally);
                    tallies[lane] += output.tally;
                    if let Some(error) = output.invalid {
                        merge.end(lane, Err(error));
                    }
                }
                Ok(None) => merge.end(lane, Ok(())),
                Err(error) => merge.end(lane, Err(error)),
            }
            let goes_on = merge.write(lane, sinks)?;
            teller.tell(Event::Progress {
                pass: Some(Pass::Interleave),
                records: sinks.records(),
                bytes: counters
                    .iter()
                    .map(|read| read.load(Ordering::Relaxed))
                    .sum(),
                of: of.unwrap_or(0),
            })?;
            Ok(if goes_on {
                ControlFlow::Continue(())
            } else {
                ControlFlow::Break(())
            })
        })?;
        for (number, tally) in tallies.into_iter().enumerate() {
            self.finish_input(number, tally);
        }
        self.tell_ends(&merge.ends, sinks.records());
        Ok(())
    }

    /// Notes which inputs ended early, if they were interleaved by weight.
    fn tell_ends(&self, ends: &[u64], written: u64) {
        if !matches!(self.mix.options.order, Order::Weighted(_)) {
            return;
        }
        for (source, &end) in self.mix.sources.iter().zip(ends) {
            // Inputs in the last hundredth of the output end together.
            if end > 0 && end < written - written / 100 {
                let end = report::grouped(end);
                let name = &source.name;
                self.mix.caller.teller.note(&format!(
                    "{name} has no more records: all are among the first {end} of the output"
                ));
            }
        }
    }
}

/// As many threads and blocks as suit the input that needs the most memory.
fn limits(inputs: &[Input]) -> Limits {
    let plans = || inputs.iter().map(|input| &input.plan);
    let threads = plans().map(|plan| plan.threads).min().unwrap_or(1);
    Limits {
        in_flight: plans().map(|plan| plan.in_flight).min().unwrap_or(1),
        ..Limits::new(threads)
    }
}

/// An input that is interleaved.
struct Input {
    context: RunContext<Mixed>,
    plan: Plan,
    clock: Clock,
    /// Decompressed bytes of all blocks so far, and of those that are merged.
    bytes_read: AtomicU64,
    bytes_merged: AtomicU64,
    /// The records that are kept of the merged ones.
    records: AtomicU64,
}

impl Input {
    /// Notes what has become of a block, or of a part of it.
    fn note(&self, tally: &Tally) {
        self.bytes_merged.fetch_add(tally.bytes, Ordering::Relaxed);
        self.records
            .fetch_add(tally.records_written, Ordering::Relaxed);
    }

    /// When its next block is needed, as far as is known.
    #[allow(clippy::cast_precision_loss, clippy::cast_sign_loss)] // an estimate
    fn needed_at(&self) -> u64 {
        /// The bytes of a record, until some are known.
        const BYTES: f64 = 32.0;
        let bytes_read = self.bytes_read.load(Ordering::Relaxed);
        let merged = self.bytes_merged.load(Ordering::Relaxed);
        let records = self.records.load(Ordering::Relaxed);
        let a_byte = match merged {
            0 => BYTES.recip(),
            merged => records as f64 / merged as f64,
        };
        let in_flight = bytes_read.saturating_sub(merged) as f64 * a_byte;
        self.clock.time(bytes_read, records + in_flight as u64)
    }
}

/// The blocks of all inputs, in the order in which they are needed.
struct Blocks<'a> {
    work: &'a Interleaving<'a>,
    /// The reader of each input; `None` after its end.
    readers: Vec<Option<Reader<'static>>>,
    sizes: Sizes,
}

/// A block of an input.
struct InputBlock {
    lane: usize,
    /// The number of its first byte in the decompressed input.
    first: u64,
    /// `None` at the end of the input.
    block: Result<Option<Block>>,
    /// How many blocks may be in flight with this one.
    in_flight: usize,
}

impl Iterator for Blocks<'_> {
    type Item = Result<InputBlock>;

    fn next(&mut self) -> Option<Result<InputBlock>> {
        let inputs = &self.work.inputs;
        let open = (0..inputs.len()).filter(|&lane| self.readers[lane].is_some());
        let lane = open.min_by_key(|&lane| inputs[lane].needed_at())?;
        let input = &inputs[lane];
        let reader = self.readers[lane].as_mut()?;
        if let Some(spent) = self.work.spent.lock().pop() {
            reader.recycle(spent);
        }
        let next_block = reader.next_block().map_err(Error::from);
        let block = next_block.context(&input.context.name);
        let size = if let Ok(Some(block)) = &block {
            block.bytes.len()
        } else {
            self.readers[lane] = None;
            0
        };
        Some(Ok(InputBlock {
            lane,
            first: input.bytes_read.fetch_add(size as u64, Ordering::Relaxed),
            block,
            in_flight: self.sizes.note(size, &input.plan),
        }))
    }
}

/// What a block has become, on its way to the thread that merges.
struct Merged {
    lane: usize,
    first: u64,
    /// An error has its place in the input: what the other inputs have before it is written. `None`
    /// at the end of the input.
    what: Result<Option<BlockOutput<Mixed>>>,
}

/// The work on the blocks of all inputs.
struct Interleaving<'a> {
    limits: Limits,
    evaluator: Option<&'a Evaluator>,
    inputs: Vec<Input>,
    /// Memory to read into, of blocks that are done.
    spent: Mutex<Vec<Vec<u8>>>,
}

impl Work for Interleaving<'_> {
    type Block = InputBlock;
    type Done = Merged;
    type Error = Error;
    type Scratch = Step<Mixed>;

    fn limits(&self) -> Limits {
        self.limits
    }

    fn scratch(&self) -> Step<Mixed> {
        Step::default()
    }

    fn work(
        &self,
        block: InputBlock,
        step: &mut Step<Mixed>,
        place: &Place<'_, Merged>,
    ) -> Result<Option<Merged>> {
        let InputBlock {
            lane, first, block, ..
        } = block;
        let what = match block {
            Ok(Some(block)) => self.encode(lane, block, step, |early| {
                place.hand_in(Merged {
                    lane,
                    first,
                    what: Ok(Some(early)),
                })
            }),
            Ok(None) => Ok(None),
            Err(error) => Err(error),
        };
        Ok(Some(Merged { lane, first, what }))
    }

    fn bytes(&self, done: &Merged) -> usize {
        match &done.what {
            Ok(Some(output)) => output.bytes(),
            _ => 0,
        }
    }

    fn in_flight_with(&self, block: &InputBlock) -> usize {
        block.in_flight
    }
}

impl Interleaving<'_> {
    /// Encodes what is kept of a block. Output above 1 MiB is handed in before the block is done.
    fn encode(
        &self,
        lane: usize,
        block: Block,
        step: &mut Step<Mixed>,
        hand_in: impl Fn(BlockOutput<Mixed>) -> bool,
    ) -> Result<Option<BlockOutput<Mixed>>> {
        let Input { context, plan, .. } = &self.inputs[lane];
        step.begin(block);
        while context.judge(step, plan.records_a_part, |question, rules, answers| {
            if let Some(evaluator) = self.evaluator {
                evaluator.answer_from(self.limits.threads, question, rules, answers);
            }
        })? {
            context.write(step)?;
            if let Some(early) = step.done.early()
                && !hand_in(early)
            {
                return Err(Error::cancelled());
            }
        }
        let done = step.end();
        if step.decoded.capacity() > plan.records_kept {
            // The block had more records than planned: other threads need the memory.
            *step = Step::default();
        } else {
            let bytes = core::mem::take(&mut step.block.bytes);
            let mut spent = self.spent.lock();
            if spent.len() < self.limits.in_flight && bytes.capacity() <= 2 * plan.block_bytes {
                spent.push(bytes);
            }
        }
        Ok(Some(done))
    }
}
