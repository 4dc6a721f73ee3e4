//! Answers of which the unit of the number is not known yet, read from the lines and objects of a text.

use super::callee::asks_for_threshold;
use super::json::{from_json, from_object, is_json, is_object};
use super::line::{Parts, Said, read_fields};
use super::lines::{Line, Lines, closes_more, joined, says_nothing};
use super::objects::{Object, objects};
use super::on_all_threads;
use super::statement::read_call;
use super::table::Header;
use super::words::find_board;
use super::wrong::{Stage, Wrong};
use crate::formats::{Invalid, MAX_LINE, move_on, text_of};
use swaplist::{PackedMove, Position, PositionError};

/// What was read of a line, or of an object of JSON.
pub(super) struct Entry<'a> {
    /// The number of its line, or of its first line.
    pub line: u64,
    /// What it was read from; empty if that is not text.
    pub text: &'a str,
    pub draft: Result<Draft, Wrong>,
}

/// The entries of a text.
pub(super) fn entries(text: &[u8]) -> Vec<Entry<'_>> {
    let plain = core::str::from_utf8(text).ok();
    let plain = plain.map(|text| text.strip_prefix('\u{feff}').unwrap_or(text));
    if let Some(json) = plain.filter(|text| is_json(text)) {
        let found = objects(json);
        if !found.is_empty() {
            return entries_of_objects(&found);
        }
    }
    let lines = Lines::new(text);
    let entries = on_all_threads(&lines.all, |line| entries_of_line(line, &lines));
    read_broken(entries.into_iter().flatten(), &lines.all)
}

fn entries_of_objects<'a>(found: &[Object<'a>]) -> Vec<Entry<'a>> {
    let entries = on_all_threads(found, |object| {
        let (line, text) = (object.line, object.text);
        let entry = |parts: Result<Parts, Wrong>| Entry {
            line,
            text,
            draft: parts.and_then(|parts| Draft::from_parts(parts, line)),
        };
        from_object(object)
            .into_iter()
            .map(entry)
            .collect::<Vec<_>>()
    });
    entries.into_iter().flatten().collect()
}

fn entries_of_line<'a>(line: &Line<'a>, lines: &Lines<'_>) -> Vec<Entry<'a>> {
    let number = line.number;
    let (text, drafts) = match text_on(line) {
        Ok(text) if says_nothing(text) => return Vec::new(),
        Ok(text) => {
            let header = line.header.map(|at| &lines.headers[at]);
            (text, Draft::read_all(text, number, header))
        }
        Err(reason) => ("", vec![Err(Stage::Text.wrong(reason.to_string()))]),
    };
    let entry = |draft| Entry {
        line: number,
        text,
        draft,
    };
    drafts.into_iter().map(entry).collect()
}

