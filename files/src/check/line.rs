//! What a line of answers says, in the forms that test suites have.
//!
//! A FEN comes first: on its own, in quotes, or in the brackets of an initialiser in C, Rust or Python.
//! What follows it tells how fields are separated: `;`, a tab, `|`, `,` or blanks.

use std::borrow::Cow;

use super::claim::Claim;
use crate::formats::split_fen;
use swaplist::PieceValues;

/// A line that is not an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Wrong {
    pub stage: Stage,
    pub message: String,
}

/// What of a line cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    Text,
    Fields,
    Position,
    Move,
    Value,
}

impl Stage {
    pub fn wrong(self, message: impl Into<String>) -> Wrong {
        let message = message.into();
        Wrong {
            stage: self,
            message,
        }
    }
}

/// The parts of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Parts {
    pub fen: String,
    /// The move's name.
    pub name: String,
    pub said: Said,
}

/// A claim whose unit is not known yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Said {
    pub amount: Amount,
    /// Whether the SEE is at least that; `None`: it is that.
    pub holds: Option<bool>,
}

impl Said {
    pub fn claim(self, number: i32) -> Claim {
        match self.holds {
            None => Claim::Value(number),
            Some(holds) => Claim::AtLeast {
                threshold: number,
                holds,
            },
        }
    }
}

/// A number as it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Amount {
    Whole(i64),
    /// With a decimal point, in hundredths.
    Hundredths(i64),
    /// A sum of pieces, at the values of [`PieceValues::CPW`].
    Pieces(i64),
}

/// Whether a line says nothing: it is empty, a comment, the header of a table, a lone bracket, or
/// code around the lines of an initialiser.
pub(super) fn says_nothing(text: &str) -> bool {
    let is_comment = text.starts_with('#') || text.starts_with("//") || is_block_comment(text);
    let has_words = text.contains(|c: char| c.is_ascii_alphanumeric());
    let opens = text.ends_with(['{', '[', '(']) && !text.contains('/');
    is_comment || !has_words || opens || is_header(text) || is_code(text)
}

/// Whether a line is the header of a table: its first column is named `fen`, or in Markdown any.
fn is_header(text: &str) -> bool {
    let is_fen = |name: &str| name.trim().eq_ignore_ascii_case("fen");
    if let Some(row) = text.strip_prefix('|') {
        return row.split('|').any(is_fen);
    }
    text.split_at_checked(3).is_some_and(|(name, after)| {
        is_fen(name) && after.trim_start_matches(' ').starts_with(SEPARATORS)
    })
}

/// Whether a line is a comment between `/*` and `*/`, or one of several lines of such a comment.
fn is_block_comment(text: &str) -> bool {
    let ends = text.find("*/").is_none_or(|end| end + 2 == text.len());
    (text.starts_with("/*") && ends) || text.starts_with('*')
}

/// Whether a line declares something in C, C++, Rust or Python. It holds no board, whose ranks are
/// separated by slashes, so it cannot be an answer.
fn is_code(text: &str) -> bool {
    const WORDS: &[&str] = &[
        "auto",
        "bool",
        "char",
        "class",
        "const",
        "constexpr",
        "def",
        "double",
        "enum",
        "fn",
        "import",
        "int",
        "let",
        "namespace",
        "pub",
        "return",
        "static",
        "string",
        "struct",
        "typedef",
        "use",
        "using",
        "void",
    ];
    let first = text
        .split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))
        .next()
        .unwrap_or_default();
    let is_declaration = WORDS.contains(&first) || text.starts_with("std::");
    !text.contains('/') && is_declaration
}

/// What separates fields, besides blanks.
const SEPARATORS: [char; 4] = [';', '\t', '|', ','];

