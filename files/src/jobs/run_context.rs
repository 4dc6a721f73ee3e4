//! What the threads of a run share, and the two calls that a part of a block takes: decode and
//! judge, then select and encode.

use super::block_output::Made;
use super::error::{Context as _, Error, Result};
use super::step::Step;
use super::task::{Task, TaskSpec};
use crate::formats::{Codec, RecordError};
use crate::stages::{Stage, during};
use swaplist::Rules;
use swaplist::backend::{Answers, Question};

/// What the threads of a run share. Nothing in it changes during the run.
pub struct RunContext<M = ()> {
    /// The input's name in messages.
    pub name: String,
    pub codec: Codec,
    pub task: Box<dyn Task<M>>,
    /// What the task needs: its rules, its limit, the size of its blocks.
    pub spec: TaskSpec,
    pub skip_invalid: bool,
}

impl<M: Made> RunContext<M> {
    /// Decodes the next part of a block, of about so many records, and has answered what the task
    /// asks about it; false if there is no more part. [`RunContext::write`] is next.
    pub fn judge(
        &self,
        step: &mut Step<M>,
        records: usize,
        answer: impl FnOnce(&Question<'_>, &Rules, &mut Answers),
    ) -> Result<bool> {
        if !during(Stage::Decode, || self.decode(step, records)) {
            return Ok(false);
        }
        during(Stage::Judge, || {
            let mut answers = core::mem::take(&mut step.answers);
            if let Some(question) = self.question(step)? {
                // Every task that asks something sets its rules: the default is never used.
                let rules = self.spec.rules.unwrap_or_default();
                answer(&question, &rules, &mut answers);
            }
            step.answers = answers;
            Ok(true)
        })
    }

    /// Decodes the next part of a block; false if there is none. Unless invalid records are
    /// skipped, the first one ends the block. One that says that the whole file is read wrongly is
    /// never skipped.
    pub fn decode(&self, step: &mut Step<M>, records: usize) -> bool {
        let Some(from) = step.at else {
            return false;
        };
        let decoded = &mut step.decoded;
        step.at = self.codec.decode_part(&step.block, from, records, decoded);
        let mut invalid = decoded.invalid.iter();
        let ends = |error: &RecordError| !self.skip_invalid || error.fault.is_of_file();
        if let Some(first) = invalid.position(ends) {
            decoded.invalid.drain(..first);
            self.end_at_invalid(step);
        }
        true
    }

    fn end_at_invalid(&self, step: &mut Step<M>) {
        let decoded = &mut step.decoded;
        let Some(first) = decoded.invalid.first_mut() else {
            return;
        };
        // The kind of the error says whether skipping the record skips a whole game or chain.
        let units = self.codec.format().units();
        step.done.invalid = Some(Error::invalid(&self.name, first, units));
        step.at = None;
        // One error stays in the list, or the codec would take the part for sound and copy all of
        // its bytes. Its span is empty, so that no bytes of it are written among the rejects.
        let start = first.span.start;
        first.span.end = start;
        decoded.invalid.truncate(1);
        // In a broken chain the error begins at the break: its records before that are kept.
        let records_before = decoded
            .records
            .partition_point(|record| record.span().start < start);
        decoded.truncate(records_before);
    }

    /// What is to be asked about the part.
    pub fn question<'a>(&self, step: &'a mut Step<M>) -> Result<Option<Question<'a>>> {
        self.task.question(&self.codec, step).context(&self.name)
    }

    /// Selects and encodes what becomes of the part. Returns how many records were kept.
    pub fn write(&self, step: &mut Step<M>) -> Result<u64> {
        let kept_before = step.done.tally.kept;
        let records_before = step.done.tally.records;
        during(Stage::Encode, || self.task.write(&self.codec, step)).context(&self.name)?;
        // If the task has reached its limit in this part, what comes after does not count, so
        // neither does an invalid record there.
        if step.done.end.is_some() {
            step.at = None;
            step.done.invalid = None;
        }
        // This comes after the task, which forgets what was noted after its limit, and which itself
        // counts the records.
        let tally = &mut step.done.tally;
        // A filter that a device could do counts no odd scores, here or there.
        let records = match self.task.recipe() {
            Some(_) => 0,
            None => (tally.records - records_before) as usize,
        };
        tally.note_decoded(&step.decoded, records);
        Ok(tally.kept - kept_before)
    }
}