/// Reads answers that go over several lines, in place of the errors of each line.
fn read_broken<'a>(entries: impl Iterator<Item = Entry<'a>>, lines: &[Line<'_>]) -> Vec<Entry<'a>> {
    let mut kept = Vec::new();
    let mut read_to = 0;
    for mut entry in entries {
        if entry.draft.is_ok() {
            if let Some(in_call) = draft_in_call(entry.line, lines) {
                entry.draft = in_call;
            }
            kept.push(entry);
            continue;
        }
        if entry.line <= read_to {
            continue;
        }
        match whole_answer(entry.line, lines) {
            Some((whole, last)) => {
                read_to = last;
                entry.draft = Ok(whole);
            }
            // The lines that follow in the same call are not wrong by themselves.
            None => read_to = read_to.max(end_of_call(entry.line, lines).unwrap_or(0)),
        }
        kept.push(entry);
    }
    kept
}

/// What a line says as a part of a call that an earlier line begins, such as `assertFalse(`, which
/// may turn it around; `None` if there is no such call. A line that asks for a threshold is an error
/// if its whole call is not found.
fn draft_in_call(number: u64, lines: &[Line<'_>]) -> Option<Result<Draft, Wrong>> {
    let at = place_of(number, lines)?;
    let text = text_on(&lines[at]).ok()?;
    let before = at.checked_sub(1).and_then(|at| text_on(&lines[at]).ok());
    let is_called = before.is_some_and(opens_call);
    let asks = asks_for_threshold(text);
    if !(is_called || asks && closes_more(text)) {
        return None;
    }
    if let Some((whole, _)) = whole_answer(number, lines).filter(|_| is_called) {
        return Some(Ok(whole));
    }
    (asks || joined(lines, at).next().is_some()).then(|| {
        let message = "it is a part of a call of several lines that is not clear";
        Err(Stage::Fields.wrong(message))
    })
}

/// Whether a line ends with the name of a call and the bracket that opens it.
fn opens_call(line: &str) -> bool {
    let called = line.strip_suffix('(').map(str::trim_end);
    called.is_some_and(|name| name.ends_with(|c: char| c.is_alphanumeric() || "_!".contains(c)))
}

/// The answer that begins on a line and goes on, and its last line.
fn whole_answer(line: u64, lines: &[Line<'_>]) -> Option<(Draft, u64)> {
    let first = place_of(line, lines)?;
    find_board(text_on(&lines[first]).ok()?)?;
    joined(lines, first).find_map(|(whole, last)| Some((Draft::read(&whole, line).ok()?, last)))
}

/// The last line of a call over several lines that has its FEN on this one.
fn end_of_call(line: u64, lines: &[Line<'_>]) -> Option<u64> {
    let first = place_of(line, lines)?;
    let text = text_on(&lines[first]).ok()?;
    let before = text_on(lines.get(first.checked_sub(1)?)?).ok()?;
    if !before.ends_with(['(', '[', '{']) || find_board(text).is_none() {
        return None;
    }
    joined(lines, first).last().map(|(_, last)| last)
}

/// The place of the line with this number.
fn place_of(number: u64, lines: &[Line<'_>]) -> Option<usize> {
    lines.binary_search_by_key(&number, |line| line.number).ok()
}

fn text_on<'a>(line: &Line<'a>) -> Result<&'a str, Invalid> {
    if line.bytes.len() > MAX_LINE {
        return Err(Invalid::too_long());
    }
    let text = text_of(line.bytes)?;
    let marked = text.strip_prefix('\u{feff}').filter(|_| line.number == 1);
    Ok(marked.unwrap_or(text).trim())
}

/// An answer whose unit is not known yet.
#[derive(Clone, Debug)]
pub(super) struct Draft {
    pub fen: String,
    pub position: Position,
    pub capture: PackedMove,
    pub said: Said,
    pub line: u64,
}

impl Draft {
    /// All answers of a line: several if it is JSON with a list of moves.
    fn read_all(text: &str, line: u64, header: Option<&Header>) -> Vec<Result<Draft, Wrong>> {
        if is_object(text) {
            let all = from_json(text.trim_end_matches([',', ' '])).into_iter();
            return all.map(|parts| Draft::from_parts(parts?, line)).collect();
        }
        let row = header.and_then(|header| header.row(text));
        vec![match row {
            Some(parts) => parts.and_then(|parts| Draft::from_parts(parts, line)),
            None => Draft::read(text, line),
        }]
    }

    /// One answer, also of a call in a program.
    pub fn read(text: &str, line: u64) -> Result<Draft, Wrong> {
        if is_object(text) {
            let mut all = Draft::read_all(text, line, None).into_iter();
            let one = all.next().filter(|_| all.len() == 0);
            return one.unwrap_or_else(|| {
                Err(Stage::Fields.wrong("expected one answer, found a list of them"))
            });
        }
        // Its number is a threshold, which would look like a value. Most lines hold no call.
        if text.contains('(')
            && asks_for_threshold(text)
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
}
