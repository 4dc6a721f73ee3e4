//! What the functions that a line calls ask, by their names.

use super::applied::{OTHERS, is_assigned};
use super::tokens::{Bracket, Tokens, segments};

/// Whether a text names a function that says if the SEE is at least a threshold.
pub(super) fn asks_for_threshold(text: &str) -> bool {
    Tokens::new(text).names().any(asks)
}

/// Words that turn a yes into a no.
pub(super) const NO: [&str; 5] = ["false", "falsey", "falsy", "not", "refute"];
/// Words after which it is not clear what is expected.
pub(super) const UNCLEAR: [&str; 50] = [
    // What happens if a condition holds may be that the test fails.
    "if",
    "elif",
    "while",
    "until",
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
    "abs",
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
    // What fails or is empty.
    "death",
    "err",
    "exception",
    "nil",
    "nok",
    "none",
    "null",
    "raise",
    "throw",
    "zero",
];

/// Whether a text before a FEN may begin a table's entry: it has no call in a call, no
/// negation, and no word before a call, as in `assert see(..)`; and no name says that the number is
/// something else than the SEE.
pub(super) fn begins_entry(before: &str) -> bool {
    const THRESHOLDS: [&str; 4] = ["bad", "good", "margin", "threshold"];
    let tokens = Tokens::new(before);
    let brackets = tokens.brackets();
    let calls = brackets.iter().filter(|bracket| bracket.is_call()).count();
    let is_question = |bracket: &Bracket<'_>| {
        let name = bracket.name.unwrap_or_default();
        tokens.is_led_by_word(bracket) || name.eq_ignore_ascii_case("see") && is_assigned(&tokens)
    };
    let is_something_else = |name: &str| {
        let words = segments(name);
        let has = |list: &[&str]| words.iter().any(|word| list.contains(&&**word));
        has(&NO) || has(&UNCLEAR) || has(&OTHERS) || has(&THRESHOLDS)
    };
    calls <= 1
        && !brackets.iter().any(is_question)
        && !tokens.names().any(asks)
        && !tokens.names().any(is_something_else)
        && !tokens.has_negation()
}

/// Whether a function of this name says if the SEE is at least a threshold.
pub(super) fn asks(name: &str) -> bool {
    asked(&segments(name)).is_some()
}

/// The words of the name of a function that asks for a threshold, without those that say so.
pub(super) fn words_around_question(name: &str) -> Vec<String> {
    let mut words = segments(name);
    if let Some((start, length)) = asked(&words) {
        words.drain(start..start + length);
    }
    words
}

/// Where the words are that ask for a threshold, and their number.
fn asked(words: &[String]) -> Option<(usize, usize)> {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    (0..words.len()).find_map(|start| {
        let length = match words[start..] {
            ["seege", ..] => 1,
            ["see", "greater", "or" | "equal" | "eq", ..] | ["see", "at", "least", ..] => 3,
            ["see", "ge" | "geq" | "atleast", ..] | ["seeat", "least", ..] => 2,
            _ => return None,
        };
        Some((start, length))
    })
}
