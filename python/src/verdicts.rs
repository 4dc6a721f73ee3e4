//! What the noisy moves of positions win.

use std::sync::Arc;

use arrow_array::builder::{Int32Builder, StringBuilder};
use arrow_array::{ArrayRef, BooleanArray, Int32Array, StructArray, UInt8Array};
use arrow_buffer::BooleanBuffer;
use arrow_schema::{DataType, Field, Fields};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use swaplist::backend::{Cpu, Question};
use swaplist::filter::{Preset, Settings};
use swaplist::{Best, MAX_QUIESCENCE, Position, Verdict};

use crate::column::Column;
use crate::given::{Positions, positions};
use crate::rows::{Answered, Asked, run};
use crate::settings::{Options, expected};
use crate::uci::Uci;

/// Answers a question on each position of a column.
fn ask<A: Default + Clone + Send>(
    py: Python<'_>,
    fens: &Bound<'_, PyAny>,
    options: Options,
    answer: impl Fn(&Cpu, &[Position], &mut [A]) + Sync,
) -> PyResult<Answered<A>> {
    let chunks = positions("fens", fens)?;
    let cpu = Cpu::new().on_calling_thread();
    let mut first_row = 0;
    let mut tasks = Vec::new();
    for chunk in &chunks {
        let positions = Positions::of("fens", chunk)?;
        tasks.extend(run(py, chunk.len(), options.threads, |rows| {
            let read = |row| positions.get(row);
            let asked = Asked::read(rows, first_row, options.raises, read)?;
            let mut answers = vec![A::default(); asked.questions.len()];
            answer(&cpu, &asked.questions, &mut answers);
            Ok(asked.spread(answers))
        })?);
        first_row += chunk.len();
    }
    Ok(Answered::all(tasks))
}

/// See the package's `is_quiet`.
#[pyfunction]
#[pyo3(signature = (fens, *, max_see=Some(0), max_threat=None, drop_double_threat=false,
    quiescence=None, keep_checks=false, profile="swap", values="cpw", errors="raise", threads=1))]
pub fn is_quiet(
    py: Python<'_>,
    fens: &Bound<'_, PyAny>,
    max_see: Option<i32>,
    max_threat: Option<i32>,
    drop_double_threat: bool,
    quiescence: Option<u32>,
    keep_checks: bool,
    profile: &str,
    values: &str,
    errors: &str,
    threads: usize,
) -> PyResult<Column> {
    let options = Options::new(profile, values, errors, threads)?;
    let quiescence = checked_depth(quiescence)?;
    let settings = Settings {
        max_see: max_see.map(|max| i64::from(max).into()),
        max_threat: max_threat.map(|max| i64::from(max).into()),
        drop_double_threat: Some(drop_double_threat),
        quiescence: quiescence.map(|depth| i64::from(depth).into()),
        keep_checks: Some(keep_checks),
        ..Settings::default()
    };
    let filter = Preset::None.filter().with_see_rules(options.rules);
    let filter = filter.changed(&settings);
    let filter = filter.map_err(|error| PyValueError::new_err(error.to_string()))?;
    let quiet = ask(py, fens, options, |cpu, positions, quiet: &mut [bool]| {
        quiet.copy_from_slice(&filter.is_quiet_on(cpu, positions));
    })?;
    let bits: BooleanBuffer = quiet.answers.iter().copied().collect();
    let array = BooleanArray::new(bits, quiet.nulls());
    Ok(Column::new("is_quiet", Arc::new(array)))
}

fn checked_depth(depth: Option<u32>) -> PyResult<Option<u32>> {
    match depth {
        Some(depth) if depth > MAX_QUIESCENCE => {
            let range = format!("None or a number from 0 to {MAX_QUIESCENCE}");
            Err(expected("quiescence", &range, &depth.to_string()))
        }
        depth => Ok(depth),
    }
}

/// See the package's `verdicts`.
#[pyfunction]
#[pyo3(signature = (fens, *, threat=false, quiescence=None, profile="swap", values="cpw",
    errors="raise", threads=1))]
pub fn verdicts(
    py: Python<'_>,
    fens: &Bound<'_, PyAny>,
    threat: bool,
    quiescence: Option<u32>,
    profile: &str,
    values: &str,
    errors: &str,
    threads: usize,
) -> PyResult<Column> {
    let options = Options::new(profile, values, errors, threads)?;
    let quiescence = checked_depth(quiescence)?;
    let work = |cpu: &Cpu, positions: &[Position], answers: &mut [(Verdict, i32)]| {
        let question = Question::Verdicts {
            positions,
            with_threat: threat,
        };
        let verdicts = cpu.ask(&question, &options.rules).verdicts;
        for ((answer, verdict), position) in answers.iter_mut().zip(verdicts).zip(positions) {
            let quiescence =
                quiescence.map_or(0, |depth| options.rules.quiescence(position, depth));
            *answer = (verdict, quiescence);
        }
    };
    let answered = ask(py, fens, options, work)?;
    let all = || answered.answers.iter().map(|(verdict, _)| verdict);
    let in_check: BooleanBuffer = all().map(|verdict| verdict.in_check).collect();
    // No legal position has more than 218 moves.
    let noisy = all().map(|verdict| u8::try_from(verdict.noisy).unwrap_or(u8::MAX));
    let mut columns: Vec<(Field, ArrayRef)> = vec![
        (
            Field::new("in_check", DataType::Boolean, false),
            Arc::new(BooleanArray::new(in_check, None)),
        ),
        (
            Field::new("noisy", DataType::UInt8, false),
            Arc::new(noisy.collect::<UInt8Array>()),
        ),
    ];
    columns.extend(best_columns(
        ["best_see", "best_move"],
        all().map(|verdict| verdict.best),
    ));
    if threat {
        let bests = all().map(|verdict| verdict.threat);
        columns.extend(best_columns(["threat_see", "threat_move"], bests));
        let squares = all().map(|verdict| (!verdict.in_check).then_some(verdict.threats));
        columns.push((
            Field::new("threats", DataType::UInt8, true),
            Arc::new(squares.collect::<UInt8Array>()),
        ));
    }
    if quiescence.is_some() {
        let values = answered.answers.iter().map(|&(_, value)| value);
        columns.push((
            Field::new("quiescence", DataType::Int32, false),
            Arc::new(values.collect::<Int32Array>()),
        ));
    }
    let (fields, arrays): (Vec<_>, Vec<_>) = columns.into_iter().unzip();
    let array = StructArray::new(Fields::from(fields), arrays, answered.nulls());
    Ok(Column::new("verdict", Arc::new(array)))
}

/// The columns of a SEE and its move, null where there is none.
fn best_columns(
    names: [&str; 2],
    bests: impl ExactSizeIterator<Item = Option<Best>>,
) -> [(Field, ArrayRef); 2] {
    let rows = bests.len();
    let mut sees = Int32Builder::with_capacity(rows);
    let mut moves = StringBuilder::with_capacity(rows, 4 * rows);
    for best in bests {
        sees.append_option(best.map(|best| best.see));
        moves.append_option(best.map(|best| Uci::new(best.capture)));
    }
    [
        (
            Field::new(names[0], DataType::Int32, true),
            Arc::new(sees.finish()),
        ),
        (
            Field::new(names[1], DataType::Utf8, true),
            Arc::new(moves.finish()),
        ),
    ]
}
