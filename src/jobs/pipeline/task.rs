//! Tasks: the work on a block, part by part.

use core::mem;
use std::ops::ControlFlow;

use super::super::error::Result;
use super::super::tally::Tally;
use super::plan::Plan;
use crate::backend::Ask;
use crate::filter;
use crate::formats::{Block, Codec, Decoded, Open, RecordError};
use crate::{Evaluator, Rules};

/// The work on a block, called for its parts in order.
pub trait Task: Sync {
    /// Bytes of output per record, roughly.
    fn bytes_a_record(&self) -> usize {
        64
    }

    /// Limit on the size of a block while the CPU evaluates.
    fn most_bytes(&self) -> usize {
        Plan::MOST
    }

    /// The evaluator, if the task uses one.
    fn evaluator(&self) -> Option<&Evaluator> {
        None
    }

    /// Whether a GPU evaluates now.
    fn is_on_gpu(&self) -> bool {
        self.evaluator().is_some_and(Evaluator::uses_gpu)
    }

    /// What to ask a device that decodes the records, if one may.
    fn of_device(&self) -> Option<(&Rules, Ask)> {
        None
    }

    /// Called in the input's order, before a block is written; `Break` ends the run after this
    /// block.
    fn settle(
        &self,
        _codec: &dyn Codec,
        _done: &mut Done,
        _before: &Tally,
    ) -> Result<ControlFlow<()>> {
        Ok(ControlFlow::Continue(()))
    }

    /// Takes back a buffer after its content was written.
    fn recycle(&self, _data: Vec<u8>) {}

    /// Works on the records of a part and appends to `done`. Large `data` and `rejects` may go
    /// out before the block is done, by [`Step::send_if_large`].
    fn run(&self, step: Step<'_>) -> Result<()>;
}

/// A part of a block, and where its result goes.
pub struct Step<'a> {
    pub codec: &'a dyn Codec,
    pub block: &'a Block,
    pub decoded: &'a Decoded,
    pub done: &'a mut Done,
    send: &'a mut dyn FnMut(Done) -> Result<()>,
}

impl Step<'_> {
    /// Flushes large output early to save memory: a record of 2 bytes can become one of 200.
    pub fn send_if_large(&mut self) -> Result<()> {
        const MUCH: usize = 1 << 20;
        let Done {
            data,
            rejects,
            open,
            ..
        } = &mut *self.done;
        // Asked after each row.
        if data.len() < MUCH && rejects.len() < MUCH {
            return Ok(());
        }
        let much = |bytes: &mut Vec<u8>, open: &Open| {
            let goes = bytes.len() >= MUCH && *open == Open::default();
            if goes { mem::take(bytes) } else { Vec::new() }
        };
        let early = Done {
            is_part: true,
            data: much(data, &open[0]),
            rejects: much(rejects, &open[1]),
            ..Done::default()
        };
        if early.part_bytes() == 0 {
            return Ok(());
        }
        (self.send)(early)
    }
}

/// The result of a block.
#[derive(Default)]
pub struct Done {
    /// Whether this is output of a block that is not done yet.
    pub is_part: bool,
    pub data: Vec<u8>,
    pub rejects: Vec<u8>,
    /// Open ends of the data and of the rejects after the parts so far.
    pub open: [Open; 2],
    pub tally: Tally,
    /// For each record, why it is dropped, if it is. Set if the writer may have to encode the
    /// block again.
    pub dropped: Option<Vec<Option<filter::Reason>>>,
    /// The block itself, in that case.
    pub held: Option<Held>,
    /// The buffer of the block, to be reused.
    pub spent: Vec<u8>,
    /// The record that ended the block early.
    pub invalid: Option<RecordError>,
}

impl Done {
    /// Bytes that wait to be written before the block is done.
    pub(super) fn part_bytes(&self) -> usize {
        if self.is_part {
            self.data.len() + self.rejects.len()
        } else {
            0
        }
    }
}

/// A block that may be encoded again.
pub struct Held {
    pub block: Block,
    skip_invalid: bool,
}

impl Held {
    /// Decodes all of its records again.
    pub fn decode(&self, codec: &dyn Codec) -> Decoded {
        let mut decoded = Decoded::default();
        codec.decode(&self.block, &mut decoded);
        if !self.skip_invalid {
            end_at_invalid(&mut decoded);
        }
        decoded
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

/// A block whose parts are decoded and worked on, up to its end or the first record that is not
/// skipped.
pub struct Parts {
    block: Block,
    skip_invalid: bool,
    /// Where the next part begins.
    at: Option<usize>,
    done: Done,
}

impl Parts {
    pub fn new(block: Block, skip_invalid: bool) -> Parts {
        Parts {
            block,
            skip_invalid,
            at: Some(0),
            done: Done::default(),
        }
    }

    /// Decodes the next part, from an offset on; false if there is none.
    pub fn decode(
        &mut self,
        decode: impl FnOnce(&Block, usize, &mut Decoded) -> Option<usize>,
        into: &mut Decoded,
    ) -> bool {
        let Some(from) = self.at else {
            return false;
        };
        self.at = decode(&self.block, from, into);
        if !self.skip_invalid {
            self.done.invalid = end_at_invalid(into);
        }
        self.done.tally.note_decoded(into);
        if self.block.continued {
            self.done.tally.invalid_bytes += self.block.bytes.len() as u64;
        }
        if self.done.invalid.is_some() {
            self.at = None;
        }
        true
    }

    /// Runs a task on the decoded part.
    pub fn run(
        &mut self,
        codec: &dyn Codec,
        task: &dyn Task,
        decoded: &Decoded,
        send: &mut dyn FnMut(Done) -> Result<()>,
    ) -> Result<()> {
        task.run(Step {
            codec,
            block: &self.block,
            decoded,
            done: &mut self.done,
            send,
        })
    }

    /// The results of all parts.
    pub fn end(self) -> Done {
        let Parts {
            block,
            skip_invalid,
            mut done,
            ..
        } = self;
        done.tally.bytes = block.bytes.len() as u64;
        if done.dropped.is_some() {
            done.held = Some(Held {
                block,
                skip_invalid,
            });
        } else {
            done.spent = block.bytes;
        }
        done
    }
}
