//! Rules about the played move.
//!
//! The key `played`, and viriformat's `filter_tactical` and `filter_castling`, set several of
//! them at once, by the names in [`NAMES`].

use super::super::keys::{Key, Kind, Named, Set};
use super::super::rule::{Facts, Rule, Screen};
use super::super::value::Value;
use crate::formats::Part;
use crate::takes::Takes;

/// The names of these rules and of groups of them.
pub const NAMES: [Named; 8] = [
    ("quiet", &["no-captures", "no-promotions"]),
    ("normal", &["no-captures", "no-promotions", "no-castling"]),
    ("no-captures", &[]),
    ("empty-target", &[]),
    ("no-promotions", &[]),
    ("no-castling", &[]),
    ("see-ge0", &[]),
    ("any", &[]),
];

/// The keys that set several rules.
pub const KEYS: [Key; 3] = [
    Key::of_filter("played", Kind::Played(&NAMES), Set::Played).flag(
        "Drop by the played move: quiet (it captures or promotes), normal (or castles), \
               no-captures, empty-target (as no-captures, en passant passes), no-promotions, \
               no-castling, see-ge0 (it captures, and the score is 0 or its SEE at least 0), or \
               any (never). Several with commas",
    ),
    Key::of_filter("filter_tactical", Kind::Bool, Set::PlayedPart("quiet")),
    Key::of_filter(
        "filter_castling",
        Kind::Bool,
        Set::PlayedPart("no-castling"),
    ),
];

pub const CAPTURE: Rule = Rule {
    name: "played_capture",
    label: "a capture was played",
    needs: &[Part::Played],
    keys: &[],
    words: |value, _| {
        match value {
            Value::On => "the played move captures, en passant too",
            _ => "the played move captures a piece on its target square (en passant passes)",
        }
        .to_owned()
    },
    screen: Screen::Facts(|value, screening| {
        let passes = *value != Value::On;
        screening.drop_by_facts(|facts, _| match facts.takes() {
            Takes::Piece => true,
            Takes::EnPassant => !passes,
            Takes::Rook | Takes::Nothing => false,
        });
    }),
};

pub const PROMOTION: Rule = Rule {
    name: "played_promotion",
    label: "a promotion was played",
    needs: &[Part::Played],
    keys: &[],
    words: |_, _| "the played move promotes".to_owned(),
    screen: Screen::Facts(|_, screening| {
        screening.drop_records(|record| {
            let played = record.played();
            played.is_some_and(|played| played.promotion().is_some())
        });
    }),
};

pub const CASTLING: Rule = Rule {
    name: "played_castling",
    label: "castling was played",
    needs: &[Part::Played],
    keys: &[],
    words: |_, _| "the played move castles".to_owned(),
    screen: Screen::Facts(|_, screening| {
        screening.drop_by_facts(|facts, _| facts.takes() == Takes::Rook);
    }),
};

/// As in the data behind `SFNNv9`.
pub const SEE_GE0: Rule = Rule {
    name: "played_see_ge0",
    label: "a capture with SEE >= 0 or score 0 was played",
    needs: &[Part::Played, Part::Score],
    keys: &[],
    words: |_, _| {
        "the played move captures a piece on its target square, and the score is 0 or its SEE \
         at least 0"
            .to_owned()
    },
    screen: Screen::Facts(|_, screening| {
        screening.drop_by_facts(|facts, record| {
            facts.takes() == Takes::Piece && (record.score() == Some(0) || facts.see_ge(0))
        });
    }),
};

pub const SEE: Rule = Rule {
    name: "played_see",
    label: "SEE of the played move",
    needs: &[Part::Played],
    keys: &[
        Key::own("min_played_see", Kind::see(), |value, setting| {
            Value::bound(value, |range| range.0 = setting.int().unwrap_or(i64::MIN));
        })
        .flag("Drop if the played move's SEE is lower"),
        Key::own("max_played_see", Kind::see(), |value, setting| {
            Value::bound(value, |range| range.1 = setting.int().unwrap_or(i64::MAX));
        })
        .flag("Drop if the played move's SEE is higher"),
    ],
    words: |value, _| match value.range() {
        (min, i64::MAX) => format!("the SEE of the played move is below {min}"),
        (i64::MIN, max) => format!("the SEE of the played move is above {max}"),
        (min, max) => format!("the SEE of the played move is below {min} or above {max}"),
    },
    screen: Screen::Facts(|value, screening| {
        let (min, max) = value.range();
        let is_at_least = |bound: i64, facts: &Facts<'_>| {
            let bound = i32::try_from(bound).ok();
            bound.is_none_or(|bound| facts.see_ge(bound))
        };
        screening.drop_by_facts(|facts, record| {
            record.played().is_some()
                && (!is_at_least(min, facts)
                    || max < i32::MAX.into() && is_at_least(max + 1, facts))
        });
    }),
};
