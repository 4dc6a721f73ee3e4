//! A block cut into games or chains without decoding them, for a device that filters files.

use core::ops::Range;

use super::Block;
use super::binpack::chunks::{CHUNK_HEADER, chunk_header, put_header};

/// The games or chains of a block, in order, without the bytes between them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cut {
    /// The games or chains, in the order of the block.
    pub units: Vec<CutUnit>,
    /// In a binpack, the number of the first chain of each chunk; empty in formats without chunks.
    pub(super) chunks: Vec<usize>,
}

/// A game or chain of a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CutUnit {
    /// The unit's bytes in the block.
    pub bytes: Range<u32>,
    /// The number of its records, at least 1: a guess in a binpack, which a device checks.
    pub records: u32,
    /// White's result: 0 lost, 1 drawn, 2 won.
    pub result: u8,
}

impl Cut {
    /// The number of records in all units.
    pub fn records(&self) -> usize {
        self.units.iter().map(|unit| unit.records as usize).sum()
    }

    /// Makes room for what becomes of the units: their lengths are `lengths`, and in a binpack they
    /// stay in their chunks. Returns their places in `out`, which is as long as all of them then.
    /// What it held before is left at the units' places, to be overwritten: to clear it takes time.
    /// Only the headers of chunks are written.
    pub(crate) fn place(&self, lengths: &[usize], out: &mut Vec<u8>) -> Vec<Range<usize>> {
        let mut places = Vec::with_capacity(lengths.len());
        let mut headers = Vec::with_capacity(self.chunks.len());
        let mut chunk_starts = self.chunks.iter().copied().peekable();
        let mut end = 0;
        for (unit, length) in lengths.iter().enumerate() {
            if chunk_starts.next_if_eq(&unit).is_some() {
                headers.push(end..end + CHUNK_HEADER);
                end += CHUNK_HEADER;
            }
            places.push(end..end + length);
            end += length;
        }
        out.resize(end, 0);
        let chunk_ends = headers.iter().skip(1).map(|header| header.start);
        let chunk_ends: Vec<usize> = chunk_ends.chain([end]).collect();
        for (header, chunk_end) in headers.into_iter().zip(chunk_ends) {
            let size = chunk_end - header.end;
            out[header].copy_from_slice(&chunk_header(size));
        }
        places
    }

    /// The bytes of a unit as a block of its own, which the format's codec decodes.
    pub(crate) fn block_of(&self, block: &Block, unit: usize) -> Block {
        let bytes = block.slice(&self.units[unit].bytes);
        let mut framed = Vec::with_capacity(bytes.len() + 8);
        if !self.chunks.is_empty() {
            put_header(&mut framed, bytes.len());
        }
        framed.extend_from_slice(bytes);
        Block::new(framed, block.start)
    }
}
