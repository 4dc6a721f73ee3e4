//! The rules of filters, one entry each.
//!
//! Everything else follows from a rule's entry and its fields of `Settings`: flags and their
//! help, keys of files, `--explain`, the reasons in summaries, and required fields. A new rule
//! is a new entry in [`RULES`].

use core::fmt;

use super::rule::{Reason, Rule};

mod board;
mod game;
mod played;

pub use played::Played;

/// All rules, in the order of their application: cheap ones first. Those after the bounds see
/// only records that these keep.
pub(super) static RULES: [Rule; 19] = [
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

impl Reason {
    /// The number of reasons.
    pub const COUNT: usize = RULES.len() + 1;

    /// The filter is inverted, and no rule drops the record.
    pub const QUIET: Reason = Reason::at(RULES.len());

    /// All reasons, in the order of their rules.
    pub fn all() -> impl Iterator<Item = Reason> {
        (0..Reason::COUNT).map(Reason::at)
    }

    /// The name in JSON.
    pub fn name(self) -> &'static str {
        RULES.get(self.index()).map_or("quiet", |rule| rule.name)
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match RULES.get(self.index()) {
            Some(rule) => rule.label,
            None => "no rule drops it (the filter is inverted)",
        })
    }
}
