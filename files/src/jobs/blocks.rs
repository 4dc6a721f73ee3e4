//! Jobs for hosts that hand out the blocks themselves, such as a web page with its workers.
//!
//! One instance reads blocks and adds up the tallies; others work on blocks. Both begin with the
//! same settings. Their errors are those of the job.

#![allow(clippy::missing_errors_doc)]

use std::sync::atomic::Ordering;
use std::time::Duration;

use super::count::CountTask;
use super::error::{Context as _, Error, Result};
use super::filter::FilterTask;
use super::job::Job;
use super::run_context::RunContext;
use super::step::Step;
use super::summary::Summary;
use super::tally::Tally;
use super::task::Task;
use crate::filter::Filter;
use crate::formats::{Block, Format, Reader};
use swaplist::Rules;
use swaplist::backend::{Answers, Question};

/// What the host answers a block's questions with. Blocks and parts are as large as suits it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnsweredBy {
    /// The CPU, by the worker that has the block.
    Cpu,
    /// A GPU, whose dispatches are worth it only if they are large.
    Gpu,
}

/// A job whose blocks are handed out.
pub struct Blocks {
    /// The formats read and written.
    pub formats: [Format; 2],
    job: Job<'static>,
    reader: Reader<'static>,
    context: RunContext,
    records_a_part: usize,
    step: Step,
    tally: Tally,
}

impl Blocks {
    /// Counts the records of a job block by block, with their noisy moves and SEEs by these rules.
    pub fn counting(job: Job<'static>, rules: Rules, by: AnsweredBy) -> Result<Blocks> {
        Blocks::new(job, Box::new(CountTask::new(rules, false)), by)
    }

    /// Filters the records of a job block by block; fails if the job cannot be run with this
    /// filter.
    pub fn filtering(mut job: Job<'static>, filter: &Filter, by: AnsweredBy) -> Result<Blocks> {
        let task = FilterTask::new(&mut job, filter)?;
        Blocks::new(job, Box::new(task), by)
    }

    fn new(mut job: Job<'static>, task: Box<dyn Task>, by: AnsweredBy) -> Result<Blocks> {
        let on_gpu = by == AnsweredBy::Gpu;
        let (reader, plans, context) = job.open(task, on_gpu)?;
        Ok(Blocks {
            formats: [job.converting.from, job.converting.to],
            job,
            reader,
            context,
            records_a_part: plans.now(on_gpu).records_a_part,
            step: Step::default(),
            tally: Tally::default(),
        })
    }

    /// The next block, for [`begin`](Blocks::begin) of any instance: its bytes, and behind them 16
    /// that say where it is in the file. `None` at the end.
    pub fn next_block(&mut self) -> Result<Option<Vec<u8>>> {
        let block = self.reader.next_block().map_err(Error::from);
        let block = block.context(&self.job.input.name)?;
        Ok(block.map(Block::into_message))
    }

    /// Takes a block to work on, and returns the memory of the previous one.
    pub fn begin(&mut self, block: Vec<u8>) -> Result<Vec<u8>> {
        let block = Block::from_message(block);
        let block = block.ok_or_else(|| Error::refused("a block without its place"))?;
        Ok(self.step.begin(block).bytes)
    }

    /// Decodes its next part; false after the last. (Jobs on threads call `RunContext::judge`. Who
    /// hands out the blocks may have to wait for answers from elsewhere, so these are two calls here.)
    pub fn decode(&mut self) -> bool {
        self.context.decode(&mut self.step, self.records_a_part)
    }

    /// What is to be asked about the part.
    pub fn question(&mut self) -> Result<Option<Question<'_>>> {
        self.context.question(&mut self.step)
    }

    /// Works on the part with the answers.
    pub fn finish(&mut self, answers: &Answers) -> Result<()> {
        self.step.answers.clone_from(answers);
        self.context.write(&mut self.step).map(drop)
    }

    /// The block's output and counts, or the error of an invalid record that is not skipped.
    pub fn end(&mut self) -> Result<(Vec<u8>, Tally)> {
        let done = self.step.end();
        match done.invalid {
            Some(error) => Err(error),
            None => Ok((done.data, done.tally)),
        }
    }

    /// Adds the counts of a block, and the bytes that it wrote. Returns how far the job is: the number
    /// of valid records in the blocks that are done, and of bytes read, before decompression.
    pub fn add(&mut self, tally: Tally, written: u64) -> (u64, u64) {
        self.tally += tally;
        self.tally.written += written;
        let read = self.job.input.read.load(Ordering::Relaxed);
        (self.tally.records, read)
    }

    /// The summary of all blocks; whoever evaluated them adds what did.
    pub fn summary(&self, output: &str, elapsed: Duration) -> Summary {
        let tally = self.tally.clone();
        self.job.summary(&self.context, output, tally, elapsed)
    }
}
