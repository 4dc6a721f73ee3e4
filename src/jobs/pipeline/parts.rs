//! The parts of a block, one after the other.

use super::super::error::Result;
use super::task::{Done, EarlyOutput, Held, Step, Task, end_at_invalid};
use crate::formats::{Block, Codec, Decoded};

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

    /// Decodes the next part of roughly this many records; false if there is none.
    pub fn decode(&mut self, codec: &dyn Codec, records: usize, into: &mut Decoded) -> bool {
        let Some(from) = self.at else {
            return false;
        };
        self.at = codec.decode_part(&self.block, from, records, into);
        if !self.skip_invalid {
            self.done.invalid = end_at_invalid(into);
        }
        self.done.tally.note_decoded(into);
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
        send: &mut dyn FnMut(EarlyOutput) -> Result<()>,
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
