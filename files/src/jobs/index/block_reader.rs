//! Records of an indexed file, read from any of its blocks on.

use core::ops::Range;

use super::BlockIndex;
use crate::formats::{Block, Codec, DecodedPart, ReadError, Reader};
use crate::jobs::error::Result;

/// Reads blocks of a file, one after the other, and decodes them in parts.
pub struct BlockReader {
    reader: Reader<'static>,
    codec: Codec,
    /// The decompressed byte at which the block after this one begins.
    at: u64,
    block: Option<Block>,
    /// How many bytes of the block are decoded.
    from: usize,
}

/// A block of text that is not decoded yet, or not to its end.
pub struct TextBlock {
    block: Block,
    /// Where the next part begins, if one is left.
    from: Option<usize>,
    codec: Codec,
}

impl BlockIndex {
    /// Begins to read at a block, or in a compressed file before it: at the first byte. The memory
    /// of [`BlockReader::into_memory`] is used again.
    ///
    /// # Errors
    ///
    /// If the file cannot be read, or was changed.
    pub fn open(&self, block: usize, memory: Option<Vec<u8>>) -> Result<BlockReader> {
        let (mut reader, at) = self.reader(block)?;
        if let Some(memory) = memory {
            reader.recycle(memory);
        }
        Ok(BlockReader {
            reader,
            codec: self.format.codec(),
            at,
            block: None,
            from: 0,
        })
    }
}

impl BlockReader {
    /// Goes to the first byte of this range that is not decoded, past all bytes before the range;
    /// false if no block is left in it.
    ///
    /// # Errors
    ///
    /// If the file cannot be read on. Do not read after that.
    pub fn seek(&mut self, range: Range<u64>) -> Result<bool, ReadError> {
        loop {
            if let Some(block) = &self.block {
                let begin = self.at - block.bytes.len() as u64;
                if self.at > range.start && begin < range.end {
                    let wanted = range.start.saturating_sub(begin);
                    // It is less than the length of a block in memory, so it always fits.
                    self.from = self.from.max(usize::try_from(wanted).unwrap_or(0));
                    return Ok(true);
                }
                if begin >= range.end {
                    return Ok(false);
                }
                self.recycle();
            }
            if self.at >= range.end {
                return Ok(false);
            }
            let Some(block) = self.reader.next_block()? else {
                return Ok(false);
            };
            self.at += block.bytes.len() as u64;
            self.from = 0;
            self.block = Some(block);
        }
    }

    /// Takes the block that [`BlockReader::seek`] found, if it is one of text, to be decoded
    /// elsewhere; also returns the byte of the file at which it ends. (Text takes long to decode, and
    /// nobody knows where a part of it ends before that is done.)
    pub fn take_text(&mut self) -> Option<(TextBlock, u64)> {
        let format = self.codec.format();
        let text = TextBlock {
            block: self.block.take_if(|_| format.spec().is_text)?,
            from: Some(self.from),
            codec: format.codec(),
        };
        Some((text, self.at))
    }

    /// Decodes a part of the block, of whole games or chains, until there are this many records;
    /// returns the byte of the file at which the part ends.
    pub fn decode(&mut self, records: usize, into: &mut DecodedPart) -> u64 {
        let Some(block) = &self.block else {
            return self.at;
        };
        let begin = self.at - block.bytes.len() as u64;
        if let Some(next) = self.codec.decode_part(block, self.from, records, into) {
            self.from = next;
            return begin + next as u64;
        }
        self.recycle();
        self.at
    }

    fn recycle(&mut self) {
        if let Some(spent) = self.block.take() {
            self.reader.recycle(spent.bytes);
        }
    }

    /// The memory of its blocks, for the next reader.
    pub fn into_memory(mut self) -> Option<Vec<u8>> {
        self.reader.take_spare()
    }
}

impl TextBlock {
    /// Decodes its next part; false if none is left.
    pub fn decode(&mut self, records: usize, into: &mut DecodedPart) -> bool {
        let Some(from) = self.from else {
            return false;
        };
        self.from = self.codec.decode_part(&self.block, from, records, into);
        true
    }
}
