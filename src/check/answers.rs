//! Answers of another engine, and parsing them.

use core::fmt;
use std::io::{self, BufRead, Read as _};

use shakmaty::{Chess, Move, fen::Fen, fen::ParseFenError, san::SanPlus, uci::UciMove};

use crate::formats::{Invalid, MAX_LINE, lacks_promotion};
use crate::position::chess_from_setup;
use crate::{Capture, Position, PositionError, Rules};

/// An engine's claim about a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Said {
    /// The SEE is this value.
    Value(i32),
    /// Whether the SEE is at least a threshold.
    AtLeast {
        /// The threshold.
        threshold: i32,
        /// Whether it is, according to the engine.
        holds: bool,
    },
}

impl Said {
    /// Whether the claim is true of this SEE.
    pub(super) fn is(self, see: i32) -> bool {
        match self {
            Said::Value(value) => see == value,
            Said::AtLeast { threshold, holds } => (see >= threshold) == holds,
        }
    }
}

/// An engine's answer about one move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The position.
    pub position: Position,
    /// The move.
    pub capture: Capture,
    /// The engine's claim.
    pub said: Said,
    /// The number of its line, from 1, or any number of yours; disagreements are listed by it.
    pub line: u64,
}

impl Answer {
    /// Whether the answer is right under these rules.
    #[must_use]
    pub fn agrees(&self, rules: &Rules) -> bool {
        match self.said {
            Said::Value(value) => rules.see(&self.position, self.capture) == value,
            Said::AtLeast { threshold, holds } => {
                rules.see_ge(&self.position, self.capture, threshold) == holds
            }
        }
    }

    /// Parses a line: `FEN;move;value`, `FEN;move;threshold;0|1`, the same with tabs instead of
    /// semicolons, or, with the feature `json`, JSON: `{"fen","move","value"}` or
    /// `{"fen","move","threshold","ge"}`. Moves must be legal, in UCI or SAN.
    ///
    /// # Errors
    ///
    /// An [`AnswerError`] with what was expected.
    pub fn parse(text: &str, line: u64) -> Result<Answer, AnswerError> {
        let text = text.trim();
        let (fen, name, said) = parts_of(text)?;
        let (position, capture) = resolve(&fen, &name)?;
        Ok(Answer {
            position,
            capture,
            said,
            line,
        })
    }
}

/// Reads answers line by line. Skips empty lines, lines that begin with `#`, and the header of
/// the table that `swaplist score` writes. A line of more than [`MAX_LINE`] bytes is an error,
/// and not held in memory.
pub fn answers(mut reader: impl BufRead) -> impl Iterator<Item = Result<Answer, AnswersError>> {
    let lines = core::iter::from_fn(move || next_line(&mut reader).transpose());
    let parse = |(line, bytes): (u64, io::Result<Vec<u8>>)| match bytes {
        Ok(bytes) => answer_on(line, bytes),
        Err(cause) => {
            let error = AnswerError::Io(cause.to_string());
            Some(Err(AnswersError { line, error }))
        }
    };
    (1..).zip(lines).filter_map(parse)
}

/// The next line, or the beginning of one that is too long.
fn next_line(reader: &mut impl BufRead) -> io::Result<Option<Vec<u8>>> {
    let mut line = Vec::new();
    let mut limited = reader.by_ref().take(MAX_LINE as u64 + 1);
    limited.read_until(b'\n', &mut line)?;
    if line.len() > MAX_LINE && line.last() != Some(&b'\n') {
        reader.skip_until(b'\n')?;
    }
    Ok((!line.is_empty()).then_some(line))
}

/// The header of the table that `swaplist score` writes.
const HEADER: &str = "fen\tmove\tsee";

