//! The work on a block, part by part: decode, question, finish.

use super::error::{Context as _, Error, Result};
use super::plan::Plan;
use super::summary::Summary;
use super::tally::Tally;
use crate::backend::{Answers, Ask, Question};
use crate::filter::Judgement;
use crate::formats::{Block, Codec, Cut, DecodedPart, OpenEnd, Place};
use crate::{Batch, Evaluator, Rules};

/// What a job does with its records: for each part of a block, in order,
/// [`question`](Task::question), then somebody answers, then [`finish`](Task::finish).
pub trait Task: Send + Sync {
    /// What a run needs to know beforehand.
    fn needs(&self) -> Needs;

    /// What is to be asked about the records decoded; `None` if nothing.
    fn question<'a>(&self, _: &Codec, _: &'a mut Step) -> Result<Option<Question<'a>>> {
        Ok(None)
    }

    /// Appends output and counts to `step.done`. If a device decoded the part, only `answers`
    /// tell of its positions.
    fn finish(&self, codec: &Codec, step: &mut Step, answers: &Answers) -> Result<()>;

    fn sum_up(&self, _: &mut Summary) {}
}

/// What a run needs to know of its task.
#[derive(Clone, Copy)]
pub struct Needs {
    /// The job's name.
    pub job: &'static str,
    /// Bytes of output per record, roughly.
    pub bytes_a_record: usize,
    /// Limit on the size of a block while the CPU answers.
    pub most_bytes: usize,
    /// The rules to answer by, if there are questions.
    pub rules: Option<Rules>,
    /// What to ask a device that decodes the records, if one may.
    pub ask: Option<Ask>,
    /// Ends once this many records were kept.
    pub limit: Option<u64>,
    /// Whether an input that is broken off is a fault that it finds, not an error.
    pub finds_faults: bool,
}

impl Needs {
    /// Those of most jobs.
    pub fn of(job: &'static str) -> Needs {
        Needs {
            job,
            bytes_a_record: 64,
            most_bytes: Plan::MOST,
            rules: None,
            ask: None,
            limit: None,
            finds_faults: false,
        }
    }
}

/// What the threads of a run share.
pub struct Work {
    /// The input's name in messages.
    pub name: String,
    pub codec: Codec,
    pub task: Box<dyn Task>,
    pub needs: Needs,
    pub skip_invalid: bool,
}

/// The result of a block, or output of one that is not done yet.
#[derive(Default)]
pub struct Yield {
    pub is_part: bool,
    pub data: Vec<u8>,
    pub rejects: Vec<u8>,
    /// Open ends of the data and of the rejects after the parts so far.
    pub open: [OpenEnd; 2],
    pub tally: Tally,
    /// Of the record that ended the block early.
    pub invalid: Option<Error>,
    /// Where the run ends in this block, if it reaches its limit.
    pub end: Option<u32>,
}

impl Yield {
    /// Bytes that wait to be written.
    pub fn bytes(&self) -> usize {
        self.data.len() + self.rejects.len()
    }

    /// Large output so far, to save memory: a record of 2 bytes can become one of 200.
    pub fn early(&mut self) -> Option<Yield> {
        const MUCH: usize = 1 << 20;
        let much = |bytes: &mut Vec<u8>, open: &OpenEnd| {
            let goes = bytes.len() >= MUCH && *open == OpenEnd::default();
            if goes {
                core::mem::take(bytes)
            } else {
                Vec::new()
            }
        };
        let early = Yield {
            is_part: true,
            data: much(&mut self.data, &self.open[0]),
            rejects: much(&mut self.rejects, &self.open[1]),
            ..Yield::default()
        };
        (early.bytes() > 0).then_some(early)
    }
}

/// Records that a device decodes at a time, relative to those decoded here: they take less memory
/// without positions, and a device wants many games at once.
const ON_DEVICE: usize = 4;

/// A block in work, and a thread's buffers, which serve the next one too.
pub struct Step {
    pub block: Block,
    /// Where the next part begins.
    at: Option<usize>,
    /// The part's records.
    pub decoded: DecodedPart,
    pub judged: Judgement,
    pub batch: Batch,
    /// How many more records may be kept.
    pub left: Option<u64>,
    /// The results of the parts so far.
    pub done: Yield,
}

