//! What may be asked of a job, whatever its kind.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use super::cancel::Cancel;
use super::error::{Error, Result};
use super::summary::Mode;
use crate::formats::{Format, LabelColumns, Scale};
use swaplist::{BackendChoice, CpuPath};

/// How a job runs. By default all is found out: formats, level, threads, backend.
///
/// Most options are for every kind of job. The description of the others says for which; other jobs
/// pass them over, except that a mix refuses them.
#[derive(Clone, Debug, Default)]
#[allow(clippy::struct_excessive_bools)] // switches that go together in any way
pub struct Options {
    /// The format of the input, or of all inputs of a mix; by default the one detected for each.
    pub from: Option<Format>,
    /// The name of the column of the FEN, in any case, if the input is a table; by default `fen`
    /// or, if there is none, `epd`.
    pub fen_column: Option<String>,
    /// The columns of the score and the result, if the input is a table; by default they are not
    /// read.
    pub labels: LabelColumns,
    /// The format that is written. By default a filter writes the input's, and a conversion the one
    /// that the output's name tells. A mix writes that of all inputs if the output's name fits it,
    /// or else the one that the name tells.
    pub to: Option<Format>,
    /// What becomes of records that a filter does not keep; by default what suits the format.
    pub mode: Option<Mode>,
    /// A filter ends once this many records were kept, and a mix once this many were written to all
    /// outputs together: 1 or more.
    pub limit: Option<u64>,
    /// A conversion and a mix leave out records without a score, which includes the score 32002. By
    /// default they are written without one if the target format has a way to say so, else refused.
    /// (A filter has a rule for it: [`Settings::drop_unscored`](crate::filter::Settings).)
    pub drop_unscored: bool,
    /// A conversion gives records without a score this one instead, from the side to move's view.
    pub score: Option<i16>,
    /// A filter and a conversion multiply the scores that they read, before any rule looks at them.
    /// Then records are made anew, also in the input's own format. (A mix has a scale for each
    /// input: [`MixOptions::scales`](crate::mix::MixOptions::scales).)
    pub scale: Option<Scale>,
    /// Castling rights that the format written cannot hold are dropped and counted, and the records
    /// that castle by one are left out and counted. By default records with such rights are
    /// invalid.
    pub drop_castling: bool,
    /// Whether a filter also counts the records read and kept, which needs the verdicts of all.
    pub counts: bool,
    /// Whether a count also tells what matters to training: plies, squares of the kings, results by
    /// score, lengths of games, and duplicates. It takes about twice as long.
    pub data: bool,
    /// The depth of [`Rules::quiescence`](swaplist::Rules::quiescence), of which verdicts then have
    /// a column.
    pub quiescence: Option<u32>,
    /// Whether existing outputs are replaced; by default that is an error.
    pub replace: bool,
    /// Other files that are read, such as one of settings: no output may replace them.
    pub reads: Vec<PathBuf>,
    /// What may cancel the job and remove its unfinished files.
    pub cancel: Cancel,
    /// The level of compressed outputs: 1 to 22 for `.zst`, 3 by default, and 1 to 9 for `.gz`, 6
    /// by default.
    pub level: Option<u32>,
    /// Whether invalid records are skipped and counted; by default the first one is an error.
    pub skip_invalid: bool,
    /// The number of worker threads; by default one per core.
    pub threads: Option<usize>,
    /// The CPU's decoder; by default the fastest one.
    pub cpu_path: CpuPath,
    /// What computes, for [`filter`](super::filter()); jobs get an [`Evaluator`](swaplist::Evaluator).
    pub backend: BackendChoice,
}

/// The number of threads asked for, or one per core.
pub fn thread_count(asked: Option<usize>) -> usize {
    asked
        .unwrap_or_else(|| std::thread::available_parallelism().map_or(1, NonZeroUsize::get))
        .max(1)
}

impl Options {
    /// Refuses options that no job can follow.
    pub(crate) fn check(&self) -> Result<()> {
        if self.limit == Some(0) {
            return Err(Error::refused("a limit is a whole number, 1 or more"));
        }
        Ok(())
    }
}
