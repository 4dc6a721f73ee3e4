//! The files that batches are read from.

use std::ops::Range;
use std::path::PathBuf;

use pyo3::prelude::*;
use swaplist_files::blocks::{BlockIndex, BlockReader, TextBlock};
use swaplist_files::formats::{DecodedPart, Format, Place};

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
#[allow(clippy::large_enum_variant)] // a few per worker
pub enum Open {
    Training(BlockReader),
    Rows(RowBlock),
}

/// A block of rows that is being decoded.
pub struct RowBlock {
    bytes: Vec<u8>,
    /// Where it begins in the file.
    start: u64,
    /// How many of its bytes are decoded.
    from: usize,
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
        BlockIndex::from_file(&path.path, format, numbers, goes_on)
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
            File::Training(index) => &index.name,
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
            File::Training(index) => index.file_length,
            File::Rows(rows) => rows.length(),
        }
    }

    pub fn is_compressed(&self) -> bool {
        matches!(self, File::Training(index) if index.is_compressed)
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
            File::Training(index) if !index.is_compressed => {
                Some(index.format.spec().record_bytes? as u64)
            }
            File::Training(_) | File::Rows(_) => None,
        }
    }

    /// The typical size of a record in tenths of a byte.
    pub fn record_tenths_of_a_byte(&self) -> u64 {
        match self {
            File::Training(index) => index.format.spec().record_tenths_of_a_byte as u64,
            File::Rows(_) => 10 * RowFile::ROW as u64,
        }
    }

    /// The number of blocks.
    pub fn len(&self) -> usize {
        match self {
            File::Training(index) => index.offsets.len() - 1,
            File::Rows(rows) => rows.blocks(),
        }
    }

    /// The end of the last block, in decompressed bytes: the length that reading goes by.
    pub fn length(&self) -> u64 {
        match self {
            File::Training(index) => *last(index),
            File::Rows(rows) => rows.length(),
        }
    }

    pub fn bytes(&self, block: usize) -> Range<u64> {
        match self {
            File::Training(index) => {
                let offset = |block: usize| *index.offsets.get(block).unwrap_or(last(index));
                offset(block)..offset(block + 1)
            }
            File::Rows(rows) => rows.bytes(block),
        }
    }

    /// The block that holds a byte.
    pub fn block_at(&self, byte: u64) -> usize {
        match self {
            File::Training(index) => {
                let blocks = &index.offsets[..index.offsets.len() - 1];
                let after = blocks.partition_point(|&offset| offset <= byte);
                after.saturating_sub(1)
            }
            File::Rows(_) => RowFile::block_at(byte),
        }
    }

    /// What records of this format are grouped in, such as games, if they are.
    pub fn units(&self) -> Option<&'static str> {
        match self {
            File::Training(index) => index.format.spec().units,
            File::Rows(_) => None,
        }
    }

    /// Begins to read at a block; in a compressed file at the first one, as all blocks before the
    /// wanted one have to be decompressed.
    pub fn open(&self, block: usize, spare: &mut Vec<Vec<u8>>) -> PyResult<Open> {
        let memory = spare.pop();
        match self {
            File::Training(index) => index
                .open(block, memory)
                .map(Open::Training)
                .map_err(|error| errors::job(&error)),
            File::Rows(rows) => Ok(Open::Rows(RowBlock {
                start: rows.bytes(block).start,
                bytes: rows.read(block, memory)?,
                from: 0,
            })),
        }
    }
}

/// The end of the last block.
fn last(index: &BlockIndex) -> &u64 {
    index.offsets.last().unwrap_or(&0)
}

impl Open {
    /// Goes to the first byte of this range that is not decoded, past all bytes before the range;
    /// false if no block is left in it.
    pub fn seek(&mut self, range: Range<u64>) -> Result<bool, String> {
        match self {
            Open::Training(reader) => reader.seek(range).map_err(|error| error.to_string()),
            Open::Rows(rows) => Ok(rows.seek(range)),
        }
    }

    /// Takes the block that [`Open::seek`] found, if it is one of text, to be decoded elsewhere;
    /// also returns the byte of the file at which it ends.
    pub fn take_text(&mut self) -> Option<(TextBlock, u64)> {
        match self {
            Open::Training(reader) => reader.take_text(),
            Open::Rows(_) => None,
        }
    }

    /// Decodes a part of the block, of about `records` records; returns the byte of the file at
    /// which the part ends.
    pub fn decode(&mut self, records: usize, into: &mut DecodedPart) -> u64 {
        match self {
            Open::Training(reader) => reader.decode(records, into),
            Open::Rows(rows) => rows.decode(records, into),
        }
    }

    /// Hands on the memory of its blocks, for the next file.
    pub fn into_spare(self) -> Option<Vec<u8>> {
        match self {
            Open::Training(reader) => reader.into_memory(),
            Open::Rows(rows) => Some(rows.bytes),
        }
    }
}

impl RowBlock {
    /// Goes to the first byte of this range that is not decoded; false if none is left in it.
    fn seek(&mut self, range: Range<u64>) -> bool {
        let wanted = range.start.saturating_sub(self.start);
        // A block is in memory, so its bytes can be counted.
        self.from = self.from.max(usize::try_from(wanted).unwrap_or(usize::MAX));
        self.from < self.bytes.len() && self.start < range.end
    }

    /// Decodes some rows; returns the byte of the file at which they end.
    fn decode(&mut self, records: usize, into: &mut DecodedPart) -> u64 {
        let next = RowFile::decode(&self.bytes, self.from, records, into);
        self.from = next.unwrap_or(self.bytes.len());
        self.start + self.from as u64
    }
}
