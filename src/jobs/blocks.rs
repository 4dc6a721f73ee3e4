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
use super::pipeline::{Done, Parts, Scratch, Task, Work, invalid_record};
use super::summary::{EvaluatorSummary, Mode, Summary};
use super::tally::Tally;
use crate::Rules;
use crate::backend::{Answers, Question};
use crate::formats::{Block, Codec, Format, Reader};

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
    task: Box<dyn Task>,
    records_a_part: usize,
    reader: Box<dyn Reader>,
    codec: Codec,
    scratch: Scratch,
    parts: Option<Parts>,
    tally: Tally,
}

impl Blocks {
    /// Prepares a job for so many workers.
    ///
    /// # Errors
    ///
    /// If the records cannot be filtered so.
    pub fn new(mut job: Job<'static>, what: What, workers: usize, on_gpu: bool) -> Result<Blocks> {
        let (mode, task): (_, Box<dyn Task>) = match &what {
            What::Count(rules) => (Mode::Drop, Box::new(Counting(*rules))),
            What::Filter(filtering) => {
                let mode = job.prepare_filter(filtering)?;
                (mode, Box::new(Filters::new(&job, filtering, mode)))
            }
        };
        let [from, to] = [job.converting.from, job.converting.to];
        let plans = plans(from, to, workers, &task.needs(), on_gpu);
        let plan = plans.now(on_gpu);
        let (reader, codec) = job.open(plan.block_bytes)?;
        Ok(Blocks {
            reader,
            codec,
            what,
            mode,
            task,
            records_a_part: plan.records_a_part,
            job,
            scratch: Scratch::default(),
            parts: None,
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
        self.parts = Some(Parts::new(block));
    }

    fn parts(&mut self) -> Option<(&mut Parts, Work<'_>, &mut Scratch)> {
        let work = Work {
            codec: &self.codec,
            task: &*self.task,
            needs: self.task.needs(),
            skip_invalid: self.job.skip_invalid,
        };
        Some((self.parts.as_mut()?, work, &mut self.scratch))
    }

    /// Decodes its next part; false after the last.
    pub fn decode(&mut self) -> bool {
        let records = self.records_a_part;
        self.parts().is_some_and(|(parts, work, scratch)| {
            parts.decode(&work, None, records, scratch, &mut Answers::default())
        })
    }

    /// What is to be asked about the part.
    ///
    /// # Errors
    ///
    /// If a record lacks a field that a filter needs.
    pub fn question(&mut self) -> Result<Option<Question<'_>>> {
        let (name, from) = (self.job.input.name.clone(), self.job.converting.from);
        match self.parts() {
            Some((parts, work, scratch)) => {
                let question = parts.question(&work, scratch).context(name);
                question.map_err(|error| explained(error, from))
            }
            None => Ok(None),
        }
    }

    /// Works on the part with the answers.
    ///
    /// # Errors
    ///
    /// If a record cannot be filtered or written.
    pub fn finish(&mut self, answers: &Answers) -> Result<()> {
        let (name, from) = (self.job.input.name.clone(), self.job.converting.from);
        if let Some((parts, work, scratch)) = self.parts() {
            let finished = parts.finish(&work, None, scratch, answers).context(name);
            finished.map_err(|error| explained(error, from))?;
        }
        Ok(())
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
        Ok((done.data, done.tally))
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
    pub fn summary(&self, output: &str, elapsed: Duration, evaluated: EvaluatorSummary) -> Summary {
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
