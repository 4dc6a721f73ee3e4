//! Answers in programs and tables: a call with a FEN, a move and a value.
//!
//! ```text
//! assert_eq!(see(&"FEN".parse().unwrap(), "e2e4"), 100);
//! assert!(!see_ge(Board::from_fen("FEN"), "e2e4", 101));
//! SEE(FEN, e2e4) = 100
//! | 7 | `FEN` | e2e4 | 100 |
//! ```
//!
//! A call is an answer only if nothing has to be guessed: it has one FEN, one legal move and one
//! number.

use super::amount::{Amount, amount};
use super::line::{Parts, Said};
use crate::pasted::statement;

/// The parts of a call with one FEN, one legal move and one number.
pub(super) fn read_call(text: &str) -> Option<Parts> {
    let statement = statement(text)?;
    let [fen, ..] = &statement.used[..] else {
        return None;
    };
    let before = &statement.text[..fen.start];
    let is_call = before.match_indices('(').any(|(at, _)| {
        let name = before[..at].chars().next_back();
        name.is_some_and(|last| last.is_alphanumeric() || last == '!')
    });
    if !is_call || is_comparison(&statement.text) {
        return None;
    }
    let mut rest = statement.text.clone();
    for part in &statement.used {
        // Blanks of the same length keep the places of other parts.
        rest.replace_range(part.clone(), &" ".repeat(part.len()));
    }
    let comment = ["//", " #"].iter().filter_map(|sign| rest.find(sign)).min();
    let rest = &rest[..comment.unwrap_or(rest.len())];
    let mut numbers = numbers(rest);
    let amount = numbers.next().filter(|_| numbers.next().is_none())?;
    let said = Said {
        amount,
        holds: asks_for_threshold(rest).then(|| !is_denied(before, rest)),
    };
    Some(Parts {
        fen: statement.fen,
        name: statement.named,
        said,
    })
}

/// The numbers of a text that are not parts of names.
fn numbers(text: &str) -> impl Iterator<Item = Amount> + '_ {
    let words =
        text.split(|char: char| !(char.is_ascii_alphanumeric() || "._-+\u{2212}".contains(char)));
    words.filter_map(|word| {
        // `-225,` ends with a separator; `100i32` has its type.
        let word = word.trim_end_matches(['.', '-', '+']);
        let word = ["i32", "i16", "i64"]
            .iter()
            .find_map(|kind| word.strip_suffix(kind))
            .unwrap_or(word);
        amount(word.trim_end_matches('_'))
            .ok()
            .filter(|amount| !matches!(amount, Amount::Pieces(_)))
    })
}

/// Whether a comparison other than of a call is in a text: it is not clear what its value is.
fn is_comparison(text: &str) -> bool {
    let signs = ["<", ">", "<=", ">=", "!="];
    text.split_whitespace().any(|word| signs.contains(&word))
}

/// Whether a function that is called says if the SEE is at least a threshold.
pub(super) fn asks_for_threshold(text: &str) -> bool {
    let mut names = text.split(|char: char| !char.is_ascii_alphanumeric() && char != '_');
    names.any(|name| {
        let name = name.to_ascii_lowercase();
        name.ends_with("see_ge") || name.ends_with("seege") || name.ends_with("see_greater_equal")
    })
}

/// Whether a test expects that it is not.
fn is_denied(before: &str, rest: &str) -> bool {
    let lower = before.to_ascii_lowercase();
    let is_negated = ["(!", "not ", "_false(", "assertfalse("]
        .iter()
        .any(|sign| lower.contains(sign));
    let is_false = rest
        .split(|char: char| !char.is_alphanumeric())
        .any(|word| word.eq_ignore_ascii_case("false"));
    is_negated || is_false
}