/// The answer on a line; `None` if it is empty, begins with `#` or is the header of `score`'s
/// table. The first line may begin with a byte order mark.
#[must_use]
pub fn answer_on(line: u64, bytes: impl AsRef<[u8]>) -> Option<Result<Answer, AnswersError>> {
    let error = |error| AnswersError { line, error };
    let text = match text_of(line, bytes.as_ref()) {
        Ok(text) => text.trim(),
        Err(reason) => return Some(Err(error(AnswerError::Line(reason)))),
    };
    let passed_over = text.is_empty() || text.starts_with('#') || text == HEADER;
    (!passed_over).then(|| Answer::parse(text, line).map_err(error))
}

/// The FEN on a line of answers, as written; `None` if [`answer_on`] finds no fields or object.
#[must_use]
pub fn fen_on(line: u64, bytes: impl AsRef<[u8]>) -> Option<String> {
    let text = text_of(line, bytes.as_ref()).ok()?.trim();
    Some(parts_of(text).ok()?.0)
}

fn text_of(line: u64, bytes: &[u8]) -> Result<&str, Invalid> {
    if bytes.len() > MAX_LINE {
        return Err(Invalid::TooLong);
    }
    let text =
        core::str::from_utf8(bytes).map_err(|error| Invalid::NotText(error.valid_up_to() + 1))?;
    if let Some(nul) = text.find('\0') {
        return Err(Invalid::Nul(nul + 1));
    }
    let marked = text.strip_prefix('\u{feff}').filter(|_| line == 1);
    Ok(marked.unwrap_or(text))
}

/// FEN, move and claim.
type Parts = (String, String, Said);

fn parts_of(text: &str) -> Result<Parts, AnswerError> {
    if text.starts_with('{') {
        from_json(text)
    } else {
        from_fields(text)
    }
}

fn from_fields(text: &str) -> Result<Parts, AnswerError> {
    let table = text.contains('\t') && !text.contains(';');
    let separator = if table { '\t' } else { ';' };
    let fields: Vec<_> = text.split(separator).map(str::trim).collect();
    let (fen, name, said) = match fields[..] {
        [fen, name, value] => (fen, name, Said::Value(number(value)?)),
        [fen, name, threshold, holds] => {
            let threshold = number(threshold)?;
            let holds = match holds {
                "0" => false,
                "1" => true,
                _ => return Err(AnswerError::NotABool(holds.to_owned())),
            };
            (fen, name, Said::AtLeast { threshold, holds })
        }
        _ => return Err(AnswerError::Fields(fields.len())),
    };
    Ok((fen.to_owned(), name.to_owned(), said))
}

fn number(text: &str) -> Result<i32, AnswerError> {
    text.parse()
        .map_err(|_| AnswerError::NotANumber(text.to_owned()))
}

#[cfg(feature = "json")]
fn from_json(text: &str) -> Result<Parts, AnswerError> {
    #[derive(serde::Deserialize)]
    struct Record {
        fen: String,
        #[serde(rename = "move")]
        name: String,
        value: Option<i32>,
        threshold: Option<i32>,
        ge: Option<Truth>,
    }
    /// `true` and `false`, or 1 and 0 as in the text form.
    #[derive(serde::Deserialize)]
    #[serde(untagged)]
    enum Truth {
        Word(bool),
        Digit(u8),
    }
    let record: Record =
        serde_json::from_str(text).map_err(|error| AnswerError::Json(without_line(&error)))?;
    let said = match (record.value, record.threshold, record.ge) {
        (Some(value), None, None) => Said::Value(value),
        (None, Some(threshold), Some(Truth::Word(holds))) => Said::AtLeast { threshold, holds },
        (None, Some(threshold), Some(Truth::Digit(digit @ 0..=1))) => Said::AtLeast {
            threshold,
            holds: digit == 1,
        },
        _ => {
            let what = "neither a value alone nor a threshold with ge, true or false";
            return Err(AnswerError::Json(what.to_owned()));
        }
    };
    Ok((record.fen, record.name, said))
}

