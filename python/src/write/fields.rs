//! Records of a table's rows.

use arrow_array::cast::AsArray as _;
use arrow_array::types::{
    Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type, UInt16Type,
    UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayRef, StructArray};
use arrow_schema::DataType;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use swaplist::formats::{Entry, Outcome, Place, Record, State, move_on};

use crate::given::{Positions, Text};

/// The columns of a table that records are made of.
pub struct Columns<'a> {
    positions: Positions<'a>,
    moves: Option<Text<'a>>,
    score: Option<Numbers<'a>>,
    result: Option<Numbers<'a>>,
    ply: Option<Numbers<'a>>,
}

impl<'a> Columns<'a> {
    pub fn of(batch: &'a StructArray) -> PyResult<Columns<'a>> {
        let column = |name| batch.column_by_name(name);
        let numbers = |name| {
            column(name)
                .map(|array| Numbers::of(name, array))
                .transpose()
        };
        // FENs hold more: castling rights and clocks.
        let Some(positions) = column("fen").or(column("position")) else {
            let names = batch.column_names().join(", ");
            return Err(PyValueError::new_err(format!(
                "table: expected a column 'fen' or 'position', there are: {names}"
            )));
        };
        let moves = column("move").map(|array| Text::of("move", array));
        Ok(Columns {
            positions: Positions::of("fen", positions)?,
            moves: moves.transpose()?,
            score: numbers("score")?,
            result: numbers("result")?,
            ply: numbers("ply")?,
        })
    }

    pub fn has_moves(&self) -> bool {
        self.moves.is_some()
    }

    /// A row's record.
    pub fn entry(&self, row: usize, place: Place) -> Result<Entry, String> {
        let (state, fen) = self.state(row)?;
        let played = self.moves.as_ref().and_then(|moves| moves.get(row));
        let played = played.map(|text| {
            let played = match fen {
                Some(fen) => move_on(fen, state.position, text),
                None => move_on(&state.to_fen(), state.position, text),
            };
            played.map_err(|error| error.to_string())
        });
        let record = Record::new(place, 0..0)
            .with_played(played.transpose()?)
            .with_score(Self::number(self.score.as_ref(), row, "score")?)
            .with_ply(Self::number(self.ply.as_ref(), row, "ply")?)
            .with_outcome(self.outcome(row)?);
        Ok(Entry::new(state, record))
    }

    fn state(&self, row: usize) -> Result<(State, Option<&'a str>), String> {
        let position = self.positions.get(row).ok_or("null as a position")??;
        Ok(match &self.positions {
            Positions::Fens(texts) => {
                let fen = texts.get(row).unwrap_or_default();
                (State::of_fen(fen, position), Some(fen))
            }
            Positions::Packed(..) => (State::bare(position), None),
        })
    }

    fn number<T: TryFrom<i64>>(
        column: Option<&Numbers<'_>>,
        row: usize,
        name: &str,
    ) -> Result<Option<T>, String> {
        let Some(number) = column.and_then(|column| column.get(row)) else {
            return Ok(None);
        };
        let whole = number.whole().and_then(|number| T::try_from(number).ok());
        match whole {
            Some(number) => Ok(Some(number)),
            None => Err(format!(
                "{name} {number} is not a number that can be written"
            )),
        }
    }

    /// White's result.
    fn outcome(&self, row: usize) -> Result<Option<Outcome>, String> {
        let Some(number) = self.result.as_ref().and_then(|results| results.get(row)) else {
            return Ok(None);
        };
        let outcome = match number.whole() {
            Some(1) => Outcome::White,
            Some(0) => Outcome::Draw,
            Some(-1) => Outcome::Black,
            _ => return Err(format!("result {number}: expected 1, 0 or -1")),
        };
        Ok(Some(outcome))
    }
}

/// A column of numbers.
enum Numbers<'a> {
    Int(&'a dyn Array, fn(&dyn Array, usize) -> i64),
    Float(&'a dyn Array, fn(&dyn Array, usize) -> f64),
    Null,
}

#[derive(Clone, Copy)]
enum Number {
    Int(i64),
    Float(f64),
}

impl Number {
    /// If it is a whole number; pandas makes floats of integers with nulls.
    #[allow(clippy::cast_possible_truncation)] // such floats are far below its end
    fn whole(self) -> Option<i64> {
        match self {
            Number::Int(number) => Some(number),
            Number::Float(number) => {
                let is_whole = number.fract() == 0.0 && number.abs() < 1e15;
                is_whole.then_some(number as i64)
            }
        }
    }
}

impl std::fmt::Display for Number {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Number::Int(number) => number.fmt(f),
            Number::Float(number) => number.fmt(f),
        }
    }
}

impl<'a> Numbers<'a> {
    fn of(name: &str, array: &'a ArrayRef) -> PyResult<Numbers<'a>> {
        macro_rules! int {
            ($kind:ty) => {
                Numbers::Int(array, |array, row| {
                    array
                        .as_primitive::<$kind>()
                        .value(row)
                        .try_into()
                        .unwrap_or(i64::MAX)
                })
            };
        }
        Ok(match array.data_type() {
            DataType::Int8 => int!(Int8Type),
            DataType::Int16 => int!(Int16Type),
            DataType::Int32 => int!(Int32Type),
            DataType::Int64 => int!(Int64Type),
            DataType::UInt8 => int!(UInt8Type),
            DataType::UInt16 => int!(UInt16Type),
            DataType::UInt32 => int!(UInt32Type),
            DataType::UInt64 => int!(UInt64Type),
            DataType::Float32 => Numbers::Float(array, |array, row| {
                array.as_primitive::<Float32Type>().value(row).into()
            }),
            DataType::Float64 => Numbers::Float(array, |array, row| {
                array.as_primitive::<Float64Type>().value(row)
            }),
            DataType::Null => Numbers::Null,
            other => {
                return Err(PyTypeError::new_err(format!(
                    "{name}: expected a column of numbers, not {other}"
                )));
            }
        })
    }

    fn get(&self, row: usize) -> Option<Number> {
        match self {
            Numbers::Int(array, value) => {
                array.is_valid(row).then(|| Number::Int(value(*array, row)))
            }
            Numbers::Float(array, value) => {
                let number = array.is_valid(row).then(|| value(*array, row));
                number.filter(|number| !number.is_nan()).map(Number::Float)
            }
            Numbers::Null => None,
        }
    }
}
