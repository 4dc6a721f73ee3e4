//! The files that batches are read from.

use std::ops::Range;
use std::path::PathBuf;

use pyo3::prelude::*;
use swaplist_files::blocks::BlockIndex;
use swaplist_files::formats::{Block, Codec, DecodedPart, Format, Place, Reader};

use super::rows::RowFile;
use crate::errors;

/// A file and where its blocks are.
pub enum File {
    Training(BlockIndex),
    /// Packed rows of a table.
    Rows(RowFile),
}

/// The path of a file and what it holds.
#[derive(Clone)]
pub struct Path {
    pub path: PathBuf,
    /// Whether it holds packed rows of a table, else training data.
    pub has_rows: bool,
}

/// A file that is being read.
pub struct Open {
    source: OpenSource,
    /// The decompressed byte at which the block after this one begins.
    at: u64,
    block: Option<Block>,
    /// How many bytes of the block are decoded.
    from: usize,
}

#[allow(clippy::large_enum_variant)] // a few per worker
enum OpenSource {
    Training(Reader<'static>, Codec, Format),
    Rows(Option<Block>),
}

/// A block of text that is not decoded yet.
pub struct RawBlock {
    pub block: Block,
    /// The first byte of the block that is to be decoded.
    pub from: usize,
    pub codec: Codec,
}

impl File {
    /// Finds the blocks, or takes them from the numbers of a saved state ([`File::to_numbers`]).
    /// `goes_on` is called now and then, and cancels the search if it returns false.
    pub fn find(
        path: &Path,
        format: Option<Format>,
        numbers: Option<&[u64]>,
        goes_on: &mut dyn FnMut() -> bool,
    ) -> PyResult<File> {
        if path.has_rows {
            return RowFile::open(&path.path).map(File::Rows);
        }
        let found = match numbers {
            Some(numbers) => BlockIndex::from_numbers(&path.path, format, numbers),
            None => BlockIndex::from_file(&path.path, format, goes_on),
        };
        found
            .map(File::Training)
            .map_err(|error| errors::job(&error))
    }

    /// Opens a file whose records are all of one size. `None` for others, whose blocks it may take
    /// long to find.
    pub fn from_records(path: &Path, format: Option<Format>) -> PyResult<Option<File>> {
        if path.has_rows {
            return Ok(None);
        }
        match BlockIndex::from_record_size(&path.path, format) {
            Ok(found) => Ok(found.map(File::Training)),
            Err(error) => Err(errors::job(&error)),
        }
    }

    /// Where the blocks are, as numbers; `None` if they are found quickly.
    pub fn to_numbers(&self) -> Option<Vec<u64>> {
        match self {
            File::Training(index) => index.to_numbers(),
            File::Rows(_) => None,
        }
    }

    pub fn name(&self) -> &str {
        match self {
            File::Training(index) => index.name(),
            File::Rows(_) => "table",
        }
    }

    /// Names a record's place. Rows of tables are counted from 0.
    pub fn place(&self, place: Place) -> String {
        match self {
            File::Training(_) => place.to_string(),
            File::Rows(_) => format!("row {}", place.number()),
        }
    }

    /// The file's length in bytes, before decompression.
    pub fn file_length(&self) -> u64 {
        match self {
            File::Training(index) => index.file_length(),
            File::Rows(rows) => rows.length(),
        }
    }

    pub fn is_compressed(&self) -> bool {
        matches!(self, File::Training(index) if index.is_compressed())
    }

    /// Whether it is as it was when its blocks were found.
    pub fn is_current(&self) -> bool {
        match self {
            File::Training(index) => index.is_current(),
            File::Rows(_) => true,
        }
    }

    /// Bytes of a record, if all are of one size.
    pub fn record_bytes(&self) -> Option<u64> {
        match self {
            File::Training(index) if !index.is_compressed() => {
                Some(index.format().spec().record_bytes? as u64)
            }
            File::Training(_) | File::Rows(_) => None,
        }
    }

    /// The typical size of a record in tenths of a byte.
    pub fn record_tenths_of_a_byte(&self) -> u64 {
        match self {
            File::Training(index) => index.record_tenths_of_a_byte(),
            File::Rows(_) => 10 * RowFile::ROW as u64,
        }
    }

