//! Makes records of a table's rows.

use std::borrow::Cow;

use arrow_array::cast::AsArray as _;
use arrow_array::types::{
    Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type, UInt16Type,
    UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayRef, StructArray};
use arrow_schema::DataType;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use shakmaty::Bitboard;
use swaplist::Choice;
use swaplist_files::formats::{
    Field, Format, Outcome, Place, Record, RecordFields, move_on, parse_move,
};

use crate::given::{Positions, Text, text_of};

/// The columns of a table that records are made of.
pub struct Columns<'a> {
    positions: Positions<'a>,
    castling: Option<Numbers<'a>>,
    halfmoves: Option<Numbers<'a>>,
    fullmoves: Option<Numbers<'a>>,
    /// `None` too if the format holds no moves.
    moves: Option<Text<'a>>,
    score: Option<Numbers<'a>>,
    result: Option<Numbers<'a>>,
    ply: Option<Numbers<'a>>,
}

/// Whether conversions to a format write a field, if the input holds all.
pub fn writes(format: Format, part: Field) -> bool {
    !Format::Plain.lost_in(format).any(|lost| lost == part)
}

impl<'a> Columns<'a> {
    /// Reads the columns that a format holds.
    pub fn new(batch: &'a StructArray, format: Format, unscored: bool) -> PyResult<Columns<'a>> {
        let column = |name| batch.column_by_name(name);
        let numbers = |name| {
            column(name)
                .map(|array| Numbers::new(name, array))
                .transpose()
        };
        let wrong = |reason: &str| {
            let names = batch.column_names().join(", ");
            PyValueError::new_err(format!("table: {reason}; there are: {names}"))
        };
        // FENs hold more: castling rights and clocks.
        let position_column = column("fen")
            .or(column("position"))
            .ok_or_else(|| wrong("expected a column 'fen' or 'position'"))?;
        let positions = Positions::new("fen", position_column)?;
        let castling = numbers("castling")?;
        let halfmoves = numbers("halfmoves")?;
        let fullmoves = numbers("fullmoves")?;
        let name = format.name();
        let lacks_rights = writes(format, Field::Castling) && castling.is_none();
        let has_clocks = halfmoves.is_some() && fullmoves.is_some();
        let lacks_clocks = writes(format, Field::Clocks) && !has_clocks;
        if matches!(positions, Positions::Packed(..)) && (lacks_rights || lacks_clocks) {
            return Err(wrong(&format!(
                "packed positions lack castling rights and clocks, which {name} holds; read the \
                 columns 'castling', 'halfmoves' and 'fullmoves' too, or 'fen' instead"
            )));
        }
        if format.spec().skips_unscored && !unscored && column("score").is_none() {
            return Err(wrong(&format!(
                "no column 'score', and trainers skip records of {name} without one; rename \
                 yours to it, or pass unscored=True"
            )));
        }
        let moves = column("move")
            .filter(|_| writes(format, Field::Played))
            .map(|array| Text::new("move", array));
        Ok(Columns {
            positions,
            castling,
            halfmoves,
            fullmoves,
            moves: moves.transpose()?,
            score: numbers("score")?,
            result: numbers("result")?,
            ply: numbers("ply")?,
        })
    }

    /// Reads the columns of a table to train on, which needs scores and results, but neither
    /// castling rights nor clocks.
    pub fn to_train(batch: &'a StructArray) -> PyResult<Columns<'a>> {
        for needed in ["score", "result"] {
            if batch.column_by_name(needed).is_none() {
                let names = batch.column_names().join(", ");
                return Err(PyValueError::new_err(format!(
                    "table: no column '{needed}', which training needs; rename yours to it; there \
                     are: {names}"
                )));
            }
        }
        // That format holds neither castling rights nor clocks, but no moves either.
        let columns = Columns::new(batch, Format::Bulletformat, false)?;
        let moves = batch
            .column_by_name("move")
            .map(|array| Text::new("move", array))
            .transpose()?;
        Ok(Columns { moves, ..columns })
    }

    /// Makes a row's record. Also tells whether its played move is illegal, as it may be where
    /// moves are not replayed.
    pub fn entry(&self, row: usize, place: Place) -> Result<(Record, bool), String> {
        let (state, given_fen) = self.state(row)?;
        let mut played = None;
        let mut is_illegal = false;
        if let Some(text) = self.moves.as_ref().and_then(|moves| moves.get(row)) {
            let text = text_of(text)?;
            let fen = given_fen.map_or_else(|| state.to_string().into(), Cow::Borrowed);
            let position = state.position;
            played = match move_on(&fen, position, text) {
                Ok(legal) => Some(legal),
                Err(error) => parse_move(fen.as_bytes(), &position, text.as_bytes())
                    .map_err(|_| error.to_string())?
                    .inspect(|_| is_illegal = true),
            };
        }
        let fields = RecordFields::new(place, 0..0)
            .with_played(played)
            .with_score(Self::number(self.score.as_ref(), row, "score")?)
            .with_ply(Self::number(self.ply.as_ref(), row, "ply")?)
            .with_outcome(self.outcome(row)?);
        Ok((Record { fields, ..state }, is_illegal))
    }

    fn state(&self, row: usize) -> Result<(Record, Option<&str>), String> {
        let position = self.positions.get(row).ok_or("null as a position")??;
        if let Positions::Fens(texts) = &self.positions {
            let fen = text_of(texts.get(row).unwrap_or_default())?;
            return Ok((Record::from_fen(fen, position), Some(fen)));
        }
        let castling = Self::number(self.castling.as_ref(), row, "castling")?;
        let halfmoves = Self::number(self.halfmoves.as_ref(), row, "halfmoves")?;
        let fullmoves = Self::number(self.fullmoves.as_ref(), row, "fullmoves")?;
        let bare = Record::new(position);
        let state = Record {
            castling: castling.map_or(bare.castling, Bitboard),
            halfmoves: halfmoves.unwrap_or(bare.halfmoves),
            fullmoves: fullmoves.unwrap_or(bare.fullmoves),
            ..bare
        };
        Ok((state, None))
    }

    fn number<T: TryFrom<i128>>(
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

    /// Reads White's result.
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

/// What a column of results has held so far. Other codes than 1, 0 and -1 use 0 for a loss, which
/// would be stored as a draw.
#[derive(Default)]
pub struct Results {
    is_float: bool,
    has_zero: bool,
    has_loss: bool,
}

impl Results {
    /// Looks at the results of a batch whose first row has this number. Fails at a result of
    /// another code.
    pub fn look(&mut self, columns: &Columns<'_>, rows: usize, first: u64) -> Result<(), String> {
        let Some(results) = &columns.result else {
            return Ok(());
        };
        self.is_float |= matches!(results, Numbers::Float(..));
        for row in 0..rows {
            let Some(number) = results.get(row) else {
                continue;
            };
            let hint = match number {
                Number::Float(0.5) => "pass 2 * r - 1 if a win is 1, a draw 0.5 and a loss 0",
                _ if number.whole() == Some(2) => "pass r - 1 if a win is 2, a draw 1, a loss 0",
                _ => {
                    self.has_zero |= number.whole() == Some(0);
                    self.has_loss |= number.whole() == Some(-1);
                    continue;
                }
            };
            let row = first + row as u64;
            return Err(format!(
                "row {row}: result {number}: expected 1, 0 or -1; {hint}"
            ));
        }
        Ok(())
    }

    /// Fails if zeros may be losses.
    pub fn check(&self) -> Result<(), &'static str> {
        if self.is_float && self.has_zero && !self.has_loss {
            return Err(
                "result: a column of floats with 0 and without -1; if 0 is a loss, pass 2 * r - 1, \
                 and if it is a draw, integers",
            );
        }
        Ok(())
    }
}

/// A column of numbers.
enum Numbers<'a> {
    Int(&'a dyn Array, fn(&dyn Array, usize) -> i128),
    Float(&'a dyn Array, fn(&dyn Array, usize) -> f64),
    Null,
}

#[derive(Clone, Copy)]
enum Number {
    Int(i128),
    Float(f64),
}

impl Number {
    /// The number if it is whole: pandas makes floats of integers with nulls.
    #[allow(clippy::cast_possible_truncation)] // such floats are far below its end
    fn whole(self) -> Option<i128> {
        match self {
            Number::Int(number) => Some(number),
            Number::Float(number) => {
                let is_whole = number.fract() == 0.0 && number.abs() < 1e15;
                is_whole.then_some(number as i128)
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
    fn new(name: &str, array: &'a ArrayRef) -> PyResult<Numbers<'a>> {
        macro_rules! int {
            ($kind:ty) => {
                Numbers::Int(array, |array, row| {
                    array.as_primitive::<$kind>().value(row).into()
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
