//! Where things are in the buffers of a batch. The shader's side is in `shaders/bytes.wgsl` and
//! `shaders/encode.wgsl`.

use core::cmp::Reverse;
use core::ops::Range;

use super::{Recipe, Room};
use crate::formats::Cut;

/// Kinds of records that a device counts: with a score or without, by White's result, and by the
/// reason why they are dropped.
pub(crate) const KINDS_OF_RECORDS: usize = 256;
/// Words of a row of a unit.
pub(super) const ROW_WORDS: usize = 4;
/// Words of a row of results.
pub(super) const RESULT_WORDS: usize = 3;
/// Zero bytes after a file's bytes, since decoders read ahead.
const SLACK: usize = 16;
/// The most records of a unit: some drivers silently end long loops. Real games are shorter.
const MOST_RECORDS: u32 = 1536;

/// How much a batch holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BatchSize {
    /// Bytes of files, each part's a multiple of eight.
    pub bytes: usize,
    /// Rows of units.
    pub rows: usize,
    /// Records.
    pub records: usize,
    /// Parts.
    pub parts: usize,
}

impl BatchSize {
    /// With another part.
    pub(super) const fn plus(self, part: BatchSize) -> BatchSize {
        BatchSize {
            bytes: self.bytes + part.bytes,
            rows: self.rows + part.rows,
            records: self.records + part.records,
            parts: self.parts + part.parts,
        }
    }

    pub(super) const fn fits(self, room: &Room) -> bool {
        self.bytes <= room.bytes
            && self.rows <= room.rows
            && self.records <= room.records
            && self.parts <= room.parts
    }
}

/// Where things are, in words of the buffers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// How much the batch holds.
    pub size: BatchSize,
    /// In the input, the rows of units.
    pub units_at: u32,
    /// In the input, the encoder's table.
    pub table: u32,
    /// In the output, the results of units, after the numbers of parts.
    pub results_at: u32,
    /// In the output, the text: there are zeros before it when the work begins.
    pub text_at: u32,
    /// The end of the output.
    pub text_end: u32,
}

impl Layout {
    /// The layout of a batch.
    pub fn new(size: BatchSize, recipe: &Recipe, room: &Room) -> Layout {
        let units_at = (size.bytes + SLACK) / 4;
        let results_at = 1 + size.parts * KINDS_OF_RECORDS;
        let text_at = results_at + RESULT_WORDS * size.rows;
        let most = room.made.saturating_sub(text_at);
        let text = if recipe.keeps_places() {
            size.bytes / 4
        } else {
            most
        };
        Layout {
            size,
            units_at: units_at as u32,
            table: (units_at + ROW_WORDS * size.rows) as u32,
            results_at: results_at as u32,
            text_at: text_at as u32,
            text_end: (text_at + text.min(most)) as u32,
        }
    }

    /// The bytes that the host uploads before the rows: the zeros after the last part included.
    pub fn raw_bytes(&self) -> usize {
        self.units_at as usize * 4
    }

    /// Bytes of the rows.
    pub fn rows_bytes(&self) -> usize {
        4 * ROW_WORDS * self.size.rows
    }

    /// The numbers of a part's records, by kind.
    pub(super) const fn counts(part: usize) -> Range<usize> {
        let first = 1 + part * KINDS_OF_RECORDS;
        first..first + KINDS_OF_RECORDS
    }

    /// The results of rows.
    pub(super) const fn results(&self, rows: &Range<usize>) -> Range<usize> {
        let first = self.results_at as usize;
        first + RESULT_WORDS * rows.start..first + RESULT_WORDS * rows.end
    }
}

/// Bytes of the region of files in upload memory, for so many bytes.
#[cfg(feature = "gpu")]
pub(crate) const fn padded(bytes: usize) -> usize {
    (bytes + SLACK).next_multiple_of(256)
}

/// A block's place in a batch.
#[derive(Clone, Debug)]
pub(super) struct PlacedPart {
    /// Its number in the batch.
    pub number: usize,
    pub bytes: Range<usize>,
    pub rows: Range<usize>,
    /// The number of its first record.
    pub first_record: usize,
}

impl PlacedPart {
    /// After what a batch holds already.
    pub fn after(before: BatchSize, part: BatchSize) -> PlacedPart {
        PlacedPart {
            number: before.parts,
            bytes: before.bytes..before.bytes + part.bytes,
            rows: before.rows..before.rows + part.rows,
            first_record: before.records,
        }
    }
}

/// The units of a block in the order of their rows: the longest first, so that neighbours end
/// together. In the file's order most invocations would wait for the longest one.
#[derive(Clone, Debug)]
pub(crate) struct RowOrder(Vec<u32>);

impl RowOrder {
    /// `None` if a unit is too long for a device.
    pub fn of(cut: &Cut) -> Option<RowOrder> {
        let mut order: Vec<u32> = (0..cut.units.len() as u32).collect();
        order.sort_unstable_by_key(|&unit| Reverse(cut.units[unit as usize].records));
        let longest = order.first().map(|&unit| cut.units[unit as usize].records);
        (longest? <= MOST_RECORDS).then_some(RowOrder(order))
    }

    /// The number of rows, in whole workgroups.
    pub fn rows(&self, workgroup: usize) -> usize {
        self.0.len().next_multiple_of(workgroup)
    }

    /// The row of each unit.
    pub fn row_of_unit(&self) -> Vec<u32> {
        let mut rows = vec![0; self.0.len()];
        for (row, &unit) in (0..).zip(&self.0) {
            rows[unit as usize] = row;
        }
        rows
    }

    /// The rows as the shader reads them, with empty ones up to a whole workgroup. `block_start` is
    /// the offset of the first unit in its block.
    pub fn words(&self, cut: &Cut, part: &PlacedPart, block_start: u32) -> Vec<[u32; ROW_WORDS]> {
        let mut firsts = Vec::with_capacity(cut.units.len());
        let mut first = part.first_record as u32;
        for unit in &cut.units {
            firsts.push(first);
            first += unit.records;
        }
        let number = (part.number as u32) << 18;
        let offset = part.bytes.start as u32;
        let mut words = vec![[0, 0, 0, number]; part.rows.len()];
        for (words, &unit) in words.iter_mut().zip(&self.0) {
            let first = firsts[unit as usize];
            let unit = &cut.units[unit as usize];
            let [start, end] =
                [unit.bytes.start, unit.bytes.end].map(|at| at - block_start + offset);
            let last = unit.records | u32::from(unit.result) << 16 | number;
            *words = [start, end, first, last];
        }
        words
    }
}
