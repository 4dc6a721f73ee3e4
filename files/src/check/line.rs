//! An answer on a line, in the forms that test suites have.
//!
//! ```text
//! FEN; move; value
//! FEN move value                      // a comment
//! {"FEN", "move", threshold, true},
//! | 7 | `FEN` | move | value | why |
//! ```
//!
//! The FEN is found by its board, as a word with seven slashes, and is read as in files of text. Only a
//! bracket, a quote or the cells of a table may be before it. The sign after it separates all fields
//! that follow: `;`, a tab, `|`, `,`, or blanks if there is none.

use std::borrow::Cow;

use super::amount::{Amount, SIGNS, amount};
use super::callee::{begins_entry, unknown_name};
use super::claim::Claim;
use super::literal::{QUOTES, after_literal, before_literal, unquoted};
use super::names::Role;
use super::words::{SEPARATORS, find_board};
use super::wrong::{Stage, Wrong};
use crate::formats::split_fen;

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
    /// That the SEE reaches a threshold, or that it does not.
    pub fn at_least(threshold: &str, holds: &str) -> Result<Said, Wrong> {
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

const OPENING: [char; 3] = ['{', '(', '['];
const CLOSING: [char; 3] = ['}', ')', ']'];

/// Reads a line whose fields are a FEN, a move and a claim.
pub(super) fn read_fields(text: &str) -> Result<Parts, Wrong> {
    let uncommented = without_comments(text);
    let (fen, after) = split_at_fen(&uncommented)?;
    let fields = fields(after);
    let [name, claim @ ..] = &fields[..] else {
        return Err(wrong_fields("1 field"));
    };
    if claim.is_empty() {
        return Err(wrong_fields("2 fields"));
    }
    let said = read_claim(claim)?;
    // After a threshold and its truth only comments follow, and no threshold after a value.
    let read = 1 + usize::from(said.holds.is_some() && !claim[0].contains(">="));
    let next = claim.get(read);
    let has_more = said.holds.is_some() && next.is_some_and(|field| is_meant_as_truth(field));
    if has_more || next.is_some_and(|field| field.contains(">=")) {
        return Err(wrong_fields(&format!("{} fields", 1 + fields.len())));
    }
    if said.holds.is_none() {
        let is_in_words = after.starts_with(' ') && !after.trim_start().starts_with(SEPARATORS);
        let is_initialiser = uncommented[..offset(&uncommented, fen)].contains(OPENING);
        let value_end = offset(&uncommented, claim[0]) + claim[0].len();
        let is_sum = matches!(said.amount, Amount::Pieces(_));
        let changes = if is_in_words {
            is_sum && claim.len() > 1
        } else {
            claim[1..].iter().any(|field| is_truth(field))
        };
        let has_operator = |pair: &[&str]| {
            is_in_words && matches!(pair[0], "+" | "-" | "*" | "/") && is_meant_as_truth(pair[1])
        };
        if changes
            || claim.get(1..3).is_some_and(has_operator)
            || claim[1..].iter().any(|field| find_board(field) == Some(0))
            || next.is_some_and(|field| may_change(field))
            || is_initialiser && begins_with_name(&uncommented[value_end..])
            || is_initialiser && has_operator_of_program(&uncommented[value_end..])
        {
            return Err(Stage::Fields.wrong(format!(
                "what follows the value {} may make it something else, such as a threshold",
                claim[0]
            )));
        }
    }
    Ok(Parts {
        fen: fen.split_ascii_whitespace().collect::<Vec<_>>().join(" "),
        name: (*name).to_owned(),
        said,
    })
}

/// Without comments between `/*` and `*/`, and without one at the end.
pub(super) fn without_comments(text: &str) -> Cow<'_, str> {
    match without_block_comments(text) {
        Cow::Borrowed(text) => Cow::Borrowed(without_line_comment(text.trim())),
        Cow::Owned(text) => Cow::Owned(without_line_comment(text.trim()).to_owned()),
    }
}

/// Without comments between `/*` and `*/`. A FEN holds neither.
fn without_block_comments(text: &str) -> Cow<'_, str> {
    let Some((before, mut rest)) = text.split_once("/*") else {
        return Cow::Borrowed(text);
    };
    let mut kept = before.to_owned();
    while let Some((_, after)) = rest.split_once("*/") {
        let Some((between, next)) = after.split_once("/*") else {
            kept.push_str(after);
            break;
        };
        kept.push_str(between);
        rest = next;
    }
    Cow::Owned(kept)
}

