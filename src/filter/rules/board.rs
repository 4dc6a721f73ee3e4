//! Rules about the position and its score.

use super::super::keys::{Key, Kind, Setting};
use super::super::rule::{Rule, Screen};
use super::super::value::Value;
use crate::MAX_QUIESCENCE;
use crate::formats::Part;
use crate::formats::Record;

pub const PLY: Rule = Rule {
    name: "ply",
    label: "too early in the game",
    needs: &[Part::Clocks],
    keys: &[Key::own("min_ply", Kind::count("half-moves"), set_least)
        .flag("Drop if fewer half-moves were made since the start of the game")],
    words: |value, _| {
        let (min, _) = value.range();
        format!("fewer than {min} half-moves were made since the start of the game")
    },
    screen: Screen::Record(|value, screening| {
        let (min, _) = value.range();
        screening.drop_records(|record| record.ply().is_some_and(|ply| i64::from(ply) < min));
    }),
};

/// Sets the lower bound of a number that is never negative.
fn set_least(value: &mut Option<Value>, setting: &Setting) {
    let min = setting.int().filter(|&min| min > 0);
    Value::bound(value, |range| range.0 = min.unwrap_or(i64::MIN));
}

pub const PIECES: Rule = Rule {
    name: "pieces",
    label: "number of pieces",
    needs: &[],
    keys: &[
        Key::own("min_pieces", Kind::count("pieces"), set_least)
            .flag("Drop if there are fewer pieces on the board, kings and pawns counted"),
        Key::own("max_pieces", Kind::most("pieces"), set_most)
            .flag("Drop if there are more pieces on the board"),
    ],
    words: |value, _| match value.range() {
        (min, i64::MAX) => format!("there are fewer than {min} pieces on the board"),
        (i64::MIN, max) => format!("there are more than {max} pieces on the board"),
        (min, max) => {
            format!("there are fewer than {min} or more than {max} pieces on the board")
        }
    },
    screen: Screen::Facts(|value, screening| {
        let (min, max) = value.range();
        screening.drop_by_facts(|facts, _| !(min..=max).contains(&facts.pieces().into()));
    }),
};

fn set_most(value: &mut Option<Value>, setting: &Setting) {
    Value::bound(value, |range| range.1 = setting.int().unwrap_or(i64::MAX));
}

fn switch(value: &mut Option<Value>, setting: &Setting) {
    *value = setting.is_true().then_some(Value::On);
}

pub const UNSCORED: Rule = Rule {
    name: "unscored",
    label: "no score, or 32002",
    // It needs no field: it tests whether there is a score.
    needs: &[],
    keys: &[Key::own("drop_unscored", Kind::Bool, switch)
        .flag("Drop if there is no score, or 32002, which means none")],
    words: |_, _| "there is no score, or 32002, which means none".to_owned(),
    screen: Screen::Record(|_, screening| {
        screening.drop_records(Record::is_unscored);
    }),
};

pub const SCORE: Rule = Rule {
    name: "score",
    label: "score too far from 0",
    needs: &[Part::Score],
    keys: &[
        // viriformat also drops a score equal to max_eval.
        Key::own("max_eval", Kind::count("centipawns"), |value, setting| {
            let max = setting.int().filter(|&max| max < u32::MAX.into());
            Value::bound(value, |range| range.1 = max.map_or(i64::MAX, |max| max - 1));
        }),
        Key::own("max_score", Kind::most("centipawns"), set_most)
            .flag("Drop if the score is further from 0, in centipawns"),
    ],
    words: |value, _| {
        let (_, max) = value.range();
        format!("the score is more than {max} centipawns from 0, for either side")
    },
    screen: Screen::Record(|value, screening| {
        let (_, max) = value.range();
        screening.drop_records(|record| {
            let score = record.score().map(i32::unsigned_abs);
            score.is_some_and(|score| i64::from(score) > max)
        });
    }),
};

pub const IN_CHECK: Rule = Rule {
    name: "in_check",
    label: "in check",
    needs: &[],
    keys: &[
        Key::own("keep_checks", Kind::Bool, |value, setting| {
            *value = (!setting.is_true()).then_some(Value::On);
        })
        .flag("Do not drop for being in check"),
        Key::own("filter_check", Kind::Bool, switch),
    ],
    words: |_, _| "the side to move is in check".to_owned(),
    screen: Screen::Board(|_, screening| screening.drop_where(|position, _| position.in_check())),
};

pub const SEE: Rule = Rule {
    name: "see",
    label: "best SEE too high",
    needs: &[],
    keys: &[Key::own("max_see", Kind::see(), set_most)
        .flag("Drop if a noisy move's SEE is higher; 'none' lifts the preset's bound")],
    words: |value, _| {
        let (_, max) = value.range();
        format!("a noisy move (capture, en passant, promotion) has a SEE above {max}")
    },
    screen: Screen::Bounds,
};

pub const THREAT: Rule = Rule {
    name: "threat",
    label: "threat too high",
    needs: &[],
    keys: &[Key::own("max_threat", Kind::see(), set_most)
        .flag("Drop if the opponent, were it to move, had a noisy move with a higher SEE")],
    words: |value, _| {
        let (_, max) = value.range();
        format!("the opponent, were it to move, had a noisy move with a SEE above {max}")
    },
    screen: Screen::Bounds,
};

pub const DOUBLE_THREAT: Rule = Rule {
    name: "double_threat",
    label: "two threats",
    needs: &[],
    keys: &[Key::own("drop_double_threat", Kind::Bool, switch)
        .flag("Drop if the opponent, were it to move, could win something on two squares")],
    words: |_, _| {
        "the opponent, were it to move, had noisy moves with a SEE above 0 to two squares or more"
            .to_owned()
    },
    screen: Screen::Bounds,
};

pub const QUIESCENCE: Rule = Rule {
    name: "quiescence",
    label: "noisy moves in turn win",
    needs: &[],
    keys: &[Key::own(
        "quiescence",
        Kind::Limit(0, MAX_QUIESCENCE as i64, ""),
        set_most,
    )
    .flag(
        "Drop if noisy moves in turn win something: at most N + 1 of them before SEE decides, \
               and either side may stop; N is 0 to 3, 'none' lifts the preset's",
    )],
    words: |value, _| {
        let (_, depth) = value.range();
        let moves = depth + 1;
        let s = if moves == 1 { "" } else { "s" };
        format!(
            "the side to move wins something by noisy moves in turn (material quiescence, \
             W{depth}): after at most {moves} move{s} SEE decides, and either side may stop at \
             any time, in check too"
        )
    },
    screen: Screen::Board(|value, screening| {
        let rules = screening.see_rules;
        let depth = u32::try_from(value.range().1).unwrap_or(MAX_QUIESCENCE);
        screening.drop_where(|position, _| rules.quiescence_ge(position, depth, 1));
    }),
};
