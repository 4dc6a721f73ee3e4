//! Filtering: keeps some records, drops or marks the others.

use std::time::Duration;

use super::converting::Unscored;
use super::counts::{WHITE, wins_of};
use super::error::{Error, Result};
use super::job::Job;
use super::pipeline::Plan;
use super::summary::{Evaluated, Filtered, Summary};
use super::tally::Tally;
use crate::filter::{Field, Filter};
use crate::formats::Format;
use crate::{Evaluator, Rules};

mod missing;
mod mode;
mod task;

pub use mode::Mode;
use task::{Filters, Pool, SMALL};

/// The settings of a filter job.
#[derive(Clone, Debug)]
pub struct Filtering {
    filter: Filter,
    rules: Rules,
    to: Option<Format>,
    mode: Option<Mode>,
    limit: Option<u64>,
    counts: bool,
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

    fn filtered(&self, mode: Mode, wins_of: &'static str) -> Filtered {
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
}

impl Job<'_> {
    /// Writes the records that a filter keeps, byte for byte as they were read.
    ///
    /// # Errors
    ///
    /// An [`Error`] of any kind; then no output file is left.
    pub fn filter(mut self, what: &Filtering, evaluator: &Evaluator) -> Result<Summary> {
        let Filtering { filter, rules, .. } = what;
        missing::refuse(filter, self.from, &self.input.name)?;
        if filter.keeps_no_unscored() {
            self.unscored = Unscored::Dropped;
        }
        self.checks_moves = filter.needs().any(|field| field == Field::Played);
        self.write_records(what.to)?;
        let codec = self.codec()?;
        let mode = Mode::of(what.mode, &*codec, self.to)?;
        self.check_marks(filter, mode)?;
        let task = Filters {
            evaluator,
            rules,
            filter,
            mode,
            rejects: self.rejects.is_some(),
            count: what.counts,
            converts_to: Some(self.to).filter(|&to| to != self.from),
            limit: what.limit,
            most_bytes: if codec.units().is_none() {
                SMALL
            } else {
                Plan::MOST
            },
            judged: Pool::default(),
            data: Pool::default(),
        };
        let from = self.from;
        let summary = self.run("filter", &task, &[], Some(rules), |summary| {
            summary.filter = Some(what.filtered(mode, wins_of(from)));
        });
        summary.map_err(|error| missing::explained(error, from))
    }

    /// Refuses marks in formats whose loaders would train on them.
    fn check_marks(&mut self, filter: &Filter, mode: Mode) -> Result<()> {
        let to = self.to;
        if to.skips_unscored() || to.is_text() {
            return Ok(());
        }
        let name = to.name();
        if self.rejects.is_some() && self.from != to && filter.keeps_no_unscored() {
            return Err(Error::refused(format!(
                "rejects in {name} cannot hold records without a score; do without them, or \
                 filter in the input's own format first"
            )));
        }
        if mode == Mode::Mark {
            self.watch.note(&format!(
                "loaders of {name} do not skip marked records: drop them instead, or leave out \
                 what has no score before training"
            ));
        }
        Ok(())
    }
}
