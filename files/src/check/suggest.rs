//! A line as it should be, of what can be found in one that is refused. A number or a truth is put in
//! only if it is clear that the line says it.

use shakmaty::san::SanPlus;
use shakmaty::uci::UciMove;

use super::amount::{Amount, amount};
use super::callee::asks_for_threshold;
use super::line::truth;
use super::names::Role;
use super::tokens::Tokens;
use super::words::{find_board, is_board, words_in};
use crate::formats::move_on;
use swaplist::Position;

/// What stands for a number that is not clear.
const VALUE: &str = "VALUE";
/// What stands for a threshold and its truth.
const THRESHOLD: &str = "THRESHOLD;0|1";

/// A line as it should be.
pub(super) fn rewritten(text: &str) -> String {
    let apart = text.replace(">=", " >= ").replace(':', " ");
    let words: Vec<&str> = words_in(&apart).collect();
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
    let is_move = |word: &str| move_on(&fen, position, word).is_ok();
    let name = after.iter().chain(before).find(|word| is_move(word));
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
    } else if is_call(text) {
        VALUE.to_owned()
    } else {
        value(beside_move, other_side).unwrap_or(VALUE).to_owned()
    };
    format!("{fen};{};{claim}", name.unwrap_or(&"MOVE"))
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
    all.all(|word| is_plain(word)).then_some(number)
}

/// Whether a word leaves a number beside it as it is.
fn is_plain(word: &str) -> bool {
    const WORDS: [&str; 6] = ["centipawns", "cp", "gives", "is", "of", "the"];
    const SIGNS: [&str; 4] = ["=>", "->", "=", "=="];
    let is_move = |part: &str| {
        let of_uci = UciMove::from_ascii(part.as_bytes()).is_ok();
        of_uci || SanPlus::from_ascii(part.as_bytes()).is_ok()
    };
    let is_plain_part = |part: &str| {
        let is_name = matches!(
            Role::from_name(part),
            Some((Role::Fen | Role::Move | Role::Value, _))
        );
        is_number(part) || is_name || is_move(part) || WORDS.contains(&&*part.to_ascii_lowercase())
    };
    let mut parts = word.split('=').filter(|part| !part.is_empty());
    SIGNS.contains(&word) || parts.all(is_plain_part)
}

fn is_number(word: &str) -> bool {
    matches!(amount(word), Ok(Amount::Whole(_) | Amount::Hundredths(_)))
}

/// Whether the position of a text is an argument of a call.
fn is_call(text: &str) -> bool {
    let Some(start) = find_board(text) else {
        return false;
    };
    let mut marked = text.to_owned();
    marked.replace_range(start..=start, &Tokens::FEN.to_string());
    Tokens::new(&marked).is_in_call()
}
