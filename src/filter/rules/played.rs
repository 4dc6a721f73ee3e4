//! Rules about the played move.
//!
//! The key `played`, and viriformat's `filter_tactical` and `filter_castling`, set several of
//! them at once, by the names in [`NAMES`].

use shakmaty::Role;

use super::super::keys::{Key, Kind, Named, Set};
use super::super::rule::{Rule, Screen};
use super::super::value::Value;
use crate::formats::Part;
use crate::{Capture, Position};

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
    Key {
        value_name: "RULES",
        help: "Drop by the played move: quiet (it captures or promotes), normal (or castles), \
               no-captures, empty-target (as no-captures, en passant passes), no-promotions, \
               no-castling, see-ge0 (it captures, and the score is 0 or its SEE at least 0), or \
               any (never). Several with commas",
        ..Key::of_filter("played", Kind::Played(&NAMES), Set::Played)
    },
    Key::of_filter("filter_tactical", Kind::Bool, Set::PlayedPart("quiet")),
    Key::of_filter(
        "filter_castling",
        Kind::Bool,
        Set::PlayedPart("no-castling"),
    ),
];

/// What a move captures.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Victim {
    None,
    OnTarget,
    EnPassant,
}

fn victim(position: &Position, played: Capture) -> Victim {
    match position.piece_at(played.to()) {
        Some(piece) if piece.color == position.turn() => Victim::None,
        Some(_) => Victim::OnTarget,
        None if played.from().file() != played.to().file()
            && role(position, played) == Some(Role::Pawn) =>
        {
            Victim::EnPassant
        }
        None => Victim::None,
    }
}

fn role(position: &Position, played: Capture) -> Option<Role> {
    Some(position.piece_at(played.from())?.role)
}

/// Castling is a king's move onto a piece of its own side.
fn castles(position: &Position, played: Capture) -> bool {
    let target = position.piece_at(played.to());
    role(position, played) == Some(Role::King)
        && target.is_some_and(|piece| piece.color == position.turn())
}

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
    screen: Screen::Board(|value, screening| {
        let is_capture = |victim| match value {
            Value::On => victim != Victim::None,
            _ => victim == Victim::OnTarget,
        };
        screening.drop_where(|position, record| {
            let played = record.played();
            played.is_some_and(|played| is_capture(victim(position, played)))
        });
    }),
};

pub const PROMOTION: Rule = Rule {
    name: "played_promotion",
    label: "a promotion was played",
    needs: &[Part::Played],
    keys: &[],
    words: |_, _| "the played move promotes".to_owned(),
    screen: Screen::Record(|_, screening| {
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
    screen: Screen::Board(|_, screening| {
        screening.drop_where(|position, record| {
            let played = record.played();
            played.is_some_and(|played| castles(position, played))
        });
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
    screen: Screen::Board(|_, screening| {
        let rules = screening.see_rules;
        screening.drop_where(|position, record| {
            record.played().is_some_and(|played| {
                victim(position, played) == Victim::OnTarget
                    && (record.score() == Some(0) || rules.see_ge(position, played, 0))
            })
        });
    }),
};

pub const SEE: Rule = Rule {
    name: "played_see",
    label: "SEE of the played move",
    needs: &[Part::Played],
    keys: &[
        Key {
            value_name: "N",
            help: "Drop if the played move's SEE is lower",
            ..Key::own("min_played_see", Kind::see(), |value, setting| {
                Value::bound(value, |range| range.0 = setting.int().unwrap_or(i64::MIN));
            })
        },
        Key {
            value_name: "N",
            help: "Drop if the played move's SEE is higher",
            ..Key::own("max_played_see", Kind::see(), |value, setting| {
                Value::bound(value, |range| range.1 = setting.int().unwrap_or(i64::MAX));
            })
        },
    ],
    words: |value, _| match value.range() {
        (min, i64::MAX) => format!("the SEE of the played move is below {min}"),
        (i64::MIN, max) => format!("the SEE of the played move is above {max}"),
        (min, max) => format!("the SEE of the played move is below {min} or above {max}"),
    },
    screen: Screen::Board(|value, screening| {
        let rules = screening.see_rules;
        let (min, max) = value.range();
        let is_at_least = |bound: i64, position: &Position, played| {
            let bound = i32::try_from(bound).ok();
            bound.is_none_or(|bound| rules.see_ge(position, played, bound))
        };
        screening.drop_where(|position, record| {
            record.played().is_some_and(|played| {
                !is_at_least(min, position, played)
                    || max < i32::MAX.into() && is_at_least(max + 1, position, played)
            })
        });
    }),
};
