//! Makes columns of records.

use arrow_array::ArrayRef;
use arrow_array::builder::{
    ArrayBuilder, BooleanBuilder, FixedSizeBinaryBuilder, Int8Builder, Int32Builder, StringBuilder,
    UInt8Builder, UInt16Builder, UInt32Builder, UInt64Builder, make_builder,
};
use arrow_schema::{DataType, Field};
use pyo3::prelude::*;
use swaplist::backend::{Cpu, Question};
use swaplist::{Position, Rules, Sides};
use swaplist_files::formats::{MATE, Outcome, Record, RecordFields, Records};

use crate::arguments::{Argument, expected};
use crate::given::PACKED;
use crate::uci::Uci;

/// Kinds of columns.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Fen,
    Position,
    Castling,
    Halfmoves,
    Fullmoves,
    Turn,
    Move,
    Score,
    Mate,
    Result,
    Ply,
    InCheck,
    BestSee,
}

/// The columns in the order of their kinds: names, types, and whether they can be null.
static KINDS: [(Kind, &str, DataType, bool); 13] = [
    (Kind::Fen, "fen", DataType::Utf8, false),
    (
        Kind::Position,
        "position",
        DataType::FixedSizeBinary(PACKED),
        false,
    ),
    (Kind::Castling, "castling", DataType::UInt64, false),
    (Kind::Halfmoves, "halfmoves", DataType::UInt8, false),
    (Kind::Fullmoves, "fullmoves", DataType::UInt16, false),
    (Kind::Turn, "turn", DataType::Int8, false),
    (Kind::Move, "move", DataType::Utf8, true),
    (Kind::Score, "score", DataType::Int32, true),
    (Kind::Mate, "mate", DataType::Boolean, true),
    (Kind::Result, "result", DataType::Int8, true),
    (Kind::Ply, "ply", DataType::UInt32, true),
    (Kind::InCheck, "in_check", DataType::Boolean, false),
    (Kind::BestSee, "best_see", DataType::Int32, true),
];

/// Scores from here are mates in some number of moves.
const LEAST_MATE: i32 = MATE - 1000;

/// A column is given by its name.
impl<'py> Argument<'py> for Kind {
    fn from_python(name: &str, value: &Bound<'py, PyAny>) -> PyResult<Kind> {
        let text = String::from_python(name, value)?;
        let found = KINDS.iter().find(|(_, column, ..)| *column == text);
        found.map(|&(kind, ..)| kind).ok_or_else(|| {
            let names: Vec<&str> = KINDS.iter().map(|(_, name, ..)| *name).collect();
            expected(name, &format!("some of {names:?}"), &text)
        })
    }
}

impl Kind {
    pub fn field(self) -> Field {
        let (_, name, data_type, nullable) = &KINDS[self as usize];
        Field::new(*name, data_type.clone(), *nullable)
    }

    /// Whether it is not part of a packed position.
    fn needs_states(self) -> bool {
        matches!(
            self,
            Kind::Fen | Kind::Castling | Kind::Halfmoves | Kind::Fullmoves
        )
    }
}

/// Columns that grow.
pub struct Builders {
    columns: Vec<(Kind, Box<dyn ArrayBuilder>)>,
    rows: usize,
    /// Answers `best_see`.
    cpu: Cpu,
    rules: Rules,
}

impl Builders {
    pub fn new(kinds: &[Kind], rows: usize, rules: Rules) -> Builders {
        Builders {
            columns: kinds
                .iter()
                .map(|&kind| (kind, make_builder(kind.field().data_type(), rows)))
                .collect(),
            rows: 0,
            cpu: Cpu::new().on_calling_thread(),
            rules,
        }
    }

    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Appends some records of the current batch.
    pub fn add(&mut self, from: &mut Records<'_>, rows: &[usize]) {
        self.rows += rows.len();
        let needs_states = self.columns.iter().any(|(kind, _)| kind.needs_states());
        let rows = Rows {
            states: if needs_states {
                taken(from.records(), rows)
            } else {
                Vec::new()
            },
            positions: taken(&from.batch().positions, rows),
            records: taken(&from.batch().records, rows),
        };
        for (kind, builder) in &mut self.columns {
            if *kind == Kind::BestSee {
                let question = Question::Verdicts {
                    positions: &rows.positions,
                    sides: Sides::ToMove,
                };
                let verdicts = self.cpu.ask(&question, &self.rules).verdicts;
                let sees = verdicts.iter().map(|verdict| Some(verdict.best()?.see));
                extend::<Int32Builder, _>(&mut **builder, sees);
            } else {
                rows.extend(*kind, &mut **builder);
            }
        }
    }

