//! What a block becomes.

use super::error::Error;
use super::tally::Tally;
use crate::formats::OpenChunk;
use crate::mix::Mixed;

/// The result of a block, or output of one that is not done yet.
#[derive(Default)]
pub struct BlockOutput {
    /// Whether more of the same block follows.
    pub is_part: bool,
    /// The bytes for the output.
    pub data: Vec<u8>,
    /// The bytes for the file of rejected records.
    pub rejects: Vec<u8>,
    /// Where `data` and `rejects` end in a chunk that the next part of the block may continue.
    pub open: [OpenChunk; 2],
    /// What a mix has made of the block, in place of `data`.
    pub mixed: Mixed,
    /// Its counts.
    pub tally: Tally,
    /// The error about the record at which the block ends early.
    pub invalid: Option<Error>,
    /// The byte of the block at which the run ends, if it reaches its limit there.
    pub end: Option<u32>,
}

impl BlockOutput {
    /// The bytes of output that are not kept back until the block is done.
    pub const MUCH: usize = 1 << 20;

    /// Bytes that wait to be written.
    pub fn bytes(&self) -> usize {
        self.data.len() + self.rejects.len() + self.mixed.bytes()
    }

    /// Takes the output so far if it is large, so that it is written before the block is done: a
    /// record of 2 bytes can become one of 200. What is in a chunk that may still grow stays.
    pub fn early(&mut self) -> Option<BlockOutput> {
        let much = |bytes: &mut Vec<u8>, open: &OpenChunk| {
            let goes = bytes.len() >= BlockOutput::MUCH && *open == OpenChunk::default();
            if goes {
                core::mem::take(bytes)
            } else {
                Vec::new()
            }
        };
        let early = BlockOutput {
            is_part: true,
            data: much(&mut self.data, &self.open[0]),
            rejects: much(&mut self.rejects, &self.open[1]),
            mixed: self.mixed.early(BlockOutput::MUCH),
            ..BlockOutput::default()
        };
        (early.bytes() > 0).then_some(early)
    }
}
