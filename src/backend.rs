//! Questions, their answers, and the trait of backends, with the CPU as the first one.
//!
//! A backend answers a [`Question`] in the columns of [`Answers`], one column for each kind of
//! question. [`Cpu`] does it on any number of threads (`backend/rayon.rs`), or without the feature
//! `rayon` on the calling one (`backend/calling.rs`). A GPU is a backend, too (`gpu/native.rs`); the
//! [`Evaluator`](crate::Evaluator) chooses between them.

#[cfg_attr(feature = "rayon", path = "backend/rayon.rs")]
#[cfg_attr(not(feature = "rayon"), path = "backend/calling.rs")]
mod threads;

use core::any::Any;
use core::ops::Range;

use self::threads::Threads;
use crate::simd::{BoundsKernel, Instructions, LaneKernel, ScoreKernel, VerdictKernel};
use crate::{Batch, Bounds, BoundsExceeded, CpuPath, Position, Rules, Sides, Verdict};

/// A question about positions or their moves.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Question<'a> {
    /// The exact SEE of every move of a batch.
    Scores(&'a Batch),
    /// The verdict on each position.
    Verdicts {
        /// The positions to judge, in the order of the verdicts.
        positions: &'a [Position],
        /// Whose best moves the verdicts have.
        sides: Sides,
    },
    /// Which bounds each position exceeds. The CPU finds this faster than a verdict.
    Bounds {
        /// The positions to compare with the bounds, in the order of the answers.
        positions: &'a [Position],
        /// The bounds for all of them, in the unit of the piece values.
        bounds: Bounds,
    },
}

impl<'a> Question<'a> {
    /// The positions that the question is about.
    pub(crate) fn positions(&self) -> &'a [Position] {
        match self {
            Question::Scores(batch) => batch.positions(),
            Question::Verdicts { positions, .. } | Question::Bounds { positions, .. } => positions,
        }
    }

    /// The same question about the positions of a batch.
    pub(crate) fn about<'b>(&self, batch: &'b Batch) -> Question<'b> {
        let positions = batch.positions();
        match *self {
            Question::Scores(_) => Question::Scores(batch),
            Question::Verdicts { sides, .. } => Question::Verdicts { positions, sides },
            Question::Bounds { bounds, .. } => Question::Bounds { positions, bounds },
        }
    }

    /// The number of answers: one for each move for scores, else one for each position.
    pub fn answers(&self) -> usize {
        match self {
            Question::Scores(batch) => batch.len(),
            _ => self.positions().len(),
        }
    }
}

/// Answers in columns, in the order of the question. A question fills one column; the other two are
/// empty.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Answers {
    /// The SEE of each move, in the unit of the piece values.
    pub scores: Vec<i32>,
    /// The verdict on each position.
    pub verdicts: Vec<Verdict>,
    /// The bounds that each position exceeds.
    pub exceeds: Vec<BoundsExceeded>,
}

impl Answers {
    /// Gives each column the length that a question needs: the number of its answers, or 0. What
    /// was in the column before may remain, until a backend overwrites it.
    pub fn fit(&mut self, question: &Question<'_>) {
        let all = question.answers();
        let [scores, verdicts, exceeds] = match question {
            Question::Scores(_) => [all, 0, 0],
            Question::Verdicts { .. } => [0, all, 0],
            Question::Bounds { .. } => [0, 0, all],
        };
        self.scores.resize(scores, 0);
        self.verdicts.resize(verdicts, Verdict::default());
        self.exceeds.resize(exceeds, BoundsExceeded::default());
    }
}

/// Answers questions exactly: the results are those of [`Rules::see`], [`Rules::verdict`] and
/// [`Rules::exceeds`].
pub trait Backend: Send + Sync {
    /// Its name in messages: `CPU, 2 threads`, or an adapter and its driver.
    fn name(&self) -> String;

    /// Answers a question, in the columns that it asks for: [`Answers::fit`] makes room. May be
    /// called by several threads at a time.
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

