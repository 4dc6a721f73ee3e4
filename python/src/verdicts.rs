//! What the noisy moves of positions win.

use std::sync::Arc;

use arrow_array::builder::{Int32Builder, StringBuilder};
use arrow_array::{ArrayRef, BooleanArray, StructArray, UInt8Array};
use arrow_buffer::BooleanBuffer;
use arrow_schema::{DataType, Field, Fields};
use pyo3::prelude::*;
use swaplist::backend::Cpu;
use swaplist::{Best, Bounds, Exceeds, Position, Verdict};

use crate::column::Column;
use crate::given::{Positions, texts};
use crate::rows::{Answered, Asked, run};
use crate::settings::Options;

/// Answers a question on each position of a column.
fn ask<A: Default + Clone + Send>(
    py: Python<'_>,
    fens: &Bound<'_, PyAny>,
    options: Options,
    answer: impl Fn(&Cpu, &[Position], &mut [A]) + Sync,
) -> PyResult<Answered<A>> {
    let chunks = texts("fens", fens)?;
    let cpu = Cpu::new();
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
#[pyo3(signature = (fens, *, max_see=Some(0), max_threat=None, keep_checks=false, profile="swap",
    values="cpw", errors="raise", threads=1))]
pub fn is_quiet(
    py: Python<'_>,
    fens: &Bound<'_, PyAny>,
    max_see: Option<i32>,
    max_threat: Option<i32>,
    keep_checks: bool,
    profile: &str,
    values: &str,
    errors: &str,
    threads: usize,
) -> PyResult<Column> {
    let options = Options::new(profile, values, errors, threads)?;
    let bounds = Bounds {
        see: max_see,
        threat: max_threat,
        ..Bounds::default()
    };
    let exceeds = ask(
        py,
        fens,
        options,
        |cpu, positions, exceeds: &mut [Exceeds]| {
            cpu.exceeds_here(positions, &options.rules, bounds, exceeds);
        },
    )?;
    let is_quiet =
        |exceeds: &Exceeds| !(exceeds.see || exceeds.threat || exceeds.in_check && !keep_checks);
    let bits: BooleanBuffer = exceeds.answers.iter().map(is_quiet).collect();
    let array = BooleanArray::new(bits, exceeds.nulls());
    Ok(Column::new("is_quiet", Arc::new(array)))
}

/// See the package's `verdicts`.
#[pyfunction]
#[pyo3(signature = (fens, *, threat=false, profile="swap", values="cpw", errors="raise", threads=1))]
pub fn verdicts(
    py: Python<'_>,
    fens: &Bound<'_, PyAny>,
    threat: bool,
    profile: &str,
    values: &str,
    errors: &str,
    threads: usize,
) -> PyResult<Column> {
    let options = Options::new(profile, values, errors, threads)?;
    let verdicts = ask(
        py,
        fens,
        options,
        |cpu, positions, verdicts: &mut [Verdict]| {
            cpu.judge_here(positions, &options.rules, threat, verdicts);
        },
    )?;
    let all = || verdicts.answers.iter();
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
        ["see", "move"],
        all().map(|verdict| verdict.best),
    ));
    if threat {
        let bests = all().map(|verdict| verdict.threat);
        columns.extend(best_columns(["threat", "threat_move"], bests));
    }
    let (fields, arrays): (Vec<_>, Vec<_>) = columns.into_iter().unzip();
    let array = StructArray::new(Fields::from(fields), arrays, verdicts.nulls());
    Ok(Column::new("verdict", Arc::new(array)))
}

/// The columns of a SEE and its move, null where there is none.
fn best_columns(
    names: [&str; 2],
    bests: impl ExactSizeIterator<Item = Option<Best>>,
) -> [(Field, ArrayRef); 2] {
    use std::fmt::Write as _;
    let rows = bests.len();
    let mut sees = Int32Builder::with_capacity(rows);
    let mut moves = StringBuilder::with_capacity(rows, 4 * rows);
    for best in bests {
        sees.append_option(best.map(|best| best.see));
        match best {
            Some(best) => {
                let _ = write!(moves, "{}", best.capture);
                moves.append_value("");
            }
            None => moves.append_null(),
        }
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
