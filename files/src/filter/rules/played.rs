//! Rules about the played move.

use core::str::FromStr;

use super::{LooksAt, Quantity, Reason, Rule, RuleInput, Test};
use crate::formats::{Field, RecordFields};
use swaplist::{CaptureKind, PackedMove, ParseError, Position};

/// Which played moves are dropped: none by default. Parsed from names, with commas between
/// several: `quiet` (captures and promotions are dropped), `normal` (castling too),
/// `no-captures`, `empty-target` (as `no-captures`, en passant passes), `no-promotions`,
/// `no-castling`, `see-ge0` (a capture with SEE of at least 0 or score 0 is dropped) and `any`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PlayedRule(u8);

const CAPTURES: u8 = 1;
const ONTO_PIECES: u8 = 2;
const PROMOTIONS: u8 = 4;
const CASTLING_MOVES: u8 = 8;
const SEE_GE0_MOVES: u8 = 16;

const NAMES: &[(&str, PlayedRule)] = &[
    ("quiet", PlayedRule::QUIET),
    ("normal", PlayedRule::NORMAL),
    ("no-captures", PlayedRule(CAPTURES)),
    ("empty-target", PlayedRule::EMPTY_TARGET),
    ("no-promotions", PlayedRule(PROMOTIONS)),
    ("no-castling", PlayedRule::NO_CASTLING),
    ("see-ge0", PlayedRule::SEE_GE0),
    ("any", PlayedRule(0)),
];

impl PlayedRule {
    /// Captures and promotions are dropped.
    pub(crate) const QUIET: PlayedRule = PlayedRule(CAPTURES | PROMOTIONS);
    /// Captures, promotions and castling are dropped.
    pub(crate) const NORMAL: PlayedRule = PlayedRule(CAPTURES | PROMOTIONS | CASTLING_MOVES);
    /// Records whose played move is castling are dropped.
    pub(crate) const NO_CASTLING: PlayedRule = PlayedRule(CASTLING_MOVES);
    /// Captures are dropped, but en passant passes.
    pub(crate) const EMPTY_TARGET: PlayedRule = PlayedRule(ONTO_PIECES);
    /// Captures with SEE of at least 0 or score 0 are dropped.
    pub(crate) const SEE_GE0: PlayedRule = PlayedRule(SEE_GE0_MOVES);

    const fn has(self, moves: u8) -> bool {
        self.0 & moves != 0
    }

    /// The same, with these moves dropped too, or no longer.
    pub(in super::super) const fn switched(self, moves: PlayedRule, drops: bool) -> PlayedRule {
        PlayedRule(if drops {
            self.0 | moves.0
        } else {
            self.0 & !moves.0
        })
    }
}

impl FromStr for PlayedRule {
    type Err = ParseError;

    fn from_str(names: &str) -> Result<PlayedRule, ParseError> {
        let parts = names.split(',').map(str::trim);
        let mut list = parts.filter(|name| !name.is_empty() || names.is_empty());
        list.try_fold(PlayedRule(0), |played, name| {
            let entry = NAMES.iter().find(|(known, _)| *known == name);
            let Some((_, moves)) = entry else {
                let choices: Vec<&str> = NAMES.iter().map(|(name, _)| *name).collect();
                return Err(ParseError::unknown(
                    "rule about the played move",
                    name,
                    &choices,
                ));
            };
            Ok(played.switched(*moves, true))
        })
    }
}

pub const CAPTURE: Rule = Rule {
    name: "played_capture",
    label: "a capture was played",
    needs: &[Field::Played],
    of: |settings, _| {
        let played = settings.played?;
        let passes = !played.has(CAPTURES);
        let words = if passes {
            "the played move captures a piece on its target square (en passant passes)"
        } else {
            "the played move captures, en passant too"
        };
        let is_on = played.has(CAPTURES | ONTO_PIECES);
        let most = i64::from(passes);
        is_on.then(|| {
            Test::new(words, LooksAt::Board, move |seen| match seen.takes() {
                CaptureKind::Piece => true,
                CaptureKind::EnPassant => !passes,
                CaptureKind::Rook | CaptureKind::Nothing => false,
            })
            .keeping(Quantity::Capture, 0..=most)
        })
    },
};

pub const PROMOTION: Rule = Rule {
    name: "played_promotion",
    label: "a promotion was played",
    needs: &[Field::Played],
    of: |settings, _| {
        settings.played?.has(PROMOTIONS).then(|| {
            Test::new("the played move promotes", LooksAt::Record, |seen| {
                seen.record
                    .played()
                    .and_then(PackedMove::promotion)
                    .is_some()
            })
            .keeping(Quantity::Promotion, 0..=0)
        })
    },
};

