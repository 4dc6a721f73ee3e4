//! Reading records of equal size in blocks.

use std::io::{self, ErrorKind, Read};

use super::super::{Block, Place, ReadError, Reader};

/// Cuts a stream into blocks of whole records. An incomplete record at the end belongs to the
/// last block, where decoding reports it.
#[derive(Debug)]
pub(super) struct FixedReader<R> {
    input: R,
    record_bytes: usize,
    block_bytes: usize,
    offset: u64,
    /// Buffers of finished blocks.
    spare: Vec<Vec<u8>>,
}

impl<R: Read> FixedReader<R> {
    /// Reads records of `record_bytes`, about `block_bytes` at a time.
    pub(super) fn new(input: R, record_bytes: usize, block_bytes: usize) -> FixedReader<R> {
        FixedReader {
            input,
            record_bytes,
            block_bytes: whole_records(record_bytes, block_bytes),
            offset: 0,
            spare: Vec::new(),
        }
    }
}

/// The size of a block of roughly this many bytes.
fn whole_records(record_bytes: usize, block_bytes: usize) -> usize {
    (block_bytes.min(MAX_BLOCK) / record_bytes).max(1) * record_bytes
}

/// The largest block: spans must fit in 32 bits, and memory stays small.
const MAX_BLOCK: usize = 64 << 20;

impl<R: Read + Send> Reader for FixedReader<R> {
    fn next_block(&mut self) -> Result<Option<Block>, ReadError> {
        let spare = self.spare.pop();
        let mut bytes = spare.unwrap_or_else(|| vec![0; self.block_bytes]);
        bytes.resize(self.block_bytes, 0);
        let read = read_full(&mut self.input, &mut bytes)?;
        bytes.truncate(read);
        if bytes.is_empty() {
            return Ok(None);
        }
        let start = Place::Offset(self.offset);
        self.offset += bytes.len() as u64;
        Ok(Some(Block {
            bytes,
            start,
            truncated: false,
        }))
    }

    fn recycle(&mut self, spent: Vec<u8>) {
        if spent.capacity() >= self.block_bytes {
            self.spare.push(spent);
        }
    }

    fn set_block_bytes(&mut self, block_bytes: usize) {
        self.block_bytes = whole_records(self.record_bytes, block_bytes);
    }
}

/// Reads until full: less is the end.
fn read_full(input: &mut impl Read, bytes: &mut [u8]) -> io::Result<usize> {
    let mut read = 0;
    while read < bytes.len() {
        match input.read(&mut bytes[read..]) {
            Ok(0) => break,
            Ok(more) => read += more,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(read)
}
