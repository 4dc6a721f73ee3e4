//! The rules of filters, one entry each.
//!
//! Everything else follows from a rule's entry: flags and their help, TOML keys, `--explain`,
//! the reasons in summaries, and required fields. A new rule is a new entry in [`ALL`].

use core::fmt;

use super::rule::{Reason, Rule};

mod board;
mod game;
mod played;

pub(super) use played::{KEYS as PLAYED, NAMES as PLAYED_NAMES};

/// All rules, in the order of their application: cheap ones first. Those behind [`board::SEE`]
/// are asked about what the SEE leaves.
const ALL: [Rule; 19] = [
    board::PLY,
    board::PIECES,
    board::UNSCORED,
    board::SCORE,
    board::IN_CHECK,
    played::CAPTURE,
    played::PROMOTION,
    played::CASTLING,
    played::SEE_GE0,
    played::SEE,
    game::EVAL_INCORRECTNESS,
    game::WDL,
    game::MATERIAL_COUNT,
    game::RANDOM_SKIP,
    game::THINNED,
    board::SEE,
    board::THREAT,
    board::DOUBLE_THREAT,
    board::QUIESCENCE,
];

/// The rules as a static, so that references to them last.
pub(super) static RULES: [Rule; ALL.len()] = ALL;

impl Reason {
    /// The number of reasons.
    pub const COUNT: usize = ALL.len() + 1;

    /// The filter is inverted, and no rule drops the record.
    pub const QUIET: Reason = Reason::at(ALL.len());

    pub(super) const IN_CHECK: Reason = Reason::of(&board::IN_CHECK);
    pub(super) const SCORE: Reason = Reason::of(&board::SCORE);
    pub(super) const UNSCORED: Reason = Reason::of(&board::UNSCORED);
    pub(super) const SEE: Reason = Reason::of(&board::SEE);
    pub(super) const THREAT: Reason = Reason::of(&board::THREAT);
    pub(super) const DOUBLE_THREAT: Reason = Reason::of(&board::DOUBLE_THREAT);

    /// All reasons, in the order of their rules.
    pub fn all() -> impl Iterator<Item = Reason> {
        (0..Reason::COUNT).map(Reason::at)
    }

    /// The reason with this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Reason> {
        Reason::all().find(|reason| reason.name() == name)
    }

    const fn of(rule: &Rule) -> Reason {
        let mut i = 0;
        while !is_same(ALL[i].name, rule.name) {
            i += 1;
        }
        Reason::at(i)
    }

    /// Whether its rule needs a SEE.
    pub(super) fn is_about_see(self) -> bool {
        let rules = [
            &board::SEE,
            &board::THREAT,
            &board::DOUBLE_THREAT,
            &board::QUIESCENCE,
            &played::SEE_GE0,
            &played::SEE,
        ];
        rules.iter().any(|rule| rule.name == self.name())
    }

    /// The name in JSON.
    #[must_use]
    pub fn name(self) -> &'static str {
        RULES.get(self.index()).map_or("quiet", |rule| rule.name)
    }
}

/// `==` for constants.
const fn is_same(one: &str, other: &str) -> bool {
    let (one, other) = (one.as_bytes(), other.as_bytes());
    let mut i = 0;
    while i < one.len() && i < other.len() && one[i] == other[i] {
        i += 1;
    }
    i == one.len() && i == other.len()
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rule = RULES.get(self.index());
        f.write_str(
            rule.map_or("no rule drops it (the filter is inverted)", |rule| {
                rule.label
            }),
        )
    }
}
