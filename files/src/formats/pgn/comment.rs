//! Scores in PGN comments.

use std::borrow::Cow;

use memchr::memchr;

use super::super::{LARGEST_SCORE, mate_score};

/// A score in centipawns, with its position and view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Score {
    /// The score of the position after the move, from White's view.
    White(i32),
    /// The score of the search for the move: that of the position before the move, from the view of
    /// the side to move.
    Searched(i32),
    /// The score of the search for the move, from White's view.
    SearchedOfWhite(i32),
}

/// The score in a comment's text, if any. The forms are tried from those that programs write while
/// they play to those of annotators; a comment hardly ever has two.
pub(super) fn score(comment: &[u8]) -> Option<Score> {
    let searched = searched(comment).map(Score::Searched);
    searched
        .or_else(|| tcec(comment).map(Score::SearchedOfWhite))
        .or_else(|| eval(comment).map(Score::White))
        .or_else(|| alone(comment).map(Score::White))
}

/// `[%eval 0.31]`, `[%eval -1.2,18]` (with the depth) and `[%eval #-3]` (a mate in
/// moves) are Lichess'; `[%eval 31,18]` is `ChessBase`'s, in centipawns; `[%eval -M3]` is En
/// Croissant's mate in moves. A depth of 0 means that nothing was searched, as at `ChessBase`'s
/// book moves: that is no score.
fn eval(comment: &[u8]) -> Option<i32> {
    let mut commands = comment.split(|&byte| byte == b'[').skip(1);
    commands.find_map(|command| evaluation(command.strip_prefix(b"%eval")?))
}

/// The score in the text after `[%eval`, up to the bracket.
fn evaluation(after: &[u8]) -> Option<i32> {
    let end = after.iter().position(|&byte| byte == b']')?;
    let text = core::str::from_utf8(&after[..end]).ok()?;
    let operands = text.strip_prefix(char::is_whitespace)?;
    let (value, depth) = match operands.split_once(',') {
        Some((value, depth)) => (value.trim(), Some(depth)),
        None => (operands.trim(), None),
    };
    if depth.is_some_and(|depth| depth.trim() == "0") {
        return None;
    }
    if let Some((sign, moves)) = value.split_once(['#', 'M']) {
        return mate([sign, moves].concat().parse().ok()?);
    }
    let in_centipawns = depth.is_some() && !value.contains('.');
    let unit = if in_centipawns { 1.0 } else { 100.0 };
    centipawns(value, unit)
}

/// A number of two decimals and nothing else, as annotators write it: other numbers may be seconds.
fn alone(comment: &[u8]) -> Option<i32> {
    let comment = comment.trim_ascii();
    // Most comments are words, or have a command.
    if !comment
        .iter()
        .all(|&byte| is_of_number(byte) || byte == b',')
    {
        return None;
    }
    let value = with_point(core::str::from_utf8(comment).ok()?);
    let (_, decimals) = value.split_once('.')?;
    (decimals.len() == 2).then(|| centipawns(&value, 100.0))?
}

/// `+0.13/22 1.2s` and `-M6/30 0.5s, White mates`, as cutechess and fastchess write
/// them: pawns or a mate in half-moves, then the depth. Arena writes the best line before it, in
/// parentheses. `0.00/0` is what fastchess writes if the engine told no score.
fn searched(comment: &[u8]) -> Option<i32> {
    let mut comment = comment.trim_ascii_start();
    if let Some(line) = comment.strip_prefix(b"(") {
        comment = line[memchr(b')', line)? + 1..].trim_ascii_start();
    }
    if !matches!(comment, [b'+' | b'-' | b'.' | b'0'..=b'9', ..]) {
        return None;
    }
    let first = comment.split(u8::is_ascii_whitespace).next()?;
    let (value, after) = core::str::from_utf8(first).ok()?.split_once('/')?;
    let value = with_point(value);
    let depth = after.split(',').next()?;
    if depth.is_empty() || !depth.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    // A result, such as `1/2`, has no decimal point.
    let score = value.contains(['.', 'M']).then(|| pawns(&value))?;
    let was_searched = depth.bytes().any(|digit| digit != b'0');
    score.filter(|&score| was_searched || score != 0)
}

/// A number with a point in place of a decimal comma, as programs write it in some languages, if
/// two decimals follow.
fn with_point(value: &str) -> Cow<'_, str> {
    match value.split_once(',') {
        Some((pawns, decimals)) if decimals.len() == 2 && !pawns.contains('.') => {
            Cow::Owned(format!("{pawns}.{decimals}"))
        }
        _ => Cow::Borrowed(value),
    }
}

/// TCEC's comments, `d=33, sd=56, n=38019540, pv=e4 b6, wv=0.72, R50=50,`. `wv` is White's
/// view, in pawns or a mate in half-moves, `M5` or `-M4`. Older games also have `ev`, the engine's
/// own view of the same score.
fn tcec(comment: &[u8]) -> Option<i32> {
    memchr(b'=', comment)?;
    let field = |name: &[u8]| {
        let mut fields = comment.split(|&byte| byte == b',').map(<[u8]>::trim_ascii);
        fields.find_map(|field| field.strip_prefix(name))
    };
    let value = core::str::from_utf8(field(b"wv=")?).ok()?;
    // Moves of the opening book are written as searches of no nodes with the score 0.
    pawns(value).filter(|&score| score != 0 || field(b"n=") != Some(b"0"))
}

/// Pawns, or a mate in half-moves such as `-M4`.
fn pawns(value: &str) -> Option<i32> {
    let Some((sign, plies)) = value.split_once('M') else {
        return centipawns(value, 100.0);
    };
    let digits = Some(plies).filter(|plies| plies.bytes().all(|byte| byte.is_ascii_digit()))?;
    let moves = digits.parse::<u16>().ok()?.div_ceil(2).into();
    match sign {
        "" | "+" => mate(moves),
        "-" => mate(-moves),
        _ => None,
    }
}

/// A decimal number with this many centipawns per unit, clamped below mates.
fn centipawns(value: &str, unit: f64) -> Option<i32> {
    let number: f64 = value
        .bytes()
        .all(is_of_number)
        .then(|| value.parse().ok())??;
    let score = (number * unit).round() as i32;
    Some(score.clamp(-LARGEST_SCORE, LARGEST_SCORE))
}

/// Whether a decimal number without an exponent can contain this byte.
fn is_of_number(byte: u8) -> bool {
    byte.is_ascii_digit() || matches!(byte, b'.' | b'-' | b'+')
}

/// There is no mate in 0: the game would be over.
fn mate(moves: i32) -> Option<i32> {
    (moves != 0).then(|| mate_score(moves))
}
