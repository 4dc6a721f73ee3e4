//! Where the blocks of a file begin, so that each can be read by itself and in any order.

mod block_reader;

use core::ops::Range;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};

use super::error::{Access, Context as _, Error, Result};
use super::input::{Input, opened};
use super::pieces::{Piece, Version, each_block, each_piece, each_run_of_records, must_be_read};
use crate::formats::compressed::Counter;
use crate::formats::{Format, Reader};

pub use block_reader::{BlockReader, TextBlock};

/// The fewest bytes of a block, roughly: in files of up to 64 GiB.
const LEAST: u64 = 1 << 18;
/// The most bytes of a block. A reader gets one byte more, which makes a power of two.
const MOST: u64 = (1 << 20) - 1;
/// In between, a file has 2 to this power of blocks.
const MANY_BITS: u32 = 18;

/// The blocks of a file.
///
/// Records of one size are cut by the file's length alone, and of a binpack only the headers of chunks
/// are read. Other files, and compressed ones, are read once, but not decoded.
#[non_exhaustive]
pub struct BlockIndex {
    /// The file's name in messages.
    pub name: String,
    /// The format of the file: the one given, or what its name or its first bytes tell.
    pub format: Format,
    /// Whether blocks can only be reached by decompressing all before them.
    pub is_compressed: bool,
    /// The file's length in bytes, before decompression.
    pub file_length: u64,
    /// The byte of the decompressed file at which each block begins, and at last the end of the last
    /// one.
    pub offsets: Vec<u64>,
    path: PathBuf,
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
    /// The number of its first line, byte or game, as the format tells places in messages.
    first: u64,
    /// The columns of a table, packed, as its header before this block names them; 0 in other formats.
    columns: u64,
}

impl BlockIndex {
    /// Finds the blocks of a file, or takes them from the numbers of an index that was
    /// [written down](BlockIndex::to_numbers) before. `goes_on` is called now and then; false cancels.
    ///
    /// # Errors
    ///
    /// If the file cannot be read or is not a regular one, its format is not known, or the search
    /// was cancelled; if the file is not as long as it was, or these are not an index's numbers.
    /// Damaged data is an error of the last block.
    pub fn from_file(
        path: &Path,
        from: Option<Format>,
        numbers: Option<&[u64]>,
        goes_on: &mut dyn FnMut() -> bool,
    ) -> Result<BlockIndex> {
        let (mut index, input) = BlockIndex::new_without_blocks(path, from)?;
        if let Some(numbers) = numbers {
            return index.with_numbers(numbers);
        }
        if index.is_found_by_reading() {
            index.find_by_reading(input, goes_on)?;
        } else {
            index.find_by_headers(goes_on)?;
        }
        // A file with nothing but a header has one block, whose reader says what it thinks of it.
        if index.starts.is_empty() && index.length > 0 {
            index.starts.push(Start::at(0));
        }
        Ok(index.with_offsets())
    }

    /// Whether the blocks are found only by reading all bytes.
    fn is_found_by_reading(&self) -> bool {
        self.is_compressed || must_be_read(self.format)
    }

    /// Each block of the reader, which cuts them to size, is a block.
    fn find_by_reading(&mut self, input: Input, goes_on: &mut dyn FnMut() -> bool) -> Result<()> {
        let step = self.step();
        // What a block after the last one would begin with.
        let mut after = Start::at(0);
        let broken = each_block(
            self.format,
            (&self.name, input.into_stream()),
            step,
            &mut |piece: Piece| {
                check(goes_on)?;
                let [columns, columns_after] = piece.columns;
                self.starts.push(Start {
                    offset: piece.offset,
                    first: piece.start.number(),
                    columns,
                });
                after.offset = piece.offset + piece.length;
                after.columns = columns_after;
                Ok(())
            },
        )?;
        self.length = after.offset;
        if let Some(place) = broken {
            // The data is damaged from here on. One block more, of at least one byte, lets its reader
            // say so.
            after.first = place.number();
            self.starts.push(after);
            self.length = self.version.0.max(after.offset + 1);
        }
        Ok(())
    }

    /// Pieces, of which only the headers are read, are joined up to the size of a block.
    fn find_by_headers(&mut self, goes_on: &mut dyn FnMut() -> bool) -> Result<()> {
        let step = self.step();
        let (file, _) = opened(&self.path, &self.name)?;
        each_piece(
            self.format,
            (&self.name, file),
            step,
            &mut |piece: Piece| {
                check(goes_on)?;
                let end = piece.offset + piece.length;
                if self
                    .starts
                    .last()
                    .is_none_or(|last| end - last.offset > step)
                {
                    self.starts.push(Start {
                        offset: piece.offset,
                        first: piece.start.number(),
                        columns: piece.columns[0],
                    });
                }
                Ok(())
            },
        )
    }

