//! The columns of a table that hold scores and results.

use shakmaty::Color;
use swaplist::Choice;

use super::text::{parse_outcome, parse_score, quoted};
use super::{Fault, Field, Invalid, Outcome, mate_score, turned_score};
use swaplist::choices;

choices! {
    "view",
    /// Whose view scores and results are.
    #[non_exhaustive]
    pub enum ScoreView {
        /// White's: 100 means that White is a pawn up.
        White = "white",
        /// The side to move's.
        SideToMove = "side-to-move",
    }
}

choices! {
    "result values",
    /// How a column says that a game was won, drawn or lost.
    #[derive(Default)]
    #[non_exhaustive]
    pub enum ResultValues {
        /// 1, 0.5 and 0, also 1.0 and 0.0.
        #[default]
        Half = "1,0.5,0",
        /// 2, 1 and 0.
        Two = "2,1,0",
        /// 1, 0 and -1.
        Signs = "1,0,-1",
    }
}

impl ResultValues {
    /// 1 if a field says won, 0 for drawn, -1 for lost; `None` if it is no value of these.
    fn points(self, field: &[u8]) -> Option<i32> {
        let values: [&[&[u8]]; 3] = match self {
            ResultValues::Half => [&[b"1", b"1.0"], &[b"0.5"], &[b"0", b"0.0"]],
            ResultValues::Two => [&[b"2", b"2.0"], &[b"1", b"1.0"], &[b"0", b"0.0"]],
            ResultValues::Signs => [&[b"1", b"1.0"], &[b"0", b"0.0"], &[b"-1", b"-1.0"]],
        };
        let forms = [1, 0, -1].into_iter().zip(values);
        let mut said = forms.filter(|(_, forms)| forms.contains(&field));
        said.next().map(|(points, _)| points)
    }
}

/// Which columns of a table hold the score and the result. A column is named by its name in the
/// header, in any case, or by its number, from 1.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LabelColumns {
    /// The column of the score: whole centipawns, or a mate such as `#-3`. An empty field means
    /// that the record has none.
    pub score: Option<String>,
    /// The column of the result.
    pub result: Option<String>,
    /// Whose view both are; by default White's. A result such as `1-0` is always White's.
    pub view: Option<ScoreView>,
    /// How the result says won, drawn and lost; `1-0`, `1/2-1/2` and `0-1` are always read.
    pub values: ResultValues,
}

impl LabelColumns {
    /// No column is named.
    pub(crate) const NONE: LabelColumns = LabelColumns {
        score: None,
        result: None,
        view: None,
        values: ResultValues::Half,
    };

    /// A column that is named, if any is.
    pub(crate) fn any(&self) -> Option<&str> {
        self.score.as_deref().or(self.result.as_deref())
    }

    /// What to tell the user, who has not said whose view the score or the result is.
    pub(crate) fn note(&self) -> Option<&'static str> {
        let is_open = self.any().is_some() && self.view.is_none();
        is_open.then_some(
            "scores and results of the table are taken as White's, since nothing says whose view \
             they are",
        )
    }

    /// The fields whose columns are named.
    pub(crate) fn fields(&self) -> LabelledFields {
        LabelledFields {
            score: self.score.is_some(),
            result: self.result.is_some(),
        }
    }

    /// How the fields of a row are read.
    pub(super) fn reading(&self) -> LabelReading {
        LabelReading {
            view: self.view.unwrap_or(ScoreView::White),
            values: self.values,
        }
    }
}

/// The fields that records of a table have because their columns are named.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct LabelledFields {
    score: bool,
    result: bool,
}

impl LabelledFields {
    /// Whether the column of a field is named.
    pub fn has(self, field: Field) -> bool {
        match field {
            Field::Score => self.score,
            Field::Result => self.result,
            _ => false,
        }
    }
}

/// How scores and results of a table are read.
#[derive(Clone, Copy, Debug)]
pub(super) struct LabelReading {
    pub view: ScoreView,
    pub values: ResultValues,
}

impl LabelReading {
    /// In three bits.
    pub(crate) fn to_bits(self) -> u64 {
        self.view as u64 | (self.values as u64) << 1
    }

    pub(crate) fn from_bits(bits: u64) -> LabelReading {
        let view = ScoreView::ALL[(bits & 1) as usize];
        let values = ResultValues::ALL.get((bits >> 1 & 3) as usize);
        LabelReading {
            view,
            values: values.copied().unwrap_or_default(),
        }
    }

    /// The score of the side to move; `None` if the field says that there is none.
    pub(crate) fn score(self, field: &[u8], turn: Color) -> Result<Option<i32>, Invalid> {
        if is_none(field) {
            return Ok(None);
        }
        // Columns of floats, which may hold "not a number", have whole numbers with a zero.
        let whole = field.strip_suffix(b".0").unwrap_or(field);
        let score = match mate(whole) {
            Some(mate) => mate,
            None => parse_score(whole)?,
        };
        Ok(Some(match self.view {
            ScoreView::White => turned_score(score, turn),
            ScoreView::SideToMove => score,
        }))
    }

    /// The result of the game; `None` if the field says that there is none.
    pub(crate) fn outcome(self, field: &[u8], turn: Color) -> Result<Option<Outcome>, Invalid> {
        if is_none(field) || field == b"*" {
            return Ok(None);
        }
        // `1-0` and the like have one of these after the first byte; a number has at most a sign before.
        if field.iter().skip(1).any(|byte| matches!(byte, b'-' | b'/')) {
            return parse_outcome(field).map(Some);
        }
        let Some(told) = self.values.points(field) else {
            let message = format!(
                "'{}' is not a result, expected one of {} (won, drawn, lost), 1-0, 1/2-1/2 or 0-1",
                quoted(field),
                self.values
            );
            let mut others = ResultValues::ALL.iter();
            return Err(match others.find(|other| other.points(field).is_some()) {
                None => Invalid::new(Fault::Outcome, message),
                Some(other) => {
                    let known = format!("{message}; it is one of --result-values {other}");
                    Invalid::new(Fault::OtherValues, known)
                }
            });
        };
        let white = match self.view {
            ScoreView::White => told,
            ScoreView::SideToMove => turn.fold_wb(told, -told),
        };
        Ok(Some(Outcome::from_white(white)))
    }
}

/// Whether a field says that there is no value, as tools write it.
fn is_none(field: &[u8]) -> bool {
    field.is_empty() || [&b"nan"[..], b"none", b"null"].contains(&&*field.to_ascii_lowercase())
}

/// The score of a mate in moves, such as `#3`, `#-3` or `#+3`.
fn mate(field: &[u8]) -> Option<i32> {
    let moves = field.strip_prefix(b"#")?;
    let moves: i32 = core::str::from_utf8(moves).ok()?.parse().ok()?;
    let is_mate = (1..1000).contains(&moves.unsigned_abs());
    is_mate.then(|| mate_score(moves))
}
