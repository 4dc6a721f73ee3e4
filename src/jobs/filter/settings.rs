//! The settings of a filter job.

use std::time::Duration;

use super::mode::Mode;
use crate::filter::Filter;
use crate::formats::Format;
use crate::jobs::counts::WHITE;
use crate::jobs::summary::{Evaluated, Filtered, Summary};
use crate::jobs::tally::Tally;
use crate::{Evaluator, Rules};

/// The settings of a filter job.
#[derive(Clone, Debug)]
pub struct Filtering {
    pub(super) filter: Filter,
    pub(in crate::jobs) rules: Rules,
    pub(super) to: Option<Format>,
    pub(super) mode: Option<Mode>,
    pub(super) limit: Option<u64>,
    pub(super) counts: bool,
    pub(super) stricter: bool,
}

impl Filtering {
    /// A filter, with the rules for its SEE.
    #[must_use]
    pub const fn new(filter: Filter, rules: Rules) -> Filtering {
        Filtering {
            filter,
            rules,
            to: None,
            mode: None,
            limit: None,
            counts: false,
            stricter: false,
        }
    }

    /// The summary of a run over no files.
    #[must_use]
    pub fn of_nothing(&self, evaluator: &Evaluator, threads: usize) -> Summary {
        Summary {
            job: "filter",
            input: String::new(),
            output: String::new(),
            formats: None,
            unscored: String::new(),
            units: None,
            tally: Tally::default(),
            elapsed: Duration::ZERO,
            evaluated: Some(Evaluated::by(evaluator, threads, self.rules)),
            filter: Some(self.filtered(Mode::Drop, WHITE)),
        }
    }

    pub(in crate::jobs) fn filtered(&self, mode: Mode, wins_of: &'static str) -> Filtered {
        Filtered {
            rules: self.filter.to_string(),
            mode: mode.name(),
            wins_of,
        }
    }

    /// Writes another format than the input's.
    #[must_use]
    pub const fn to(mut self, to: Option<Format>) -> Filtering {
        self.to = to;
        self
    }

    /// What becomes of the others: `None` for the format's default.
    #[must_use]
    pub const fn mode(mut self, mode: Option<Mode>) -> Filtering {
        self.mode = mode;
        self
    }

    /// Ends once this many records were kept.
    #[must_use]
    pub const fn limit(mut self, limit: Option<u64>) -> Filtering {
        self.limit = limit;
        self
    }

    /// Also counts the records read and kept, which needs the verdicts of all records.
    #[must_use]
    pub const fn counts(mut self, counts: bool) -> Filtering {
        self.counts = counts;
        self
    }

    /// Also counts what stricter presets would have dropped of the records kept.
    #[must_use]
    pub const fn stricter(mut self, stricter: bool) -> Filtering {
        self.stricter = stricter;
        self
    }
}