/// Without a comment at the end: `// ...` after a blank or a separator, `# ...` after a bracket or a
/// comma and a blank.
pub(super) fn without_line_comment(text: &str) -> &str {
    let slashes = text
        .match_indices("//")
        .map(|(at, _)| &text[..at])
        .find(|before| before.ends_with([' ', '\t', ',', ';']));
    let text = slashes.map_or(text, str::trim_end);
    let hash = text
        .match_indices(" #")
        .map(|(at, _)| text[..at].trim_end());
    let mut ended = hash.filter(|before| before.ends_with([')', ']', '}', ',']));
    ended.next().unwrap_or(text)
}

/// The FEN of a line, and the fields after it, without the brackets and quotes around them.
fn split_at_fen(text: &str) -> Result<(&str, &str), Wrong> {
    let text = text.trim_end_matches(' ');
    // Without a board, the first field is refused as a FEN.
    let start = find_board(text).or_else(|| text.find(|char| !is_around_fen(char)));
    let (before, mut rest) = text.split_at(start.unwrap_or(text.len()));
    let ((outside, closes), quote) = match before.strip_suffix(QUOTES) {
        Some(outside) => (before_literal(outside), before.chars().next_back()),
        None => ((before.trim(), false), None),
    };
    // The name of a type or a function may be before a bracket, other cells before one of a table.
    let is_in_bracket = outside.ends_with(OPENING);
    let is_cell = outside.starts_with('|') && outside.ends_with('|');
    if !(outside.is_empty() || is_in_bracket && begins_entry(outside) || is_cell) {
        let found = before.trim();
        let shown = match found.char_indices().nth(40) {
            Some((end, _)) => format!("{}…", &found[..end]),
            None => found.to_owned(),
        };
        let unknown = unknown_name(before).map(|name| format!("; '{name}' may say anything of it"));
        let unknown = unknown.unwrap_or_default();
        return Err(wrong_fields(&format!("'{shown}' before the FEN{unknown}")));
    }
    if is_in_bracket {
        rest = rest.trim_end_matches(|char| ends_fields(char) || CLOSING.contains(&char));
    }
    let Some(quote) = quote else {
        let field = &rest[..rest.find(ends_fen).unwrap_or(rest.len())];
        let fen = split_fen(field).map_or(field, |(fen, _)| fen);
        return Ok((fen, &rest[fen.len()..]));
    };
    // The quotes are around the FEN, or around all fields.
    let of_fen = rest.split_once(quote);
    let of_all = rest.trim_end_matches(ends_fields).strip_suffix(quote);
    match (of_fen, of_all) {
        (Some((fen, after)), all) if all.is_none() || is_one_field(fen) => {
            Ok((fen, after_literal(after, closes)))
        }
        (_, Some(all)) => split_at_fen(all),
        _ => Err(wrong_fields(&format!("a {quote} that is not closed"))),
    }
}

/// Whether a text has no field after its FEN. The words of a FEN may be separated by tabs.
fn is_one_field(text: &str) -> bool {
    let words_after = split_fen(text).map_or("", |(_, after)| after.trim());
    words_after.is_empty() && !text.contains([';', '|', ','])
}

fn is_around_fen(char: char) -> bool {
    char == ' ' || char == '|' || OPENING.contains(&char) || QUOTES.contains(&char)
}

fn ends_fen(char: char) -> bool {
    SEPARATORS.contains(&char) || QUOTES.contains(&char) || CLOSING.contains(&char)
}

/// Whether a sign may follow the last field of an initialiser.
fn ends_fields(char: char) -> bool {
    matches!(char, ',' | ';' | ' ')
}

/// The fields after a FEN. If blanks separate them, a sum of pieces or a comparison is one field.
fn fields(after: &str) -> Vec<&str> {
    let after = after.trim_start_matches(' ');
    if let Some(separator) = after
        .chars()
        .next()
        .filter(|char| SEPARATORS.contains(char))
    {
        let mut is_quoted = false;
        let mut fields: Vec<&str> = after[1..]
            .split(|char| {
                is_quoted ^= char == '"';
                char == separator && !is_quoted
            })
            .map(|field| unquoted(field.trim()))
            .collect();
        // A separator may end the line.
        while fields.len() > 2 && fields.last() == Some(&"") {
            fields.pop();
        }
        return fields;
    }
    let after = after.trim_end_matches(SEPARATORS).trim();
    if let Some((name, claim)) = after.split_once(char::is_whitespace)
        && (claim.contains(">=") || amount(claim).is_ok())
        && !is_sign_apart(claim)
    {
        return vec![unquoted(name), claim.trim()];
    }
    after
        .split_ascii_whitespace()
        .map(|word| unquoted(word.trim_end_matches(SEPARATORS)))
        .collect()
}

