//! Filtering: keeps some records, drops or marks the others.

use std::path::Path;

use super::converting::Unscored;
use super::error::{Error, ErrorKind, Result};
use super::input::Input;
use super::job::Job;
use super::summary::{EvaluatorSummary, Filtered, Mode, Summary, WHITE};
use crate::filter::{Filter, name_of};
use crate::formats::{Action, Field, Format};
use crate::{BackendChoice, Evaluator};

mod task;

pub(super) use task::Filters;

impl Mode {
    fn of(asked: Option<Mode>, format: Format) -> Result<Mode> {
        let suited = if format.prefers_mark() {
            Mode::Mark
        } else {
            Mode::Drop
        };
        let mode = asked.unwrap_or(suited);
        if mode == Mode::Mark && !format.can_mark() {
            return Err(Error::refused(format.no_mark()));
        }
        Ok(mode)
    }

    const fn action(self) -> Action {
        match self {
            Mode::Drop => Action::Drop,
            Mode::Mark => Action::Mark,
        }
    }
}

/// The settings of a filter job.
#[derive(Clone, Debug)]
pub struct Filtering {
    /// Which records are kept.
    pub filter: Filter,
    /// The format to write, if not the input's.
    pub to: Option<Format>,
    /// What becomes of the others; `None` for the format's default.
    pub mode: Option<Mode>,
    /// Ends once this many records were kept.
    pub limit: Option<u64>,
    /// Also counts the records read and kept, which needs the verdicts of all records.
    pub counts: bool,
}

impl Filtering {
    /// A filter, and nothing else asked for.
    #[must_use]
    pub const fn new(filter: Filter) -> Filtering {
        Filtering {
            filter,
            to: None,
            mode: None,
            limit: None,
            counts: false,
        }
    }

    /// The summary of a run over no files.
    #[must_use]
    #[doc(hidden)] // for our command and tests
    pub fn of_nothing(&self, evaluator: &Evaluator, threads: usize) -> Summary {
        Summary {
            job: "filter",
            evaluated: Some(EvaluatorSummary::by(
                evaluator,
                threads,
                *self.filter.see_rules(),
            )),
            filter: Some(self.filtered(Mode::Drop)),
            result_side: WHITE,
            ..Summary::default()
        }
    }

    pub(super) fn filtered(&self, mode: Mode) -> Filtered {
        Filtered {
            rules: self.filter.to_string(),
            mode: Some(mode),
        }
    }
}

/// How [`filter`] runs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// The format of the input; by default the one detected.
    pub from: Option<Format>,
    /// The format to write; by default the input's.
    pub to: Option<Format>,
    /// Whether an existing output is replaced; by default that is an error.
    pub replace: bool,
    /// Whether invalid records are skipped and counted; by default the first one is an error.
    pub skip_invalid: bool,
    /// The number of worker threads; by default one per core.
    pub threads: Option<usize>,
    /// What computes.
    pub backend: BackendChoice,
}

/// Filters a file into another. Either may be compressed, `.zst` or `.gz`, and `-` for standard
/// input or output. The output is written atomically; its records are byte for byte those of the
/// input. [`Job`] has all that the command can do.
///
/// ```
/// use swaplist::filter::Preset;
/// use swaplist::jobs::{self, Options};
///
/// # let folder = tempfile::tempdir()?;
/// # let quiet = folder.path().join("quiet.binpack");
/// let filter = Preset::Calm.filter();
/// let summary = jobs::filter("data/sample.binpack", quiet, &filter, &Options::default())?;
/// println!("{} of {} are kept", summary.tally.kept, summary.tally.records);
/// # assert!(summary.tally.kept > 0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// As for [`Job::new`], [`Job::write_to`] and [`Job::filter`].
pub fn filter(
    input: impl AsRef<Path>,
    output: impl AsRef<Path>,
    filter: &Filter,
    options: &Options,
) -> Result<Summary> {
    let job = Job::new(Input::open(Some(input.as_ref()))?, options.from)?;
    let mut job = job.write_to(Some(output.as_ref()), options.replace, None)?;
    job.skip_invalid = options.skip_invalid;
    job.threads = options.threads.unwrap_or(job.threads);
    let what = Filtering {
        to: options.to,
        ..Filtering::new(filter.clone())
    };
    let evaluator = Evaluator::new(&options.backend).callers(job.threads);
    job.filter(&what, &evaluator)
}

impl Job<'_> {
    /// Writes the records that a filter keeps, byte for byte as they were read.
    ///
    /// # Errors
    ///
    /// An [`Error`] of any kind; then no output file is left.
    pub fn filter(mut self, what: &Filtering, evaluator: &Evaluator) -> Result<Summary> {
        let mode = self.prepare_filter(what)?;
        let from = self.converting.from;
        let task = Filters::new(&self, what, mode);
        let summary = self.run("filter", &task, &[], Some(evaluator), &|summary| {
            summary.filter = Some(what.filtered(mode));
        });
        summary.map_err(|error| explained(error, from))
    }

    /// Settles how records are written; refuses what cannot be filtered so.
    pub(super) fn prepare_filter(&mut self, what: &Filtering) -> Result<Mode> {
        let (filter, from) = (&what.filter, self.converting.from);
        refuse(filter, from, &self.input.name)?;
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
            self.note(&format!(
                "loaders of {name} do not skip marked records: drop them instead, or leave out \
                 what has no score before training"
            ));
        }
        Ok(())
    }
}

/// An error if no record of this format holds a field that the filter needs.
fn refuse(filter: &Filter, format: Format, input: &str) -> Result<()> {
    let lacking: Vec<Field> = filter
        .needs()
        .filter(|&field| !format.holds(field))
        .collect();
    let Some(&first) = lacking.first() else {
        return Ok(());
    };
    let name = |&field: &Field| format!("the {}", name_of(field));
    let names: Vec<String> = lacking.iter().map(name).collect();
    let can = |format: &&Format| filter.needs().all(|field| format.holds(field));
    let others: Vec<&str> = Format::ALL.iter().filter(can).map(|f| f.name()).collect();
    let message = format!(
        "{input}: the filter asks for {}, which {} never holds; filter data in a format that \
         does ({})",
        names.join(" and "),
        format.name(),
        others.join(", ")
    );
    Err(Error::new(ErrorKind::Missing(first), message))
}

/// Adds where the format holds the missing field, or how to convert.
pub(super) fn explained(error: Error, format: Format) -> Error {
    let ErrorKind::Missing(field) = *error.kind() else {
        return error;
    };
    let form = format.form_of(field).map_or_else(String::new, |form| {
        format!(" (in {}: {form})", format.name())
    });
    let advice = match field {
        Field::Score => format.row().unscored_advice,
        _ => "",
    };
    error.with_suffix(&format!("{form}{advice}"))
}
