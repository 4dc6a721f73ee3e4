//! Chunks: their layout, and reading them into blocks.

use std::io::{BufReader, Read};

use super::super::reader::read_full;
use super::super::{Block, Place, ReadError, Reader};

/// The first bytes of a chunk.
pub(super) const MAGIC: [u8; 4] = *b"BINP";

/// Bytes of a chunk's magic and size.
pub(super) const CHUNK_HEADER: usize = 8;

/// The largest chunk, which is read as a whole. Writers make 1 MiB.
pub(super) const MAX_CHUNK: usize = 16 << 20;

/// Bytes of a stem.
pub(super) const STEM: usize = 32;

/// Bytes of a stem and the number of moves after it: the shortest chain.
pub(super) const MIN_CHAIN: usize = STEM + 2;

/// The number of moves after a stem.
pub(super) fn moves(chain: &[u8]) -> Option<usize> {
    let count = chain.get(STEM..MIN_CHAIN)?;
    Some(u16::from_be_bytes([count[0], count[1]]).into())
}

/// Begins a chunk.
pub(in crate::formats) fn put_header(bytes: &mut Vec<u8>, size: usize) {
    bytes.extend_from_slice(&MAGIC);
    bytes.extend_from_slice(&(size as u32).to_le_bytes());
}

/// The buffer for small chunks; larger reads bypass it.
const READ_AHEAD: usize = 1 << 16;

/// Cuts a stream into blocks of whole chunks.
/// A truncated chunk's block holds what is there.
#[derive(Debug)]
pub(super) struct ChunkReader<R> {
    input: BufReader<R>,
    block_bytes: usize,
    offset: u64,
    /// The header of the next chunk, read ahead to see whether the block is full.
    pending: Option<usize>,
    /// The fault after the last block.
    broken: Option<ReadError>,
}

impl<R: Read> ChunkReader<R> {
    /// Reads chunks up to `block_bytes`, at least one.
    pub(super) fn new(input: R, block_bytes: usize) -> ChunkReader<R> {
        ChunkReader {
            input: BufReader::with_capacity(READ_AHEAD, input),
            block_bytes: block_bytes.clamp(1, MAX_CHUNK),
            offset: 0,
            pending: None,
            broken: None,
        }
    }

    /// The size of the next chunk, or `None` at the end. Its header still counts as unread.
    fn next_size(&mut self) -> Result<Option<usize>, ReadError> {
        if self.pending.is_some() {
            return Ok(self.pending);
        }
        let mut header = [0; CHUNK_HEADER];
        let read = read_full(&mut self.input, &mut header)?;
        if read == 0 {
            return Ok(None);
        }
        let [magic @ .., a, b, c, d] = header;
        if read < MAGIC.len() || magic == MAGIC && read < CHUNK_HEADER {
            return Err(self.broken(0, "the header of a chunk is cut off".to_owned()));
        }
        if magic != MAGIC {
            return Err(self.broken(0, "no chunk begins here: 'BINP' is missing".to_owned()));
        }
        let size = u32::from_le_bytes([a, b, c, d]);
        if size as usize > MAX_CHUNK {
            let reason = format!("a chunk of {size} bytes; at most {MAX_CHUNK} are read at once");
            return Err(self.broken(4, reason));
        }
        self.pending = Some(size as usize);
        Ok(self.pending)
    }

    fn broken(&self, after: u64, reason: String) -> ReadError {
        ReadError::Broken {
            place: Place::Offset(self.offset + after),
            reason,
        }
    }

    /// Adds a whole chunk, or the part that exists.
    fn read_chunk(&mut self, size: usize, bytes: &mut Vec<u8>) -> Result<(), ReadError> {
        put_header(bytes, size);
        let start = bytes.len();
        bytes.resize(start + size, 0);
        let read = read_full(&mut self.input, &mut bytes[start..])?;
        bytes.truncate(start + read);
        self.offset += (CHUNK_HEADER + read) as u64;
        self.pending = None;
        Ok(())
    }
}

impl<R: Read + Send> Reader for ChunkReader<R> {
    fn next_block(&mut self) -> Result<Option<Block>, ReadError> {
        if let Some(error) = self.broken.take() {
            return Err(error);
        }
        let start = Place::Offset(self.offset);
        let mut bytes = Vec::new();
        while bytes.len() < self.block_bytes {
            // Chunks before a broken one are returned first.
            let size = match self.next_size() {
                Err(error) if !bytes.is_empty() => {
                    self.broken = Some(error);
                    None
                }
                size => size?,
            };
            match size {
                None => break,
                Some(size) => self.read_chunk(size, &mut bytes)?,
            }
        }
        Ok((!bytes.is_empty()).then_some(Block::new(bytes, start)))
    }
}
