//! Answers of which the unit of the number is not known yet, read from the lines and objects of a text.

use std::borrow::Cow;

use super::callee::asks_for_threshold;
use super::comments::contradiction;
use super::json::{from_json, from_object, is_json, is_object};
use super::line::{Parts, Said, read_fields};
use super::lines::{Line, Lines, says_nothing};
use super::named::read_named;
use super::objects::{Object, objects};
use super::on_all_threads;
use super::rows::rows;
use super::skipped::is_meant_to_fail;
use super::statement::{Call, read_call};
use super::table::Header;
use super::uses::Uses;
use super::whole::{Extent, Whole, extent};
use super::words::{find_board, is_square_of_capture};
use super::wrong::{Stage, Wrong};
use crate::formats::move_on;
use swaplist::{PackedMove, Position, PositionError};

/// What was read of a line, or of an object of JSON.
pub(super) struct Entry<'a> {
    /// The number of its line, or of its first line.
    pub line: u64,
    /// What it was read from; empty if that is not text.
    pub text: Cow<'a, str>,
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
    let mut entries = read_broken(entries, &lines);
    let uses = Uses::find(&lines.all);
    for entry in &mut entries {
        let doubt = entry
            .draft
            .as_ref()
            .ok()
            .and_then(|draft| draft.doubt(&uses));
        if let Some(doubt) = doubt {
            entry.draft = Err(Stage::Fields.wrong(doubt));
        }
    }
    entries
}

