//! What a block becomes.

use super::error::Error;
use super::tally::Tally;
use crate::formats::OpenChunk;

/// The result of a block, or output of one that is not done yet. `M`: what the task makes of a block
/// besides bytes.
#[derive(Default)]
pub struct BlockOutput<M = ()> {
    /// Whether more of the same block follows.
    pub is_part: bool,
    /// The bytes for the output.
    pub data: Vec<u8>,
    /// The bytes for the file of rejected records.
    pub rejects: Vec<u8>,
    /// Where `data` and `rejects` end in a chunk that the next part of the block may continue.
    pub open: [OpenChunk; 2],
    /// What else the task has made of the block.
    pub made: M,
    /// The counts of the block.
    pub tally: Tally,
    /// The error about the record at which the block ends early.
    pub invalid: Option<Error>,
    /// The byte of the block at which the run ends, if it reaches its limit there.
    pub end: Option<u32>,
}

/// The bytes of output that are not kept back until the block is done.
pub const MUCH: usize = 1 << 20;

/// What a task makes of a block besides bytes.
pub trait Made: Default + Send {
    /// The bytes that wait to be written.
    fn bytes(&self) -> usize;

    /// Takes what there is so far, if it has at least so many bytes; else nothing.
    fn early(&mut self, bytes: usize) -> Self;
}

/// Most tasks make bytes alone.
impl Made for () {
    fn bytes(&self) -> usize {
        0
    }

    fn early(&mut self, _: usize) {}
}

impl<M: Made> BlockOutput<M> {
    /// Bytes that wait to be written.
    pub fn bytes(&self) -> usize {
        self.data.len() + self.rejects.len() + self.made.bytes()
    }

    /// Takes the output so far if it is large, so that it is written before the block is done: a
    /// record of 2 bytes can become one of 200. What is in a chunk that may still grow stays.
    pub fn early(&mut self) -> Option<BlockOutput<M>> {
        let much = |bytes: &mut Vec<u8>, open: &OpenChunk| {
            let goes = bytes.len() >= MUCH && *open == OpenChunk::default();
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
            made: self.made.early(MUCH),
            ..BlockOutput::default()
        };
        (early.bytes() > 0).then_some(early)
    }
}
