//! Questions, their answers, and the trait of backends, implemented for the CPU.

use crate::{Batch, Bounds, BoundsExceeded, CpuPath, Position, Rules, Verdict};

mod cpu;

pub(crate) use crate::device::{Ask, Coding, Raw, RawAnswer, RawFacts, Unit};
pub use cpu::Cpu;

/// A question about positions or their moves.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Question<'a> {
    /// The exact SEE of every move of a batch.
    Scores(&'a Batch),
    /// The verdict on each position.
    Verdicts {
        /// The positions.
        positions: &'a [Position],
        /// Whether to find the opponent's threat too.
        with_threat: bool,
    },
    /// Which bounds each position exceeds. The CPU finds this faster than a verdict.
    Bounds {
        /// The positions.
        positions: &'a [Position],
        /// The bounds.
        bounds: Bounds,
    },
    /// Records of a file that the device decodes itself.
    #[doc(hidden)] // between the formats and the GPU
    Records(Raw<'a>, Ask),
}

impl<'a> Question<'a> {
    /// The positions; none of records, which the device decodes.
    pub(crate) fn positions(&self) -> &'a [Position] {
        match self {
            Question::Scores(batch) => batch.positions(),
            Question::Verdicts { positions, .. } | Question::Bounds { positions, .. } => positions,
            Question::Records(..) => &[],
        }
    }

    /// The same question about others.
    pub(crate) fn about<'b>(&self, batch: &'b Batch) -> Question<'b> {
        let positions = batch.positions();
        match *self {
            Question::Scores(_) | Question::Records(..) => Question::Scores(batch),
            Question::Verdicts { with_threat, .. } => Question::Verdicts {
                positions,
                with_threat,
            },
            Question::Bounds { bounds, .. } => Question::Bounds { positions, bounds },
        }
    }

    /// The number of answers, one in each column that is filled.
    pub fn answers(&self) -> usize {
        match self {
            Question::Scores(batch) => batch.len(),
            Question::Records(raw, _) => raw.records(),
            _ => self.positions().len(),
        }
    }
}

/// Answers in columns, in the order of the question; those not asked for are empty.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Answers {
    /// Of each move.
    pub scores: Vec<i32>,
    /// On each position.
    pub verdicts: Vec<Verdict>,
    /// The bounds that each position exceeds.
    pub exceeds: Vec<BoundsExceeded>,
    /// On each record; none if the device does not decode, or cannot decode one of them.
    #[doc(hidden)]
    pub records: Vec<RawAnswer>,
    /// On each record.
    #[doc(hidden)]
    pub facts: Vec<RawFacts>,
}

impl Answers {
    /// Makes room for the answers to a question; their old content may remain.
    pub fn fit(&mut self, question: &Question<'_>) {
        let all = question.answers();
        let [scores, verdicts, exceeds, records, facts] = match question {
            Question::Scores(_) => [all, 0, 0, 0, 0],
            Question::Verdicts { .. } => [0, all, 0, 0, 0],
            Question::Bounds { .. } => [0, 0, all, 0, 0],
            Question::Records(_, Ask::Verdicts) => [0, all, 0, all, 0],
            Question::Records(_, Ask::Bounds(_)) => [0, 0, 0, all, 0],
            Question::Records(_, Ask::Facts(_)) => [0, 0, 0, all, all],
        };
        self.scores.resize(scores, 0);
        self.verdicts.resize(verdicts, Verdict::default());
        self.exceeds.resize(exceeds, BoundsExceeded::default());
        self.records.resize(records, RawAnswer::default());
        self.facts.resize(facts, RawFacts::default());
    }
}

/// Answers questions exactly.
pub trait Backend: Send + Sync {
    /// Its name in messages: `CPU, 2 threads`, or an adapter and its driver.
    fn name(&self) -> String;

    /// Answers a question, in the columns that it asks for: [`Answers::fit`] makes room.
    ///
    /// # Errors
    ///
    /// A [`BackendError`] if the device fails. Then the answers must not be used.
    fn answer(
        &self,
        question: &Question<'_>,
        rules: &Rules,
        answers: &mut Answers,
    ) -> Result<(), BackendError>;

    /// Answers a question, in new columns.
    ///
    /// # Errors
    ///
    /// As for [`Backend::answer`].
    fn answers(&self, question: &Question<'_>, rules: &Rules) -> Result<Answers, BackendError> {
        let mut answers = Answers::default();
        self.answer(question, rules, &mut answers)?;
        Ok(answers)
    }
}

/// Why a backend failed or could not be opened.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BackendError {
    /// No suitable adapter.
    #[error("no GPU adapter: {0}")]
    NoAdapter(String),
    /// The CPU lacks the instructions of a path.
    #[error("this CPU has no {0}")]
    NoCpuPath(CpuPath),
    /// Threads could not be started.
    #[error("cannot start threads: {0}")]
    Threads(String),
    /// The device refused something.
    #[error("GPU error: {0}")]
    Device(String),
    /// The device ran out of memory.
    #[error("GPU out of memory: {0}")]
    OutOfMemory(String),
    /// The device was lost.
    #[error("GPU device lost: {0}")]
    Lost(String),
    /// The device did not answer in time.
    #[error("the GPU did not answer in time")]
    Timeout,
    /// Results were not written, or differ from the CPU's.
    #[error("wrong results from the GPU: {0}")]
    Wrong(String),
}
