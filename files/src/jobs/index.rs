//! Where the blocks of a file begin, so that each can be read by itself and in any order.

use core::ops::Range;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};

use super::error::{Access, Context as _, Error, Result};
use super::input::{Input, opened};
use super::pieces::{Piece, Version, each_block, each_piece, each_run_of_records, must_be_read};
use crate::formats::compressed::Counter;
use crate::formats::{Format, Reader};

/// The bytes of a block, roughly: more in files so long that there would be too many blocks.
const BLOCK: Range<u64> = 1 << 18..(1 << 20) - 1;
/// More blocks than this make the blocks larger.
const MANY: u32 = 18;

/// The blocks of a file.
///
/// Records of one size are cut without a look at the file, and of a binpack only the headers of
/// chunks are read. Other files, and compressed ones, are read once, but not decoded.
pub struct BlockIndex {
    path: PathBuf,
    name: String,
    format: Format,
    is_compressed: bool,
    version: Version,
    starts: Vec<Start>,
    /// The end of the last block, decompressed.
    length: u64,
}

/// The start of a block.
#[derive(Clone, Copy, Debug)]
struct Start {
    /// The byte of the decompressed file.
    offset: u64,
    /// The number of its first line, byte or game.
    first: u64,
    /// What is known of the file's header before this block.
    columns: u64,
}

impl BlockIndex {
    /// Finds the blocks of a file. `goes_on` is called now and then; false cancels.
    ///
    /// # Errors
    ///
    /// If the file cannot be read or is not a regular one, its format is not known, or the search
    /// was cancelled. Damaged data is an error of the last block.
    pub fn from_file(
        path: &Path,
        from: Option<Format>,
        goes_on: &mut dyn FnMut() -> bool,
    ) -> Result<BlockIndex> {
        let (mut index, input) = BlockIndex::empty(path, from)?;
        let step = index.step();
        let format = index.format;
        let name = index.name.clone();
        let by_reader = index.is_compressed || must_be_read(format);
        let mut starts: Vec<Start> = Vec::new();
        let mut end = 0;
        let mut columns = 0;
        let mut add = |piece: Piece| {
            if !goes_on() {
                return Err(Error::cancelled());
            }
            end = piece.offset + piece.length;
            columns = piece.columns[1];
            // Small chunks share a block.
            if by_reader || starts.last().is_none_or(|start| end - start.offset > step) {
                starts.push(Start {
                    offset: piece.offset,
                    first: piece.start.number(),
                    columns: piece.columns[0],
                });
            }
            Ok(())
        };
        let broken = if by_reader {
            each_block(format, (&name, input.into_stream()), step, &mut add)?
        } else {
            each_piece(format, (&name, opened(path, &name)?.0), step, &mut add)?;
            None
        };
        if let Some(place) = broken {
            starts.push(Start {
                offset: end,
                first: place.number(),
                columns,
            });
            index.length = index.length.max(end + 1);
        } else if by_reader {
            index.length = end;
        }
        if starts.is_empty() && index.length > 0 {
            starts.push(Start::at(0));
        }
        index.starts = starts;
        Ok(index)
    }

    /// The blocks of a file whose records are all of one size, and which is not compressed; `None`
    /// for others.
    ///
    /// # Errors
    ///
    /// As for [`BlockIndex::from_file`].
    pub fn from_record_size(path: &Path, from: Option<Format>) -> Result<Option<BlockIndex>> {
        let (mut index, _) = BlockIndex::empty(path, from)?;
        let record_bytes = index.format.spec().record_bytes;
        let Some(record) = record_bytes.filter(|_| !index.is_compressed) else {
            return Ok(None);
        };
        each_run_of_records(record as u64, index.length, index.step(), &mut |piece| {
            index.starts.push(Start::at(piece.offset));
            Ok(())
        })?;
        Ok(Some(index))
    }

    /// An index that was [written down](BlockIndex::to_numbers) before.
    ///
    /// # Errors
    ///
    /// If the file cannot be read, or is not as long as it was.
    pub fn from_numbers(path: &Path, from: Option<Format>, numbers: &[u64]) -> Result<BlockIndex> {
        let (mut index, _) = BlockIndex::empty(path, from)?;
        let changed = || Error::refused(format!("'{}' has changed", index.name));
        let (&[file, length], after) = numbers.split_first_chunk().ok_or_else(changed)?;
        let (starts, rest) = after.as_chunks();
        if file != index.version.0 || !rest.is_empty() {
            return Err(changed());
        }
        index.length = length;
        index.starts = starts
            .iter()
            .map(|&[offset, first, columns]| Start {
                offset,
                first,
                columns,
            })
            .collect();
        Ok(index)
    }

