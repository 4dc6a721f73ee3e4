//! A line as it should be, of what can be found in one that is refused. A number or a truth is put in
//! only if it is clear that the line says it.

use super::amount::{Amount, amount};
use super::callee::asks_for_threshold;
use super::line::truth;
use super::literal::QUOTES;
use super::names::Role;
use super::tokens::{Tokens, segments};
use super::words::{self, find_board, is_board, words_in};
use crate::formats::move_on;
use swaplist::Position;

/// What stands for a number that is not clear.
const VALUE: &str = "VALUE";
/// What stands for a threshold and its truth.
const THRESHOLD: &str = "THRESHOLD;0|1";

/// A line as it should be; `None` without a position.
pub(super) fn rewritten(text: &str) -> Option<String> {
    let apart = text.replace(">=", " >= ").replace(':', " ");
    let words: Vec<&str> = words_in(&apart).collect();
    let found = words.iter().position(is_board).and_then(|start| {
        // The longest FEN that can be read.
        let most = words_in_string(text).unwrap_or(6);
        (4..=most).rev().find_map(|fields| {
            let end = start + fields;
            let fen = words.get(start..end)?.join(" ");
            let position = Position::from_ascii(fen.as_bytes()).ok()?;
            Some((fen, position, &words[..start], &words[end..]))
        })
    });
    let (fen, position, before, after) = found?;
    let is_move = |word: &str| move_on(&fen, position, word).is_ok();
    let mut moves = after.iter().chain(before).filter(|word| is_move(word));
    let found = |word: &str| move_on(&fen, position, word).ok();
    let first = moves.next();
    let name = first.filter(|name| moves.all(|other| found(other) == found(name)));
    // A number on the other side of the FEN than the move may be the line's.
    let is_move_first = before.iter().any(|word| is_move(word));
    let [beside_move, other_side] = if is_move_first {
        [before, after]
    } else {
        [after, before]
    };
    let claim = if asks_for_threshold(text) || words.iter().any(|word| is_of_threshold(word)) {
        THRESHOLD.to_owned()
    } else if words.contains(&">=") {
        comparison(beside_move, other_side, &is_move).unwrap_or_else(|| THRESHOLD.to_owned())
    } else if words.iter().any(|word| compares(word)) {
        THRESHOLD.to_owned()
    } else if is_call(text) {
        VALUE.to_owned()
    } else {
        let is_numbered = !is_move_first && is_numbered(text);
        let other_side = other_side
            .get(usize::from(is_numbered)..)
            .unwrap_or_default();
        value(beside_move, other_side).unwrap_or(VALUE).to_owned()
    };
    Some(format!("{fen};{};{claim}", name.unwrap_or(&"MOVE")))
}

/// The number of words of a FEN that is a string of its own.
fn words_in_string(text: &str) -> Option<usize> {
    let (before, fen) = text.split_at(find_board(text)?);
    let quote = before
        .chars()
        .next_back()
        .filter(|char| QUOTES.contains(char))?;
    let (fen, _) = fen.split_once(quote)?;
    Some(fen.split_whitespace().count().min(6))
}

/// Whether a line begins with its number, rather than with a field.
fn is_numbered(text: &str) -> bool {
    let digits = text.trim_start_matches(|char: char| char.is_ascii_digit());
    let is_number = digits.len() < text.len();
    is_number && digits.trim_start_matches(['.', ')', ':']).starts_with(' ')
}

/// Whether a word is a truth, or compares otherwise than by `>=`.
fn compares(word: &str) -> bool {
    let mut parts = word.split('=');
    let is_truth = |part: &str| matches!(&*part.to_ascii_lowercase(), "true" | "false");
    let words = segments(word);
    let last = words.last().map(String::as_str);
    parts.any(is_truth)
        || word.starts_with(['<', '>'])
        || matches!(last, Some("gt" | "ge" | "lt" | "le"))
}

/// Whether a word is a name for a threshold or its truth.
fn is_of_threshold(word: &str) -> bool {
    let role = Role::from_name(word.trim_matches('='));
    matches!(role, Some((Role::Threshold | Role::Holds, _)))
}

/// The claim `true >= 100` of words that say nothing else.
fn comparison(
    beside_move: &[&str],
    other_side: &[&str],
    is_move: &impl Fn(&str) -> bool,
) -> Option<String> {
    let (name, claim) = beside_move.split_first()?;
    let (holds, threshold) = match claim {
        [">=", threshold] => (true, threshold),
        [holds, ">=", threshold] => (truth(holds)?, threshold),
        _ => return None,
    };
    let is_clear =
        is_move(name) && is_number(threshold) && other_side.iter().all(|word| is_plain(word));
    is_clear.then(|| format!("{holds} >= {threshold}"))
}

/// The one number beside the move, if no word may turn it into another.
fn value<'a>(beside_move: &[&'a str], other_side: &[&str]) -> Option<&'a str> {
    let parts = |word: &'a str| word.split('=').filter(|part| !part.is_empty());
    let mut numbers = beside_move
        .iter()
        .flat_map(|word| parts(word))
        .filter(|part| is_number(part));
    let number = numbers.next().filter(|_| numbers.next().is_none())?;
    let mut all = beside_move.iter().chain(other_side);
    let is_only = !other_side.iter().any(|word| is_number(word));
    (is_only && all.all(|word| is_plain(word))).then_some(number)
}

/// Whether a word leaves a number beside it as it is.
fn is_plain(word: &str) -> bool {
    const WORDS: [&str; 6] = ["centipawns", "cp", "gives", "is", "of", "the"];
    const SIGNS: [&str; 4] = ["=>", "->", "=", "=="];
    let is_plain_part = |part: &str| {
        let is_name = matches!(
            Role::from_name(part),
            Some((Role::Fen | Role::Move | Role::Value, _))
        );
        is_number(part)
            || is_name
            || words::is_move(part)
            || WORDS.contains(&&*part.to_ascii_lowercase())
    };
    let mut parts = word.split('=').filter(|part| !part.is_empty());
    SIGNS.contains(&word) || parts.all(is_plain_part)
}

fn is_number(word: &str) -> bool {
    matches!(amount(word), Ok(Amount::Whole(_) | Amount::Hundredths(_)))
}

/// Whether the position of a text is an argument of a call.
fn is_call(text: &str) -> bool {
    find_board(text).is_some_and(|board| Tokens::new(&Tokens::mark(text, board)).is_in_call())
}
