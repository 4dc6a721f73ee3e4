//! Answers what the noisy moves of positions win.

use std::sync::Arc;

use arrow_array::builder::{Int32Builder, StringBuilder};
use arrow_array::{ArrayRef, BooleanArray, Int32Array, StructArray, UInt8Array};
use arrow_buffer::BooleanBuffer;
use arrow_schema::{DataType, Field, Fields};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use swaplist::{Best, Evaluator, MAX_QUIESCENCE, PackedMove, Position, Sides};
use swaplist_files::filter::{Filter, name_of};
use swaplist_files::formats::{Field as RecordField, Place, RecordFields};

use crate::arguments::Arguments;
use crate::column::Column;
use crate::given::{Positions, positions};
use crate::rows::{Answered, Call};
use crate::scores::ask_with_moves;
use crate::settings::{self, Options, rules};
use crate::uci::Uci;

/// Answers a question on each position of a column.
fn ask<A: Default + Send>(
    py: Python<'_>,
    fens: &Bound<'_, PyAny>,
    call: &Call,
    answer: impl Fn(&Evaluator, &[Position]) -> Vec<A> + Sync,
) -> PyResult<Answered<A>> {
    let mut first_row = 0;
    let mut tasks = Vec::new();
    for chunk in positions("fens", fens)? {
        let rows = chunk.len();
        let positions = Positions::new("fens", &chunk)?;
        tasks.extend(call.answer(py, rows, first_row, |row| positions.get(row), &answer)?);
        first_row += rows;
    }
    Ok(Answered::all(tasks))
}

/// See the package's `is_quiet`.
#[pyfunction]
pub fn is_quiet(
    py: Python<'_>,
    fens: &Bound<'_, PyAny>,
    moves: Option<&Bound<'_, PyAny>>,
    arguments: Arguments<'_>,
) -> PyResult<Column> {
    let filter = settings::filter(&arguments)?;
    let options = Options::take(&arguments)?;
    arguments.end()?;
    check_needs(&filter, moves.is_some())?;
    let call = Call::new(py, options)?;
    let quiet = match moves {
        Some(moves) => ask_with_moves(py, [fens, moves], &call, |evaluator, asked| {
            let positions: Vec<_> = asked.iter().map(|(position, _)| *position).collect();
            let played = asked.iter().map(|(_, moves)| moves.first().copied());
            are_quiet(&filter, evaluator, &positions, played)
        })?,
        None => ask(py, fens, &call, |evaluator, positions| {
            are_quiet(
                &filter,
                evaluator,
                positions,
                positions.iter().map(|_| None),
            )
        })?,
    };
    let bits: BooleanBuffer = quiet.answers.iter().copied().collect();
    let array = BooleanArray::new(bits, quiet.nulls());
    Ok(Column::new("is_quiet", Arc::new(array)))
}

/// Fails if there are rules on what neither the positions nor the moves tell.
fn check_needs(filter: &Filter, has_moves: bool) -> PyResult<()> {
    let unscored = filter.drops_unscored().then_some(RecordField::Score);
    let needs = || unscored.into_iter().chain(filter.needs());
    let of_files = needs().find(|field| *field != RecordField::Played);
    let played = needs().next().filter(|_| !has_moves);
    of_files.or(played).map_or(Ok(()), |field| {
        let hint = match field {
            RecordField::Played => "pass them with moves=",
            _ => "they are for filter()",
        };
        let name = name_of(field);
        let message = format!("is_quiet: there are rules on the {name}: {hint}");
        Err(PyValueError::new_err(message))
    })
}

/// Whether each position is quiet, with the move that was played in it if there is one.
fn are_quiet(
    filter: &Filter,
    evaluator: &Evaluator,
    positions: &[Position],
    played: impl Iterator<Item = Option<PackedMove>>,
) -> Vec<bool> {
    // These records are in no file, so nobody asks for their places.
    let records: Vec<_> = played
        .map(|played| RecordFields::new(Place::Offset(0), 0..0).with_played(played))
        .collect();
    let reasons = filter
        .judge_all(positions, &records, |positions| {
            evaluator.exceeds(positions, filter.see_rules(), filter.bounds())
        })
        .unwrap_or_default(); // `check_needs` has refused rules whose fields are missing
    reasons.iter().map(Option::is_none).collect()
}

/// See the package's `verdicts`.
#[pyfunction]
pub fn verdicts(
    py: Python<'_>,
    fens: &Bound<'_, PyAny>,
    arguments: Arguments<'_>,
) -> PyResult<Column> {
    let threat: bool = arguments.take("threat")?;
    let depth = arguments.optional_number("quiescence", 0..=MAX_QUIESCENCE.into())?;
    let rules = rules(&arguments)?;
    let options = Options::take(&arguments)?;
    arguments.end()?;
    let call = Call::new(py, options)?;
    let sides = if threat { Sides::Both } else { Sides::ToMove };
    let answered = ask(py, fens, &call, |evaluator, positions| {
        let verdicts = evaluator.verdicts(positions, &rules, sides).into_iter();
        verdicts
            .zip(positions)
            .map(|(verdict, position)| {
                let value = depth.map_or(0, |depth| rules.quiescence(position, depth));
                (verdict, value)
            })
            .collect()
    })?;
    let all = || answered.answers.iter().map(|(verdict, _)| verdict);
    let in_check: BooleanBuffer = all().map(swaplist::Verdict::in_check).collect();
    // No legal position has more than 218 moves.
    let noisy = all().map(|verdict| u8::try_from(verdict.noisy()).unwrap_or(u8::MAX));
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
        all().map(swaplist::Verdict::best),
    ));
    if threat {
        let bests = all().map(swaplist::Verdict::threat);
        columns.extend(best_columns(["threat_see", "threat_move"], bests));
        let squares = all().map(|verdict| (!verdict.in_check()).then_some(verdict.threats()));
        columns.push((
            Field::new("threats", DataType::UInt8, true),
            Arc::new(squares.collect::<UInt8Array>()),
        ));
    }
    if depth.is_some() {
        let settled = answered.answers.iter().map(|&(_, value)| value);
        columns.push((
            Field::new("quiescence", DataType::Int32, false),
            Arc::new(settled.collect::<Int32Array>()),
        ));
    }
    let (fields, arrays): (Vec<_>, Vec<_>) = columns.into_iter().unzip();
    let array = StructArray::new(Fields::from(fields), arrays, answered.nulls());
    Ok(Column::new("verdict", Arc::new(array)))
}

/// Makes the columns of a SEE and its move, which are null where there is none.
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
