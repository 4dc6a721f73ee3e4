//! Filtering: keeps some records, drops or marks the others.

use super::converting::Unscored;
use super::counts::wins_of;
use super::error::{Error, Result};
use super::job::Job;
use super::summary::Summary;
use crate::Evaluator;
use crate::filter::{Field, Filter};

mod missing;
mod mode;
mod settings;
mod stricter;
mod task;

pub(super) use missing::explained;
pub use mode::Mode;
pub use settings::Filtering;
pub(super) use task::Filters;

impl Job<'_> {
    /// Writes the records that a filter keeps, byte for byte as they were read.
    ///
    /// # Errors
    ///
    /// An [`Error`] of any kind; then no output file is left.
    pub fn filter(mut self, what: &Filtering, evaluator: &Evaluator) -> Result<Summary> {
        let mode = self.prepare_filter(what)?;
        let from = self.converting.from;
        let task = Filters::new(&self, what, mode, evaluator);
        let summary = self.run("filter", &task, &[], Some(&what.rules), |summary| {
            summary.filter = Some(what.filtered(mode, wins_of(from)));
        });
        summary.map_err(|error| explained(error, from))
    }

    /// Settles how records are written; refuses what cannot be filtered so.
    pub(super) fn prepare_filter(&mut self, what: &Filtering) -> Result<Mode> {
        let (filter, from) = (&what.filter, self.converting.from);
        missing::refuse(filter, from, &self.input.name)?;
        if filter.keeps_no_unscored() {
            self.converting.unscored = Unscored::Dropped;
        }
        self.converting.checks_moves = filter.needs().any(|field| field == Field::Played);
        self.write_records(what.to)?;
        let mode = Mode::of(what.mode, self.converting.to)?;
        self.check_marks(filter, mode)?;
        Ok(mode)
    }

    /// Refuses marks in formats whose loaders would train on them.
    fn check_marks(&mut self, filter: &Filter, mode: Mode) -> Result<()> {
        let to = self.converting.to;
        if to.skips_unscored() || to.is_text() {
            return Ok(());
        }
        let name = to.name();
        if self.rejects.is_some() && !self.converting.copies() && filter.keeps_no_unscored() {
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
