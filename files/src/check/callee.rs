//! What the functions that a line calls ask, by the words of their names. A function such as
//! `see_ge` asks for a threshold: it says whether the SEE is at least that.

use super::applied::{OTHERS, is_assigned};
use super::tokens::{Bracket, Tokens, segments};

/// Whether a text names a function that asks for a threshold.
pub(super) fn asks_for_threshold(text: &str) -> bool {
    Tokens::new(text).names().any(asks)
}

/// Words that turn a yes into a no.
pub(super) const NO: [&str; 6] = ["false", "falsef", "falsey", "falsy", "not", "refute"];
/// Words after which it is not clear what is expected.
pub(super) const UNCLEAR: &[&str] = &[
    // A condition: if it holds, the test may fail.
    "if",
    "elif",
    "while",
    "until",
    // Another comparison than for equality, another number than the SEE, or a denial.
    "ne",
    "gt",
    "lt",
    "ge",
    "le",
    "greater",
    "less",
    "least",
    "most",
    "above",
    "below",
    "under",
    "exceeds",
    "atmost",
    "greaterf",
    "lessf",
    "lte",
    "abs",
    "inverse",
    "invert",
    "minus",
    "mirror",
    "negate",
    "negative",
    "neg",
    "never",
    "fail",
    "fails",
    "no",
    "min",
    "max",
    "isnt",
    "isn",
    "isnot",
    "notequal",
    "neq",
    "noteq",
    "unequal",
    "differ",
    "differs",
    "different",
    "distinct",
    "unlike",
    "unless",
    "deny",
    "reject",
    "throws",
    "raises",
    // An error, or nothing.
    "death",
    "err",
    "exception",
    "nil",
    "nilf",
    "nok",
    "none",
    "null",
    "raise",
    "throw",
    "zero",
    "zerof",
];

/// Whether a text before a FEN may begin a table's entry. Then it has at most one call, no word
/// before that, as in `assert see(..)`, and no negation. No name in it asks for a threshold, or
/// says that the number is something other than the SEE.
pub(super) fn begins_entry(before: &str) -> bool {
    const THRESHOLDS: [&str; 4] = ["bad", "good", "margin", "threshold"];
    let tokens = Tokens::new(before);
    let brackets = tokens.brackets();
    let calls = brackets.iter().filter(|bracket| bracket.is_call()).count();
    // A call after a word such as `assert`, or a `see` that is assigned, is not an entry: its
    // number may be an argument instead of the SEE.
    let is_question = |bracket: &Bracket<'_>| {
        let name = bracket.name.unwrap_or_default();
        tokens.is_led_by_word(bracket) || name.eq_ignore_ascii_case("see") && is_assigned(&tokens)
    };
    let is_something_else = |name: &str| {
        let words = segments(name);
        let has = |list: &[&str]| words.iter().any(|word| list.contains(&&**word));
        has(&NO) || has(UNCLEAR) || has(&OTHERS) || has(&THRESHOLDS)
    };
    calls <= 1
        && !brackets.iter().any(is_question)
        && !tokens.names().any(asks)
        && !tokens.names().any(is_something_else)
        && !tokens.has_negation()
}

/// Whether a function of this name asks for a threshold.
pub(super) fn asks(name: &str) -> bool {
    asked(&segments(name)).is_some()
}

/// The words of a name without those that ask for a threshold, if it has such.
pub(super) fn words_around_question(name: &str) -> Vec<String> {
    let mut words = segments(name);
    if let Some((start, length)) = asked(&words) {
        words.drain(start..start + length);
    }
    words
}

/// The place of the first of the words that ask for a threshold, and their number.
fn asked(words: &[String]) -> Option<(usize, usize)> {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    (0..words.len()).find_map(|start| {
        // `segments` does not divide capitals alone: `SEEGE` is `seege`.
        let length = match words[start..] {
            ["seege", ..] => 1,
            ["see", "greater", "or" | "equal" | "eq", ..] | ["see", "at", "least", ..] => 3,
            ["see", "ge" | "geq" | "gte" | "atleast", ..] => 2,
            _ => return None,
        };
        Some((start, length))
    })
}
