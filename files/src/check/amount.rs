//! The number of an answer: whole, hexadecimal, with a decimal point, or a sum of pieces.

use std::borrow::Cow;

use super::wrong::{Stage, Wrong};
use swaplist::PieceValues;

/// The signs of a number, also those of print: a minus and an en dash.
pub(super) const SIGNS: [char; 4] = ['+', '-', '\u{2212}', '\u{2013}'];

/// A number as it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Amount {
    Whole(i64),
    /// With a decimal point, in hundredths.
    Hundredths(i64),
    /// A sum of pieces, at the values of [`PieceValues::CPW`].
    Pieces(i64),
}

/// A number: whole, also hexadecimal or as programs write it (`1_250`, `123L`, `123i32`), with a
/// decimal point, or a sum of pieces.
pub(super) fn amount(text: &str) -> Result<Amount, Wrong> {
    let plain = with_plain_signs(text);
    let found = whole(&plain)
        .map(Amount::Whole)
        .or_else(|| hundredths(&plain).map(Amount::Hundredths))
        .or_else(|| pieces(&plain).map(Amount::Pieces));
    found.ok_or_else(|| {
        let message = format!(
            "expected a whole number of centipawns, found '{text}'{}",
            hint(&plain)
        );
        Stage::Value.wrong(message)
    })
}

/// What may be wrong with a number.
fn hint(plain: &str) -> &'static str {
    let (_, digits) = signed(plain);
    if is_octal(digits) {
        return "; it may be octal: write it without the zeros before it";
    }
    if digits.contains(['+', '-', '*']) {
        return "; a sum is of numbers and pieces, such as P - R + B";
    }
    ""
}

/// With the sign of a keyboard at the start, and within a sum.
fn with_plain_signs(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        return Cow::Borrowed(text);
    }
    let minus = text.replace('\u{2212}', "-").replace(" \u{2013} ", " - ");
    Cow::Owned(match minus.strip_prefix('\u{2013}') {
        Some(number) => format!("-{number}"),
        None => minus,
    })
}

fn whole(text: &str) -> Option<i64> {
    let (sign, number) = signed(text);
    let number = without_type(number, sign);
    let digits = without_separators(number)?;
    let hexadecimal = digits.strip_prefix("0x").or(digits.strip_prefix("0X"));
    let magnitude: u32 = match hexadecimal {
        Some(digits) => u32::from_str_radix(digits, 16).ok()?,
        None => digits.parse().ok()?,
    };
    // A sign after the first one is none.
    let is_digits = digits.starts_with(|c: char| c.is_ascii_digit());
    let is_unsigned = !hexadecimal.is_some_and(|digits| digits.starts_with('+'));
    let number = sign * i64::from(magnitude);
    let is_clear = is_digits && is_unsigned && !is_octal(&digits);
    (is_clear && i32::try_from(number).is_ok()).then_some(number)
}

/// Whether a number begins with zeros, which make it octal in C and other languages.
fn is_octal(digits: &str) -> bool {
    digits.len() > 1 && digits.starts_with('0') && digits.bytes().all(|byte| byte.is_ascii_digit())
}

/// A number without the type that programs write after it. An unsigned one is not negated.
fn without_type(number: &str, sign: i64) -> &str {
    const SIGNED: [&str; 10] = [
        "i8", "i16", "i32", "i64", "i128", "isize", "LL", "ll", "L", "l",
    ];
    const UNSIGNED: [&str; 11] = [
        "u8", "u16", "u32", "u64", "usize", "ULL", "ull", "UL", "ul", "U", "u",
    ];
    if !number.ends_with(|char: char| char.is_ascii_alphanumeric() && !char.is_ascii_digit())
        && !number.contains(['i', 'u'])
    {
        return number;
    }
    let unsigned = UNSIGNED.iter().filter(|_| sign > 0);
    let plain = unsigned
        .chain(&SIGNED)
        .find_map(|kind| number.strip_suffix(kind));
    plain.map_or(number, |plain| plain.strip_suffix('_').unwrap_or(plain))
}

/// A number without the signs between groups of three digits, `1_250` or `1'250`; `None` if they are
/// elsewhere.
fn without_separators(number: &str) -> Option<Cow<'_, str>> {
    let Some(separator) = number.chars().find(|char| matches!(char, '_' | '\'')) else {
        return Some(Cow::Borrowed(number));
    };
    let mut groups = number.split(separator);
    let first = groups.next()?;
    let are_digits = |group: &str| group.bytes().all(|byte| byte.is_ascii_digit());
    let is_first = (1..=3).contains(&first.len()) && are_digits(first) && !first.starts_with('0');
    let are_groups = groups.all(|group| group.len() == 3 && are_digits(group));
    (is_first && are_groups).then(|| Cow::Owned(number.replace(separator, "")))
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

/// The sign of a number, and what is after it.
fn signed(text: &str) -> (i64, &str) {
    match text.strip_prefix('-') {
        Some(digits) => (-1, digits.trim_start()),
        None => (1, text.strip_prefix('+').map_or(text, str::trim_start)),
    }
}

/// A sum of pieces and numbers, such as `P - R + B` or `pawn + 50`.
fn pieces(text: &str) -> Option<i64> {
    let mut sum = 0;
    let mut rest = text.trim();
    let mut is_first = true;
    let mut has_piece = false;
    while !rest.is_empty() {
        if !is_first && !rest.starts_with(['+', '-']) {
            return None;
        }
        let (sign, term) = signed(rest);
        let length = term.find(['+', '-', ' ']).unwrap_or(term.len());
        let (name, after) = term.split_at(length);
        let value = match value_of(name) {
            Some(piece) => {
                has_piece = true;
                piece
            }
            None => name.parse::<u16>().ok()?.into(),
        };
        sum += sign * value;
        rest = after.trim_start();
        is_first = false;
    }
    // Numbers alone may be anything, such as a date; one small letter may be a word such as no.
    let is_letter = text.len() == 1 && text.bytes().all(|byte| byte.is_ascii_lowercase());
    (has_piece && !is_letter).then_some(sum)
}

fn value_of(name: &str) -> Option<i64> {
    const NAMES: [&str; 5] = ["pawn", "knight", "bishop", "rook", "queen"];
    const LETTERS: [&str; 5] = ["p", "n", "b", "r", "q"];
    let lower = name.to_ascii_lowercase();
    let is_piece = |names: &[&str; 5]| names.iter().position(|name| *name == lower);
    let piece = is_piece(&NAMES).or_else(|| is_piece(&LETTERS))?;
    Some(PieceValues::CPW.to_array()[piece].into())
}
