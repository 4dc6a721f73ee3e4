//! The chunks of a binpack that is made of other records.
//!
//! Each block of the input becomes a chunk of its own, and how large blocks are depends on the
//! number of threads. The output must not, so the chains of all blocks are put together here, in
//! order: a chunk is full with the chain that brings it to 1 MiB, wherever the blocks ended.
//!
//! Chunks of a binpack that is copied stay as they were, apart from what a filter drops. Other
//! formats have none: their bytes are written as they are.

use core::mem;

use super::error::Result;
use super::output::Output;
use crate::formats::{CHUNK_HEADER, Format, OpenChunk, chunk_header};

/// The bytes of chains with which a chunk is full.
const FULL: usize = 1 << 20;

/// The chunk of an output that is not full yet.
pub struct Chunks {
    /// Whether the output has new chunks.
    is_chunked: bool,
    chains: Vec<u8>,
}

impl Chunks {
    /// Of an output whose records are made in a format; `None` if they are copied.
    pub fn for_format(made: Option<Format>) -> Chunks {
        Chunks {
            is_chunked: made.is_some_and(|format| format.spec().least_block_bytes.is_some()),
            chains: Vec::new(),
        }
    }

    /// Writes what a block has become: of its chains those that fill a chunk, the others later.
    pub fn write(&mut self, bytes: &[u8], open: &OpenChunk, output: &mut Output) -> Result<()> {
        if !self.is_chunked {
            return output.write(bytes);
        }
        // The block's own chunk begins with its header.
        let mut start = CHUNK_HEADER;
        for &end in &open.chain_ends {
            self.chains
                .extend_from_slice(&bytes[mem::replace(&mut start, end)..end]);
            if self.chains.len() >= FULL {
                self.end(output)?;
            }
        }
        Ok(())
    }

    /// Writes the last chunk, if there is one.
    pub fn end(&mut self, output: &mut Output) -> Result<()> {
        if self.chains.is_empty() {
            return Ok(());
        }
        output.write(&chunk_header(self.chains.len()))?;
        output.write(&self.chains)?;
        self.chains.clear();
        Ok(())
    }
}