    /// The number of blocks.
    pub fn len(&self) -> usize {
        match self {
            File::Training(index) => index.len(),
            File::Rows(rows) => rows.blocks(),
        }
    }

    /// The end of the last block, in decompressed bytes: the length that reading goes by.
    pub fn length(&self) -> u64 {
        match self {
            File::Training(index) => index.length(),
            File::Rows(rows) => rows.length(),
        }
    }

    pub fn bytes(&self, block: usize) -> Range<u64> {
        match self {
            File::Training(index) => index.bytes(block),
            File::Rows(rows) => rows.bytes(block),
        }
    }

    /// The block that holds a byte.
    pub fn block_at(&self, byte: u64) -> usize {
        match self {
            File::Training(index) => index.block_at(byte),
            File::Rows(_) => RowFile::block_at(byte),
        }
    }

    /// What records of this format are grouped in, such as games, if they are.
    pub fn units(&self) -> Option<&'static str> {
        match self {
            File::Training(index) => index.format().spec().units,
            File::Rows(_) => None,
        }
    }

    /// Begins to read at a block; in a compressed file at the first one, as all blocks before the
    /// wanted one have to be decompressed.
    pub fn open(&self, block: usize, spare: &mut Vec<Vec<u8>>) -> PyResult<Open> {
        let (source, at) = match self {
            File::Training(index) => {
                let (mut reader, at) = index.reader(block).map_err(|error| errors::job(&error))?;
                if let Some(spare) = spare.pop() {
                    reader.recycle(spare);
                }
                let format = index.format();
                (OpenSource::Training(reader, format.codec(), format), at)
            }
            File::Rows(rows) => (
                OpenSource::Rows(Some(rows.read(block, spare.pop())?)),
                rows.bytes(block).start,
            ),
        };
        Ok(Open {
            source,
            at,
            block: None,
            from: 0,
        })
    }
}

impl Open {
    /// Goes to the first byte of this range that is not decoded, past all bytes before the range;
    /// false if no block is left in it.
    pub fn seek(&mut self, range: Range<u64>) -> Result<bool, String> {
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
            let next = match &mut self.source {
                OpenSource::Training(reader, ..) => {
                    reader.next_block().map_err(|error| error.to_string())?
                }
                OpenSource::Rows(block) => block.take(),
            };
            let Some(block) = next else {
                return Ok(false);
            };
            self.at += block.bytes.len() as u64;
            self.from = 0;
            self.block = Some(block);
        }
    }

    /// Takes the block that [`Open::seek`] found, if it is one of text, to be decoded elsewhere;
    /// also returns the byte of the file at which it ends.
    pub fn take_text(&mut self) -> Option<(RawBlock, u64)> {
        let OpenSource::Training(_, _, format) = self.source else {
            return None;
        };
        let text = RawBlock {
            block: self.block.take_if(|_| format.spec().is_text)?,
            from: self.from,
            codec: format.codec(),
        };
        Some((text, self.at))
    }

    /// Decodes a part of the block, of about `records` records; returns the byte of the file at
    /// which the part ends.
    pub fn decode(&mut self, records: usize, into: &mut DecodedPart) -> u64 {
        let Some(block) = &self.block else {
            return self.at;
        };
        let next = match &self.source {
            OpenSource::Training(_, codec, _) => codec.decode_part(block, self.from, records, into),
            OpenSource::Rows(_) => RowFile::decode(block, self.from, records, into),
        };
        let begin = self.at - block.bytes.len() as u64;
        if let Some(next) = next {
            self.from = next;
            return begin + next as u64;
        }
        self.recycle();
        self.at
    }

    fn recycle(&mut self) {
        if let (Some(spent), OpenSource::Training(reader, ..)) =
            (self.block.take(), &mut self.source)
        {
            reader.recycle(spent.bytes);
        }
    }

    /// Hands on the memory of its blocks, for the next file.
    pub fn into_spare(self) -> Option<Vec<u8>> {
        match self.source {
            OpenSource::Training(mut reader, ..) => reader.take_spare(),
            OpenSource::Rows(_) => self.block.map(|block| block.bytes),
        }
    }
}