    /// The index as numbers, if the file had to be read for it.
    pub fn to_numbers(&self) -> Option<Vec<u64>> {
        if !self.is_compressed && !must_be_read(self.format) {
            return None;
        }
        let numbers = self
            .starts
            .iter()
            .flat_map(|start| [start.offset, start.first, start.columns]);
        let lengths = [self.version.0, self.length];
        Some(lengths.into_iter().chain(numbers).collect())
    }

    fn empty(path: &Path, from: Option<Format>) -> Result<(BlockIndex, Input)> {
        let mut input = Input::open(Some(path))?;
        let format = input.format(from)?;
        let name = input.name().to_owned();
        if input.length().is_none() {
            return Err(Error::refused(format!(
                "'{name}' is not a regular file, and can be read only once; write it to a file"
            )));
        }
        let (_, metadata) = opened(path, &name)?;
        let index = BlockIndex {
            path: path.to_owned(),
            name,
            format,
            is_compressed: input.compression.is_some(),
            version: Version::from_metadata(&metadata),
            starts: Vec::new(),
            length: metadata.len(),
        };
        Ok((index, input))
    }

    fn step(&self) -> u64 {
        (self.version.0 >> MANY).clamp(BLOCK.start, BLOCK.end)
    }

    /// The file's name in messages.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The file's length in bytes, before decompression.
    pub const fn file_length(&self) -> u64 {
        self.version.0
    }

    /// The format of the file: the one given, or what its name or its first bytes tell.
    pub const fn format(&self) -> Format {
        self.format
    }

    /// A low estimate of the typical size of a record, in tenths of a byte.
    pub const fn record_tenths_of_a_byte(&self) -> u64 {
        self.format.spec().record_tenths_of_a_byte as u64
    }

    /// Whether blocks can only be reached by decompressing all before them.
    pub const fn is_compressed(&self) -> bool {
        self.is_compressed
    }

    /// Whether the file is as it was when its blocks were found.
    pub fn is_current(&self) -> bool {
        let now = opened(&self.path, &self.name);
        now.is_ok_and(|(_, metadata)| self.version == Version::from_metadata(&metadata))
    }

    /// The number of blocks that can be read each on its own.
    pub const fn len(&self) -> usize {
        self.starts.len()
    }

    /// Whether there is no block.
    pub const fn is_empty(&self) -> bool {
        self.starts.is_empty()
    }

    /// The end of the last block, in decompressed bytes.
    pub const fn length(&self) -> u64 {
        self.length
    }

    /// The bytes of a block.
    pub fn bytes(&self, block: usize) -> Range<u64> {
        let offset = |block: usize| self.starts.get(block).map(|start| start.offset);
        let start = offset(block).unwrap_or(self.length);
        start..offset(block + 1).unwrap_or(self.length)
    }

    /// The first block that ends after this byte.
    pub fn block_at(&self, byte: u64) -> usize {
        let after = self.starts.partition_point(|start| start.offset <= byte);
        after.saturating_sub(1)
    }

    /// A reader that begins at a block; the second number is the decompressed byte at which it
    /// does. It ends after the block, except in compressed files: there it begins at the first byte
    /// and goes through the whole file.
    ///
    /// # Errors
    ///
    /// If the file cannot be read, or was changed.
    pub fn reader(&self, block: usize) -> Result<(Reader<'static>, u64)> {
        let (mut file, metadata) = opened(&self.path, &self.name)?;
        if self.version != Version::from_metadata(&metadata) {
            return Err(Error::refused(format!(
                "'{}' was changed while it was read; run again when nothing else changes it",
                self.name
            )));
        }
        if self.is_compressed {
            let stream = Input::open(Some(&self.path))?.into_stream();
            return Ok((self.format.open(stream, self.step() as usize).0, 0));
        }
        let Range { start, end } = self.bytes(block);
        file.seek(SeekFrom::Start(start))
            .doing(Access::ReadOn, &self.name)?;
        let known = (end <= self.version.0).then_some(end);
        let (stream, _) = Counter::new(file.take(end - start), start, known);
        // With room for one byte more, the reader sees the end at once.
        let (mut reader, _) = self.format.open(stream, (end - start) as usize + 1);
        if let Some(begin) = self.starts.get(block) {
            reader.start_at(begin.first, begin.columns);
        }
        Ok((reader, start))
    }
}

impl Start {
    /// A start in a format whose places are bytes.
    const fn at(offset: u64) -> Start {
        Start {
            offset,
            first: offset,
            columns: 0,
        }
    }
}
