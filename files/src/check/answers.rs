//! Answers of another engine, and parsing them.

use super::amount::{Amount, amount};
use super::callee::asks_for_threshold;
use super::claim::Claim;
use super::json::{from_json, is_object};
use super::line::{Parts, Said, read_fields};
use super::lines::{find_board, is_board, joined, lines_of, says_nothing, words_in};
use super::on_all_threads;
use super::statement::read_call;
use super::wrong::{Stage, Wrong};
use crate::formats::{Invalid, MAX_LINE, move_on, text_of};
use swaplist::{
    Choice, PackedMove, ParseError, PieceValues, Position, PositionError, Profile, Rules,
};

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
        let draft = Draft::read(text.trim(), line);
        let answer = draft.and_then(|draft| {
            let unit = Unit::from_drafts(&[&draft]);
            draft.answer(&unit)
        });
        answer.map_err(|wrong| ParseError::new(wrong.message))
    }
}

/// The answers of a text, in order; see [`answers`].
#[derive(Clone, Debug)]
#[must_use]
pub struct Answers {
    entries: std::vec::IntoIter<Result<Answer, ParseError>>,
    notes: Vec<String>,
    fail_alike: bool,
}

impl Answers {
    /// How values were read that are not plain centipawns.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Whether no line can be read, all for the same reason: then the only entry is one error, with
    /// the first line as it should be.
    pub const fn fail_alike(&self) -> bool {
        self.fail_alike
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
/// [`MAX_LINE`] bytes is an error. The text may begin with a byte order mark. Errors name the line.
///
/// If a value is a part of a pawn, as in `-2.25`, all numbers are pawns; [`Answers::notes`] says so.
pub fn answers(text: &[u8]) -> Answers {
    let lines = lines_of(text);
    let drafts_of_lines = on_all_threads(&lines, |&(line, bytes)| {
        let drafts = match line_of(line, bytes) {
            Ok(text) if says_nothing(text) => Vec::new(),
            Ok(text) => Draft::read_all(text, line),
            Err(reason) => vec![Err(Stage::Text.wrong(reason.to_string()))],
        };
        drafts
            .into_iter()
            .map(|draft| (line, draft))
            .collect::<Vec<_>>()
    });
    let mut drafts: Vec<(u64, Result<Draft, Wrong>)> =
        drafts_of_lines.into_iter().flatten().collect();
    read_broken(&mut drafts, &lines);
    if let Some(error) = alike(&drafts, &lines) {
        return Answers {
            entries: vec![Err(error)].into_iter(),
            notes: Vec::new(),
            fail_alike: true,
        };
    }
    let read: Vec<&Draft> = drafts
        .iter()
        .filter_map(|(_, draft)| draft.as_ref().ok())
        .collect();
    let unit = Unit::from_drafts(&read);
    let notes = unit.notes(&read);
    let entries: Vec<_> = drafts
        .into_iter()
        .map(|(line, draft)| {
            let answer = draft.and_then(|draft| draft.answer(&unit));
            answer.map_err(|wrong| ParseError::new(format!("line {line}: {}", wrong.message)))
        })
        .collect();
    Answers {
        entries: entries.into_iter(),
        notes,
        fail_alike: false,
    }
}

/// Reads answers that go over several lines, in place of the errors of each line.
fn read_broken(drafts: &mut Vec<(u64, Result<Draft, Wrong>)>, lines: &[(u64, &[u8])]) {
    let mut kept = Vec::with_capacity(drafts.len());
    let mut read_to = 0;
    for (line, draft) in drafts.drain(..) {
        if line <= read_to && draft.is_err() {
            continue;
        }
        let whole = draft.as_ref().err().and_then(|_| whole_answer(line, lines));
        if let Some((whole, last)) = whole {
            read_to = last;
            kept.push((line, Ok(whole)));
        } else {
            // The lines that follow in the same call are not wrong by themselves.
            let end = draft.as_ref().err().and_then(|_| end_of_call(line, lines));
            read_to = read_to.max(end.unwrap_or(0));
            kept.push((line, draft));
        }
    }
    *drafts = kept;
}

/// The answer that begins on a line and goes on, and its last line.
fn whole_answer(line: u64, lines: &[(u64, &[u8])]) -> Option<(Draft, u64)> {
    let first = lines.binary_search_by_key(&line, |(line, _)| *line).ok()?;
    let text = line_of(line, lines[first].1).ok()?;
    find_board(text)?;
    joined(lines, first).find_map(|(whole, last)| Some((Draft::read(&whole, line).ok()?, last)))
}

/// The last line of a call over several lines that has its FEN on this one.
fn end_of_call(line: u64, lines: &[(u64, &[u8])]) -> Option<u64> {
    let first = lines.binary_search_by_key(&line, |(line, _)| *line).ok()?;
    let text = line_of(line, lines[first].1).ok()?;
    let (before, bytes) = *lines.get(first.checked_sub(1)?)?;
    let opens = line_of(before, bytes).ok()?.ends_with(['(', '[', '{']);
    if !opens || find_board(text).is_none() {
        return None;
    }
    joined(lines, first).last().map(|(_, last)| last)
}

fn line_of(line: u64, bytes: &[u8]) -> Result<&str, Invalid> {
    if bytes.len() > MAX_LINE {
        return Err(Invalid::too_long());
    }
    // An object of JSON may have several lines.
    let text = match bytes {
        [b'{', .., b'}'] => core::str::from_utf8(bytes).or_else(|_| text_of(bytes))?,
        _ => text_of(bytes)?,
    };
    let marked = text.strip_prefix('\u{feff}').filter(|_| line == 1);
    Ok(marked.unwrap_or(text).trim())
}

/// The one error of several lines that all fail for the same reason.
fn alike(drafts: &[(u64, Result<Draft, Wrong>)], lines: &[(u64, &[u8])]) -> Option<ParseError> {
    let [(first_line, Err(first)), _, ..] = drafts else {
        return None;
    };
    let are_alike = drafts.iter().all(|(_, draft)| {
        draft
            .as_ref()
            .is_err_and(|wrong| wrong.stage == first.stage)
    });
    if first.stage == Stage::Text || !are_alike {
        return None;
    }
    let text = |line: u64| {
        let (_, bytes) = lines.get(usize::try_from(line).ok()?.checked_sub(1)?)?;
        line_of(line, bytes).ok()
    };
    // One that holds a position shows best how it should be.
    let shown = drafts
        .iter()
        .find(|(line, _)| text(*line).is_some_and(|text| find_board(text).is_some()));
    let (line, wrong) = match shown {
        Some((line, Err(wrong))) => (line, wrong),
        _ => (first_line, first),
    };
    let all = drafts.len();
    let reason = &wrong.message;
    let should = rewritten(text(*line)?);
    Some(ParseError::new(format!(
        "all {all} lines fail alike; line {line}: {reason}; write it as '{should}'"
    )))
}

/// A line as it should be, of what can be found in it.
fn rewritten(text: &str) -> String {
    let words: Vec<&str> = words_in(text).collect();
    let found = words.iter().position(is_board).and_then(|start| {
        // The longest FEN that can be read.
        (4..=6).rev().find_map(|fields| {
            let end = start + fields;
            let fen = words.get(start..end)?.join(" ");
            let position = Position::from_ascii(fen.as_bytes()).ok()?;
            Some((fen, position, &words[..start], &words[end..]))
        })
    });
    let Some((fen, position, before, after)) = found else {
        return "4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1;e4d5;100".to_owned();
    };
    let is_move = |word: &&&str| move_on(&fen, position, word).is_ok();
    let name = after.iter().chain(before).find(is_move).unwrap_or(&"MOVE");
    let is_value =
        |word: &&str| matches!(amount(word), Ok(Amount::Whole(_) | Amount::Hundredths(_)));
    if let Some((_, limit)) = text.split_once(">=")
        && let Some(threshold) = words_in(limit).find(is_value)
    {
        let holds = !words.contains(&"false");
        return format!("{fen};{name};{holds} >= {threshold}");
    }
    // If there is another comparison or several numbers, it is not clear which is the value. A
    // number on the other side of the FEN than the move may be the line's.
    let is_comparison = words.iter().any(|word| matches!(*word, "<" | ">" | "<="));
    let is_move_first = before.iter().any(|word| is_move(&word));
    let beside_move = if is_move_first { before } else { after };
    let values: Vec<&str> = beside_move
        .iter()
        .copied()
        .filter(|word| is_value(word))
        .collect();
    let value = match values[..] {
        [value] if !is_comparison => value,
        _ => "VALUE",
    };
    format!("{fen};{name};{value}")
}

/// An answer whose unit is not known yet.
#[derive(Clone, Debug)]
struct Draft {
    fen: String,
    position: Position,
    capture: PackedMove,
    said: Said,
    line: u64,
}

impl Draft {
    /// All answers of a line: several if it is JSON with a list of moves.
    fn read_all(text: &str, line: u64) -> Vec<Result<Draft, Wrong>> {
        if !is_object(text) {
            return vec![Draft::read(text, line)];
        }
        match from_json(text.trim_end_matches([',', ' '])) {
            Ok(all) => all
                .into_iter()
                .map(|parts| Draft::from_parts(parts, line))
                .collect(),
            Err(wrong) => vec![Err(wrong)],
        }
    }

    /// One answer, also of a call in a program.
    fn read(text: &str, line: u64) -> Result<Draft, Wrong> {
        if is_object(text) {
            let mut all = Draft::read_all(text, line).into_iter();
            let one = all.next().filter(|_| all.len() == 0);
            return one.unwrap_or_else(|| {
                Err(Stage::Fields.wrong("expected one answer, found a list of them"))
            });
        }
        // Its number is a threshold, which would look like a value.
        if asks_for_threshold(text)
            && let Some(parts) = read_call(text)
        {
            return Draft::from_parts(parts, line);
        }
        let found = read_fields(text).and_then(|parts| Draft::from_parts(parts, line));
        found.or_else(|wrong| {
            read_call(text).map_or(Err(wrong), |parts| Draft::from_parts(parts, line))
        })
    }

    fn from_parts(Parts { fen, name, said }: Parts, line: u64) -> Result<Draft, Wrong> {
        let fields = fen.split_ascii_whitespace().count();
        if fields < 4 {
            return Err(Stage::Position.wrong(PositionError::Fields(fields).to_string()));
        }
        let position = Position::from_ascii(fen.as_bytes())
            .map_err(|error| Stage::Position.wrong(error.to_string()))?;
        let capture =
            move_on(&fen, position, &name).map_err(|error| Stage::Move.wrong(error.to_string()))?;
        Ok(Draft {
            fen,
            position,
            capture,
            said,
            line,
        })
    }

    fn answer(self, unit: &Unit) -> Result<Answer, Wrong> {
        let number = unit.centipawns(self.said.amount)?;
        Ok(Answer {
            fen: self.fen,
            position: self.position,
            capture: self.capture,
            said: self.said.claim(number),
            line: self.line,
        })
    }
}

/// In what the numbers of a text are.
struct Unit {
    /// The line of a number that says that all are pawns, and the number in hundredths.
    pawns: Option<(u64, i64)>,
}

impl Unit {
    /// More pawns than this are not meant.
    const MANY: i64 = 50;

    fn from_drafts(drafts: &[&Draft]) -> Unit {
        let hundredths = drafts.iter().filter_map(|draft| match draft.said.amount {
            Amount::Hundredths(number) => Some((draft.line, number)),
            _ => None,
        });
        let numbers: Vec<(u64, i64)> = hundredths.collect();
        let part = numbers.iter().find(|(_, number)| number % 100 != 0);
        // `100.0` is a whole number of centipawns, as some languages write it.
        let are_small = numbers
            .iter()
            .all(|(_, number)| number.abs() < 100 * Unit::MANY);
        let whole = numbers.first().filter(|_| are_small);
        Unit {
            pawns: part.or(whole).copied(),
        }
    }

    fn centipawns(&self, amount: Amount) -> Result<i32, Wrong> {
        let number = match (amount, self.pawns) {
            (Amount::Whole(number), Some((line, said))) if number.abs() >= Unit::MANY => {
                let said = shown(said);
                return Err(Stage::Value.wrong(format!(
                    "{number} is too much in pawns, in which line {line} is ({said})"
                )));
            }
            (Amount::Whole(number), Some(_)) => 100 * number,
            (Amount::Hundredths(number), None) => number / 100,
            (Amount::Whole(number) | Amount::Hundredths(number) | Amount::Pieces(number), _) => {
                number
            }
        };
        number
            .try_into()
            .map_err(|_| Stage::Value.wrong(format!("{number} centipawns are too many")))
    }

    fn notes(&self, drafts: &[&Draft]) -> Vec<String> {
        let mut notes = Vec::new();
        if let Some((line, said)) = self.pawns {
            notes.push(format!(
                "numbers are read as pawns: {} on line {line} as {said} centipawns",
                shown(said)
            ));
        }
        let first = drafts
            .iter()
            .find(|draft| matches!(draft.said.amount, Amount::Pieces(_)));
        if let Some(draft) = first {
            let values = PieceValues::CPW;
            let line = draft.line;
            notes.push(format!(
                "sums of pieces, as on line {line}, are read with the values {values}"
            ));
        }
        notes
    }
}

/// Hundredths as pawns.
fn shown(hundredths: i64) -> String {
    let sign = if hundredths < 0 { "-" } else { "" };
    let whole = hundredths.abs() / 100;
    let parts = hundredths.abs() % 100;
    format!("{sign}{whole}.{parts:02}")
}
