//! The columns of records.

use std::ops::Range;
use std::sync::Arc;

use arrow_array::ArrayRef;
use arrow_array::builder::{
    BooleanBuilder, FixedSizeBinaryBuilder, Int8Builder, Int32Builder, StringBuilder, UInt32Builder,
};
use arrow_schema::{DataType, Field};
use pyo3::prelude::*;
use swaplist::backend::Cpu;
use swaplist::formats::{Outcome, Record, Records};
use swaplist::{Position, Rules, Verdict};

use crate::settings::expected;
use crate::uci::Uci;

const POSITION_BYTES: i32 = 32;

/// Kinds of columns.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Fen,
    Position,
    Move,
    Score,
    Result,
    Ply,
    InCheck,
    See,
}

const KINDS: [(Kind, &str); 8] = [
    (Kind::Fen, "fen"),
    (Kind::Position, "position"),
    (Kind::Move, "move"),
    (Kind::Score, "score"),
    (Kind::Result, "result"),
    (Kind::Ply, "ply"),
    (Kind::InCheck, "in_check"),
    (Kind::See, "see"),
];

impl Kind {
    /// A column by its name.
    pub fn named(name: &str) -> PyResult<Kind> {
        let found = KINDS.iter().find(|(_, other)| *other == name);
        found.map(|&(kind, _)| kind).ok_or_else(|| {
            let names = KINDS.map(|(_, name)| name);
            expected("columns", &format!("some of {names:?}"), name)
        })
    }

    pub fn name(self) -> &'static str {
        let found = KINDS.iter().find(|(kind, _)| *kind == self);
        found.map_or("", |(_, name)| name)
    }

    pub fn field(self) -> Field {
        let (data_type, nullable) = match self {
            Kind::Fen => (DataType::Utf8, false),
            Kind::Position => (DataType::FixedSizeBinary(POSITION_BYTES), false),
            Kind::Move => (DataType::Utf8, true),
            Kind::Score | Kind::See => (DataType::Int32, true),
            Kind::Result => (DataType::Int8, true),
            Kind::Ply => (DataType::UInt32, true),
            Kind::InCheck => (DataType::Boolean, false),
        };
        Field::new(self.name(), data_type, nullable)
    }
}

/// Columns that grow.
pub struct Builders {
    columns: Vec<Builder>,
    rows: usize,
    /// For the SEE.
    cpu: Cpu,
    rules: Rules,
}

impl Builders {
    pub fn new(kinds: &[Kind], rows: usize, rules: Rules) -> Builders {
        Builders {
            columns: kinds.iter().map(|&kind| Builder::new(kind, rows)).collect(),
            rows: 0,
            cpu: Cpu::new().on_calling_thread(),
            rules,
        }
    }

    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Appends some records of the current batch.
    pub fn add(&mut self, from: &mut Records<'_>, rows: Range<usize>) {
        self.rows += rows.len();
        for column in &mut self.columns {
            if let Builder::Fen(fens, text) = column {
                for state in &from.states()[rows.clone()] {
                    text.clear();
                    state.write_fen(text);
                    fens.append_value(std::str::from_utf8(text).unwrap_or_default());
                }
                continue;
            }
            let positions = &from.batch().positions[rows.clone()];
            if let Builder::See(sees) = column {
                let mut verdicts = vec![Verdict::default(); positions.len()];
                self.cpu
                    .judge_all(positions, &self.rules, false, &mut verdicts);
                sees.extend(
                    verdicts
                        .iter()
                        .map(|verdict| verdict.best.map(|best| best.see)),
                );
                continue;
            }
            column.extend(positions, &from.batch().records[rows.clone()]);
        }
    }

    pub fn finish(&mut self) -> Vec<ArrayRef> {
        self.rows = 0;
        self.columns.iter_mut().map(Builder::finish).collect()
    }
}

/// A column that grows.
enum Builder {
    /// With a buffer for one FEN.
    Fen(StringBuilder, Vec<u8>),
    Position(FixedSizeBinaryBuilder),
    Move(StringBuilder),
    Score(Int32Builder),
    Result(Int8Builder),
    Ply(UInt32Builder),
    InCheck(BooleanBuilder),
    See(Int32Builder),
}

impl Builder {
    fn new(kind: Kind, rows: usize) -> Builder {
        match kind {
            Kind::Fen => Builder::Fen(StringBuilder::with_capacity(rows, 64 * rows), Vec::new()),
            Kind::Position => {
                Builder::Position(FixedSizeBinaryBuilder::with_capacity(rows, POSITION_BYTES))
            }
            Kind::Move => Builder::Move(StringBuilder::with_capacity(rows, 4 * rows)),
            Kind::Score => Builder::Score(Int32Builder::with_capacity(rows)),
            Kind::Result => Builder::Result(Int8Builder::with_capacity(rows)),
            Kind::Ply => Builder::Ply(UInt32Builder::with_capacity(rows)),
            Kind::InCheck => Builder::InCheck(BooleanBuilder::with_capacity(rows)),
            Kind::See => Builder::See(Int32Builder::with_capacity(rows)),
        }
    }

    /// Appends fields of records; not for FENs and SEE.
    fn extend(&mut self, positions: &[Position], records: &[Record]) {
        match self {
            Builder::Fen(..) | Builder::See(_) => {}
            Builder::Position(packed) => {
                for position in positions {
                    let bytes = position.planes().map(u64::to_le_bytes);
                    // Their size is the column's.
                    let _ = packed.append_value(bytes.as_flattened());
                }
            }
            Builder::Move(moves) => {
                for (position, record) in positions.iter().zip(records) {
                    match record.played() {
                        Some(played) => moves.append_value(Uci::castling(position, played).text()),
                        None => moves.append_null(),
                    }
                }
            }
            Builder::Score(scores) => {
                let score = |record: &Record| record.score().filter(|_| !record.is_unscored());
                scores.extend(records.iter().map(score));
            }
            Builder::Result(results) => results.extend(records.iter().map(white_result)),
            Builder::Ply(plies) => plies.extend(records.iter().map(Record::ply)),
            Builder::InCheck(checks) => {
                for position in positions {
                    checks.append_value(position.in_check());
                }
            }
        }
    }

    fn finish(&mut self) -> ArrayRef {
        match self {
            Builder::Fen(builder, _) | Builder::Move(builder) => Arc::new(builder.finish()),
            Builder::Position(builder) => Arc::new(builder.finish()),
            Builder::Score(builder) | Builder::See(builder) => Arc::new(builder.finish()),
            Builder::Result(builder) => Arc::new(builder.finish()),
            Builder::Ply(builder) => Arc::new(builder.finish()),
            Builder::InCheck(builder) => Arc::new(builder.finish()),
        }
    }
}

/// 1 if White won, 0 for a draw, -1 if Black won.
fn white_result(record: &Record) -> Option<i8> {
    record.outcome().map(|outcome| match outcome {
        Outcome::White => 1,
        Outcome::Draw => 0,
        Outcome::Black => -1,
    })
}
