//! Where a file can be begun: its smallest pieces that can be read each by itself, found without
//! decoding. Blocks of a loader ([`BlockIndex`](super::index::BlockIndex)) and parts for a cluster
//! ([`Part`](super::Part)) are some of them in a row.

use std::fs::{File, Metadata};
use std::io::{BufReader, ErrorKind, Read};
use std::path::Path;
use std::time::SystemTime;

use serde::{Deserialize, Serialize};

use super::error::{Access, Context as _, Result};
use crate::formats::{CHUNK_HEADER, Format, Place, ReadError};

/// A file's length, and when it was modified.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct Version(pub u64, pub Option<SystemTime>);

impl Version {
    pub fn from_metadata(file: &Metadata) -> Version {
        Version(file.len(), file.modified().ok())
    }

    /// The version of the file at a path; `None` if it is no file.
    pub fn at(path: &Path) -> Option<Version> {
        let metadata = std::fs::metadata(path).ok()?;
        metadata
            .is_file()
            .then(|| Version::from_metadata(&metadata))
    }
}

/// Records, games or chunks in a row.
#[derive(Clone, Copy, Debug)]
pub struct Piece {
    /// The offset of the piece's first byte in the decompressed file.
    pub offset: u64,
    /// The number of its first line, byte or game.
    pub start: Place,
    /// Decompressed bytes; 0 for what is too damaged to tell.
    pub length: u64,
    /// The [`columns`](crate::formats::Block::columns) of a table as they are known before the
    /// piece, and after it, as the first piece may hold the header; 0 in other formats.
    pub columns: [u64; 2],
}

impl Piece {
    /// A piece in a format whose places are bytes.
    const fn at(offset: u64, length: u64) -> Piece {
        Piece {
            offset,
            start: Place::Offset(offset),
            length,
            columns: [0, 0],
        }
    }
}

/// Whether a file of this format has to be read through, as [`each_block`] does, to find where its
/// records begin. If not, and if it is not compressed, [`each_piece`] finds them.
pub const fn must_be_read(format: Format) -> bool {
    let spec = format.spec();
    // Only binpacks have a least size of blocks: that of the chunks, whose headers are enough.
    spec.record_bytes.is_none() && spec.least_block_bytes.is_none()
}

/// Finds the pieces of a file. If records have one size, a piece has about `step` bytes, and
/// nothing is read. In a binpack each chunk is a piece, and only the headers of chunks are read.
pub fn each_piece(
    format: Format,
    (name, file): (&str, File),
    step: u64,
    visit: &mut dyn FnMut(Piece) -> Result<()>,
) -> Result<()> {
    let Some(record) = format.spec().record_bytes else {
        return each_chunk(format, (name, file), visit);
    };
    let length = file.metadata().doing(Access::ReadOn, name)?.len();
    each_run_of_records(record as u64, length, step, visit)
}

/// Records of one size, as many as fit into `step` bytes; at least one. The last piece may end
/// after the file does.
pub fn each_run_of_records(
    record: u64,
    length: u64,
    step: u64,
    visit: &mut dyn FnMut(Piece) -> Result<()>,
) -> Result<()> {
    let step = (step / record).max(1) * record;
    let mut offsets = (0..length).step_by(step as usize);
    offsets.try_for_each(|offset| visit(Piece::at(offset, step)))
}

/// Chunks, whose headers tell how long they are. Nothing is found after a damaged header, or where
/// the file is cut off: callers let the last piece reach to the end of the file, where reading
/// reports the fault.
fn each_chunk(
    format: Format,
    (name, file): (&str, File),
    visit: &mut dyn FnMut(Piece) -> Result<()>,
) -> Result<()> {
    // A small buffer, as only the header of each chunk is read.
    let mut file = BufReader::with_capacity(64, file);
    let mut header = [0; CHUNK_HEADER];
    let mut at = 0;
    loop {
        match file.read_exact(&mut header) {
            Err(error) if error.kind() == ErrorKind::UnexpectedEof => return Ok(()),
            read => read.doing(Access::ReadOn, name)?,
        }
        let chunk = format.code().whole_records(&header).length as u64;
        visit(Piece::at(at, chunk))?;
        if chunk == 0 {
            return Ok(());
        }
        at += chunk;
        let rest = (chunk - header.len() as u64).cast_signed();
        file.seek_relative(rest).doing(Access::ReadOn, name)?;
    }
}

/// Blocks of about `step` bytes, by the format's own reader, of a stream that is decompressed.
/// Returns where the stream breaks off, if it does.
pub fn each_block(
    format: Format,
    (name, stream): (&str, Box<dyn Read + Send>),
    step: u64,
    visit: &mut dyn FnMut(Piece) -> Result<()>,
) -> Result<Option<Place>> {
    let (mut reader, _) = format.open(stream, step as usize);
    let mut offset = 0;
    let mut columns = 0;
    loop {
        let block = match reader.next_block() {
            Ok(Some(block)) => block,
            Ok(None) => return Ok(None),
            Err(ReadError::Broken { place, .. }) => return Ok(Some(place)),
            Err(error) => return Err(error).context(name),
        };
        let length = block.bytes.len() as u64;
        visit(Piece {
            offset,
            start: block.start,
            length,
            columns: [columns, block.columns],
        })?;
        offset += length;
        columns = block.columns;
        reader.recycle(block.bytes);
    }
}
