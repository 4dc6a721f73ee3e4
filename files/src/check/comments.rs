//! What comments call the numbers beside them. A comment is passed over, except if it says that a
//! number is something else than the program does:
//!
//! ```text
//! {"FEN", "e4d5", /* threshold */ 137}
//! see_ge("FEN", "e4d5", 137);   // false
//! ```

use super::applied::OTHERS;
use super::callee::{NO, denies};
use super::line::{Said, truth, without_line_comment};
use super::names::Role;
use super::tokens::segments;

/// The comment that calls the number of a claim, or its truth, something else.
pub(super) fn contradiction<'a>(text: &'a str, said: &Said) -> Option<&'a str> {
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("/*") {
        let Some((comment, next)) = after.split_once("*/") else {
            break;
        };
        if contradicts(comment, before, next, said) {
            return Some(comment.trim());
        }
        rest = next;
    }
    // What is left is after the last block comment.
    let rest = rest.trim_end();
    let code = without_line_comment(rest);
    let comment = rest[code.len()..].trim_start_matches([' ', '\t', '/', '#']);
    ends_as_other(comment, said).then_some(comment)
}

/// Whether a comment between two parts of a text calls the number beside it something else.
fn contradicts(comment: &str, before: &str, after: &str, said: &Said) -> bool {
    let after = after.trim_start();
    let is_number = after
        .trim_start_matches(['-', '+'])
        .starts_with(|char: char| char.is_ascii_digit());
    let is_truth = ["true", "false", "True", "False"]
        .iter()
        .any(|word| after.starts_with(word));
    if !is_number && !is_truth {
        let follows_number = before
            .trim_end_matches([' ', ','])
            .ends_with(|char: char| char.is_ascii_digit());
        return follows_number && ends_as_other(comment, said);
    }
    let name = comment.trim().trim_end_matches(['=', ':']).trim_end();
    let role = Role::from_name(name).map(|(role, _)| role);
    let is_label = name.len() < comment.trim().len();
    let mut words = name.split(|char: char| !char.is_alphanumeric());
    match (is_truth, said.holds) {
        // It may be about the number before the truth.
        (true, _) => words.any(denies) || is_label && matches!(role, None | Some(Role::Relation)),
        (false, Some(_)) => is_label && !matches!(role, Some(Role::Threshold | Role::Value)),
        (false, None) => words.any(is_other_word) || is_label && role != Some(Role::Value),
    }
}

/// Whether a comment after a claim says no more than that the number is something else: a truth, words
/// of a threshold, or a comparison.
fn ends_as_other(comment: &str, said: &Said) -> bool {
    const COMPARES: [&str; 7] = ["<", ">", "!=", "\u{2264}", "\u{2265}", "\u{2260}", "~"];
    let comment = comment.trim();
    let word = comment.trim_start_matches(['=', '-', '>', ' ']);
    if matches!(&*word.to_ascii_lowercase(), "true" | "false") {
        return truth(word) != said.holds;
    }
    if said.holds.is_some() {
        return false;
    }
    let mut words = comment
        .split(|char: char| !char.is_alphanumeric())
        .filter(|word| !word.is_empty());
    let has_claim = || {
        words
            .clone()
            .any(|word| matches!(Role::from_name(word), Some((Role::Value, _))))
    };
    let signs = comment.replace("=>", "").replace("->", "");
    let begins = COMPARES.iter().any(|sign| signs.trim().starts_with(sign));
    let compares = begins || COMPARES.iter().any(|sign| signs.contains(sign)) && has_claim();
    let is_of_threshold = |word: &str| {
        let role = Role::from_name(word);
        matches!(role, Some((Role::Threshold | Role::Holds, 0))) || NO.contains(&word)
    };
    let are_of_threshold = words.clone().next().is_some() && words.all(is_of_threshold);
    compares || are_of_threshold
}

/// Whether a word is of a threshold, or of a number that is not the SEE.
pub(super) fn is_other_word(word: &str) -> bool {
    let is_threshold = matches!(
        Role::from_name(word),
        Some((Role::Threshold | Role::Holds, _))
    );
    let words = segments(word);
    is_threshold || denies(word) || words.iter().any(|word| OTHERS.contains(&word.as_str()))
}