    pub fn finish(&mut self) -> Vec<ArrayRef> {
        self.rows = 0;
        let columns = self.columns.iter_mut();
        columns.map(|(_, builder)| builder.finish()).collect()
    }
}

fn taken<T: Copy>(all: &[T], rows: &[usize]) -> Vec<T> {
    rows.iter().map(|&row| all[row]).collect()
}

/// Records to append.
struct Rows {
    positions: Vec<Position>,
    records: Vec<RecordFields>,
    /// Empty if no column needs them.
    states: Vec<Record>,
}

impl Rows {
    fn extend(&self, kind: Kind, to: &mut dyn ArrayBuilder) {
        let positions = self.positions.iter();
        let states = self.states.iter();
        let records = self.records.iter();
        match kind {
            Kind::BestSee => {}
            Kind::Fen => {
                let mut text = Vec::new();
                for state in states {
                    text.clear();
                    state.write_fen(&mut text);
                    let fen = std::str::from_utf8(&text).unwrap_or_default();
                    extend::<StringBuilder, _>(to, [Some(fen)]);
                }
            }
            Kind::Position => {
                let Some(to) = to.as_any_mut().downcast_mut::<FixedSizeBinaryBuilder>() else {
                    return;
                };
                for &position in positions {
                    let written = Record::new(position).with_legal_ep().position;
                    let bytes = written.planes().map(u64::to_le_bytes);
                    // It cannot fail, as the size is the column's.
                    let _ = to.append_value(bytes.as_flattened());
                }
            }
            Kind::Castling => {
                extend::<UInt64Builder, _>(to, states.map(|state| Some(state.castling.0)));
            }
            Kind::Halfmoves => {
                extend::<UInt8Builder, _>(to, states.map(|state| Some(state.halfmoves)));
            }
            Kind::Fullmoves => {
                extend::<UInt16Builder, _>(to, states.map(|state| Some(state.fullmoves)));
            }
            Kind::Turn => {
                extend::<Int8Builder, _>(
                    to,
                    positions.map(|position| Some(position.turn().fold_wb(1, -1))),
                );
            }
            Kind::Move => {
                let moves = positions.zip(records);
                extend::<StringBuilder, _>(
                    to,
                    moves.map(|(position, record)| {
                        Some(Uci::with_castling(position, record.played()?))
                    }),
                );
            }
            Kind::Score => extend::<Int32Builder, _>(to, records.map(score)),
            Kind::Mate => {
                extend::<BooleanBuilder, _>(
                    to,
                    records.map(|record| Some(score(record)?.abs() >= LEAST_MATE)),
                );
            }
            Kind::Result => extend::<Int8Builder, _>(to, records.map(white_result)),
            Kind::Ply => extend::<UInt32Builder, _>(to, records.map(RecordFields::ply)),
            Kind::InCheck => {
                extend::<BooleanBuilder, _>(
                    to,
                    positions.map(|position| Some(position.in_check())),
                );
            }
        }
    }
}

/// Appends values to a builder of this type, as which it was made.
fn extend<B: ArrayBuilder + Extend<Option<T>>, T>(
    to: &mut dyn ArrayBuilder,
    values: impl IntoIterator<Item = Option<T>>,
) {
    if let Some(to) = to.as_any_mut().downcast_mut::<B>() {
        to.extend(values);
    }
}

fn score(record: &RecordFields) -> Option<i32> {
    record.score().filter(|_| !record.is_unscored())
}

/// 1 if White won, 0 for a draw, -1 if Black won.
fn white_result(record: &RecordFields) -> Option<i8> {
    record.outcome().map(|outcome| match outcome {
        Outcome::White => 1,
        Outcome::Draw => 0,
        Outcome::Black => -1,
    })
}
