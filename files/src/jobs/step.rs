//! A block in work: all that is known of it, part by part, from its bytes to its output.

use super::block_output::{BlockOutput, Made};
use crate::filter::Judgement;
use crate::formats::{Block, DecodedPart, Place};
use swaplist::Batch;
use swaplist::backend::Answers;

/// A block in work, and a thread's buffers, which serve the next one too.
pub struct Step<M = ()> {
    pub block: Block,
    /// The byte of the block where the next part begins; `None` after the last one.
    pub(super) at: Option<usize>,
    /// The part's records.
    pub decoded: DecodedPart,
    pub judgement: Judgement,
    pub batch: Batch,
    /// The answers to what the task asked about the part. If it asked nothing, they are of another
    /// part and mean nothing.
    pub answers: Answers,
    /// How many more records may be kept.
    pub left: Option<u64>,
    /// The results of the parts so far.
    pub done: BlockOutput<M>,
}

impl<M: Made> Default for Step<M> {
    fn default() -> Step<M> {
        Step {
            block: Block::new(Vec::new(), Place::Offset(0)),
            at: None,
            decoded: DecodedPart::default(),
            judgement: Judgement::default(),
            batch: Batch::new(),
            answers: Answers::default(),
            left: None,
            done: BlockOutput::default(),
        }
    }
}

impl<M: Made> Step<M> {
    /// Takes a block to work on up to its end or the first record that is not skipped, and returns
    /// the previous one.
    pub fn begin(&mut self, block: Block) -> Block {
        self.at = Some(0);
        self.done = BlockOutput::default();
        core::mem::replace(&mut self.block, block)
    }

    /// The results of all parts. Bytes after the limit do not count: how far the reader got
    /// depends on timing.
    pub fn end(&mut self) -> BlockOutput<M> {
        let mut done = core::mem::take(&mut self.done);
        let all = self.block.bytes.len() as u64;
        done.tally.bytes = done.end.map_or(all, u64::from);
        done
    }
}
