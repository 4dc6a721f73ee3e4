//! What a kind of job does with the records of a block, and what it needs for that.
//!
//! A kind of job is a type that implements [`Task`]: `filter.rs`, `convert.rs`, `count.rs`,
//! `score.rs`, `validate.rs`, `verdict.rs`, and a mix (`mix/task.rs`). The threads of a run
//! (`pool.rs`) share one value of it, and call it for each part of a block.
//!
//! For a filter: `question` applies the rules that need no SEE and asks about the bounds of the
//! records that are left, `write` gives each record its reason, and appends the bytes of those that
//! are kept.

use super::error::Result;
use super::kind::JobKind;
use super::step::Step;
use super::summary::Summary;
use super::tally::Tally;
use crate::device::{Recipe, UnitDecisions};
use crate::formats::{Block, Codec, Required};
use swaplist::Rules;
use swaplist::backend::Question;

/// What a job does with its records: for each part of a block, in order,
/// [`question`](Task::question), then somebody answers, then [`write`](Task::write).
pub trait Task<M = ()>: Send + Sync {
    /// What a run needs to know beforehand.
    fn spec(&self) -> TaskSpec;

    /// What is to be asked about the decoded records of the part; `None` if nothing.
    fn question<'a>(&self, _: &Codec, _: &'a mut Step<M>) -> Result<Option<Question<'a>>> {
        Ok(None)
    }

    /// Appends the part's output and counts to `step.done`, by the answers in `step.answers`.
    ///
    /// # Errors
    ///
    /// If the job cannot go on. What is wrong with single records is noted in the part instead.
    fn write(&self, codec: &Codec, step: &mut Step<M>) -> Result<()>;

    /// How a device can do the whole job on a block, if one can.
    fn recipe(&self) -> Option<&Recipe> {
        None
    }

    /// The CPU's answer about one game or chain that a device has filtered, to compare the two: its
    /// output, and what was decided. `None` if it cannot be decoded.
    fn audit_unit(&self, _: &Codec, _: &Block) -> Option<(Vec<u8>, UnitDecisions)> {
        None
    }

    /// Completes the counts of records that a device has filtered by what only the job knows.
    fn complete_tally(&self, _: &mut Tally) {}

    /// Adds to the summary, after the last block, what only the job knows.
    fn sum_up(&self, _: &mut Summary) {}
}

/// What a run needs to know of its task.
#[derive(Clone, Copy)]
pub struct TaskSpec {
    /// The kind of job.
    pub job: JobKind,
    /// Bytes of output per record, roughly: the plan of the run counts them as memory.
    pub bytes_a_record: usize,
    /// Limit on the bytes of a block while the CPU answers: less for jobs that write much more than
    /// they read.
    pub most_bytes: usize,
    /// The rules to answer by, if there are questions.
    pub rules: Option<Rules>,
    /// The run ends once this many records were kept.
    pub limit: Option<u64>,
    /// Whether an input that breaks off is a fault that the job reports, not an error that ends it:
    /// so for `validate`.
    pub finds_faults: bool,
    /// The fields that must be readable in a line of text; others are passed over if they are not.
    pub required: Required,
}

impl TaskSpec {
    /// The largest block of most jobs while the CPU answers.
    pub const MOST_BYTES: usize = 1 << 20;

    /// What most jobs need.
    pub fn for_job(job: JobKind) -> TaskSpec {
        TaskSpec {
            job,
            bytes_a_record: 64,
            most_bytes: TaskSpec::MOST_BYTES,
            rules: None,
            limit: None,
            finds_faults: false,
            required: Required::NOTHING,
        }
    }
}
