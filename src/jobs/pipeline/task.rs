//! Tasks: the work on a block, part by part.

use core::mem;

use super::super::error::Result;
use super::super::tally::Tally;
use super::plan::Plan;
use crate::backend::{Answers, Ask, Question};
use crate::filter::Judged;
use crate::formats::{Block, Codec, Cut, Decoded, Open, RecordError};
use crate::{Batch, Evaluator, Rules};

/// The work on a block: for each part, in order, [`question`](Task::question), then somebody
/// answers, then [`finish`](Task::finish).
pub trait Task: Sync {
    /// What a run needs to know beforehand.
    fn needs(&self) -> Needs {
        Needs::default()
    }

    /// What is to be asked about a part; `None` if nothing.
    fn question<'a>(
        &self,
        _part: &Part<'_>,
        _decoded: &'a Decoded,
        _memory: &'a mut Memory,
    ) -> Result<Option<Question<'a>>> {
        Ok(None)
    }

    /// Appends output and counts to `done`. If a device decoded the part, only `answers` tell of
    /// its positions.
    fn finish(
        &self,
        part: &Part<'_>,
        decoded: &mut Decoded,
        memory: &mut Memory,
        answers: &Answers,
        done: &mut Done,
    ) -> Result<()>;
}

/// What a run needs to know of its task.
#[derive(Clone, Copy)]
pub struct Needs {
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
}

impl Default for Needs {
    fn default() -> Needs {
        Needs {
            bytes_a_record: 64,
            most_bytes: Plan::MOST,
            rules: None,
            ask: None,
            limit: None,
        }
    }
}

/// A part of a block.
pub struct Part<'a> {
    pub codec: &'a Codec,
    pub block: &'a Block,
    /// How many more records may be kept.
    pub left: Option<u64>,
}

/// What a task notes between a question and its answers, for reuse.
#[derive(Default)]
pub struct Memory {
    pub judged: Judged,
    pub batch: Batch,
}

/// A thread's buffers.
#[derive(Default)]
pub struct Scratch {
    pub decoded: Decoded,
    memory: Memory,
}

/// What a thread works with.
pub struct Work<'a> {
    pub codec: &'a Codec,
    pub task: &'a dyn Task,
    pub needs: Needs,
    pub skip_invalid: bool,
}

impl Work<'_> {
    /// Lets a GPU decode a part of a block, with the answers. `None` if the CPU must decode.
    fn decode_on(
        &self,
        evaluator: &Evaluator,
        block: &Block,
        (from, records): (usize, usize),
        into: &mut Decoded,
        answers: &mut Answers,
    ) -> Option<Cut> {
        let (rules, ask) = (self.needs.rules?, self.needs.ask?);
        let cut = self.codec.cut(block, from, records)?;
        let replay = |unit| self.codec.unit_of(block, &cut, unit);
        if !evaluator.decode(&cut.raw(&block.bytes), ask, &rules, answers, replay) {
            return None;
        }
        into.clear();
        self.codec.outline(block, &cut, &answers.records, into);
        for (record, facts) in into.records.iter_mut().zip(&answers.facts) {
            *record = record.with_played(facts.played());
        }
        Some(cut)
    }
}

/// Records that a device decodes at a time, relative to those decoded here: they take less memory
/// without positions, and a device wants many games at once.
const ON_DEVICE: usize = 4;

/// The result of a block, or output of one that is not done yet.
#[derive(Default)]
pub struct Done {
    pub is_part: bool,
    pub data: Vec<u8>,
    pub rejects: Vec<u8>,
    /// Open ends of the data and of the rejects after the parts so far.
    pub open: [Open; 2],
    pub tally: Tally,
    /// The buffer of the block, to be reused.
    pub spent: Vec<u8>,
    /// The record that ended the block early.
    pub invalid: Option<RecordError>,
    /// Where the run ends in this block, if it reaches its limit.
    pub end: Option<u32>,
}

impl Done {
    /// Bytes that wait to be written.
    pub(super) fn bytes(&self) -> usize {
        self.data.len() + self.rejects.len()
    }
}

