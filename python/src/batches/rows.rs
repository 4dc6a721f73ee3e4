//! Rows of tables, packed into a file of their own so that they can be read in any order.

// Blocks are small, and their number fits in memory.
#![allow(clippy::cast_possible_truncation)]

use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom, Write as _};
use std::ops::Range;
use std::path::{Path, PathBuf};

use arrow_array::cast::AsArray as _;
use arrow_array::{Array as _, StructArray};
use pyo3::exceptions::{PyOSError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyIterator;
use swaplist::{PackedMove, Position};
use swaplist_files::formats::{DecodedPart, Outcome, Place, RecordFields};

use super::entry::Entry;
use crate::capsule;
use crate::write::fields::{Columns, Results};

/// A file of packed rows.
pub struct RowFile {
    path: PathBuf,
    rows: u64,
}

/// How many rows a block has.
const BLOCK: u64 = 1 << 12;

impl RowFile {
    /// The bytes of a row: four planes, the number of the row, the score, the ply, the move and
    /// White's result.
    pub const ROW: usize = 52;

    pub fn open(path: &Path) -> PyResult<RowFile> {
        let metadata = std::fs::metadata(path).map_err(wrong)?;
        Ok(RowFile {
            path: path.to_owned(),
            rows: metadata.len() / RowFile::ROW as u64,
        })
    }

    pub fn length(&self) -> u64 {
        self.rows * RowFile::ROW as u64
    }

    /// The number of blocks.
    pub fn blocks(&self) -> usize {
        self.rows.div_ceil(BLOCK) as usize
    }

    pub fn bytes(&self, block: usize) -> Range<u64> {
        let row = |block: usize| (block as u64 * BLOCK).min(self.rows) * RowFile::ROW as u64;
        row(block)..row(block + 1)
    }

    /// The block that holds a byte.
    pub fn block_at(byte: u64) -> usize {
        (byte / (BLOCK * RowFile::ROW as u64)) as usize
    }

    /// Reads a block, into memory that was used before if there is some.
    pub fn read(&self, block: usize, memory: Option<Vec<u8>>) -> PyResult<Vec<u8>> {
        let range = self.bytes(block);
        let mut bytes = memory.unwrap_or_default();
        bytes.resize((range.end - range.start) as usize, 0);
        let mut file = File::open(&self.path).map_err(wrong)?;
        file.seek(SeekFrom::Start(range.start)).map_err(wrong)?;
        file.read_exact(&mut bytes).map_err(wrong)?;
        Ok(bytes)
    }

    /// Decodes some rows of a block from a byte on; returns where the next ones begin, if any are
    /// left.
    pub fn decode(
        block: &[u8],
        from: usize,
        records: usize,
        into: &mut DecodedPart,
    ) -> Option<usize> {
        into.positions.clear();
        into.records.clear();
        into.invalid.clear();
        let end = block.len().min(from + records * RowFile::ROW);
        let (rows, _) = block[from..end].as_chunks::<{ RowFile::ROW }>();
        for (row, start) in rows.iter().zip((from..).step_by(RowFile::ROW)) {
            if let Some((position, record)) = unpacked(row, start) {
                into.positions.push(position);
                into.records.push(record);
            }
        }
        (end < block.len()).then_some(end)
    }
}

fn wrong(error: std::io::Error) -> PyErr {
    PyOSError::new_err(format!("table: {error}"))
}

/// The row that begins at the byte `start` of its block. By that byte rows are told apart: records
/// with the same one are those of one game.
fn unpacked(row: &[u8; RowFile::ROW], start: usize) -> Option<(Position, RecordFields)> {
    let (numbers, rest) = row.as_chunks::<8>();
    let six: [[u8; 8]; 6] = *numbers.first_chunk()?;
    let [bit0, bit1, bit2, black, number, score_and_ply] = six.map(u64::from_le_bytes);
    let &[low, high, result, _] = rest.first_chunk()?;
    let position = Position::from_planes([bit0, bit1, bit2, black]).ok()?;
    let played = u16::from_le_bytes([low, high]);
    let outcome = match result {
        0 => Some(Outcome::Black),
        1 => Some(Outcome::Draw),
        2 => Some(Outcome::White),
        _ => None,
    };
    let span = start as u32..(start + RowFile::ROW) as u32;
    let record = RecordFields::new(Place::Line(number), span)
        .with_score(Some((score_and_ply as u32).cast_signed()))
        .with_ply(Some((score_and_ply >> 32) as u32))
        .with_played((played != Entry::NO_MOVE).then_some(PackedMove::from_bits(played)))
        .with_outcome(outcome);
    Some((position, record))
}

fn pack(position: &Position, record: &RecordFields, number: u64, into: &mut Vec<u8>) {
    for plane in position.planes() {
        into.extend_from_slice(&plane.to_le_bytes());
    }
    into.extend_from_slice(&number.to_le_bytes());
    // The lowest i32 and the highest u32 mean none.
    into.extend_from_slice(&record.score().unwrap_or(i32::MIN).to_le_bytes());
    into.extend_from_slice(&record.ply().unwrap_or(u32::MAX).to_le_bytes());
    let played = record.played().map_or(Entry::NO_MOVE, PackedMove::to_bits);
    into.extend_from_slice(&played.to_le_bytes());
    let result = match record.outcome() {
        Some(Outcome::Black) => 0,
        Some(Outcome::Draw) => 1,
        Some(Outcome::White) => 2,
        None => 3,
    };
    into.extend_from_slice(&[result, 0]);
}

/// Packs the rows of tables, one table after the other, into a file. Returns how many bad rows were
/// left out, where errors are skipped.
#[pyfunction]
pub fn pack_rows(
    py: Python<'_>,
    tables: &Bound<'_, PyIterator>,
    path: PathBuf,
    skips: bool,
) -> PyResult<u64> {
    let mut file = std::io::BufWriter::new(File::create(&path).map_err(wrong)?);
    let mut results = Results::default();
    let mut first = 0;
    let mut skipped = 0;
    for table in tables {
        let table = table?;
        let Some(mut batches) = capsule::arrays(&table)? else {
            let kind = table.get_type();
            return Err(PyTypeError::new_err(format!(
                "paths: expected files or Arrow tables, not {}",
                kind.name()?
            )));
        };
        while let Some(batch) = batches.next(py)? {
            let Some(batch) = batch.as_struct_opt() else {
                let kind = batch.data_type();
                let message = format!("table: expected columns, not {kind}");
                return Err(PyTypeError::new_err(message));
            };
            skipped += add(py, batch, first, skips, &mut results, &mut file)?;
            first += batch.len() as u64;
            py.check_signals()?;
        }
    }
    results.check().map_err(PyValueError::new_err)?;
    file.flush().map_err(wrong)?;
    Ok(skipped)
}

/// Packs the rows of a batch; returns how many bad ones were left out.
fn add(
    py: Python<'_>,
    batch: &StructArray,
    first: u64,
    skips: bool,
    results: &mut Results,
    file: &mut impl std::io::Write,
) -> PyResult<u64> {
    let columns = Columns::to_train(batch)?;
    let coded = results.look(&columns, batch.len(), first);
    coded.map_err(PyValueError::new_err)?;
    let mut packed = Vec::with_capacity(batch.len() * RowFile::ROW);
    let skipped = py.detach(|| {
        let mut skipped = 0;
        for row in 0..batch.len() {
            let number = first + row as u64;
            match columns.entry(row, Place::Line(number)) {
                Ok((record, _)) => pack(&record.position, &record.fields, number, &mut packed),
                Err(_) if skips => skipped += 1,
                Err(reason) => {
                    let message = format!("table, row {number}: {reason}");
                    return Err(PyValueError::new_err(message));
                }
            }
        }
        Ok(skipped)
    })?;
    file.write_all(&packed).map_err(wrong)?;
    Ok(skipped)
}
