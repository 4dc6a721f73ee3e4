//! Text after a FEN: EPD operations, scores and results.

use core::str::FromStr;

use super::moves::Namer;
use super::{field, quoted};
use crate::Position;
use crate::formats::{Fault, Invalid, Outcome, RecordFields};

/// EPD operations such as `bm Qxe5; c9 "1-0";`, or a result in brackets. Only the played move,
/// score and result are used.
pub(super) fn parse_operations(
    text: &[u8],
    fen: &[u8],
    position: Position,
    record: &mut RecordFields,
) -> Result<(), Invalid> {
    let mut rest = text;
    loop {
        rest = rest.trim_ascii_start();
        rest = match rest.split_first() {
            None => return Ok(()),
            Some((b';', after)) => after,
            Some((b'[', after)) => {
                let end = after.iter().position(|&byte| byte == b']');
                let end = end.ok_or_else(|| unexpected(rest))?;
                *record = record.with_outcome(Some(parse_outcome(&after[..end])?));
                &after[end + 1..]
            }
            Some((b'a'..=b'z' | b'A'..=b'Z', _)) => {
                let (opcode, after) = rest.split_at(field(rest).len());
                let (operands, after) = split_operands(after);
                *record = match opcode {
                    // "Supplied move": the played one.
                    b"sm" => record.with_played(Some(Namer::on(fen, position).find(operands)?)),
                    // The side to move's score.
                    b"ce" => record.with_score(Some(parse_score(operands)?)),
                    // A comment that some data sets use for the result; may hold anything else.
                    b"c9" => {
                        let unquoted = operands.strip_prefix(b"\"");
                        let unquoted = unquoted.and_then(|text| text.strip_suffix(b"\""));
                        let outcome = parse_outcome(unquoted.unwrap_or(operands));
                        record.with_outcome(outcome.ok().or(record.outcome()))
                    }
                    _ => *record,
                };
                after
            }
            Some(_) => return Err(unexpected(rest)),
        };
    }
}

pub(super) fn unexpected(text: &[u8]) -> Invalid {
    let message = format!(
        "unexpected '{}' after the FEN, where '|', ';' or an EPD operation may follow",
        quoted(text)
    );
    Invalid::new(Fault::Unexpected, message)
}

/// Up to the semicolon that ends the operation, outside of quotes.
fn split_operands(text: &[u8]) -> (&[u8], &[u8]) {
    let mut in_quotes = false;
    let end = text.iter().position(|&byte| {
        in_quotes ^= byte == b'"';
        byte == b';' && !in_quotes
    });
    let (operands, after) = text.split_at(end.unwrap_or(text.len()));
    (operands.trim_ascii(), after)
}

/// Centipawns, without the one number that cannot be negated.
pub(in crate::formats) fn parse_score(text: &[u8]) -> Result<i32, Invalid> {
    let is_one = |score: &i32| *score != i32::MIN;
    let what = "a score, a whole number of centipawns";
    parse(Fault::Score, text, is_one, what)
}

/// A number for which `is_one` holds.
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
