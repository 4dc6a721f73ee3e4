//! Rules about the position and its score.

use super::{LooksAt, Quantity, Rule, Test};
use crate::formats::Field;
use swaplist::Position;

pub const PLY: Rule = Rule {
    name: "ply",
    label: "too early in the game",
    needs: &[Field::Clocks],
    of: |settings, _| {
        let min = settings.min_ply.filter(|&min| min > 0)?;
        let words = format!("fewer than {min} half-moves were made since the start of the game");
        let test = Test::new(words, LooksAt::Record, move |seen| {
            seen.record.ply().is_some_and(|ply| ply < min)
        });
        Some(test.keeping(Quantity::Ply, min.into()..=i64::MAX))
    },
};

pub const PIECES: Rule = Rule {
    name: "pieces",
    label: "number of pieces",
    needs: &[],
    of: |settings, _| {
        let min = settings.min_pieces.filter(|&min| min > 0).map(i64::from);
        let max = settings.max_pieces.flatten();
        let words = match (min, max) {
            (None, None) => return None,
            (Some(min), None) => format!("there are fewer than {min} pieces on the board"),
            (None, Some(max)) => format!("there are more than {max} pieces on the board"),
            (Some(min), Some(max)) => {
                format!("there are fewer than {min} or more than {max} pieces on the board")
            }
        };
        let range = min.unwrap_or(0)..=max.unwrap_or(i64::MAX);
        let kept_range = range.clone();
        let test = Test::new(words, LooksAt::Board, move |seen| {
            !range.contains(&seen.pieces().into())
        });
        Some(test.keeping(Quantity::Pieces, kept_range))
    },
};

pub const UNSCORED: Rule = Rule {
    name: "unscored",
    label: "no score, or 32002",
    // It needs no field: it tests whether there is a score.
    needs: &[],
    of: |settings, _| {
        let words = "there is no score, or 32002, which means none";
        (settings.drop_unscored == Some(true)).then(|| {
            Test::new(words, LooksAt::Record, |seen| seen.record.is_unscored())
                .keeping(Quantity::Unscored, 0..=0)
        })
    },
};

pub const SCORE: Rule = Rule {
    name: "score",
    label: "score too far from 0",
    needs: &[Field::Score],
    of: |settings, _| {
        let max = settings.max_score??;
        let eval = settings.max_eval.map(i64::from);
        let bound = match eval.filter(|eval| *eval == max + 1) {
            Some(eval) => format!("at least {eval}"),
            None => format!("more than {max}"),
        };
        let words = format!("the score is {bound} centipawns from 0, for either side");
        let test = Test::new(words, LooksAt::Record, move |seen| {
            let score = seen.record.score().map(i32::unsigned_abs);
            score.is_some_and(|score| i64::from(score) > max)
        });
        Some(test.keeping(Quantity::ScoreSize, 0..=max))
    },
};

pub const IN_CHECK: Rule = Rule {
    name: "in_check",
    label: "in check",
    needs: &[],
    of: |settings, _| {
        let words = "the side to move is in check";
        (settings.keep_checks == Some(false)).then(|| Test {
            // The answer to a question about bounds says this, too.
            exceeded: Some(|exceeds| exceeds.in_check()),
            ..Test::new(words, LooksAt::Board, |seen| {
                seen.position.is_some_and(Position::in_check)
            })
            .keeping(Quantity::InCheck, 0..=0)
        })
    },
};

pub const SEE: Rule = Rule {
    name: "see",
    label: "a capture wins more than allowed",
    needs: &[],
    of: |settings, _| {
        let max = settings.max_see??;
        let words = format!("a noisy move (capture, en passant, promotion) has a SEE above {max}");
        Some(Test::bounds(words, Quantity::See, |exceeds| exceeds.see()))
    },
};

pub const THREAT: Rule = Rule {
    name: "threat",
    label: "a threat wins more than allowed",
    needs: &[],
    of: |settings, _| {
        let max = settings.max_threat??;
        let words =
            format!("the opponent, were it to move, had a noisy move with a SEE above {max}");
        Some(Test::bounds(words, Quantity::Threat, |exceeds| {
            exceeds.threat()
        }))
    },
};

pub const DOUBLE_THREAT: Rule = Rule {
    name: "double_threat",
    label: "two threats",
    needs: &[],
    of: |settings, _| {
        let words = "the opponent, were it to move, had noisy moves with a SEE above 0 to two \
                     squares or more";
        (settings.drop_double_threat == Some(true)).then(|| {
            Test::bounds(words, Quantity::DoubleThreat, |exceeds| {
                exceeds.double_threat()
            })
        })
    },
};

pub const QUIESCENCE: Rule = Rule {
    name: "quiescence",
    label: "noisy moves in turn win",
    needs: &[],
    of: |settings, rules| {
        let depth = u32::from(settings.quiescence??);
        let moves = depth + 1;
        let s = if moves == 1 { "" } else { "s" };
        let words = format!(
            "the side to move wins something by noisy moves in turn (material quiescence, \
             W{depth}): after at most {moves} move{s} SEE decides, and either side may stop at \
             any time, in check too"
        );
        let rules = *rules;
        let test = Test::new(words, LooksAt::Board, move |seen| {
            seen.position
                .is_some_and(|position| rules.quiescence_ge(position, depth, 1))
        });
        Some(test.asks_see())
    },
};
