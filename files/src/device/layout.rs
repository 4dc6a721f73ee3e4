//! Where things are in the buffers of a batch. The shader's side is in `files/shaders/bytes.wgsl`
//! and `files/shaders/encode.wgsl`.
//!
//! # Example
//!
//! Two parts of a viriformat file whose records are dropped, with workgroups of 64: one of 1,108
//! bytes with 3 games and 250 records, one of 4,520 bytes with 70 games and 500 records. A part's
//! bytes are rounded up to a multiple of 8, its rows to one of 64, the last ones without a game. So
//! the batch has 1,112 + 4,520 bytes, 64 + 128 rows, 750 records. In words of four bytes:
//!
//! ```text
//! input    0     the bytes of the first part
//!        278     those of the second one
//!      1,408     16 bytes that mean nothing, since decoders read ahead
//!      1,412     the rows of units, four words each: `units_at`
//!      2,180     the encoder's table: `table`
//!
//! output   0     a cursor: how many words of text were asked for
//!          1     for each part the counts of its records, one for each of 256 kinds
//!        513     for each row of a unit three words of results: `results_at`
//!      1,089     marks: `marks_at`. None here: this encoder writes text
//!      1,089     text, in the order in which units took room for it: `text_at`
//! ```
//!
//! *Text* is what an encoder writes for units: bytes of any format. Marking viriformat changes two
//! bytes of a record, and leaves all others where they are. So the device writes no text then, but
//! *marks*: a bit for each record of the batch, which is set if its score is to become 32002. If
//! the records of the example were marked, that would be 750 bits in 24 words.
//!
//! A row of a unit has its first byte and the byte after its last one, counted from the start of
//! the input; the number of its first record in the batch; and, in one word, the number of its
//! records (bits 0 to 15), White's result (16 and 17) and the part (18 and up).

use core::ops::Range;

use super::{Recipe, Room};
use crate::filter::KINDS_OF_RECORDS;
use crate::formats::Cut;

/// Words of a row of a unit.
pub(super) const ROW_WORDS: usize = 4;
/// Words of a row of results: the place of the unit's text, the number of its bytes, and a word of
/// `UnitDecisions` (`device/output.rs`).
pub(super) const RESULT_WORDS: usize = 3;
/// Bytes after the files' bytes, with any content, since decoders read ahead.
pub(super) const SLACK: usize = 16;
/// The most records of a unit; `MAX_POSITIONS` of `files/shaders/bytes.wgsl`, which has the reason:
/// a software driver silently ends long loops. Real games are shorter.
const MOST_RECORDS: u32 = 1536;

/// How much a batch holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BatchSize {
    /// Bytes of files, each part's a multiple of eight.
    pub bytes: usize,
    /// Rows of units, each part's a multiple of a workgroup.
    pub rows: usize,
    /// Records of all games or chains together.
    pub records: usize,
    /// Parts: blocks of a file.
    pub parts: usize,
}

impl BatchSize {
    /// The size with another part.
    pub(super) const fn plus(self, part: BatchSize) -> BatchSize {
        BatchSize {
            bytes: self.bytes + part.bytes,
            rows: self.rows + part.rows,
            records: self.records + part.records,
            parts: self.parts + part.parts,
        }
    }

    /// Whether a batch with this room can hold it. The length of text is not known before the
    /// device has written it: a unit for which there is no room says so.
    pub(super) const fn fits(self, room: &Room) -> bool {
        let before_text = self.results_at() + RESULT_WORDS * self.rows + self.mark_words();
        self.bytes <= room.bytes
            && self.rows <= room.rows
            && self.records <= room.records
            && self.parts <= room.parts
            && before_text <= room.output_words
    }

    /// In the output, the word where results begin: after the cursor and the counts of parts.
    const fn results_at(self) -> usize {
        1 + self.parts * KINDS_OF_RECORDS
    }

    /// The number of words that hold a bit for each record.
    const fn mark_words(self) -> usize {
        self.records.div_ceil(32)
    }
}

/// Where things are in the buffers of a batch, in words; see the head of `device/layout.rs`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BatchLayout {
    /// How much the batch holds.
    pub size: BatchSize,
    /// In the input, where the rows of units begin.
    pub units_at: u32,
    /// In the input, where the encoder's table begins.
    pub table: u32,
    /// In the output, where the results of units begin, after the counts of parts.
    pub results_at: u32,
    /// In the output, where the marks begin.
    pub marks_at: u32,
    /// In the output, where the text begins. All words before it are zero when the work begins.
    pub text_at: u32,
    /// In the output, the end of the text, and of the output.
    pub text_end: u32,
}

