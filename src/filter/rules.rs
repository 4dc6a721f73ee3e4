//! The rules of filters, one entry each.
//!
//! Everything else follows from a rule's entry and its fields of `Settings`: flags and their
//! help, keys of files, `--explain`, the reasons in summaries, and required fields. A new rule
//! is a new entry in [`ALL`].

use core::fmt;

use super::rule::{Reason, Rule};

mod board;
mod game;
mod played;

pub use played::Played;

/// All rules, in the order of their application: cheap ones first. Those after [`board::SEE`]
/// see only records that it kept.
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
    pub(super) const SEE: Reason = Reason::of(&board::SEE);

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
