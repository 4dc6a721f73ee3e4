//! Rules about the move that was played.

use core::{fmt, ops::BitOr, str::FromStr};

use shakmaty::Role;

use crate::{Capture, Position};

/// What a move captures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Victim {
    /// Nothing.
    None,
    /// The man on its target square.
    OnTarget,
    /// A pawn, en passant.
    EnPassant,
}

/// What sort of move something is, as far as filters ask.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kind {
    /// What it captures.
    pub victim: Victim,
    /// Whether it promotes.
    pub promotion: bool,
    /// Whether it castles.
    pub castling: bool,
}

impl Kind {
    /// The kind of a move in its position.
    #[must_use]
    pub fn of(position: &Position, played: Capture) -> Kind {
        let (from, to) = (played.from(), played.to());
        let role = position.piece_at(from).map(|piece| piece.role);
        let own_target = position
            .piece_at(to)
            .map(|piece| piece.color == position.turn());
        let victim = match own_target {
            Some(false) => Victim::OnTarget,
            None if role == Some(Role::Pawn) && from.file() != to.file() => Victim::EnPassant,
            _ => Victim::None,
        };
        Kind {
            victim,
            promotion: played.promotion().is_some(),
            castling: role == Some(Role::King) && own_target == Some(true),
        }
    }
}

/// Which played moves get their positions dropped.
///
/// Made by name, several in a row with commas: `"no-captures,no-castling"`.
///
/// | name | drops where the played move |
/// |---|---|
/// | `no-captures` | captures, en passant too |
/// | `empty-target` | goes to a square with a man of the other side; en passant passes |
/// | `no-promotions` | promotes |
/// | `no-castling` | castles |
/// | `quiet` | captures (en passant too) or promotes |
/// | `normal` | captures, promotes or castles |
/// | `see-ge0` | goes to a square with a man of the other side, and the score is 0 or its SEE at least 0 |
/// | `any` | never: takes back what a preset asks for |
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct PlayedRules(u8);

impl PlayedRules {
    /// No rule.
    pub const ANY: PlayedRules = PlayedRules(0);
    /// No captures, en passant neither.
    pub const NO_CAPTURES: PlayedRules = PlayedRules(1);
    /// No captures of a man on the target square.
    pub const EMPTY_TARGET: PlayedRules = PlayedRules(1 << 1);
    /// No promotions.
    pub const NO_PROMOTIONS: PlayedRules = PlayedRules(1 << 2);
    /// No castling.
    pub const NO_CASTLING: PlayedRules = PlayedRules(1 << 3);
    /// Of the captures of a man on the target square only those that lose, and none
    /// where the score is 0: meant as behind `SFNNv9`, where pins are at fault (see
    /// [`Preset::SeeGe0`](super::Preset::SeeGe0)).
    pub const SEE_GE0: PlayedRules = PlayedRules(1 << 4);
    /// Neither captures nor promotions.
    pub const QUIET: PlayedRules =
        PlayedRules(PlayedRules::NO_CAPTURES.0 | PlayedRules::NO_PROMOTIONS.0);
    /// Neither captures nor promotions nor castling.
    pub const NORMAL: PlayedRules = PlayedRules(PlayedRules::QUIET.0 | PlayedRules::NO_CASTLING.0);

    const NAMED: [(&'static str, PlayedRules); 8] = [
        ("quiet", PlayedRules::QUIET),
        ("normal", PlayedRules::NORMAL),
        ("no-captures", PlayedRules::NO_CAPTURES),
        ("empty-target", PlayedRules::EMPTY_TARGET),
        ("no-promotions", PlayedRules::NO_PROMOTIONS),
        ("no-castling", PlayedRules::NO_CASTLING),
        ("see-ge0", PlayedRules::SEE_GE0),
        ("any", PlayedRules::ANY),
    ];

    /// Whether all of these rules are among them.
    #[must_use]
    pub const fn has(self, rules: PlayedRules) -> bool {
        self.0 & rules.0 == rules.0
    }

    /// Without some of the rules.
    #[must_use]
    pub const fn without(self, rules: PlayedRules) -> PlayedRules {
        PlayedRules(self.0 & !rules.0)
    }
}

impl BitOr for PlayedRules {
    type Output = PlayedRules;

    fn bitor(self, other: PlayedRules) -> PlayedRules {
        PlayedRules(self.0 | other.0)
    }
}

/// The rules' names.
impl fmt::Display for PlayedRules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let single = |&(_, rules): &(&str, PlayedRules)| rules.0.is_power_of_two();
        let mut names = PlayedRules::NAMED
            .into_iter()
            .filter(single)
            .filter(|&(_, rules)| self.has(rules));
        match names.next() {
            None => f.write_str("any"),
            Some((name, _)) => {
                f.write_str(name)?;
                names.try_for_each(|(name, _)| write!(f, ",{name}"))
            }
        }
    }
}

impl fmt::Debug for PlayedRules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PlayedRules({self})")
    }
}

/// From names with commas between.
impl FromStr for PlayedRules {
    type Err = UnknownPlayedRule;

    fn from_str(names: &str) -> Result<PlayedRules, UnknownPlayedRule> {
        let rule = |name: &str| {
            let known = PlayedRules::NAMED.iter().find(|(known, _)| *known == name);
            known
                .map(|&(_, rules)| rules)
                .ok_or_else(|| UnknownPlayedRule(name.to_owned()))
        };
        names
            .split(',')
            .map(str::trim)
            .try_fold(PlayedRules::ANY, |rules, name| Ok(rules | rule(name)?))
    }
}

/// No rule about the played move has this name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownPlayedRule(String);

impl fmt::Display for UnknownPlayedRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = PlayedRules::NAMED.map(|(name, _)| name).join(", ");
        write!(
            f,
            "unknown rule '{}' about the played move, expected some of: {names}",
            self.0
        )
    }
}

impl core::error::Error for UnknownPlayedRule {}