/// The parts of a line with fields.
pub(super) fn parts_of(text: &str) -> Result<Parts, Wrong> {
    let row = table_row(text);
    let uncommented = without_block_comments(row.as_deref().map_or(text, str::trim));
    let content = unwrapped(without_comment(uncommented.trim()));
    match separator_of(content) {
        Some(separator) => {
            let mut fields: Vec<&str> = split(content, separator).map(unquoted).collect();
            // A separator may end the line.
            while fields.len() > 3 && fields.last() == Some(&"") {
                fields.pop();
            }
            from_fields(&fields)
        }
        None => from_words(content),
    }
}

/// Whether a text in braces begins with a key, as JSON does, rather than a FEN.
pub(super) fn is_object(text: &str) -> bool {
    let first = text.strip_prefix('{').map(str::trim_start);
    let key = first.and_then(|text| text.strip_prefix('"'));
    let after = key.and_then(|text| text.split_once('"'));
    text.starts_with("{}") || after.is_some_and(|(_, after)| after.trim_start().starts_with(':'))
}

/// A row of a Markdown table as a line with fields, from its FEN on.
fn table_row(text: &str) -> Option<Cow<'_, str>> {
    let inside = text.strip_prefix('|')?.trim_end().trim_end_matches('|');
    let mut start = 0;
    for cell in inside.split('|') {
        if cell.matches('/').count() == 7 {
            let row = &inside[start..];
            return Some(if row.contains('`') {
                Cow::Owned(row.replace('`', ""))
            } else {
                Cow::Borrowed(row)
            });
        }
        start += cell.len() + 1;
    }
    None
}

/// Without comments between `/*` and `*/`. A FEN holds neither.
fn without_block_comments(text: &str) -> Cow<'_, str> {
    let mut text = Cow::Borrowed(text);
    while let Some(start) = text.find("/*") {
        let after = &text[start + 2..];
        let end = after
            .find("*/")
            .map_or(text.len(), |end| start + 2 + end + 2);
        text = Cow::Owned([&text[..start], &text[end..]].concat());
    }
    text
}

/// Without a comment at the end, `// ...` after a blank.
fn without_comment(text: &str) -> &str {
    let mut starts = text
        .match_indices("//")
        .map(|(at, _)| &text[..at])
        .filter(|before| before.ends_with([' ', '\t', ',', ';']));
    starts.next().map_or(text, str::trim_end)
}

/// The fields of an initialiser `{"FEN", "move", value},`, or of a string `"FEN; move; value",`.
fn unwrapped(text: &str) -> &str {
    let ended = text.trim_end_matches([',', ';', ' ']);
    let opened = match text.find(['"', '\'']) {
        // A name of a type or a function may be before the bracket.
        Some(quote) if !text[..quote].contains('/') => {
            let before = text[..quote].trim_end();
            before
                .ends_with(['{', '(', '['])
                .then_some(&ended[quote.min(ended.len())..])
        }
        _ => ended.strip_prefix(['{', '(', '[']),
    };
    let Some(after) = opened else {
        return whole_string(ended).unwrap_or(text);
    };
    let fields = after.trim_end_matches([',', ';', ' ', '}', ')', ']']);
    whole_string(fields).unwrap_or(fields).trim()
}

/// The content of a string that is the whole text, if it holds fields.
fn whole_string(text: &str) -> Option<&str> {
    let quote = text.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    let content = text[1..].strip_suffix(quote)?;
    let is_whole = !content.contains(quote) && content.contains([';', '\t', '|', ',', ' ']);
    is_whole.then_some(content.trim())
}

/// The separator after the FEN; `None` if that is a blank.
fn separator_of(text: &str) -> Option<char> {
    if let Some(quote @ ('"' | '\'')) = text.chars().next() {
        let (_, after) = text[1..].split_once(quote)?;
        return after
            .trim_start_matches(' ')
            .chars()
            .next()
            .filter(|c| SEPARATORS.contains(c));
    }
    let at = text.find(SEPARATORS)?;
    // Without more words than a FEN has.
    let before = text[..at].trim_end();
    let is_fen = split_fen(before).is_none_or(|(_, after)| after.is_empty());
    is_fen.then(|| text[at..].chars().next())?
}