    /// The backend as its own type, for crates that call other methods of that type; `None`, by
    /// default, if answering questions is all that it offers.
    fn as_any(&self) -> Option<&dyn Any> {
        None
    }

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
    /// There is no adapter, none of the name that was asked for, or only software; the text says
    /// which.
    #[error("no GPU adapter: {0}")]
    NoAdapter(String),
    /// The CPU lacks the instructions of a path.
    #[error("this CPU has no {0}")]
    NoCpuPath(CpuPath),
    /// Threads could not be started.
    #[error("cannot start threads: {0}")]
    Threads(String),
    /// The device, its driver or the shader refused a call or a setting, or a thread of the GPU
    /// backend panicked; the text says what.
    #[error("GPU error: {0}")]
    Device(String),
    /// The device ran out of memory.
    #[error("GPU out of memory: {0}")]
    OutOfMemory(String),
    /// The device was lost, as when its driver restarts or it is removed; the text is the driver's
    /// reason. It answers nothing more.
    #[error("GPU device lost: {0}")]
    Lost(String),
    /// The device did not answer in time.
    #[error("the GPU did not answer in time")]
    Timeout,
    /// Results were not written, or differ from the CPU's.
    #[error("wrong results from the GPU: {0}")]
    Wrong(String),
}

/// The CPU as a backend: answers on rayon's threads with the feature `rayon`, else on the calling
/// one.
#[derive(Debug)]
#[must_use]
pub struct Cpu {
    path: CpuPath,
    instructions: Instructions,
    /// Whether small batches are left to scalar code: not if the caller has named a path.
    chooses_scalar: bool,
    threads: Threads,
}

impl Cpu {
    /// Uses rayon's global threads, by default all cores.
    pub fn new() -> Cpu {
        let path = CpuPath::best();
        Cpu {
            path,
            // The best path is one that this machine has.
            instructions: Instructions::for_path(path).unwrap_or(Instructions::Scalar),
            chooses_scalar: true,
            threads: Threads::default(),
        }
    }

    /// Uses the calling thread alone: for fewer than some 1,000 positions, and for threads of
    /// your own.
    pub fn on_calling_thread(mut self) -> Cpu {
        self.threads = Threads::Calling;
        self
    }

    /// A CPU with the same code path that uses the calling thread alone.
    pub(crate) const fn copy_on_calling_thread(&self) -> Cpu {
        Cpu {
            path: self.path,
            instructions: self.instructions,
            chooses_scalar: self.chooses_scalar,
            threads: Threads::Calling,
        }
    }

    /// Uses this code path instead of the fastest, also for few positions, for which the scalar
    /// path would be faster.
    ///
    /// # Errors
    ///
    /// [`BackendError::NoCpuPath`] if this machine does not have it.
    pub fn with_path(mut self, path: CpuPath) -> Result<Cpu, BackendError> {
        self.instructions = Instructions::for_path(path).ok_or(BackendError::NoCpuPath(path))?;
        self.path = path;
        self.chooses_scalar = false;
        Ok(self)
    }

    /// The number of threads that it works on.
    pub(crate) fn threads(&self) -> usize {
        self.threads.count()
    }

    /// Answers a question, in new columns: unlike other backends, a CPU does not fail.
    pub fn ask(&self, question: &Question<'_>, rules: &Rules) -> Answers {
        let mut answers = Answers::default();
        self.fill(question, rules, &mut answers);
        answers
    }

    /// Answers a question in columns whose memory is reused.
    pub(crate) fn fill(&self, question: &Question<'_>, rules: &Rules, answers: &mut Answers) {
        answers.fit(question);
        let all = 0..question.positions().len();
        match *question {
            Question::Scores(batch) => {
                self.run(ScoreKernel(batch), all, rules, &mut answers.scores);
            }
            Question::Verdicts { positions, sides } => {
                let kernel = VerdictKernel { positions, sides };
                self.run(kernel, all, rules, &mut answers.verdicts);
            }
            Question::Bounds { positions, bounds } => {
                let kernel = BoundsKernel { positions, bounds };
                self.run(kernel, all, rules, &mut answers.exceeds);
            }
        }
    }

    /// Runs a kernel on the positions with the numbers `all`; `answers` is the whole column.
    fn run<K: LaneKernel>(
        &self,
        kernel: K,
        all: Range<usize>,
        rules: &Rules,
        answers: &mut [K::Answer],
    ) {
        let instructions = if self.chooses_scalar && all.len() < K::FEWEST {
            Instructions::Scalar
        } else {
            self.instructions
        };
        self.threads.run(instructions, kernel, all, rules, answers);
    }
}

impl Backend for Cpu {
    fn name(&self) -> String {
        match self.threads() {
            1 => format!("CPU, 1 thread, {}", self.path),
            threads => format!("CPU, {threads} threads, {}", self.path),
        }
    }

    fn answer(
        &self,
        question: &Question<'_>,
        rules: &Rules,
        answers: &mut Answers,
    ) -> Result<(), BackendError> {
        self.fill(question, rules, answers);
        Ok(())
    }
}

impl Default for Cpu {
    fn default() -> Cpu {
        Cpu::new()
    }
}
