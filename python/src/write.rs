//! Writes tables of records in training formats.

use std::path::{Path, PathBuf};

use arrow_array::cast::AsArray as _;
use arrow_array::{Array as _, StructArray};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyIterator};
use swaplist::Choice;
use swaplist_files::formats::{Field, Format, Losses, Place, Record, Writer};
use swaplist_files::jobs::{Error, Files, Options, Output};

use crate::arguments::Arguments;
use crate::backend::warn;
use crate::capsule;
use crate::errors;
use crate::settings::skips;

pub mod fields;

use fields::{Columns, Results};

/// See the package's `write`. Writes tables one after the other, as a query streams them.
#[pyfunction]
pub fn write<'py>(
    py: Python<'py>,
    tables: &Bound<'py, PyIterator>,
    arguments: Arguments<'py>,
) -> PyResult<Bound<'py, PyDict>> {
    let path: PathBuf = arguments.take("path")?;
    let format = arguments.take("to")?;
    let overwrite = arguments.take("overwrite")?;
    let level = arguments.take("level")?;
    let unscored = arguments.take("unscored")?;
    let skips = skips(&arguments)?;
    arguments.end()?;
    let mut only_sink = None;
    for table in tables {
        let table = table?;
        let Some(mut batches) = capsule::arrays(&table)? else {
            let kind = table.get_type();
            return Err(PyTypeError::new_err(format!(
                "table: expected an Arrow table, such as a polars DataFrame or a pyarrow Table, \
                 not {}; polars.DataFrame(..) and pyarrow.table(..) make one",
                kind.name()?
            )));
        };
        let sink = match &mut only_sink {
            Some(sink) => sink,
            none => none.insert(Sink::create(&path, format, overwrite, level)?),
        };
        while let Some(batch) = batches.next(py)? {
            let Some(batch) = batch.as_struct_opt() else {
                let kind = batch.data_type();
                return Err(PyTypeError::new_err(format!(
                    "table: expected columns, not {kind}"
                )));
            };
            sink.add(py, batch, skips, unscored)?;
            py.check_signals()?;
        }
    }
    let Some(sink) = only_sink else {
        return Err(PyValueError::new_err("there is no table to write"));
    };
    sink.results.check().map_err(PyValueError::new_err)?;
    let summary = PyDict::new(py);
    for (name, count) in [
        ("records", sink.rows - sink.skipped),
        ("skipped", sink.skipped),
        ("unscored", sink.unscored),
        ("illegal_moves", sink.illegal_moves),
    ] {
        summary.set_item(name, count)?;
    }
    sink.finish(py)?;
    Ok(summary)
}

/// An output file with its writer.
struct Sink {
    files: Files,
    output: Output,
    writer: Writer,
    format: Format,
    /// The fields that the format does not hold, and whether a record had one.
    lost: Vec<(Field, bool)>,
    bytes: Vec<u8>,
    /// How many rows were read so far.
    rows: u64,
    skipped: u64,
    /// How many records were written without a score, and how many with a move that is not legal.
    unscored: u64,
    illegal_moves: u64,
    results: Results,
}

/// How many bytes are collected before they are written.
const TOGETHER: usize = 1 << 20;

impl Sink {
    fn create(
        path: &Path,
        format: Option<Format>,
        overwrite: bool,
        level: Option<u32>,
    ) -> PyResult<Sink> {
        // An aborted run drops the temporary file.
        let mut files = Files::new(&Options {
            replace: overwrite,
            ..Options::default()
        });
        let output = files.create(Some(path), level).map_err(job)?;
        let Some(format) = output.format(format).map_err(job)? else {
            let path = path.display();
            return Err(PyValueError::new_err(format!(
                "'{path}': the name does not tell the format; name it, with to="
            )));
        };
        let writer = Writer::new(format);
        Ok(Sink {
            files,
            output,
            writer: writer.map_err(|error| PyValueError::new_err(error.to_string()))?,
            format,
            // Compared with a format that holds every field.
            lost: Format::Plain
                .lost_in(format)
                .map(|part| (part, false))
                .collect(),
            bytes: Vec::new(),
            rows: 0,
            skipped: 0,
            unscored: 0,
            illegal_moves: 0,
            results: Results::default(),
        })
    }