/// The fields between separators that are not in quotes.
fn split(text: &str, separator: char) -> impl Iterator<Item = &str> {
    let mut is_quoted = false;
    text.split(move |c| {
        is_quoted ^= c == '"';
        c == separator && !is_quoted
    })
    .map(str::trim)
}

fn unquoted(field: &str) -> &str {
    let in_quotes = |quote: char| field.strip_prefix(quote)?.strip_suffix(quote);
    in_quotes('"')
        .or_else(|| in_quotes('\''))
        .map_or(field, str::trim)
}

fn from_fields(fields: &[&str]) -> Result<Parts, Wrong> {
    let [fen, name, claim @ ..] = fields else {
        return Err(wrong_fields(fields.len()));
    };
    let Some((first, after)) = claim.split_first() else {
        return Err(wrong_fields(fields.len()));
    };
    let said = said_of(first, after.first().copied())?;
    // After a threshold and its truth only comments follow.
    let is_more = after
        .get(1)
        .is_some_and(|field| truth(field).is_some() || is_meant_as_truth(field));
    if said.holds.is_some() && is_more {
        return Err(wrong_fields(fields.len()));
    }
    Ok(Parts {
        fen: (*fen).to_owned(),
        name: (*name).to_owned(),
        said,
    })
}

/// Fields separated by blanks: a FEN has four to six words.
fn from_words(text: &str) -> Result<Parts, Wrong> {
    let (fen, after) = match whole_fen(text) {
        Some(found) => found,
        None => split_fen(text).unwrap_or((text, "")),
    };
    let fen = fen.split_ascii_whitespace().collect::<Vec<_>>().join(" ");
    let words: Vec<&str> = after.split_ascii_whitespace().map(unquoted).collect();
    let [name, claim @ ..] = &words[..] else {
        return Err(wrong_fields(1));
    };
    let Some((first, after)) = claim.split_first() else {
        return Err(wrong_fields(2));
    };
    let whole = claim.join(" ");
    let is_one = whole.contains(">=") || amount(&whole).is_ok();
    let said = if is_one {
        said_of(&whole, None)?
    } else {
        said_of(first.trim_end_matches(SEPARATORS), after.first().copied())?
    };
    Ok(Parts {
        fen,
        name: (*name).to_owned(),
        said,
    })
}

/// A FEN in quotes, and what follows it.
fn whole_fen(text: &str) -> Option<(&str, &str)> {
    let quote = text.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    let (fen, after) = text[1..].split_once(quote)?;
    Some((fen.trim(), after))
}

/// The claim of a field, and of the next one if that is 0 or 1. Otherwise the next one is a comment.
fn said_of(field: &str, next: Option<&str>) -> Result<Said, Wrong> {
    if let Some((holds, threshold)) = field.split_once(">=") {
        return at_least(threshold.trim(), holds.trim());
    }
    match next {
        Some(next) if truth(next).is_some() || is_meant_as_truth(next) => at_least(field, next),
        _ => Ok(Said {
            amount: amount(field)?,
            holds: None,
        }),
    }
}

fn at_least(threshold: &str, holds: &str) -> Result<Said, Wrong> {
    let amount = amount(threshold)?;
    let Some(holds) = truth(holds) else {
        return Err(Stage::Value.wrong(format!(
            "expected 0 or 1 (whether the SEE is at least {threshold}), found '{holds}'"
        )));
    };
    Ok(Said {
        amount,
        holds: Some(holds),
    })
}

/// Whether a field is a number or a word for a truth other than those read, rather than a comment.
fn is_meant_as_truth(text: &str) -> bool {
    const WORDS: [&str; 10] = ["yes", "no", "y", "n", "t", "f", "on", "off", "pass", "fail"];
    WORDS.contains(&&*text.to_ascii_lowercase()) || text.parse::<f64>().is_ok()
}

pub(super) fn truth(text: &str) -> Option<bool> {
    match text.to_ascii_lowercase().as_str() {
        "0" | "false" => Some(false),
        "1" | "true" => Some(true),
        _ => None,
    }
}