    /// The blocks of a file whose records are all of one size, and which is not compressed; `None`
    /// for others. They are known by its length, so that nothing is read.
    ///
    /// # Errors
    ///
    /// As for [`BlockIndex::from_file`].
    pub fn from_record_size(path: &Path, from: Option<Format>) -> Result<Option<BlockIndex>> {
        let (mut index, _) = BlockIndex::new_without_blocks(path, from)?;
        let record_bytes = index.format.spec().record_bytes;
        let Some(record) = record_bytes.filter(|_| !index.is_compressed) else {
            return Ok(None);
        };
        each_run_of_records(record as u64, index.length, index.step(), &mut |piece| {
            index.starts.push(Start::at(piece.offset));
            Ok(())
        })?;
        Ok(Some(index.with_offsets()))
    }

    fn with_numbers(mut self, numbers: &[u64]) -> Result<BlockIndex> {
        let changed = || Error::refused(format!("'{}' has changed", self.name));
        let (&[file, length], after) = numbers.split_first_chunk().ok_or_else(changed)?;
        let (starts, rest) = after.as_chunks::<3>();
        let offsets = starts.iter().map(|[offset, ..]| *offset).chain([length]);
        if file != self.version.0 || !rest.is_empty() || !offsets.is_sorted() {
            return Err(changed());
        }
        self.length = length;
        self.starts = starts
            .iter()
            .map(|&[offset, first, columns]| Start {
                offset,
                first,
                columns,
            })
            .collect();
        Ok(self.with_offsets())
    }

    /// The index as numbers, if the file had to be read for it.
    pub fn to_numbers(&self) -> Option<Vec<u64>> {
        if !self.is_found_by_reading() {
            return None;
        }
        let numbers = self
            .starts
            .iter()
            .flat_map(|start| [start.offset, start.first, start.columns]);
        let lengths = [self.version.0, self.length];
        Some(lengths.into_iter().chain(numbers).collect())
    }

    /// An index that has no blocks yet, and the input whose first bytes told the format.
    fn new_without_blocks(path: &Path, from: Option<Format>) -> Result<(BlockIndex, Input)> {
        let mut input = Input::open(Some(path))?;
        let format = input.format(from, None)?;
        let name = input.name.clone();
        if input.length.is_none() {
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
            file_length: metadata.len(),
            offsets: Vec::new(),
            version: Version::from_metadata(&metadata),
            starts: Vec::new(),
            length: metadata.len(),
        };
        Ok((index, input))
    }

    /// The index with the offsets of its blocks, once they are found.
    fn with_offsets(mut self) -> BlockIndex {
        let starts = self.starts.iter().map(|start| start.offset);
        self.offsets = starts.chain([self.length]).collect();
        self
    }

    /// The bytes of a block, roughly.
    fn step(&self) -> u64 {
        (self.version.0 >> MANY_BITS).clamp(LEAST, MOST)
    }

    /// Whether the file is as it was when its blocks were found.
    pub fn is_current(&self) -> bool {
        let now = opened(&self.path, &self.name);
        now.is_ok_and(|(_, metadata)| self.version == Version::from_metadata(&metadata))
    }

    /// The bytes of a block.
    fn bytes(&self, block: usize) -> Range<u64> {
        let offset = |block: usize| self.starts.get(block).map(|start| start.offset);
        let start = offset(block).unwrap_or(self.length);
        start..offset(block + 1).unwrap_or(self.length)
    }

    /// A reader of a block, and the byte of the decompressed file at which it begins. In a compressed
    /// file it begins at the first byte, and goes through the whole file.
    ///
    /// # Errors
    ///
    /// If the file cannot be read, or was changed.
    pub(super) fn reader(&self, block: usize) -> Result<(Reader<'static>, u64)> {
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
        // Past damage, the end is a byte that may not be there.
        let known = (end <= self.version.0).then_some(end);
        let (stream, _) = Counter::new(file.take(end - start), start, known);
        // A buffer that is not full tells the reader that this is the end.
        let (mut reader, _) = self.format.open(stream, (end - start) as usize + 1);
        if let Some(begin) = self.starts.get(block) {
            reader.start_at(begin.first, begin.columns);
        }
        Ok((reader, start))
    }
}

/// An error if the search was cancelled.
fn check(goes_on: &mut dyn FnMut() -> bool) -> Result<()> {
    if goes_on() {
        return Ok(());
    }
    Err(Error::cancelled())
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