    fn add(
        &mut self,
        py: Python<'_>,
        batch: &StructArray,
        skips: bool,
        unscored: bool,
    ) -> PyResult<()> {
        let columns = Columns::new(batch, self.format, unscored)?;
        let coded = self.results.look(&columns, batch.len(), self.rows);
        coded.map_err(PyValueError::new_err)?;
        let moves = batch.column_by_name("move");
        let has_moves = moves.is_some_and(|moves| moves.logical_null_count() < moves.len());
        for (part, is_lost) in &mut self.lost {
            *is_lost |= *part == Field::Played && has_moves;
        }
        let first_row = self.rows;
        self.rows += batch.len() as u64;
        py.detach(|| {
            for row in 0..batch.len() {
                let number = first_row + row as u64;
                if let Err(reason) = self.push(&columns, row, number) {
                    if !skips {
                        return Err(PyValueError::new_err(format!("row {number}: {reason}")));
                    }
                    self.skipped += 1;
                }
                if self.bytes.len() >= TOGETHER {
                    self.flush()?;
                }
            }
            Ok(())
        })
    }

    fn push(&mut self, columns: &Columns<'_>, row: usize, number: u64) -> Result<(), String> {
        let (entry, is_illegal) = columns.entry(row, Place::Line(number))?;
        let pushed = self.writer.push(&entry, &mut self.bytes);
        pushed.map_err(|error| error.message)?;
        self.unscored += u64::from(entry.fields.is_unscored());
        self.illegal_moves += u64::from(is_illegal);
        for (part, is_lost) in &mut self.lost {
            *is_lost = *is_lost || has(*part, &entry);
        }
        Ok(())
    }

    fn flush(&mut self) -> PyResult<()> {
        self.output.write(&self.bytes).map_err(job)?;
        self.bytes.clear();
        Ok(())
    }

    /// Warns of what was lost, and gives the file its name.
    fn finish(mut self, py: Python<'_>) -> PyResult<()> {
        let lost_parts = self.lost.iter().filter(|(_, is_lost)| *is_lost);
        let names: Vec<String> = lost_parts.map(|(part, _)| part.to_string()).collect();
        if !names.is_empty() {
            let format = self.format.name();
            let losses = names.join(", ");
            warn(py, &format!("not carried over to {format}: {losses}"))?;
        }
        for loss in losses_in_words(self.writer.losses()) {
            warn(py, &loss)?;
        }
        let last = std::mem::replace(&mut self.writer, Writer::new(Format::Text).map_err(encode)?);
        last.finish(&mut self.bytes);
        self.flush()?;
        self.files.finish([self.output]).map_err(job)
    }
}

/// Says what was not written of some records.
fn losses_in_words(losses: Losses) -> impl Iterator<Item = String> {
    let all = [
        (
            losses.rights,
            "castling rights whose rook or king is not in place, dropped",
        ),
        (
            losses.clocks,
            "clocks above the format's highest, which is written",
        ),
        (
            losses.plies,
            "a ply that contradicts the move number, of which one is written",
        ),
    ];
    let found = all.into_iter().filter(|&(count, _)| count > 0);
    found.map(|(count, what)| format!("of {count} records: {what}"))
}

/// Whether a position has something in this field.
fn has(part: Field, state: &Record) -> bool {
    match part {
        Field::Turn => state.position.turn().is_black(),
        Field::Castling => state.castling.any(),
        Field::EnPassant => state.position.ep_square().is_some(),
        Field::Clocks => state.halfmoves > 0 || state.fullmoves > 1,
        _ => false,
    }
}

fn job(error: Error) -> PyErr {
    errors::job(&error)
}

fn encode(error: impl ToString) -> PyErr {
    PyValueError::new_err(error.to_string())
}
