//! Answers of another engine, and parsing them.

use core::fmt;

use super::on_all_threads;
use crate::formats::{Invalid, MAX_LINE, move_on, text_of};
use crate::{Capture, ParseError, Position, PositionError, Rules};

/// An engine's claim about a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Claim {
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

impl Claim {
    /// Whether the claim is true of this SEE.
    pub(super) fn is(self, see: i32) -> bool {
        match self {
            Claim::Value(value) => see == value,
            Claim::AtLeast { threshold, holds } => (see >= threshold) == holds,
        }
    }
}

/// Writes `-225`, `at least 100` or `less than 100`.
impl fmt::Display for Claim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Claim::Value(value) => write!(f, "{value}"),
            Claim::AtLeast { threshold, holds } => {
                let what = if *holds { "at least" } else { "less than" };
                write!(f, "{what} {threshold}")
            }
        }
    }
}

/// An engine's answer about one move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The position as it was given.
    pub fen: String,
    /// The position.
    pub position: Position,
    /// The move.
    pub capture: Capture,
    /// The engine's claim.
    pub said: Claim,
    /// The number of its line, from 1, or any number of yours; disagreements are listed by it.
    pub line: u64,
}

impl Answer {
    /// Whether the answer is right under these rules.
    pub fn agrees(&self, rules: &Rules) -> bool {
        match self.said {
            Claim::Value(value) => rules.see(&self.position, self.capture) == value,
            Claim::AtLeast { threshold, holds } => {
                rules.see_ge(&self.position, self.capture, threshold) == holds
            }
        }
    }

    /// Parses a line: `FEN;move;value`, `FEN;move;threshold;0|1` or `FEN;move;true >= threshold`,
    /// the same with tabs instead of semicolons, or JSON: `{"fen","move","value"}` or
    /// `{"fen","move","threshold","ge"}`. Moves must be legal, in UCI or SAN.
    ///
    /// # Errors
    ///
    /// A [`ParseError`] with what was expected.
    pub fn parse(text: &str, line: u64) -> Result<Answer, ParseError> {
        let answer = || -> Result<Answer, String> {
            let (fen, name, said) = parts_of(text.trim())?;
            let (position, capture) = resolve(&fen, &name)?;
            Ok(Answer {
                fen,
                position,
                capture,
                said,
                line,
            })
        };
        answer().map_err(ParseError::new)
    }
}

/// Reads answers, one a line. Skips empty lines, lines that begin with `#`, and the header of the
/// table that `swaplist score` writes. A line of more than [`MAX_LINE`] bytes is an error. The
/// text may begin with a byte order mark. Errors name the line.
pub fn answers(text: &[u8]) -> impl Iterator<Item = Result<Answer, ParseError>> {
    let lines = (1..).zip(text.split_inclusive(|&byte| byte == b'\n'));
    let lines: Vec<(u64, &[u8])> = lines.collect();
    let answers = on_all_threads(&lines, |&(line, bytes)| {
        let answer = match line_of(line, bytes) {
            Ok(text) if text.is_empty() || text.starts_with('#') || text == HEADER => return None,
            Ok(text) => Answer::parse(text, line),
            Err(reason) => Err(ParseError::new(reason.to_string())),
        };
        Some(answer.map_err(|error| ParseError::new(format!("line {line}: {error}"))))
    });
    answers.into_iter().flatten()
}

/// The header of the table that `swaplist score` writes.
const HEADER: &str = "fen\tmove\tsee";

fn line_of(line: u64, bytes: &[u8]) -> Result<&str, Invalid> {
    if bytes.len() > MAX_LINE {
        return Err(Invalid::too_long());
    }
    let text = text_of(bytes)?;
    let marked = text.strip_prefix('\u{feff}').filter(|_| line == 1);
    Ok(marked.unwrap_or(text).trim())
}

/// FEN, move and claim.
type Parts = (String, String, Claim);

/// The parts of a line with fields, or of a JSON object.
fn parts_of(text: &str) -> Result<Parts, String> {
    if text.starts_with('{') {
        return from_json(text);
    }
    let table = text.contains('\t') && !text.contains(';');
    let separator = if table { '\t' } else { ';' };
    let fields: Vec<_> = text.split(separator).map(str::trim).collect();
    let [fen, name, said @ ..] = &fields[..] else {
        return Err(wrong_fields(fields.len()));
    };
    let said = match said {
        [said] => match said.split_once(">=") {
            Some((holds, threshold)) => at_least(threshold.trim(), holds.trim())?,
            None => Claim::Value(number(said)?),
        },
        [threshold, holds] => at_least(threshold, holds)?,
        _ => return Err(wrong_fields(fields.len())),
    };
    Ok(((*fen).to_owned(), (*name).to_owned(), said))
}

fn at_least(threshold: &str, holds: &str) -> Result<Claim, String> {
    let threshold = number(threshold)?;
    let holds = truth(holds).ok_or_else(|| {
        format!("expected 0 or 1 (whether the SEE is at least {threshold}), found '{holds}'")
    })?;
    Ok(Claim::AtLeast { threshold, holds })
}

fn wrong_fields(found: usize) -> String {
    let s = if found == 1 { "" } else { "s" };
    format!(
        "expected FEN;move;value, FEN;move;threshold;0|1 or FEN;move;true >= threshold, found \
         {found} field{s}"
    )
}

fn number(text: &str) -> Result<i32, String> {
    // Also with the sign of print.
    text.replace('\u{2212}', "-")
        .parse()
        .map_err(|_| format!("expected a whole number of centipawns, found '{text}'"))
}

fn truth(text: &str) -> Option<bool> {
    match text.to_ascii_lowercase().as_str() {
        "0" | "false" => Some(false),
        "1" | "true" => Some(true),
        _ => None,
    }
}

fn from_json(text: &str) -> Result<Parts, String> {
    #[derive(serde::Deserialize)]
    struct Record {
        fen: String,
        #[serde(rename = "move")]
        name: String,
        value: Option<i32>,
        threshold: Option<i32>,
        ge: Option<serde_json::Value>,
    }
    let wrong = |what: &str| {
        let value = r#"{"fen","move","value"}"#;
        let threshold = r#"{"fen","move","threshold","ge"}"#;
        format!("expected {value} or {threshold}: {what}")
    };
    let record = serde_json::from_slice(text.as_bytes()).map_err(|error| {
        // Without the line number, which is always 1.
        let message = error.to_string();
        let what = message.split(" at line ").next().unwrap_or_default();
        wrong(&format!("{what}, at byte {} of the object", error.column()))
    });
    let record: Record = record?;
    // 1 and 0 as in the text form, or `true` and `false`.
    let holds = record
        .ge
        .map(|ge| ge.as_bool().or_else(|| truth(&ge.to_string())));
    let said = match (record.value, record.threshold, holds) {
        (Some(value), None, None) => Claim::Value(value),
        (None, Some(threshold), Some(Some(holds))) => Claim::AtLeast { threshold, holds },
        _ => {
            let what = "neither a value alone nor a threshold with ge, true or false";
            return Err(wrong(what));
        }
    };
    Ok((record.fen, record.name, said))
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
