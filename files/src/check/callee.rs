//! What the functions that a line calls ask, by the words of their names. A function such as
//! `see_ge` asks for a threshold: it says whether the SEE is at least that.

use super::applied::OTHERS;
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
    // A call after a word such as `assert`, or of the SEE itself, is not an entry: its number may be
    // an argument, such as a threshold.
    let is_question = |bracket: &Bracket<'_>| {
        let name = bracket.name.unwrap_or_default();
        tokens.is_led_by_word(bracket) || is_see_itself(name)
    };
    let is_something_else = |name: &str| {
        let words = segments(name);
        let has = |list: &[&str]| words.iter().any(|word| list.contains(&&**word));
        has(&NO) || has(UNCLEAR) || has(&OTHERS) || has(&THRESHOLDS)
    };
    calls <= 1
        && unknown_name(before).is_none()
        && !brackets.iter().any(is_question)
        && !tokens.names().any(asks)
        && !tokens.names().any(is_something_else)
        && !tokens.has_negation()
}

/// Whether a function of this name is the SEE itself.
pub(super) fn is_see_itself(name: &str) -> bool {
    const WORDS: [&str; 7] = [
        "eval",
        "evaluate",
        "evaluation",
        "exchange",
        "see",
        "static",
        "swap",
    ];
    let words = segments(name);
    !words.is_empty() && words.iter().all(|word| WORDS.contains(&word.as_str()))
}

/// The name of a function, a type or a block that a text before a FEN opens, if it may be about
/// anything.
pub(super) fn unknown_name(before: &str) -> Option<&str> {
    let tokens = Tokens::new(before);
    let brackets = tokens.brackets();
    let open = brackets
        .iter()
        .filter(|bracket| tokens.get(bracket.end).is_none());
    let mut names = open.filter_map(|bracket| bracket.name.or_else(|| tokens.name_before(bracket)));
    names.find(|name| !is_neutral(name))
}

/// Whether all words of the name of a function or a type are known to leave the SEE as it is: those of
/// tests, of rows and lists, and of the SEE itself. With another one, such as `losing`, it may be
/// about anything.
pub(super) fn is_neutral(name: &str) -> bool {
    /// Words of tests and assertions, of rows, lists and types, of the SEE, and for a truth.
    const WORDS: &str = "\
        are assert be boost case cases check chk ck cmp cr debug deep do each ensure eq \
        equal equals example examples expect inline is it let lu munit must ok one param parameterized \
        parametrize params prop require run same sample scenario should static strict \
        suite test tests that try tst unary unit unittest validate verify xct \
        add append args arguments array as back bool build create csv data datum emplace \
        entries entry expected from get i32 i64 input insert int item list long make mk \
        name new object of pair push put record result results row rows set some source \
        str string struct template to triple tuple val value values vec vector with \
        board calc calculate capture chess compute cp engine epd eval evaluate evaluation \
        exact exchange fast fen full move mv pos position raw score see swap \
        false falsef falsey falsy not refute true truef truthy \
        await clone into unwrap";
    let is_known = |word: &str| {
        let plain = word.trim_end_matches(|char: char| char.is_ascii_digit());
        plain.len() <= 2 || WORDS.split(' ').any(|known| known == plain)
    };
    words_around_question(name)
        .iter()
        .all(|word| is_known(word))
}

/// Whether this is the name of a SEE: `see`, `SeeGe`, `static_exchange_2`, but not `seed`.
pub(super) fn is_see(name: &str) -> bool {
    let words = segments(name);
    let has = |wanted: &str| {
        let plain =
            |word: &str| word.trim_end_matches(|char: char| char.is_ascii_digit()) == wanted;
        words.iter().any(|word| plain(word))
    };
    has("see") || has("sees") || has("seege") || has("static") && has("exchange")
}

/// Whether a function of this name takes a condition.
pub(super) fn asserts(name: &str) -> bool {
    const WORDS: [&str; 6] = ["assert", "check", "ensure", "expect", "require", "verify"];
    /// With these, `check` is that of chess.
    const OF_CHESS: [&str; 3] = ["in", "give", "gives"];
    let words = segments(name);
    let has = |list: &[&str]| words.iter().any(|word| list.contains(&&**word));
    has(&WORDS) && !has(&OF_CHESS)
}

/// Whether a function of this name may deny what it is called with, or compares otherwise than for
/// equality.
pub(super) fn denies(name: &str) -> bool {
    may_deny(&segments(name))
}

/// The same of the words of a name.
pub(super) fn may_deny(words: &[String]) -> bool {
    /// These words are of conditions, not of functions.
    const CONDITIONS: [&str; 5] = ["if", "elif", "while", "until", "unless"];
    let has = |list: &[&str]| words.iter().any(|word| list.contains(&&**word));
    has(&NO) || has(UNCLEAR) && !has(&CONDITIONS)
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
