//! What the functions that a line calls ask, by their names.

use super::tokens::{Tokens, segments};

/// Whether a text names a function that says if the SEE is at least a threshold.
pub(super) fn asks_for_threshold(text: &str) -> bool {
    Tokens::new(text).names().any(asks)
}

/// Whether a text before a FEN may begin a table's entry: it has no call in a call, no
/// negation, and no word before a call, as in `assert see(..)`.
pub(super) fn begins_entry(before: &str) -> bool {
    let tokens = Tokens::new(before);
    let calls = tokens
        .brackets()
        .iter()
        .filter(|bracket| bracket.is_call())
        .count();
    calls <= 1
        && !tokens
            .brackets()
            .iter()
            .any(|bracket| tokens.is_led_by_word(bracket))
        && !asks_for_threshold(before)
        && !tokens.has_negation()
}

/// Whether a function of this name says if the SEE is at least a threshold.
pub(super) fn asks(name: &str) -> bool {
    let segments = segments(name);
    let words: Vec<&str> = segments.iter().map(String::as_str).collect();
    words.contains(&"seege")
        || words.windows(2).any(|pair| {
            matches!(
                pair,
                ["see", "ge" | "geq" | "greater" | "atleast"] | ["seeat", "least"]
            )
        })
        || words
            .windows(3)
            .any(|three| three == ["see", "at", "least"])
}
