//! A block cut into games or chains without decoding them, for a device that filters files.

use core::ops::Range;

use super::Block;
use super::binpack::chunks::put_header;

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
    /// Its bytes in the block.
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

    /// Writes the units anew: `write` appends what becomes of a unit, given its number. In a
    /// binpack they stay in their chunks.
    ///
    /// # Errors
    ///
    /// The first one of `write`.
    pub fn join<E>(
        &self,
        out: &mut Vec<u8>,
        mut write: impl FnMut(usize, &mut Vec<u8>) -> Result<(), E>,
    ) -> Result<(), E> {
        if self.chunks.is_empty() {
            return (0..self.units.len()).try_for_each(|unit| write(unit, out));
        }
        let later_starts = self.chunks.iter().skip(1).copied();
        let ends = later_starts.chain([self.units.len()]);
        for (&first, end) in self.chunks.iter().zip(ends) {
            let start = out.len();
            put_header(out, 0);
            let content = out.len();
            for unit in first..end {
                write(unit, out)?;
            }
            let size = out.len() - content;
            let mut header = Vec::new();
            put_header(&mut header, size);
            out[start..content].copy_from_slice(&header);
        }
        Ok(())
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
