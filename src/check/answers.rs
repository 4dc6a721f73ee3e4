//! Answers of another engine, and parsing them.

use core::fmt;

use crate::formats::{Invalid, MAX_LINE, move_on};
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
        let answer = || {
            let (fen, name, said) = parts_of(text.trim())?;
            let (position, capture) = resolve(&fen, &name)?;
            Ok(Answer {
                position,
                capture,
                said,
                line,
            })
        };
        answer().map_err(|reason| AnswerError { line, reason })
    }
}

/// Reads answers line by line. Skips empty lines, lines that begin with `#`, and the header of
/// the table that `swaplist score` writes. A line of more than [`MAX_LINE`] bytes is an error.
pub fn answers(text: &[u8]) -> impl Iterator<Item = Result<Answer, AnswerError>> {
    let lines = (1..).zip(text.split_inclusive(|&byte| byte == b'\n'));
    lines.filter_map(|(line, bytes)| answer_on(line, bytes))
}

/// The header of the table that `swaplist score` writes.
const HEADER: &str = "fen\tmove\tsee";

/// The answer on a line; `None` if it is empty, begins with `#` or is the header of `score`'s
/// table. The first line may begin with a byte order mark.
#[must_use]
#[doc(hidden)] // for our command and tests
pub fn answer_on(line: u64, bytes: &[u8]) -> Option<Result<Answer, AnswerError>> {
    let text = match text_of(line, bytes) {
        Ok(text) => text.trim(),
        Err(reason) => {
            let reason = reason.to_string();
            return Some(Err(AnswerError { line, reason }));
        }
    };
    let passed_over = text.is_empty() || text.starts_with('#') || text == HEADER;
    (!passed_over).then(|| Answer::parse(text, line))
}

/// The FEN on a line of answers, as written; `None` if [`answer_on`] finds no fields or object.
#[must_use]
#[doc(hidden)] // for our command and tests
pub fn fen_on(line: u64, bytes: &[u8]) -> Option<String> {
    let text = text_of(line, bytes).ok()?.trim();
    Some(parts_of(text).ok()?.0)
}

fn text_of(line: u64, bytes: &[u8]) -> Result<&str, Invalid> {
    if bytes.len() > MAX_LINE {
        return Err(Invalid::too_long());
    }
    let text =
        core::str::from_utf8(bytes).map_err(|error| Invalid::not_text(error.valid_up_to() + 1))?;
    if let Some(nul) = text.find('\0') {
        return Err(Invalid::nul(nul + 1));
    }
    let marked = text.strip_prefix('\u{feff}').filter(|_| line == 1);
    Ok(marked.unwrap_or(text))
}

/// FEN, move and claim.
type Parts = (String, String, Said);

fn parts_of(text: &str) -> Result<Parts, String> {
    if text.starts_with('{') {
        from_json(text)
    } else {
        from_fields(text)
    }
}

fn from_fields(text: &str) -> Result<Parts, String> {
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
                _ => return Err(format!("expected 0 or 1, found '{holds}'")),
            };
            (fen, name, Said::AtLeast { threshold, holds })
        }
        _ => {
            let (found, s) = (fields.len(), if fields.len() == 1 { "" } else { "s" });
            return Err(format!(
                "expected FEN;move;value or FEN;move;threshold;0|1, found {found} field{s}"
            ));
        }
    };
    Ok((fen.to_owned(), name.to_owned(), said))
}

fn number(text: &str) -> Result<i32, String> {
    text.parse()
        .map_err(|_| format!("expected a whole number of centipawns, found '{text}'"))
}

#[cfg(feature = "files")]
fn from_json(text: &str) -> Result<Parts, String> {
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
        serde_json::from_str(text).map_err(|error| no_answer(&without_line(&error)))?;
    let said = match (record.value, record.threshold, record.ge) {
        (Some(value), None, None) => Said::Value(value),
        (None, Some(threshold), Some(Truth::Word(holds))) => Said::AtLeast { threshold, holds },
        (None, Some(threshold), Some(Truth::Digit(digit @ 0..=1))) => Said::AtLeast {
            threshold,
            holds: digit == 1,
        },
        _ => {
            let what = "neither a value alone nor a threshold with ge, true or false";
            return Err(no_answer(what));
        }
    };
    Ok((record.fen, record.name, said))
}

/// The message without its line number, which is always 1.
#[cfg(feature = "files")]
fn without_line(error: &serde_json::Error) -> String {
    let text = error.to_string();
    match text.split_once(" at line ") {
        Some((what, _)) => format!("{what}, at byte {} of the object", error.column()),
        None => text,
    }
}

#[cfg(not(feature = "files"))]
fn from_json(_: &str) -> Result<Parts, String> {
    Err(no_answer("built without the feature json"))
}

/// The message for JSON that is not an answer.
fn no_answer(what: &str) -> String {
    let value = r#"{"fen","move","value"}"#;
    let threshold = r#"{"fen","move","threshold","ge"}"#;
    format!("expected {value} or {threshold}: {what}")
}

fn resolve(fen: &str, name: &str) -> Result<(Position, Capture), String> {
    let fields = fen.split_ascii_whitespace().count();
    if fields < 4 {
        return Err(PositionError::Fields(fields).to_string());
    }
    let position = Position::from_ascii(fen.as_bytes()).map_err(|error| error.to_string())?;
    let capture = move_on(fen, position, name).map_err(|error| error.to_string())?;
    Ok((position, capture))
}

/// Why a line is not an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AnswerError {
    /// The number of the line.
    pub line: u64,
    /// What was expected, and what is there.
    pub reason: String,
}

impl fmt::Display for AnswerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.reason)
    }
}

impl core::error::Error for AnswerError {}
