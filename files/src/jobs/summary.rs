//! The summary of a job: what it has done, and how the summaries of several files add up.
//! `summary/table.rs` shows it.

use std::time::Duration;

use super::error::Error;
use super::kind::JobKind;
use super::tally::Tally;
use crate::filter::Filter;
use crate::formats::{Field, Format, Scale};
use crate::report::counted;
use crate::stages::Stages;
use swaplist::choices;
use swaplist::{Evaluator, Report, Rules};

mod rows;
mod table;

pub(crate) use rows::{show_games, show_invalid, show_losses, show_odd_scores};

/// The side whose wins are counted first in the three numbers of results.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum ResultSide {
    /// White, in formats that say who plays White.
    #[default]
    White,
    /// The side to move, in bulletformat.
    SideToMove,
    /// One or the other, for files of several formats together.
    Either,
}

impl ResultSide {
    /// The side whose wins a format counts first.
    pub fn from_format(format: Format) -> ResultSide {
        if format.holds(Field::Turn) {
            ResultSide::White
        } else {
            ResultSide::SideToMove
        }
    }

    /// What texts and JSON call it.
    const fn name(self) -> &'static str {
        match self {
            ResultSide::White => "White",
            ResultSide::SideToMove => "the side to move",
            ResultSide::Either => "White, or in bulletformat the side to move",
        }
    }
}

choices! {
    "mode",
    /// What becomes of records that are not kept.
    pub enum Mode {
        /// They are left out.
        Drop = "drop",
        /// They get the score 32002 (no score), which trainers skip.
        Mark = "mark",
    }
}

/// The result of a job; its [`table`](Summary::table) shows it.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Summary {
    /// Which job it is about: a filter, a conversion or another one.
    pub job: JobKind,
    /// The input's name in messages.
    pub input: String,
    /// The output's name in messages.
    pub output: String,
    /// The formats read and written, if all files have the same.
    pub formats: Option<[Format; 2]>,
    /// What became of records without a score.
    pub unscored: String,
    /// What scores were multiplied by.
    pub(super) scale: Option<Scale>,
    /// Numbers of records and bytes, and what became of the records.
    pub tally: Tally,
    /// The wall time from the start of the job to its end.
    pub elapsed: Duration,
    /// The number of worker threads that the job used.
    pub threads: usize,
    /// What evaluated, the GPU or the CPU with its threads; empty if nothing did.
    pub backend: String,
    /// What the evaluator did: audits, and a change of the backend; empty if there was none.
    pub report: Report,
    /// The rules of the SEE, if there was an evaluator.
    pub rules: Option<Rules>,
    /// The filter, if the job was one.
    pub(super) filter: Option<Filter>,
    /// What a filter did with the records that it did not keep, if the same in all files.
    pub(super) mode: Option<Mode>,
    /// The side whose wins stand first in the results.
    pub(super) result_side: ResultSide,
    /// The summaries of the single files, if this one is about several.
    pub files: Vec<Summary>,
}

impl Summary {
    /// The summary of a filter that had no file to do, since all outputs existed already. Without a
    /// `mode`, it says that records are dropped.
    pub fn for_no_files(
        filter: &Filter,
        mode: Option<Mode>,
        evaluator: &Evaluator,
        threads: usize,
    ) -> Summary {
        let mut summary = Summary {
            job: JobKind::Filter,
            threads,
            filter: Some(filter.clone()),
            mode: Some(mode.unwrap_or(Mode::Drop)),
            rules: Some(*filter.see_rules()),
            result_side: ResultSide::White,
            ..Summary::default()
        };
        summary.evaluated_by(evaluator);
        summary
    }

    pub(super) fn evaluated_by(&mut self, evaluator: &Evaluator) {
        self.backend = backend(evaluator, self.threads);
        self.report = evaluator.report();
        // Whoever records the stages of the run is told why the choice came out so.
        if let (Some(choice), Some(stages)) = (&mut self.report.choice, Stages::for_this_thread())
            && let Some(bound) = stages.timeline().device_bound()
        {
            *choice = format!("{choice}; {bound}");
        }
    }

    /// Adds the summary of a file to the sum of those before it, which lists them. Its messages then
    /// name it.
    ///
    /// The memory from which the number of different positions is estimated, 128 KiB a file, is
    /// kept in the sum alone.
    pub fn add_to(mut self, sum: &mut Option<Summary>) {
        self.tally.name_input(&self.input);
        let all = match sum {
            Some(all) => {
                all.add(self.clone());
                all
            }
            none => none.insert(self.clone()),
        };
        self.settle();
        all.files.push(self);
        all.input = format!("{} files", all.files.len());
    }

    fn settle(&mut self) {
        let counts = self
            .tally
            .counts
            .iter_mut()
            .flat_map(|both| both.iter_mut());
        for data in counts.filter_map(|counts| counts.data.as_mut()) {
            data.settle();
        }
    }

    /// Whether the input's format has games or chains: the name that it gives them. `None` if it
    /// has neither, or if the files have several formats.
    pub(super) fn units(&self) -> Option<&'static str> {
        self.formats.and_then(|[format, _]| format.units())
    }

    /// Adds the summary of another file, which was worked on after those before.
    fn add(&mut self, one: Summary) {
        self.tally += one.tally;
        self.elapsed += one.elapsed;
        self.formats = self.formats.filter(|formats| one.formats == Some(*formats));
        if !self.unscored.is_empty() && self.unscored != one.unscored {
            "written or copied".clone_into(&mut self.unscored);
        } else {
            self.unscored = one.unscored;
        }
        (self.backend, self.report) = (one.backend, one.report);
        self.mode = self.mode.filter(|_| self.mode == one.mode);
        if self.result_side != one.result_side {
            self.result_side = ResultSide::Either;
        }
    }

    /// Why the input could not be read to its end. With several files, why the first of the broken
    /// ones could not, and how many more are broken.
    fn broken(&self) -> Option<String> {
        if self.files.is_empty() {
            return self.tally.faults.broken.as_ref().map(Error::without_file);
        }
        let mut broken = self
            .files
            .iter()
            .filter_map(|file| file.tally.faults.broken.as_ref());
        let first = broken.next()?;
        match broken.count() {
            0 => Some(first.to_string()),
            more => Some(format!("{first}, and {more} more")),
        }
    }

    /// A word for what became of the records that were not kept.
    pub fn action(&self) -> &'static str {
        match self.mode {
            Some(Mode::Drop) => "dropped",
            Some(Mode::Mark) => "marked",
            None => "not kept",
        }
    }

    /// The names of the three results, in the order in which they are counted.
    pub fn results(&self) -> [&'static str; 3] {
        match self.result_side {
            ResultSide::White => ["White won", "Draw", "Black won"],
            ResultSide::SideToMove => ["Side to move won", "Draw", "Side to move lost"],
            ResultSide::Either => ["Won", "Draw", "Lost"],
        }
    }

    /// Whether no record was invalid. A validation must also have found records, and no fault.
    pub fn is_sound(&self) -> bool {
        if !self.files.is_empty() {
            return self.files.iter().all(Summary::is_sound);
        }
        let is_empty = self.job == JobKind::Validate && self.tally.records == 0;
        self.tally.invalid == 0 && self.tally.faults.is_empty() && !is_empty
    }
}

/// What evaluated in a job on this many threads, for its summary.
pub(crate) fn backend(evaluator: &Evaluator, threads: usize) -> String {
    if evaluator.uses_gpu() {
        return evaluator.name();
    }
    format!("CPU, {}", counted(threads as u64, "thread"))
}