pub const CASTLING: Rule = Rule {
    name: "played_castling",
    label: "castling was played",
    needs: &[Field::Played],
    of: |settings, _| {
        settings.played?.has(CASTLING_MOVES).then(|| {
            Test::new("the played move castles", LooksAt::Board, |seen| {
                seen.takes() == CaptureKind::Rook
            })
            .keeping(Quantity::Castling, 0..=0)
        })
    },
};

/// The rule of the data that `SFNNv9` was trained on.
pub const SEE_GE0: Rule = Rule {
    name: "played_see_ge0",
    label: "a capture with SEE >= 0 or score 0 was played",
    needs: &[Field::Played, Field::Score],
    of: |settings, _| {
        let words = "the played move captures a piece on its target square, and the score is 0 \
                     or its SEE at least 0";
        settings.played?.has(SEE_GE0_MOVES).then(|| {
            Test::new(words, LooksAt::Board, |seen| {
                seen.takes() == CaptureKind::Piece
                    && (seen.record.score() == Some(0) || seen.see_ge(0))
            })
            .keeping(Quantity::SoundCapture, 0..=0)
            .asks_see()
        })
    },
};

pub const SEE: Rule = Rule {
    name: "played_see",
    label: "SEE of the played move",
    needs: &[Field::Played],
    of: |settings, _| {
        let min = settings.min_played_see.flatten();
        let max = settings.max_played_see.flatten();
        let words = match (min, max) {
            (None, None) => return None,
            (Some(min), None) => format!("the SEE of the played move is below {min}"),
            (None, Some(max)) => format!("the SEE of the played move is above {max}"),
            (Some(min), Some(max)) => {
                format!("the SEE of the played move is below {min} or above {max}")
            }
        };
        // No SEE is above the highest i32.
        let beyond = max.and_then(|max| max.checked_add(1));
        let kept_range = min.map_or(i64::MIN, i64::from)..=max.map_or(i64::MAX, i64::from);
        let test = Test::new(words, LooksAt::Board, move |seen| {
            seen.record.played().is_some()
                && (min.is_some_and(|least| !seen.see_ge(least))
                    || beyond.is_some_and(|beyond| seen.see_ge(beyond)))
        });
        Some(test.asks_see().keeping(Quantity::PlayedSee, kept_range))
    },
};

/// The zeros of minimised data. The rule comes after those on bounds: so `quiet`, which has no rule
/// before them, asks about all records as they are, without a copy of some.
pub const PLACEHOLDER: Rule = Rule {
    name: "placeholder",
    label: "a placeholder: score 0, and a capture was played or in check",
    // It needs no field: a record without a score or a played move has no placeholder.
    needs: &[],
    of: |settings, _| {
        let words = "the score is 0, and the played move captures, en passant too, or the side to \
                     move is in check";
        // If the rule about checks is on, it has dropped all records in check: to look for checks
        // would cost most of the time of this rule.
        let keeps_checks = settings.keep_checks != Some(false);
        (settings.keep_placeholders == Some(false)).then(|| {
            Test::over_all(words, LooksAt::Board, move |input, why| {
                if input.records.len() == 1 {
                    // A loader's question: no loop.
                    drop_placeholder(input, 0, keeps_checks, why);
                } else {
                    drop_placeholders(input, keeps_checks, why);
                }
            })
            .keeping(Quantity::Placeholder, 0..=0)
        })
    },
};

/// Drops the placeholders among records without a reason.
fn drop_placeholders(input: &mut RuleInput<'_>, keeps_checks: bool, why: Reason) {
    // Few scores are 0: for most records this comparison is all. Four records a turn, as the steps
    // of a loop cost more than a comparison.
    let (fours, _) = input.records.as_chunks::<4>();
    let (reasons_of_fours, _) = input.reasons.as_chunks_mut::<4>();
    for (nth, (four, reasons)) in fours.iter().zip(reasons_of_fours).enumerate() {
        for (i, (record, reason)) in four.iter().zip(reasons).enumerate() {
            // Most placeholders have a reason already: captures are played because they win.
            if record.has_score_0()
                && reason.is_none()
                && is_placeholder(&input.positions[4 * nth + i], record, keeps_checks)
            {
                *reason = Some(why);
            }
        }
    }
    for number in 4 * fours.len()..input.records.len() {
        drop_placeholder(input, number, keeps_checks, why);
    }
}

/// Drops a record, if it has no reason yet and is a placeholder.
fn drop_placeholder(input: &mut RuleInput<'_>, number: usize, keeps_checks: bool, why: Reason) {
    let (position, record) = (&input.positions[number], &input.records[number]);
    let reason = &mut input.reasons[number];
    if record.has_score_0() && reason.is_none() && is_placeholder(position, record, keeps_checks) {
        *reason = Some(why);
    }
}

/// Whether a record with score 0 is a placeholder. Not inlined, so that the loop over scores stays
/// short.
#[inline(never)]
fn is_placeholder(position: &Position, record: &RecordFields, keeps_checks: bool) -> bool {
    record.captures(position) || keeps_checks && record.is_placeholder(position)
}