fn wrong_fields(found: usize) -> Wrong {
    let s = if found == 1 { "" } else { "s" };
    Stage::Fields.wrong(format!(
        "expected FEN;move;value, FEN;move;threshold;0|1 or FEN;move;true >= threshold, found \
         {found} field{s}"
    ))
}

/// A number: whole, also hexadecimal, with a decimal point, or a sum of pieces.
pub(super) fn amount(text: &str) -> Result<Amount, Wrong> {
    // Also with the sign of print.
    let plain = text.replace('\u{2212}', "-");
    let found = whole(&plain)
        .map(Amount::Whole)
        .or_else(|| hundredths(&plain).map(Amount::Hundredths))
        .or_else(|| pieces(&plain).map(Amount::Pieces));
    found.ok_or_else(|| {
        let is_sum = plain
            .trim_start_matches(['+', '-'])
            .contains(['+', '-', '*']);
        let hint = if is_sum {
            "; a sum is of numbers and pieces, such as P - R + B"
        } else {
            ""
        };
        let message = format!("expected a whole number of centipawns, found '{text}'{hint}");
        Stage::Value.wrong(message)
    })
}

fn whole(text: &str) -> Option<i64> {
    let (sign, digits) = signed(text);
    let hexadecimal = digits.strip_prefix("0x").or(digits.strip_prefix("0X"));
    let magnitude: u32 = match hexadecimal {
        Some(digits) => u32::from_str_radix(digits, 16).ok()?,
        None => digits.parse().ok()?,
    };
    // A sign after the first one is none.
    let is_digits = digits.starts_with(|c: char| c.is_ascii_digit());
    let is_unsigned = !hexadecimal.is_some_and(|digits| digits.starts_with('+'));
    let number = sign * i64::from(magnitude);
    (is_digits && is_unsigned && i32::try_from(number).is_ok()).then_some(number)
}

/// A number with a decimal point, as hundredths, if it is whole as such.
fn hundredths(text: &str) -> Option<i64> {
    let (sign, digits) = signed(text);
    let (whole, fraction) = digits.split_once('.')?;
    let are_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let (parts, rest) = fraction.split_at_checked(2).unwrap_or((fraction, ""));
    if !are_digits(whole) || !are_digits(parts) || whole.len() + parts.len() == 0 {
        return None;
    }
    if whole.len() > 9 || rest.bytes().any(|byte| byte != b'0') {
        return None;
    }
    Some(sign * format!("{whole}{parts:0<2}").parse::<i64>().ok()?)
}

fn signed(text: &str) -> (i64, &str) {
    match text.strip_prefix('-') {
        Some(digits) => (-1, digits),
        None => (1, text.strip_prefix('+').unwrap_or(text)),
    }
}

/// A sum of pieces and numbers, such as `P - R + B` or `pawn + 50`.
fn pieces(text: &str) -> Option<i64> {
    let mut sum = 0;
    let mut rest = text.trim();
    let mut is_first = true;
    while !rest.is_empty() {
        if !is_first && !rest.starts_with(['+', '-']) {
            return None;
        }
        let (sign, unsigned) = signed(rest);
        let term = unsigned.trim_start();
        let length = term.find(['+', '-', ' ']).unwrap_or(term.len());
        let (name, after) = term.split_at(length);
        sum += sign * value_of(name)?;
        rest = after.trim_start();
        is_first = false;
    }
    (!is_first).then_some(sum)
}

fn value_of(name: &str) -> Option<i64> {
    const NAMES: [&str; 5] = ["pawn", "knight", "bishop", "rook", "queen"];
    const LETTERS: [&str; 5] = ["p", "n", "b", "r", "q"];
    let lower = name.to_ascii_lowercase();
    let is_piece = |names: &[&str; 5]| names.iter().position(|name| *name == lower);
    match is_piece(&NAMES).or_else(|| is_piece(&LETTERS)) {
        Some(piece) => Some(PieceValues::CPW.to_array()[piece].into()),
        None => name.parse::<u16>().ok().map(i64::from),
    }
}