fn entries_of_objects<'a>(found: &[Object<'a>]) -> Vec<Entry<'a>> {
    let entries = on_all_threads(found, |object| {
        let (line, text) = (object.line, object.text);
        let entry = |parts: Result<Parts, Wrong>| Entry {
            line,
            text: Cow::Borrowed(text),
            draft: parts.and_then(|parts| Draft::from_parts(parts, line, Form::Named)),
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
    let (text, drafts) = match line.text() {
        Ok(text) if says_nothing(text) => return Vec::new(),
        Ok(text) if line.is_to_fail && find_board(text).is_some() => (text, vec![Err(to_fail())]),
        Ok(text) => {
            let header = line.header.map(|at| &lines.headers[at]);
            (text, Draft::read_all(text, number, header))
        }
        Err(reason) => ("", vec![Err(Stage::Text.wrong(reason.to_string()))]),
    };
    let entry = |draft| Entry {
        line: number,
        text: Cow::Borrowed(text),
        draft,
    };
    drafts.into_iter().map(entry).collect()
}

fn to_fail() -> Wrong {
    Stage::Fields.wrong("it is in a test or a block that is meant to fail or is not run")
}

/// Reads answers that go over several lines, in place of what each of these lines says by itself.
fn read_broken<'a>(entries: Vec<Vec<Entry<'a>>>, lines: &Lines<'_>) -> Vec<Entry<'a>> {
    let mut kept: Vec<Entry<'a>> = Vec::with_capacity(entries.len());
    let mut read_to = 0;
    let mut shared_to = 0;
    for mut of_line in entries {
        let [entry] = &mut of_line[..] else {
            kept.append(&mut of_line);
            continue;
        };
        if entry.line <= read_to {
            continue;
        }
        let extent = entry.extent(&lines.all);
        match extent {
            Extent::Line if entry.line > shared_to => {}
            Extent::Lines(whole) => {
                entry.join(&whole, lines);
                read_to = whole.last;
                while kept.last().is_some_and(|before| before.line >= whole.first) {
                    kept.pop();
                }
            }
            Extent::Line | Extent::Unclear => entry.refuse_as_part(),
            Extent::Shared(last) => {
                entry.refuse_as_part();
                shared_to = last;
            }
        }
        kept.append(&mut of_line);
    }
    kept
}

impl Entry<'_> {
    /// The lines that it is a part of.
    fn extent(&self, lines: &[Line<'_>]) -> Extent {
        let place = lines.binary_search_by_key(&self.line, |line| line.number);
        match place {
            Ok(place)
                if !(lines[place].is_to_fail || self.draft.is_ok() && is_object(&self.text)) =>
            {
                extent(lines, place)
            }
            _ => Extent::Line,
        }
    }

    /// Reads it with these lines.
    fn join(&mut self, whole: &Whole, lines: &Lines<'_>) {
        let header = whole.header.map(|at| &lines.headers[at]);
        let draft = Draft::read_under(header, &whole.text, self.line);
        if draft.is_ok() || self.draft.is_ok() {
            self.draft = draft.map_err(|wrong| Wrong {
                message: format!("up to line {}, {}", whole.last, wrong.message),
                ..wrong
            });
        }
        self.text = Cow::Owned(whole.text.clone());
    }

    fn refuse_as_part(&mut self) {
        if self.draft.is_ok() {
            let message = "it is a part of a call of several lines that is not clear";
            self.draft = Err(Stage::Fields.wrong(message));
        }
    }
}

/// An answer whose unit is not known yet.
#[derive(Clone, Debug)]
pub(super) struct Draft {
    pub fen: String,
    pub position: Position,
    pub capture: PackedMove,
    pub said: Said,
    pub line: u64,
    form: Form,
}

/// What of the text of an answer says what its number is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// The call that asks for the SEE.
    Call,
    /// The names of fields or columns.
    Named,
    /// Its place in a row.
    Row,
}

impl Draft {
    /// All answers of a line: several if it is JSON with a list of moves.
    fn read_all(text: &str, line: u64, header: Option<&Header>) -> Vec<Result<Draft, Wrong>> {
        if is_object(text) {
            let all = from_json(text.trim_end_matches([',', ' '])).into_iter();
            return all
                .map(|parts| Draft::from_parts(parts?, line, Form::Named))
                .collect();
        }
        let one = Draft::read_under(header, text, line);
        if one.is_err()
            && let Some(rows) = rows(text)
        {
            let all: Vec<_> = rows.iter().map(|row| Draft::read(row, line)).collect();
            if all.iter().all(Result::is_ok) {
                return all;
            }
        }
        vec![one]
    }

    /// One answer under the header of a table, if there is one.
    fn read_under(header: Option<&Header>, text: &str, line: u64) -> Result<Draft, Wrong> {
        match header.and_then(|header| header.row(text)) {
            Some(parts) => {
                Draft::from_parts(parts?, line, Form::Named)?.unless_named_otherwise(text)
            }
            None => Draft::read(text, line),
        }
    }

    /// Unless a comment calls its number something else.
    fn unless_named_otherwise(self, text: &str) -> Result<Draft, Wrong> {
        match contradiction(text, &self.said) {
            Some(comment) => Err(Stage::Fields.wrong(format!(
                "the comment '{comment}' may say something else of the number"
            ))),
            None => Ok(self),
        }
    }

    /// The one answer of a text of a line or several, the first of which has this number.
    pub fn read_text(text: &str, line: u64) -> Result<Draft, Wrong> {
        if is_object(text) || !text.contains('\n') && !says_nothing(text) {
            return Draft::read(text, line);
        }
        let mut all = entries(text.as_bytes()).into_iter();
        let (Some(one), None) = (all.next(), all.next()) else {
            return Err(Stage::Fields.wrong("this is not one answer"));
        };
        one.draft.map(|draft| Draft { line, ..draft })
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
        if text.contains('(') {
            if is_meant_to_fail(text) {
                return Err(to_fail());
            }
            // Its number is a threshold, which would look like a value. Most lines hold no call.
            if asks_for_threshold(text)
                && let Some(call) = read_call(text)
            {
                return Draft::from_call(call, line)?.unless_named_otherwise(text);
            }
        }
        let found = read_fields(text).and_then(|parts| Draft::from_parts(parts, line, Form::Row));
        let found = found.or_else(|wrong| match (read_call(text), read_named(text)) {
            (Some(call), _) => Draft::from_call(call, line),
            (None, Some(parts)) => Draft::from_parts(parts, line, Form::Named),
            (None, None) => Err(wrong),
        });
        found?.unless_named_otherwise(text)
    }

    fn from_call(Call { parts, is_row }: Call, line: u64) -> Result<Draft, Wrong> {
        Draft::from_parts(parts, line, if is_row { Form::Row } else { Form::Call })
    }

    /// Why a program around it may say that its number is something else.
    fn doubt(&self, uses: &Uses) -> Option<String> {
        match self.form {
            Form::Call => None,
            form => uses.doubt(self.said.holds.is_some(), form == Form::Named),
        }
    }

    fn from_parts(Parts { fen, name, said }: Parts, line: u64, form: Form) -> Result<Draft, Wrong> {
        let fields = fen.split_ascii_whitespace().count();
        if fields < 4 {
            return Err(Stage::Position.wrong(PositionError::Fields(fields).to_string()));
        }
        let position = Position::from_ascii(fen.as_bytes())
            .map_err(|error| Stage::Position.wrong(error.to_string()))?;
        let capture =
            move_on(&fen, position, &name).map_err(|error| Stage::Move.wrong(error.to_string()))?;
        if is_square_of_capture(&name, &capture.to_string()) {
            let message = format!("'{name}' may be a square; the pawn's capture is {capture}");
            return Err(Stage::Move.wrong(message));
        }
        Ok(Draft {
            fen,
            position,
            capture,
            said,
            line,
            form,
        })
    }
}