/// The message without its line number, which is always 1.
#[cfg(feature = "json")]
fn without_line(error: &serde_json::Error) -> String {
    let text = error.to_string();
    match text.split_once(" at line ") {
        Some((what, _)) => format!("{what}, at byte {} of the object", error.column()),
        None => text,
    }
}

#[cfg(not(feature = "json"))]
fn from_json(_: &str) -> Result<Parts, AnswerError> {
    let what = "built without the feature json";
    Err(AnswerError::Json(what.to_owned()))
}

fn resolve(fen: &str, name: &str) -> Result<(Position, Capture), AnswerError> {
    let setup = fen.parse::<Fen>().map_err(AnswerError::Fen)?.into_setup();
    let fields = fen.split_ascii_whitespace().count();
    if fields < 4 {
        return Err(AnswerError::Line(Invalid::Fields(fields)));
    }
    let position = Position::try_from(&setup).map_err(AnswerError::Position)?;
    let chess =
        chess_from_setup(setup).map_err(|_| AnswerError::Position(PositionError::Unplayable))?;
    let uci = name.parse::<UciMove>();
    if uci.is_ok_and(|uci| lacks_promotion(uci, &chess)) {
        return Err(AnswerError::Line(Invalid::NoPromotion(name.to_owned())));
    }
    let capture = legal_move(&chess, name).and_then(Capture::from_move);
    let capture = capture.ok_or_else(|| AnswerError::Move {
        name: name.to_owned(),
        fen: fen.to_owned(),
    })?;
    Ok((position, capture))
}

fn legal_move(chess: &Chess, name: &str) -> Option<Move> {
    if let Ok(uci) = name.parse::<UciMove>() {
        return uci.to_move(chess).ok();
    }
    name.parse::<SanPlus>().ok()?.san.to_move(chess).ok()
}

/// Why a line is not an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum AnswerError {
    /// The line is not UTF-8, too long, or has no whole FEN.
    Line(Invalid),
    /// Not three or four fields.
    Fields(usize),
    /// The first field is not a FEN.
    Fen(ParseFenError),
    /// SEE has no meaning in the position.
    Position(PositionError),
    /// The move is not legal in the position, or cannot be parsed.
    Move {
        /// The move.
        name: String,
        /// The position.
        fen: String,
    },
    /// The value or threshold is not a whole number of 32 bits.
    NotANumber(String),
    /// The fourth field is neither 0 nor 1.
    NotABool(String),
    /// The line is JSON, but not an answer.
    Json(String),
    /// The line could not be read.
    Io(String),
}

impl fmt::Display for AnswerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AnswerError::Fields(found) => write!(
                f,
                "expected FEN;move;value or FEN;move;threshold;0|1, found {found} {}",
                if *found == 1 { "field" } else { "fields" }
            ),
            AnswerError::Line(reason) => reason.fmt(f),
            AnswerError::Fen(error) => write!(f, "expected a FEN: {error}"),
            AnswerError::Position(error) => error.fmt(f),
            AnswerError::Move { name, fen } => {
                write!(
                    f,
                    "expected a legal move, UCI or SAN, found '{name}' in '{fen}'"
                )
            }
            AnswerError::NotANumber(text) => {
                write!(f, "expected a whole number of centipawns, found '{text}'")
            }
            AnswerError::NotABool(text) => write!(f, "expected 0 or 1, found '{text}'"),
            AnswerError::Json(what) => write!(
                f,
                "expected {{\"fen\",\"move\",\"value\"}} or {{\"fen\",\"move\",\"threshold\",\"ge\"}}: {what}"
            ),
            AnswerError::Io(what) => f.write_str(what),
        }
    }
}

impl core::error::Error for AnswerError {}

/// An [`AnswerError`] with its line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AnswersError {
    /// The line, from 1.
    pub line: u64,
    /// The error.
    pub error: AnswerError,
}

impl fmt::Display for AnswersError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.error)
    }
}

impl core::error::Error for AnswersError {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        Some(&self.error)
    }
}
