//! The values that text names: numbers, scores and results.

use core::str::FromStr;

use super::quoted;
use crate::formats::{Fault, Invalid, Outcome};

/// The fault of text that may not follow a FEN.
pub(super) fn unexpected(text: &[u8]) -> Invalid {
    let message = format!(
        "unexpected '{}' after the FEN, where '|', ';' or an EPD operation may follow",
        quoted(text)
    );
    Invalid::new(Fault::Unexpected, message)
}

/// Centipawns, without the one number that cannot be negated.
pub(in crate::formats) fn parse_score(text: &[u8]) -> Result<i32, Invalid> {
    let what = "a score, a whole number of centipawns";
    parse(Fault::Score, text, |score| *score != i32::MIN, what)
}

/// The fault of text after a result in brackets, which may be a score in a form of its own.
pub(super) fn no_score_alone(text: &[u8]) -> Invalid {
    let message = format!(
        "unexpected '{}' after the result, where only a score may follow, a whole number of \
         centipawns",
        quoted(text)
    );
    Invalid::new(Fault::Score, message)
}

/// A number for which `is_one` holds; otherwise the fault that the text is not `what`.
pub(in crate::formats) fn parse<T: FromStr>(
    kind: Fault,
    text: &[u8],
    is_one: impl Fn(&T) -> bool,
    what: &str,
) -> Result<T, Invalid> {
    let number = core::str::from_utf8(text)
        .ok()
        .and_then(|text| text.parse().ok());
    number
        .filter(is_one)
        .ok_or_else(|| Invalid::new(kind, format!("'{}' is not {what}", quoted(text))))
}

pub(in crate::formats) fn parse_outcome(text: &[u8]) -> Result<Outcome, Invalid> {
    match text.trim_ascii() {
        b"1.0" | b"1" | b"1-0" => Ok(Outcome::White),
        b"0.5" | b"1/2" | b"1/2-1/2" => Ok(Outcome::Draw),
        b"0.0" | b"0" | b"0-1" => Ok(Outcome::Black),
        other => Err(Invalid::new(
            Fault::Outcome,
            format!(
                "'{}' is not a result, expected 1.0, 0.5, 0.0, 1-0, 1/2-1/2 or 0-1",
                quoted(other)
            ),
        )),
    }
}
