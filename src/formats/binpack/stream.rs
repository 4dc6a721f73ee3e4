//! Reading chunks into blocks.

use std::io::{self, BufReader, Read};

use super::super::isa::Features;
use super::super::reader::read_full;
use super::super::{Block, Place, ReadError, Reader};
use super::chain::walk;
use super::layout::{CHUNK_HEADER, MAGIC, MAX_CHUNK, MIN_CHAIN, put_header};
use crate::CpuPath;

/// Larger chunks are cut, so that memory stays small.
const LARGE_CHUNK: usize = 2 << 20;

/// The buffer for small chunks; larger reads bypass it.
const READ_AHEAD: usize = 1 << 16;

/// A stem and 65,535 moves of 30 bits, the maximum.
const LONGEST_CHAIN: usize = MIN_CHAIN + (65_535 * 30_usize).div_ceil(8);

/// Cuts a stream into blocks of whole chunks.
///
/// Chunks of more than 2 MiB, which no known writer makes, are cut between chains into blocks
/// with chunk headers of their own. A truncated chunk's block holds what is there.
#[derive(Debug)]
pub(super) struct ChunkReader<R> {
    input: BufReader<R>,
    block_bytes: usize,
    features: Features,
    offset: u64,
    /// The header of the next chunk, read ahead to see whether the block is full.
    pending: Option<usize>,
    /// The fault after the last block.
    broken: Option<ReadError>,
    large: Option<Large>,
}

/// A chunk that is being cut.
#[derive(Debug)]
struct Large {
    /// Bytes read, but not yet part of a block.
    rest: Vec<u8>,
    /// Bytes of the chunk not read yet.
    unread: usize,
    /// Bytes that are missing from the chunk.
    missing: usize,
}

impl<R: Read> ChunkReader<R> {
    /// Reads chunks up to `block_bytes`, at least one.
    pub(super) fn new(input: R, block_bytes: usize) -> ChunkReader<R> {
        ChunkReader {
            input: BufReader::with_capacity(READ_AHEAD, input),
            block_bytes: block_bytes.clamp(1, LARGE_CHUNK),
            features: Features::of(CpuPath::best()),
            offset: 0,
            pending: None,
            broken: None,
            large: None,
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
            let reason = format!("a chunk of {size} bytes, at most {MAX_CHUNK} are possible");
            return Err(self.broken(4, reason));
        }
        self.pending = Some(size as usize);
        Ok(self.pending)
    }

    fn broken(&self, behind: u64, reason: String) -> ReadError {
        ReadError::Broken {
            place: Place::Offset(self.offset + behind),
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

    /// The next part of a large chunk: as many whole chains as fill a block.
    fn read_part(&mut self, mut large: Large) -> Result<Option<Block>, ReadError> {
        while large.rest.len() < LARGE_CHUNK && large.unread > 0 {
            let wanted = large.unread.min(LARGE_CHUNK);
            let mut limited = self.input.by_ref().take(wanted as u64);
            let read = limited.read_to_end(&mut large.rest)?;
            large.unread -= read;
            if read < wanted {
                large.missing = core::mem::take(&mut large.unread);
            }
        }
        let mut whole = 0;
        while whole < self.block_bytes && whole < large.rest.len() {
            match walk(self.features, &large.rest[whole..], |_| ()) {
                Ok(length) => whole += length,
                Err(_) if large.unread > 0 && large.rest.len() - whole < LONGEST_CHAIN => break,
                // Decoding will find the same fault at the end of this block; the next chain's
                // start is unknown.
                Err(_) => {
                    self.skip(&mut large)?;
                    whole = large.rest.len();
                }
            }
        }
        let mut bytes = Vec::with_capacity(CHUNK_HEADER + whole);
        let last = large.unread == 0 && whole == large.rest.len();
        put_header(&mut bytes, whole + if last { large.missing } else { 0 });
        bytes.extend(large.rest.drain(..whole));
        let start = Place::Offset(self.offset.saturating_sub(CHUNK_HEADER as u64));
        self.offset += whole as u64;
        if !last {
            self.large = Some(large);
        }
        Ok(Some(Block::new(bytes, start)))
    }

    /// Skips the unread rest of a chunk.
    fn skip(&mut self, large: &mut Large) -> Result<(), ReadError> {
        let mut limited = self.input.by_ref().take(large.unread as u64);
        self.offset += io::copy(&mut limited, &mut io::sink())?;
        large.unread = 0;
        Ok(())
    }
}

impl<R: Read + Send> Reader for ChunkReader<R> {
    fn next_block(&mut self) -> Result<Option<Block>, ReadError> {
        if let Some(error) = self.broken.take() {
            return Err(error);
        }
        if let Some(large) = self.large.take() {
            return self.read_part(large);
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
                Some(LARGE_CHUNK..) if !bytes.is_empty() => break,
                Some(size @ LARGE_CHUNK..) => {
                    self.pending = None;
                    self.offset += CHUNK_HEADER as u64;
                    return self.read_part(Large {
                        rest: Vec::new(),
                        unread: size,
                        missing: 0,
                    });
                }
                Some(size) => self.read_chunk(size, &mut bytes)?,
            }
        }
        Ok((!bytes.is_empty()).then_some(Block::new(bytes, start)))
    }
}