impl BatchLayout {
    /// The layout of a batch of this size, which fits its room.
    pub(crate) fn new(size: BatchSize, recipe: &Recipe, room: &Room) -> BatchLayout {
        let units_at = (size.bytes + SLACK) / 4;
        let results_at = size.results_at();
        let marks_at = results_at + RESULT_WORDS * size.rows;
        let text_at = if recipe.marks_records() {
            marks_at + size.mark_words()
        } else {
            marks_at
        };
        let text_end = if recipe.marks_records() {
            text_at
        } else {
            room.output_words
        };
        BatchLayout {
            size,
            units_at: units_at as u32,
            table: (units_at + ROW_WORDS * size.rows) as u32,
            results_at: results_at as u32,
            marks_at: marks_at as u32,
            text_at: text_at as u32,
            text_end: text_end as u32,
        }
    }

    /// The words of the output that count a part's records by kind.
    pub(super) const fn counts(part: usize) -> Range<usize> {
        let first = 1 + part * KINDS_OF_RECORDS;
        first..first + KINDS_OF_RECORDS
    }

    /// The words of the output that hold the marks of these records of the batch. The first and the
    /// last word may have marks of other records, too.
    pub(super) const fn marks(&self, records: &Range<usize>) -> Range<usize> {
        let first = self.marks_at as usize;
        first + records.start / 32..first + records.end.div_ceil(32)
    }

    /// The words of the output that hold the results of these rows.
    pub(super) const fn results(&self, rows: &Range<usize>) -> Range<usize> {
        let first = self.results_at as usize;
        first + RESULT_WORDS * rows.start..first + RESULT_WORDS * rows.end
    }
}

/// Where a part is in its batch.
#[derive(Clone, Debug)]
pub(super) struct PlacedPart {
    /// The part's number in the batch.
    pub number: usize,
    /// The part's bytes in the region of files.
    pub bytes: Range<usize>,
    /// The numbers of its rows.
    pub rows: Range<usize>,
    /// The number of its first record in the batch.
    pub first_record: usize,
}

impl PlacedPart {
    /// The place of a part of the size `part`, after what a batch holds already.
    pub fn after(before: BatchSize, part: BatchSize) -> PlacedPart {
        PlacedPart {
            number: before.parts,
            bytes: before.bytes..before.bytes + part.bytes,
            rows: before.rows..before.rows + part.rows,
            first_record: before.records,
        }
    }
}

/// The order of a block's units in its rows: those with the most records first, so that invocations
/// side by side end together. In this order lanes are busy for 0.98 of the time, in waves of 32; in
/// the file's order for 0.38 (`files/shaders/README.md`).
///
/// Units of 10, 90 and 40 records have the order 1, 2, 0: row 0 is unit 1's.
#[derive(Clone, Debug)]
pub(crate) struct RowOrder(Vec<u32>);

impl RowOrder {
    /// The order for a block. `None` if there are no units, or if one is too long for a device.
    pub fn from_cut(cut: &Cut) -> Option<RowOrder> {
        let longest = cut.units.iter().map(|unit| unit.records).max()?;
        if longest > MOST_RECORDS {
            return None;
        }
        // Sorted by counting: to sort by comparisons took the host 0.2 ns per record. `next_rows`
        // has for each number of records first how many units have as many, then the row of the
        // next such unit.
        let mut next_rows = vec![0; longest as usize + 1];
        for unit in &cut.units {
            next_rows[unit.records as usize] += 1;
        }
        let mut first_row = 0;
        for next_row in next_rows.iter_mut().rev() {
            let units: usize = *next_row;
            *next_row = first_row;
            first_row += units;
        }
        let mut order = vec![0; cut.units.len()];
        for (number, unit) in (0..).zip(&cut.units) {
            let row = &mut next_rows[unit.records as usize];
            order[*row] = number;
            *row += 1;
        }
        Some(RowOrder(order))
    }

    /// The number of rows, a multiple of `workgroup`.
    pub fn rows(&self, workgroup: usize) -> usize {
        self.0.len().next_multiple_of(workgroup)
    }

    /// The number of the unit in each row.
    pub fn units(&self) -> &[u32] {
        &self.0
    }

    /// The rows as the shader reads them, with empty ones up to a whole workgroup. `block_start` is
    /// the offset of the first unit in its block.
    pub fn words(&self, cut: &Cut, part: &PlacedPart, block_start: u32) -> Vec<[u32; ROW_WORDS]> {
        // Records are numbered in the file's order, whatever the order of the rows.
        let mut first_records = Vec::with_capacity(cut.units.len());
        let mut next_record = part.first_record as u32;
        for unit in &cut.units {
            first_records.push(next_record);
            next_record += unit.records;
        }
        let part_bits = (part.number as u32) << 18;
        let in_batch = |byte_in_block: u32| byte_in_block - block_start + part.bytes.start as u32;
        // Rows without a unit fill up the last workgroup. They name their part, as all rows do.
        let mut rows = vec![[0, 0, 0, part_bits]; part.rows.len()];
        for (row, &number) in rows.iter_mut().zip(&self.0) {
            let unit = &cut.units[number as usize];
            *row = [
                in_batch(unit.bytes.start),
                in_batch(unit.bytes.end),
                first_records[number as usize],
                unit.records | u32::from(unit.result) << 16 | part_bits,
            ];
        }
        rows
    }
}
