//! The scores that programs leave in comments.

use super::super::{MATE, MAX_MATE};

/// A score in centipawns, and of what.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Score {
    /// Of the position behind the move, as White sees it.
    White(i32),
    /// What the search for the move found: of the position before it, as its side to
    /// move sees it.
    Searched(i32),
}

/// The score in a comment, what stands between the braces, if it holds one.
pub(super) fn score(comment: &[u8]) -> Option<Score> {
    let of_white = || eval(comment).map(Score::White);
    searched(comment).map(Score::Searched).or_else(of_white)
}

/// `[%eval 0.31]`, `[%eval -1.2,18]` (with the depth) and `[%eval #-3]` (a mate in
/// moves) are Lichess'; `[%eval 31,18]` is `ChessBase`'s, in centipawns.
fn eval(comment: &[u8]) -> Option<i32> {
    const COMMAND: &[u8] = b"[%eval";
    let commands = comment.windows(COMMAND.len()).enumerate();
    commands
        .filter(|(_, text)| *text == COMMAND)
        .find_map(|(at, _)| evaluation(&comment[at + COMMAND.len()..]))
}

/// What stands behind the command's name, up to its end.
fn evaluation(behind: &[u8]) -> Option<i32> {
    let end = behind.iter().position(|&byte| byte == b']')?;
    let value = core::str::from_utf8(&behind[..end]).ok()?;
    let value = value.strip_prefix(char::is_whitespace)?;
    let (value, depth) = match value.split_once(',') {
        Some((value, depth)) => (value.trim(), Some(depth)),
        None => (value.trim(), None),
    };
    if let Some(moves) = value.strip_prefix('#') {
        return mate(moves.parse().ok()?);
    }
    let in_centipawns = depth.is_some() && !value.contains('.');
    let unit = if in_centipawns { 1.0 } else { 100.0 };
    centipawns(value, unit)
}

/// `+0.13/22 1.2s` and `-M6/30 0.5s, White mates`, as cutechess and fastchess write
/// them: pawns or a mate in half-moves, then the depth.
fn searched(comment: &[u8]) -> Option<i32> {
    let first = comment
        .trim_ascii_start()
        .split(|byte| byte.is_ascii_whitespace() || *byte == b',')
        .next()?;
    let (value, depth) = core::str::from_utf8(first).ok()?.split_once('/')?;
    if depth.is_empty() || !depth.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    if let Some((sign, plies)) = value.split_once('M') {
        let moves = plies.parse::<u16>().ok()?.div_ceil(2).into();
        return match sign {
            "+" => mate(moves),
            "-" => mate(-moves),
            _ => None,
        };
    }
    // A result, such as `1/2`, has no point.
    value.contains('.').then(|| centipawns(value, 100.0))?
}

/// A decimal number, so many centipawns each; nothing that a mate could be.
fn centipawns(value: &str, unit: f64) -> Option<i32> {
    let digits = |byte: u8| byte.is_ascii_digit() || matches!(byte, b'.' | b'-' | b'+');
    let number: f64 = value
        .bytes()
        .all(digits)
        .then(|| value.parse().ok())
        .flatten()?;
    let score = (number * unit).round();
    (score.abs() < f64::from(MATE)).then_some(score as i32)
}

/// Nobody mates in no moves: the game would be over.
fn mate(moves: i32) -> Option<i32> {
    let score = MATE - moves.unsigned_abs().min(MAX_MATE).cast_signed();
    match moves {
        0 => None,
        1.. => Some(score),
        _ => Some(-score),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_dialect_is_read_in_its_own_unit_and_view() {
        let (white, searched) = (Score::White, Score::Searched);
        for (comment, expected) in [
            (" [%eval 0.31] ", Some(white(31))),
            ("[%eval -1.2,18]", Some(white(-120))),
            ("[%eval #-3]", Some(white(-31_997))),
            ("[%eval #3,30]", Some(white(31_997))),
            ("[%eval -31,18]", Some(white(-31))),
            ("[%eval 0,31]", Some(white(0))),
            ("[%eval 2]", Some(white(200))),
            ("+0.13/22 1.2s", Some(searched(13))),
            (" -0.50/9 0.049s, n=12 ", Some(searched(-50))),
            ("0.00/1 0s, Draw by 3-fold repetition", Some(searched(0))),
            ("+1.91/30", Some(searched(191))),
            // In half-moves: the mating side's are odd, the other's even.
            ("+M1/2 0.010s, White mates", Some(searched(31_999))),
            ("+M5/6 0.22s", Some(searched(31_997))),
            ("-M4/245 0.004s", Some(searched(-31_998))),
            ("-M2/1 0s", Some(searched(-31_999))),
            ("+0.13/22 [%eval 9.0]", Some(searched(13))),
            ("[%eval 0.31] [%eval 0.4]", Some(white(31))),
            ("[%eval ] [%eval 0.4]", Some(white(40))),
        ] {
            assert_eq!(score(comment.as_bytes()), expected, "{comment}");
        }
        for comment in [
            "book",
            "",
            "1/2-1/2 agreed",
            "1/2",
            "+0.13",
            "0.13/",
            "0.13/2x 1s",
            "M5/3",
            "+M0/3",
            "+M/3",
            "+Mx/3",
            "+M99999999999/3",
            "good +0.13/22",
            "1.e4/2",
            "400.00/22",
            "[%eval]",
            "[%eval 40000,3]",
            "[%eval 0.1.2]",
            "[%evp 0,17,14]",
            "[%eval 0.31",
            "[%eval 0.31 and no end",
        ] {
            assert_eq!(score(comment.as_bytes()), None, "{comment}");
        }
    }
}