/// Truncates at the first invalid record and returns it.
fn end_at_invalid(decoded: &mut Decoded) -> Option<RecordError> {
    let first = decoded.invalid.first()?.clone();
    // Kept with an empty span: the codec must not take the block for sound, but has nothing to
    // write.
    decoded.invalid.truncate(1);
    decoded.invalid[0].span.end = first.span.start;
    let before = decoded
        .records
        .partition_point(|record| record.span().start < first.span.start);
    decoded.records.truncate(before);
    decoded.positions.truncate(before);
    Some(first)
}

/// A block whose parts are worked on, up to its end or the first record that is not skipped.
pub struct Parts {
    pub block: Block,
    /// Where the next part begins.
    at: Option<usize>,
    pub done: Done,
}

impl Parts {
    pub fn new(block: Block) -> Parts {
        Parts {
            block,
            at: Some(0),
            done: Done::default(),
        }
    }

    /// Decodes the next part, on a GPU with the answers if one is given and can; false if there
    /// is none.
    pub fn decode(
        &mut self,
        work: &Work<'_>,
        gpu: Option<&Evaluator>,
        records: usize,
        scratch: &mut Scratch,
        answers: &mut Answers,
    ) -> bool {
        let Some(from) = self.at else {
            return false;
        };
        let (block, into) = (&self.block, &mut scratch.decoded);
        let there = (from, records * ON_DEVICE);
        let cut = gpu.and_then(|gpu| work.decode_on(gpu, block, there, into, answers));
        self.at = if let Some(cut) = cut {
            cut.next
        } else {
            answers.records.clear();
            work.codec.decode_part(block, from, records, into)
        };
        if !work.skip_invalid {
            self.done.invalid = end_at_invalid(into);
        }
        if self.done.invalid.is_some() {
            self.at = None;
        }
        true
    }

    /// What is to be asked about the part.
    pub fn question<'a>(
        &self,
        work: &Work<'_>,
        scratch: &'a mut Scratch,
    ) -> Result<Option<Question<'a>>> {
        let Scratch { decoded, memory } = scratch;
        work.task.question(&self.part(work, None), decoded, memory)
    }

    /// Works on the part with the answers; `left` is how many more records may be kept. Returns
    /// how many were.
    pub fn finish(
        &mut self,
        work: &Work<'_>,
        left: Option<u64>,
        scratch: &mut Scratch,
        answers: &Answers,
    ) -> Result<u64> {
        let mut done = mem::take(&mut self.done);
        let kept = done.tally.kept;
        let Scratch { decoded, memory } = scratch;
        let part = self.part(work, left);
        work.task
            .finish(&part, decoded, memory, answers, &mut done)?;
        if done.end.is_some() {
            self.at = None;
            done.invalid = None;
        }
        done.tally.note_decoded(decoded);
        if self.block.continued {
            done.tally.invalid_bytes += self.block.bytes.len() as u64;
        }
        self.done = done;
        Ok(self.done.tally.kept - kept)
    }

    fn part<'a>(&'a self, work: &Work<'a>, left: Option<u64>) -> Part<'a> {
        Part {
            codec: work.codec,
            block: &self.block,
            left,
        }
    }

    /// Large output so far, to save memory: a record of 2 bytes can become one of 200.
    pub fn early(&mut self) -> Option<Done> {
        const MUCH: usize = 1 << 20;
        let much = |bytes: &mut Vec<u8>, open: &Open| {
            let goes = bytes.len() >= MUCH && *open == Open::default();
            if goes { mem::take(bytes) } else { Vec::new() }
        };
        let done = &mut self.done;
        let early = Done {
            is_part: true,
            data: much(&mut done.data, &done.open[0]),
            rejects: much(&mut done.rejects, &done.open[1]),
            ..Done::default()
        };
        (early.bytes() > 0).then_some(early)
    }

    /// The results of all parts. Bytes after the limit do not count: how far the reader got
    /// depends on timing.
    pub fn end(self) -> Done {
        let mut done = self.done;
        let all = self.block.bytes.len() as u64;
        done.tally.bytes = done.end.map_or(all, u64::from);
        done.spent = self.block.bytes;
        done
    }
}
