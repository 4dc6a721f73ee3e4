//! Answers of another engine, and parsing them.

use super::claim::Claim;
use super::draft::{Draft, Entry, entries};
use super::suggest::rewritten;
use super::unit::Unit;
use super::words::find_board;
use super::wrong::{Stage, Wrong};
use crate::formats::{UTF16, is_utf16};
use swaplist::{Choice, PackedMove, ParseError, Position, Profile, Rules};

/// An engine's answer about one move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The position as it was given.
    pub fen: String,
    /// The position that the FEN holds, in which the move is played.
    pub position: Position,
    /// The first move of the exchange whose SEE the engine gave.
    pub capture: PackedMove,
    /// What the engine said of the move's SEE: its value, or whether it reaches a threshold.
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

    /// The profiles with the piece values of these rules under which the answer is right.
    pub fn agreeing_profiles(&self, rules: &Rules) -> Vec<Profile> {
        Profile::ALL
            .iter()
            .copied()
            .filter(|profile| self.agrees(&Rules::new(*profile, rules.values)))
            .collect()
    }

    /// Parses a line: a FEN, a move in UCI or SAN that is legal, and a value, or a threshold and
    /// whether the SEE is at least that, as `0` or `1`. `FEN;move;true >= threshold` is read too. The
    /// fields are separated by `;`, tabs, `|`, `,` or blanks; they may be in quotes, and in the
    /// brackets of an initialiser. A comment may follow, in a field of its own or after `//`. Or JSON:
    /// `{"fen","move","value"}` or `{"fen","move","threshold","ge"}`.
    ///
    /// Values are centipawns, also hexadecimal. One with a decimal point is in pawns, and a sum such as
    /// `P - R + B` has the values of [`PieceValues::CPW`](swaplist::PieceValues::CPW).
    ///
    /// # Errors
    ///
    /// A [`ParseError`] with what was expected.
    pub fn parse(text: &str, line: u64) -> Result<Answer, ParseError> {
        let draft = Draft::read_text(text.trim(), line);
        let answer = draft.and_then(|draft| {
            let unit = Unit::from_drafts(&[&draft]);
            Answer::from_draft(draft, &unit)
        });
        answer.map_err(|wrong| ParseError::new(wrong.message))
    }

    fn from_draft(draft: Draft, unit: &Unit) -> Result<Answer, Wrong> {
        let number = unit.centipawns(draft.said.amount)?;
        Ok(Answer {
            fen: draft.fen,
            position: draft.position,
            capture: draft.capture,
            said: draft.said.claim(number),
            line: draft.line,
        })
    }
}

/// The answers of a text, in order; see [`answers`].
#[derive(Clone, Debug)]
#[must_use]
pub struct Answers {
    entries: std::vec::IntoIter<Result<Answer, ParseError>>,
    /// How values were read that are not plain centipawns.
    pub notes: Vec<String>,
    /// Whether no line can be read, all for the same reason: then the only entry is one error, with
    /// the first line as it should be.
    pub fail_alike: bool,
}

impl Answers {
    fn one_error(error: ParseError) -> Answers {
        Answers {
            entries: vec![Err(error)].into_iter(),
            notes: Vec::new(),
            fail_alike: true,
        }
    }
}

impl Iterator for Answers {
    type Item = Result<Answer, ParseError>;

    fn next(&mut self) -> Option<Result<Answer, ParseError>> {
        self.entries.next()
    }
}

/// Reads answers, one a line, each as by [`Answer::parse`]. Skips empty lines, comments (`#`, `//`),
/// the header of a table, and the first and last line of an initialiser. A line of more than
/// [`MAX_LINE`](crate::formats::MAX_LINE) bytes is an error. The text may begin with a byte order
/// mark. Errors name the line.
///
/// If a value is a part of a pawn, as in `-2.25`, all numbers are pawns; [`Answers::notes`] says so.
pub fn answers(text: &[u8]) -> Answers {
    if is_utf16(text) {
        return Answers::one_error(ParseError::new(UTF16));
    }
    let entries = entries(text);
    if let Some(error) = alike(&entries) {
        return Answers::one_error(error);
    }
    let read: Vec<&Draft> = entries
        .iter()
        .filter_map(|entry| entry.draft.as_ref().ok())
        .collect();
    let unit = Unit::from_drafts(&read);
    let notes = unit.notes(&read);
    let entries: Vec<_> = entries
        .into_iter()
        .map(|Entry { line, draft, .. }| {
            let answer = draft.and_then(|draft| Answer::from_draft(draft, &unit));
            answer.map_err(|wrong| ParseError::new(format!("line {line}: {}", wrong.message)))
        })
        .collect();
    Answers {
        entries: entries.into_iter(),
        notes,
        fail_alike: false,
    }
}

const EXAMPLE: &str = "4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1;e4d5;100";

/// The one error of several lines that all fail for the same reason.
fn alike(entries: &[Entry<'_>]) -> Option<ParseError> {
    let [first, _, ..] = entries else {
        return None;
    };
    let stage = first.draft.as_ref().err()?.stage;
    let are_alike = entries.iter().all(|entry| {
        entry
            .draft
            .as_ref()
            .is_err_and(|wrong| wrong.stage == stage)
    });
    if matches!(stage, Stage::Text | Stage::Header) || !are_alike {
        return None;
    }
    // One that holds a position shows best how it should be.
    let shown = entries
        .iter()
        .find(|entry| find_board(&entry.text).is_some());
    let Entry { line, text, draft } = shown.unwrap_or(first);
    let all = entries.len();
    let reason = &draft.as_ref().err()?.message;
    let should = match rewritten(text) {
        Some(should) => format!("write it as '{should}'"),
        None => format!("an answer looks like '{EXAMPLE}'"),
    };
    Some(ParseError::new(format!(
        "all {all} lines fail alike; line {line}: {reason}; {should}"
    )))
}
