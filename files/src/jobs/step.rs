//! A block in work: its records and what was found out about them, part by part.

use super::block_output::BlockOutput;
use crate::filter::Judgement;
use crate::formats::{Block, DecodedPart, Place};
use swaplist::Batch;

/// A block in work, and a thread's buffers, which serve the next one too.
pub struct Step {
    pub block: Block,
    /// The byte of the block where the next part begins; `None` after the last one.
    pub(super) at: Option<usize>,
    /// The part's records.
    pub decoded: DecodedPart,
    pub judgement: Judgement,
    pub batch: Batch,
    /// How many more records may be kept.
    pub left: Option<u64>,
    /// The results of the parts so far.
    pub done: BlockOutput,
}

impl Default for Step {
    fn default() -> Step {
        Step {
            block: Block::new(Vec::new(), Place::Offset(0)),
            at: None,
            decoded: DecodedPart::default(),
            judgement: Judgement::default(),
            batch: Batch::new(),
            left: None,
            done: BlockOutput::default(),
        }
    }
}

impl Step {
    /// Takes a block to work on up to its end or the first record that is not skipped, and returns
    /// the previous one.
    pub fn begin(&mut self, block: Block) -> Block {
        self.at = Some(0);
        self.done = BlockOutput::default();
        core::mem::replace(&mut self.block, block)
    }

    /// The results of all parts. Bytes after the limit do not count: how far the reader got
    /// depends on timing.
    pub fn end(&mut self) -> BlockOutput {
        let mut done = core::mem::take(&mut self.done);
        let all = self.block.bytes.len() as u64;
        done.tally.bytes = done.end.map_or(all, u64::from);
        done
    }
}
