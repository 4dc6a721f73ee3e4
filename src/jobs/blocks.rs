//! Jobs for hosts that hand out the blocks themselves, such as a web page with its workers.
//!
//! One instance reads blocks and adds up the tallies; others work on blocks. Both begin with the
//! same settings.

use std::sync::atomic::Ordering;
use std::time::Duration;

use super::count::Counting;
use super::counts::Counts;
use super::error::{Context as _, Error, Result};
use super::filter::{Filtering, Filters, explained};
use super::job::{Job, plans};
use super::pipeline::{Done, Parts, Plan, Task, invalid_record};
use super::summary::{Evaluated, Mode, Summary};
use super::tally::Tally;
use crate::formats::{Block, Codec, Decoded, Format, Reader};
use crate::{Evaluator, Position, Rules};

/// What a job does with the records.
#[derive(Clone, Debug)]
pub enum What {
    /// Counts them.
    Count(Rules),
    /// Filters them.
    Filter(Box<Filtering>),
}

/// A job whose blocks are handed out.
pub struct Blocks {
    job: Job<'static>,
    what: What,
    mode: Mode,
    plan: Plan,
    reader: Box<dyn Reader>,
    codec: Box<dyn Codec>,
    decoded: Decoded,
    parts: Option<Parts>,
    /// Output of the block so far.
    early: Vec<u8>,
    tally: Tally,
}

impl Blocks {
    /// Prepares a job for so many workers.
    ///
    /// # Errors
    ///
    /// If the records cannot be filtered so.
    pub fn new(mut job: Job<'static>, what: What, workers: usize, on_gpu: bool) -> Result<Blocks> {
        let mode = match &what {
            What::Count(_) => Mode::Drop,
            What::Filter(filtering) => job.prepare_filter(filtering)?,
        };
        let [from, to] = [job.converting.from, job.converting.to];
        let evaluator = Evaluator::cpu();
        let plans = with_task(&job, &what, mode, &evaluator, |task| {
            plans(from, to, workers, task)
        });
        let plan = *plans.now(on_gpu);
        let (reader, codec) = job.open(plan.block_bytes)?;
        Ok(Blocks {
            reader,
            codec,
            what,
            mode,
            plan,
            job,
            decoded: Decoded::default(),
            parts: None,
            early: Vec::new(),
            tally: Tally::default(),
        })
    }

    /// The formats read and written.
    #[must_use]
    pub const fn formats(&self) -> [Format; 2] {
        [self.job.converting.from, self.job.converting.to]
    }

    /// Bytes read so far, before decompression.
    #[must_use]
    pub fn bytes_read(&self) -> u64 {
        self.job.input.read.load(Ordering::Relaxed)
    }

    /// The next block; `None` at the end.
    ///
    /// # Errors
    ///
    /// If the input cannot be read.
    pub fn next_block(&mut self) -> Result<Option<Block>> {
        let block = self.reader.next_block().map_err(Error::from);
        block.context(&self.job.input.name)
    }

    /// Takes a block to work on.
    pub fn begin(&mut self, block: Block) {
        self.early.clear();
        self.parts = Some(Parts::new(block, self.job.skip_invalid));
    }

    /// The positions of its next part; `None` after the last.
    pub fn decode(&mut self) -> Option<&[Position]> {
        let (parts, records) = (self.parts.as_mut()?, self.plan.records_a_part);
        let codec = &self.codec;
        let decode =
            |block: &Block, from, into: &mut Decoded| codec.decode_part(block, from, records, into);
        let decodes = parts.decode(decode, &mut self.decoded);
        decodes.then_some(&*self.decoded.positions)
    }

    /// Works on the part; the evaluator is asked for its positions, in order.
    ///
    /// # Errors
    ///
    /// If a record cannot be filtered or written.
    pub fn work(&mut self, evaluator: &Evaluator) -> Result<()> {
        let (codec, decoded) = (&*self.codec, &self.decoded);
        let Some(parts) = &mut self.parts else {
            return Ok(());
        };
        let early = &mut self.early;
        let mut send = |ahead: Done| {
            early.extend(ahead.data);
            Ok(())
        };
        let worked = with_task(&self.job, &self.what, self.mode, evaluator, |task| {
            parts.run(codec, task, decoded, &mut send)
        });
        let named = worked.context(&self.job.input.name);
        named.map_err(|error| explained(error, self.job.converting.from))
    }

    /// The block's output and counts.
    ///
    /// # Errors
    ///
    /// If it has an invalid record that is not skipped.
    pub fn end(&mut self) -> Result<(Vec<u8>, Tally)> {
        let done = self.parts.take().map_or_else(Done::default, Parts::end);
        if let Some(error) = done.invalid {
            let units = self.job.converting.from.units();
            return Err(invalid_record(&self.job.input.name, &error, units));
        }
        let mut data = core::mem::take(&mut self.early);
        data.extend(done.data);
        Ok((data, done.tally))
    }

    /// Adds the counts of a block, and the bytes that it wrote.
    pub fn add(&mut self, tally: Tally, written: u64) {
        self.tally.add(tally);
        self.tally.written += written;
    }

    /// Records so far.
    #[must_use]
    pub const fn records(&self) -> u64 {
        self.tally.records
    }

    /// The summary of all blocks.
    #[must_use]
    pub fn summary(&self, output: &str, elapsed: Duration, evaluated: Evaluated) -> Summary {
        let (tally, evaluated) = (self.tally.clone(), Some(evaluated));
        let of = |name| (self.job).summary(name, output.to_owned(), tally, elapsed, evaluated);
        match &self.what {
            What::Count(rules) => {
                let mut summary = of("count");
                let counts = &mut summary.tally.counts;
                counts.get_or_insert_with(|| Counts::none(rules));
                summary
            }
            What::Filter(filtering) => Summary {
                filter: Some(filtering.filtered(self.mode)),
                ..of("filter")
            },
        }
    }

    /// The rules of the SEE.
    #[must_use]
    pub fn rules(&self) -> &Rules {
        match &self.what {
            What::Count(rules) => rules,
            What::Filter(filtering) => filtering.filter.see_rules(),
        }
    }
}

fn with_task<T>(
    job: &Job<'_>,
    what: &What,
    mode: Mode,
    evaluator: &Evaluator,
    run: impl FnOnce(&dyn Task) -> T,
) -> T {
    match what {
        What::Count(rules) => run(&Counting { evaluator, rules }),
        What::Filter(what) => run(&Filters::new(job, what, mode, evaluator)),
    }
}
