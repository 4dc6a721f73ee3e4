//! Reading text in blocks, in bounded memory.

use std::io::{ErrorKind, Read};

use crate::formats::error::MAX_LINE;
use crate::formats::{Block, Place, ReadError, Reader};

/// Cuts text into blocks of whole lines.
#[derive(Debug)]
pub struct TextReader<R> {
    input: R,
    block_bytes: usize,
    /// Bytes read, but not yet part of a block: at most one incomplete line.
    rest: Vec<u8>,
    /// Buffers of finished blocks.
    spare: Vec<Vec<u8>>,
    line: u64,
    ended: bool,
    /// Returns the length of the whole records.
    whole: fn(&[u8]) -> usize,
    /// Bytes before the next block.
    offset: u64,
    /// Whether places are offsets, and an overlong record ends reading.
    by_offset: bool,
}

impl<R: Read> TextReader<R> {
    /// Reads from a stream, about `block_bytes` at a time.
    pub fn new(input: R, block_bytes: usize) -> TextReader<R> {
        TextReader::with_records(input, block_bytes, whole_lines)
    }

    /// For records of several lines: `whole` returns the length of the whole records at the
    /// start.
    pub(crate) fn with_records(
        input: R,
        block_bytes: usize,
        whole: fn(&[u8]) -> usize,
    ) -> TextReader<R> {
        TextReader {
            whole,
            offset: 0,
            by_offset: false,
            input,
            block_bytes: block_bytes.clamp(1, MAX_LINE),
            rest: Vec::new(),
            spare: Vec::new(),
            line: 1,
            ended: false,
        }
    }

    /// Uses offsets for places; reading cannot continue after an overlong record.
    pub(crate) fn by_offset(mut self) -> TextReader<R> {
        self.by_offset = true;
        self
    }

    /// Appends more to the buffer.
    fn fill(&mut self, buffer: &mut Vec<u8>) -> Result<(), ReadError> {
        let mut limited = self.input.by_ref().take(self.block_bytes as u64);
        if limited.read_to_end(buffer)? < self.block_bytes {
            self.ended = true;
        }
        Ok(())
    }

    /// Skips the rest of an overlong line.
    fn skip_line(&mut self) -> Result<(), ReadError> {
        let mut chunk = [0; 1 << 14];
        loop {
            let read = match self.input.read(&mut chunk) {
                Ok(read) => &chunk[..read],
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) => return Err(error.into()),
            };
            if read.is_empty() {
                self.ended = true;
                return Ok(());
            }
            let end = read.iter().position(|&byte| byte == b'\n');
            self.offset += end.map_or(read.len(), |end| end + 1) as u64;
            if let Some(end) = end {
                self.rest.extend_from_slice(&read[end + 1..]);
                return Ok(());
            }
        }
    }

    fn block(&mut self, bytes: Vec<u8>, truncated: bool) -> Block {
        let start = if self.by_offset {
            Place::Offset(self.offset)
        } else {
            Place::Line(self.line)
        };
        self.offset += bytes.len() as u64;
        self.line += count_lines(&bytes) + u64::from(truncated);
        Block {
            bytes,
            start,
            truncated,
        }
    }
}

impl<R: Read + Send> Reader for TextReader<R> {
    fn next_block(&mut self) -> Result<Option<Block>, ReadError> {
        let mut bytes = self.spare.pop().unwrap_or_default();
        bytes.clear();
        bytes.reserve_exact(self.block_bytes + self.rest.len());
        bytes.append(&mut self.rest);
        loop {
            if !self.ended {
                self.fill(&mut bytes)?;
            }
            let whole = if self.ended {
                bytes.len()
            } else {
                (self.whole)(&bytes)
            };
            if whole > 0 {
                self.rest.extend_from_slice(&bytes[whole..]);
                bytes.truncate(whole);
                return Ok(Some(self.block(bytes, false)));
            }
            if self.ended {
                return Ok(None);
            }
            if bytes.len() > MAX_LINE && self.by_offset {
                return Err(ReadError::Broken {
                    place: Place::Offset(self.offset),
                    reason: format!("longer than {MAX_LINE} bytes"),
                });
            }
            if bytes.len() > MAX_LINE {
                self.skip_line()?;
                return Ok(Some(self.block(bytes, true)));
            }
        }
    }

    fn recycle(&mut self, spent: Vec<u8>) {
        if spent.capacity() >= self.block_bytes {
            self.spare.push(spent);
        }
    }

    fn set_block_bytes(&mut self, block_bytes: usize) {
        self.block_bytes = block_bytes.clamp(1, MAX_LINE);
    }
}

/// Up to the end of the last line.
pub(crate) fn whole_lines(text: &[u8]) -> usize {
    text.iter()
        .rposition(|&byte| byte == b'\n')
        .map_or(0, |end| end + 1)
}

/// The number of line ends, at memory speed.
pub(crate) fn count_lines(bytes: &[u8]) -> u64 {
    let ends = |chunk: &[u8]| -> u64 {
        let count: u8 = chunk.iter().map(|&byte| u8::from(byte == b'\n')).sum();
        count.into()
    };
    bytes.chunks(255).map(ends).sum()
}