impl Default for Step {
    fn default() -> Step {
        Step {
            block: Block::new(Vec::new(), Place::Offset(0)),
            at: None,
            decoded: DecodedPart::default(),
            judged: Judgement::default(),
            batch: Batch::new(),
            left: None,
            done: Yield::default(),
        }
    }
}

impl Step {
    /// Takes a block to work on up to its end or the first record that is not skipped, and returns
    /// the previous one.
    pub fn begin(&mut self, block: Block) -> Block {
        self.at = Some(0);
        self.done = Yield::default();
        core::mem::replace(&mut self.block, block)
    }

    /// Decodes the next part, on a GPU with the answers if one is given and can; false if there
    /// is none.
    pub fn decode(
        &mut self,
        work: &Work,
        gpu: Option<&Evaluator>,
        records: usize,
        answers: &mut Answers,
    ) -> bool {
        let Some(from) = self.at else {
            return false;
        };
        let there = (from, records * ON_DEVICE);
        let cut = gpu.and_then(|gpu| self.decode_on(gpu, work, there, answers));
        self.at = if let Some(cut) = cut {
            cut.next
        } else {
            answers.records.clear();
            let (block, decoded) = (&self.block, &mut self.decoded);
            work.codec.decode_part(block, from, records, decoded)
        };
        if !work.skip_invalid {
            self.end_at_invalid(work);
        }
        true
    }

    /// Lets a GPU decode a part of the block, with the answers. `None` if the CPU must decode.
    fn decode_on(
        &mut self,
        gpu: &Evaluator,
        work: &Work,
        (from, records): (usize, usize),
        answers: &mut Answers,
    ) -> Option<Cut> {
        let (rules, ask) = (work.needs.rules?, work.needs.ask?);
        let (block, decoded) = (&self.block, &mut self.decoded);
        let cut = work.codec.cut(block, from, records)?;
        let replay = |unit| work.codec.unit_of(block, &cut, unit);
        if !gpu.decode(&cut.raw(&block.bytes), ask, &rules, answers, replay) {
            return None;
        }
        decoded.clear();
        work.codec.outline(block, &cut, &answers.records, decoded);
        for (record, facts) in decoded.records.iter_mut().zip(&answers.facts) {
            *record = record.with_played(facts.played());
        }
        Some(cut)
    }

    fn end_at_invalid(&mut self, work: &Work) {
        let decoded = &mut self.decoded;
        let Some(first) = decoded.invalid.first_mut() else {
            return;
        };
        let units = work.codec.format().units();
        self.done.invalid = Some(Error::invalid(&work.name, first, units));
        self.at = None;
        // Kept with an empty span: the codec must not take the block for sound, but has nothing
        // to write.
        let start = first.span.start;
        first.span.end = start;
        decoded.invalid.truncate(1);
        let before = |record: &crate::formats::RecordFields| record.span().start < start;
        let before = decoded.records.partition_point(before);
        decoded.records.truncate(before);
        decoded.positions.truncate(before);
    }

    /// What is to be asked about the part.
    pub fn question(&mut self, work: &Work) -> Result<Option<Question<'_>>> {
        work.task.question(&work.codec, self).context(&work.name)
    }

    /// Works on the part with the answers. Returns how many records were kept.
    pub fn finish(&mut self, work: &Work, answers: &Answers) -> Result<u64> {
        let kept = self.done.tally.kept;
        let finished = work.task.finish(&work.codec, self, answers);
        finished.context(&work.name)?;
        if self.done.end.is_some() {
            self.at = None;
            self.done.invalid = None;
        }
        let tally = &mut self.done.tally;
        tally.note_decoded(&self.decoded);
        Ok(tally.kept - kept)
    }

    /// The results of all parts. Bytes after the limit do not count: how far the reader got
    /// depends on timing.
    pub fn end(&mut self) -> Yield {
        let mut done = core::mem::take(&mut self.done);
        let all = self.block.bytes.len() as u64;
        done.tally.bytes = done.end.map_or(all, u64::from);
        done
    }
}