/// Whether a text begins with a sign and a blank: between blanks, that may as well be a dash.
fn is_sign_apart(text: &str) -> bool {
    let number = text.trim_start_matches(SIGNS);
    number.len() < text.len() && number.starts_with(char::is_whitespace)
}

/// Reads a value, a threshold and whether the SEE reaches it, or a comparison. Fields that follow are
/// comments.
pub(super) fn read_claim(fields: &[&str]) -> Result<Said, Wrong> {
    let field = fields[0];
    if let Some((holds, threshold)) = field.split_once(">=") {
        return Said::at_least(threshold.trim(), holds.trim());
    }
    match fields.get(1) {
        Some(next) if is_meant_as_truth(next) => Said::at_least(field, next),
        _ => Ok(Said {
            amount: amount(field)?,
            holds: None,
        }),
    }
}

/// Whether a field is a truth, or a number or a word for one that is not read, rather than a comment.
pub(super) fn is_meant_as_truth(text: &str) -> bool {
    const WORDS: [&str; 10] = ["yes", "no", "y", "n", "t", "f", "on", "off", "pass", "fail"];
    truth(text).is_some()
        || WORDS.contains(&&*text.to_ascii_lowercase())
        || text.parse::<f64>().is_ok()
        || amount(text).is_ok_and(|amount| !matches!(amount, Amount::Pieces(_)))
}

/// Whether a field after a value, or the name in it, may say something else of it: it is a truth with
/// a name, as in `ExpectedResult = false`, the name of a threshold, a sign or a name of a comparison.
fn may_change(field: &str) -> bool {
    const COMPARES: [&str; 6] = ["lt", "le", "gt", "ge", "ne", "less"];
    let last = field.rsplit([':', '.']).next().unwrap_or_default();
    let role = Role::from_name(field).map(|(role, _)| role);
    is_named_truth(field)
        || matches!(role, Some(Role::Threshold | Role::Holds))
        || field.starts_with(['<', '>'])
        || COMPARES.contains(&&*last.to_ascii_lowercase())
}

/// Where a part of a text begins.
fn offset(text: &str, part: &str) -> usize {
    (part.as_ptr() as usize - text.as_ptr() as usize).min(text.len())
}

/// Whether a text has an arrow or a comparison outside of strings: a function may be given to compare
/// with.
fn has_operator_of_program(text: &str) -> bool {
    let mut parts = text.split(QUOTES).step_by(2);
    parts.any(|part| part.contains(['<', '>', '|']))
}

/// Whether the next field of an initialiser is a name, such as `LOSING`: not a string, nor labelled.
fn begins_with_name(after: &str) -> bool {
    let next = after.strip_prefix(QUOTES).unwrap_or(after);
    let next = next.trim_start_matches([' ', ',']);
    let is_of_name = |char: char| char.is_alphanumeric() || matches!(char, '_' | ':' | '.');
    let length = next.find(|char| !is_of_name(char)).unwrap_or(next.len());
    let (name, rest) = next.split_at(length);
    let is_nothing = matches!(name, "None" | "nil" | "null" | "nullptr");
    name.starts_with(char::is_alphabetic)
        && !is_nothing
        && !rest.starts_with(QUOTES)
        && !rest.trim_start().starts_with(['=', '(', '!'])
}

/// Whether a field is nothing but a truth, also one that is turned around or in doubt.
fn is_truth(field: &str) -> bool {
    let plain = field.trim_matches(['!', '~', '?', '(', ')', '}', ']', ' ']);
    truth(plain.strip_prefix("not ").unwrap_or(plain)).is_some()
}

/// Whether a field is a truth with a name, as in `ExpectedResult = false`: it is about what is before.
fn is_named_truth(field: &str) -> bool {
    let Some((name, value)) = field.split_once(['=', ':']) else {
        return false;
    };
    let is_word = |text: &str| {
        text.chars()
            .all(|char| char.is_alphanumeric() || char == '_')
    };
    let value = value.trim().to_ascii_lowercase();
    is_word(name.trim()) && matches!(&*value, "true" | "false")
}

pub(super) fn truth(text: &str) -> Option<bool> {
    match text.to_ascii_lowercase().as_str() {
        "0" | "false" => Some(false),
        "1" | "true" => Some(true),
        _ => None,
    }
}

fn wrong_fields(found: &str) -> Wrong {
    Stage::Fields.wrong(format!(
        "expected FEN;move;value, FEN;move;threshold;0|1 or FEN;move;true >= threshold, found {found}"
    ))
}
