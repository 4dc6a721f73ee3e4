//! The number of an answer: whole, hexadecimal, with a decimal point, or a sum of pieces.

use super::wrong::{Stage, Wrong};
use swaplist::PieceValues;

/// A number as it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Amount {
    Whole(i64),
    /// With a decimal point, in hundredths.
    Hundredths(i64),
    /// A sum of pieces, at the values of [`PieceValues::CPW`].
    Pieces(i64),
}

/// A number: whole, also hexadecimal, with a decimal point, or a sum of pieces.
pub(super) fn amount(text: &str) -> Result<Amount, Wrong> {
    // Also with the sign of print.
    let plain = text.replace('\u{2212}', "-");
    let found = whole(&plain)
        .map(Amount::Whole)
        .or_else(|| hundredths(&plain).map(Amount::Hundredths))
        .or_else(|| pieces(&plain).map(Amount::Pieces));
    found.ok_or_else(|| {
        let is_sum = plain
            .trim_start_matches(['+', '-'])
            .contains(['+', '-', '*']);
        let hint = if is_sum {
            "; a sum is of numbers and pieces, such as P - R + B"
        } else {
            ""
        };
        let message = format!("expected a whole number of centipawns, found '{text}'{hint}");
        Stage::Value.wrong(message)
    })
}

fn whole(text: &str) -> Option<i64> {
    let (sign, digits) = signed(text);
    let hexadecimal = digits.strip_prefix("0x").or(digits.strip_prefix("0X"));
    let magnitude: u32 = match hexadecimal {
        Some(digits) => u32::from_str_radix(digits, 16).ok()?,
        None => digits.parse().ok()?,
    };
    // A sign after the first one is none.
    let is_digits = digits.starts_with(|c: char| c.is_ascii_digit());
    let is_unsigned = !hexadecimal.is_some_and(|digits| digits.starts_with('+'));
    let number = sign * i64::from(magnitude);
    (is_digits && is_unsigned && i32::try_from(number).is_ok()).then_some(number)
}

/// A number with a decimal point, as hundredths, if it is whole as such.
fn hundredths(text: &str) -> Option<i64> {
    let (sign, digits) = signed(text);
    let (whole, fraction) = digits.split_once('.')?;
    let are_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let (parts, rest) = fraction.split_at_checked(2).unwrap_or((fraction, ""));
    if !are_digits(whole) || !are_digits(parts) || whole.len() + parts.len() == 0 {
        return None;
    }
    if whole.len() > 9 || rest.bytes().any(|byte| byte != b'0') {
        return None;
    }
    Some(sign * format!("{whole}{parts:0<2}").parse::<i64>().ok()?)
}

fn signed(text: &str) -> (i64, &str) {
    match text.strip_prefix('-') {
        Some(digits) => (-1, digits),
        None => (1, text.strip_prefix('+').unwrap_or(text)),
    }
}

/// A sum of pieces and numbers, such as `P - R + B` or `pawn + 50`.
fn pieces(text: &str) -> Option<i64> {
    let mut sum = 0;
    let mut rest = text.trim();
    let mut is_first = true;
    while !rest.is_empty() {
        if !is_first && !rest.starts_with(['+', '-']) {
            return None;
        }
        let (sign, unsigned) = signed(rest);
        let term = unsigned.trim_start();
        let length = term.find(['+', '-', ' ']).unwrap_or(term.len());
        let (name, after) = term.split_at(length);
        sum += sign * value_of(name)?;
        rest = after.trim_start();
        is_first = false;
    }
    (!is_first).then_some(sum)
}

fn value_of(name: &str) -> Option<i64> {
    const NAMES: [&str; 5] = ["pawn", "knight", "bishop", "rook", "queen"];
    const LETTERS: [&str; 5] = ["p", "n", "b", "r", "q"];
    let lower = name.to_ascii_lowercase();
    let is_piece = |names: &[&str; 5]| names.iter().position(|name| *name == lower);
    match is_piece(&NAMES).or_else(|| is_piece(&LETTERS)) {
        Some(piece) => Some(PieceValues::CPW.to_array()[piece].into()),
        None => name.parse::<u16>().ok().map(i64::from),
    }
}
