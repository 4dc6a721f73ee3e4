//! An engine's answers to the suite, as a list of results.

use shakmaty::Role;

use super::{Line, lines};
use swaplist::{ParseError, PieceValues, Profile};

/// What an engine answered to a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineResult {
    /// The value that it gave.
    Value(i32),
    /// Whether it passed, by its own comparison.
    Passed(bool),
}

impl LineResult {
    /// Whether this is what an engine would answer that values the move so; `right` is the right
    /// value.
    pub(super) const fn agrees(self, value: i32, right: i32) -> bool {
        match self {
            LineResult::Value(said) => said == value,
            LineResult::Passed(passed) => passed == (value == right),
        }
    }
}

/// Reads an engine's answers, one for each line of the suite, `None` for those that it did not
/// answer. The text has one of three forms:
///
/// - one result a line, in the order of the suite, and as many as it has;
/// - `NUMBER: RESULT`, where 1 is the suite's first line, in any order;
/// - lines of the suite with the result as the last field, `FEN | move | RESULT`, in any order.
///
/// A result is a whole number, `pass` or `fail`. Empty lines and lines that begin with `#` are
/// skipped. Lines may end with CRLF, and the text may begin with a byte order mark.
///
/// # Errors
///
/// A [`ParseError`] with the line and the reason: a line in none of these forms, a line of the
/// suite that is answered twice, or in the first form too few or too many results.
pub fn results(text: &[u8]) -> Result<Vec<Option<LineResult>>, ParseError> {
    let text = core::str::from_utf8(text).map_err(|error| {
        let before = text[..error.valid_up_to()].split(|byte| *byte == b'\n');
        let line = before.count();
        ParseError::new(format!("line {line}: not UTF-8"))
    })?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let numbered = (1..).zip(text.lines().map(str::trim));
    let given: Vec<(usize, &str)> = numbered
        .filter(|(_, line)| !line.is_empty() && !line.starts_with('#'))
        .collect();
    let suite = lines();
    let mut results = vec![None; suite.len()];
    let mut given_on = vec![0; suite.len()];
    let mut in_order = 0;
    for &(number, line) in &given {
        let fails = |reason: String| ParseError::new(format!("line {number}: {reason}"));
        let (at, result) = match result_of(line) {
            Some(result) => {
                in_order += 1;
                (in_order - 1, result)
            }
            None => named(line, &suite).map_err(fails)?,
        };
        let Some(slot) = results.get_mut(at) else {
            let all = suite.len();
            return Err(fails(format!(
                "result {} of a suite of {all} lines",
                at + 1
            )));
        };
        if slot.is_some() {
            let before = given_on[at];
            let twice = format!("the suite's line {} was answered on line {before}", at + 1);
            return Err(fails(twice));
        }
        *slot = Some(result);
        given_on[at] = number;
    }
    let all = suite.len();
    if given.is_empty() {
        return Err(ParseError::new("no results"));
    }
    if in_order > 0 && in_order != given.len() {
        let number = given
            .iter()
            .find(|(_, line)| result_of(line).is_none())
            .map_or(0, |(number, _)| *number);
        let reason = "some lines name the suite's line and others do not";
        return Err(ParseError::new(format!("line {number}: {reason}")));
    }
    if in_order > 0 && in_order < all {
        let reason = "name the suite's lines, as in '7: -225', to leave some out";
        return Err(ParseError::new(format!(
            "{in_order} of {all} results; {reason}"
        )));
    }
    Ok(results)
}

fn result_of(text: &str) -> Option<LineResult> {
    match text.to_ascii_lowercase().as_str() {
        "pass" | "passed" | "ok" | "true" => return Some(LineResult::Passed(true)),
        "fail" | "failed" | "false" => return Some(LineResult::Passed(false)),
        _ => {}
    }
    text.parse().ok().map(LineResult::Value)
}

/// The suite's line that a line names, and its result.
fn named(text: &str, suite: &[Line<'_>]) -> Result<(usize, LineResult), String> {
    let expected = || {
        format!(
            "expected a whole number, pass or fail, alone or after 'NUMBER:' or 'FEN | move |', \
             found '{text}'"
        )
    };
    let fields: Vec<&str> = text.split(['|', ';', '\t', ',']).map(str::trim).collect();
    if let [fen, uci, .., result] = fields[..] {
        let result = result_of(result).ok_or_else(expected)?;
        let found = suite.iter().position(|known| {
            // The clocks may be left out.
            let board = |fen: &str| fen.split_whitespace().take(4).collect::<Vec<_>>().join(" ");
            known.uci == uci && board(known.fen) == board(fen)
        });
        let at = found.ok_or_else(|| format!("{uci} in '{fen}' is not in the suite"))?;
        return Ok((at, result));
    }
    let (number, result) = text
        .split_once(':')
        .or_else(|| text.split_once(char::is_whitespace))
        .ok_or_else(expected)?;
    let result = result_of(result.trim()).ok_or_else(expected)?;
    let number: usize = number.trim().parse().map_err(|_| expected())?;
    let all = suite.len();
    let at = number.checked_sub(1).filter(|at| *at < all);
    let at = at.ok_or_else(|| format!("the suite has the lines 1 to {all}, not {number}"))?;
    Ok((at, result))
}

/// Piece values that the results suggest under a profile: what the engine said most often where the
/// value is one piece alone. `None` if it did not say so for each piece, or the values are not
/// among those for which the suite holds.
pub(super) fn suggested_values(
    results: &[Option<LineResult>],
    profile: Profile,
) -> Option<PieceValues> {
    let suite = lines();
    let roles = [
        Role::Pawn,
        Role::Knight,
        Role::Bishop,
        Role::Rook,
        Role::Queen,
    ];
    let said = |role: Role| {
        let alone = super::PieceSum::from_role(role);
        let said = suite
            .iter()
            .zip(results)
            .filter_map(|(line, result)| match result {
                Some(LineResult::Value(value)) if line.sums[profile as usize] == alone => {
                    Some(*value)
                }
                _ => None,
            });
        let values: Vec<i32> = said.collect();
        values
            .iter()
            .copied()
            .max_by_key(|value| values.iter().filter(|other| *other == value).count())
    };
    let [pawn, knight, bishop, rook, queen] = roles.map(said);
    let table = [pawn?, knight?, bishop?, rook?, queen?];
    PieceValues::new(table).filter(holds_for)
}

/// Whether the suite's sums are right for these piece values; `docs/suite.md` has the bounds.
pub fn holds_for(values: &PieceValues) -> bool {
    let [pawn, knight, bishop, rook, queen] = values.to_array();
    let minor = knight.max(bishop);
    let is_minor = |value: i32| 2 * value >= 5 * pawn && 2 * value <= 11 * pawn;
    pawn > 0
        && is_minor(knight)
        && is_minor(bishop)
        && 4 * bishop >= 4 * knight - pawn
        && bishop <= knight + pawn
        && rook >= minor + pawn
        && 2 * rook <= 2 * (minor + pawn) + 5 * pawn
        && 2 * queen >= 2 * rook + 5 * pawn
        && queen <= rook + 7 * pawn
}
