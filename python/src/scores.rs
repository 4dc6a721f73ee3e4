//! Computes the SEE of named moves.

use std::sync::Arc;

use arrow_array::builder::{Int32Builder, ListBuilder};
use arrow_array::cast::AsArray as _;
use arrow_array::{Array, ArrayRef};
use arrow_schema::DataType;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use swaplist::{Batch, Evaluator, PackedMove, Position, Rules};
use swaplist_files::formats::move_on;

use crate::arguments::Arguments;
use crate::column::Column;
use crate::given::{Text, aligned, position_of, text_of, texts, texts_or_lists};
use crate::rows::{Answered, Call};
use crate::settings::{Options, rules};

/// See the package's `see`.
#[pyfunction]
pub fn see(arguments: Arguments<'_>) -> PyResult<i32> {
    let fen: String = arguments.take("fen")?;
    let played: String = arguments.take("move")?;
    let rules = rules(&arguments)?;
    arguments.end()?;
    let (position, moves) = question(fen.as_bytes(), std::iter::once(Some(played.as_bytes())))
        .map_err(PyValueError::new_err)?;
    Ok(rules.see(&position, moves[0]))
}

/// A position and moves on it.
pub type Question = (Position, Vec<PackedMove>);

fn question<'a>(
    fen: &[u8],
    moves: impl Iterator<Item = Option<&'a [u8]>>,
) -> Result<Question, String> {
    let position = position_of(fen)?;
    let fen = text_of(fen)?;
    let moves = moves.map(|text| {
        let text = text_of(text.ok_or("a null among the moves")?)?;
        move_on(fen, position, text).map_err(|error| error.to_string())
    });
    Ok((position, moves.collect::<Result<_, String>>()?))
}

/// The moves of a chunk's rows.
enum Moves<'a> {
    /// One move a row.
    One(Text<'a>),
    /// A list a row: where each row's list begins and the last one ends, and all moves.
    Lists(&'a dyn Array, Vec<usize>, Text<'a>),
}

impl<'a> Moves<'a> {
    fn new(array: &'a dyn Array) -> PyResult<Moves<'a>> {
        let (ends, values) = match array.data_type() {
            DataType::List(_) => {
                let lists = array.as_list::<i32>();
                let offsets = lists.offsets().iter();
                // Arrow's offsets are signed, but never negative.
                let ends = offsets.map(|&end| usize::try_from(end).unwrap_or_default());
                (ends.collect(), lists.values())
            }
            DataType::LargeList(_) => {
                let lists = array.as_list::<i64>();
                let offsets = lists.offsets().iter();
                let ends = offsets.map(|&end| usize::try_from(end).unwrap_or_default());
                (ends.collect(), lists.values())
            }
            _ => return Text::new("moves", array).map(Moves::One),
        };
        let texts = Text::new("moves", values)?;
        Ok(Moves::Lists(array, ends, texts))
    }

    /// A row's question; `None` if it is null.
    fn question(&self, fen: Option<&[u8]>, row: usize) -> Option<Result<Question, String>> {
        match self {
            Moves::One(texts) => {
                let text = texts.get(row)?;
                Some(question(fen?, std::iter::once(Some(text))))
            }
            Moves::Lists(lists, ends, texts) => {
                let fen = lists.is_valid(row).then_some(fen)??;
                let items = ends[row]..ends[row + 1];
                Some(question(fen, items.map(|item| texts.get(item))))
            }
        }
    }
}

/// Answers a question on each row of a column of FENs and one of moves, or of lists of them.
pub fn ask_with_moves<A: Default + Send>(
    py: Python<'_>,
    [fens, moves]: [&Bound<'_, PyAny>; 2],
    call: &Call,
    answer: impl Fn(&Evaluator, &[Question]) -> Vec<A> + Sync,
) -> PyResult<Answered<A>> {
    ask_chunks(
        py,
        &texts("fens", fens)?,
        &texts("moves", moves)?,
        call,
        answer,
    )
}

fn ask_chunks<A: Default + Send>(
    py: Python<'_>,
    fens: &[ArrayRef],
    moves: &[ArrayRef],
    call: &Call,
    answer: impl Fn(&Evaluator, &[Question]) -> Vec<A> + Sync,
) -> PyResult<Answered<A>> {
    let mut first_row = 0;
    let mut tasks = Vec::new();
    for [fens, moves] in aligned(fens, moves, ["fens", "moves"])? {
        let texts = Text::new("fens", &fens)?;
        let moves = Moves::new(&moves)?;
        tasks.extend(call.answer(
            py,
            fens.len(),
            first_row,
            |row| moves.question(texts.get(row), row),
            &answer,
        )?);
        first_row += fens.len();
    }
    Ok(Answered::all(tasks))
}

/// See the package's `scores`.
#[pyfunction]
pub fn scores(
    py: Python<'_>,
    fens: &Bound<'_, PyAny>,
    moves: &Bound<'_, PyAny>,
    arguments: Arguments<'_>,
) -> PyResult<Column> {
    let rules = rules(&arguments)?;
    let options = Options::take(&arguments)?;
    arguments.end()?;
    let fens = texts("fens", fens)?;
    let moves = texts_or_lists("moves", moves)?;
    let has_lists = has_lists(&moves)?;
    let call = Call::new(py, options)?;
    let answered = ask_chunks(py, &fens, &moves, &call, |evaluator, questions| {
        score(evaluator, questions, &rules)
    })?;
    let array: ArrayRef = if has_lists {
        Arc::new(lists(&answered))
    } else {
        Arc::new(numbers(&answered))
    };
    Ok(Column::new("see", array))
}

/// Whether the moves of a row are a list; chunks of nulls are either.
fn has_lists(chunks: &[ArrayRef]) -> PyResult<bool> {
    let is_list = |kind: &DataType| matches!(kind, DataType::List(_) | DataType::LargeList(_));
    let kinds = || chunks.iter().map(Array::data_type);
    let has_lists = kinds().any(is_list);
    if has_lists && !kinds().all(|kind| is_list(kind) || *kind == DataType::Null) {
        return Err(PyTypeError::new_err(
            "moves: some chunks hold lists, others do not",
        ));
    }
    Ok(has_lists)
}

/// Computes the scores of each question's moves.
fn score(evaluator: &Evaluator, questions: &[Question], rules: &Rules) -> Vec<Vec<i32>> {
    let mut batch = Batch::new();
    for (position, moves) in questions {
        batch.push(*position, moves.iter().copied());
    }
    let scores = evaluator.scores(&batch, rules);
    let mut rest = &scores[..];
    let counts = questions.iter().map(|(_, moves)| moves.len());
    counts
        .map(|count| {
            let (these, others) = rest.split_at(count);
            rest = others;
            these.to_vec()
        })
        .collect()
}

fn numbers(answered: &Answered<Vec<i32>>) -> arrow_array::Int32Array {
    let answers = answered
        .answers
        .iter()
        .map(|scores| scores.first().copied());
    answers.collect()
}

fn lists(answered: &Answered<Vec<i32>>) -> arrow_array::ListArray {
    let mut builder = ListBuilder::new(Int32Builder::new());
    for (scores, &is_valid) in answered.answers.iter().zip(&answered.is_valid) {
        builder.values().append_slice(scores);
        builder.append(is_valid);
    }
    builder.finish()
}
