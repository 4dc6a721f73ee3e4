//! The CPU backend: the fastest code path, on all threads.

use core::ops::Range;

use super::{Answers, Backend, BackendError, Question};
use crate::Rules;
use crate::simd::{Compare, CpuPath, Instructions, Judge, Kernel, Score};

/// Positions per task: enough to hide the cost of starting it.
#[cfg(feature = "rayon")]
const POSITIONS_A_TASK: usize = 1024;

/// Scores on the CPU, on rayon's threads with the feature `rayon`.
#[derive(Debug)]
#[must_use]
pub struct Cpu {
    path: CpuPath,
    instructions: Instructions,
    threads: Threads,
}

#[derive(Debug)]
enum Threads {
    /// Rayon's global ones.
    #[cfg(feature = "rayon")]
    Global,
    #[cfg(feature = "rayon")]
    Own(rayon::ThreadPool),
    /// The calling thread alone.
    Calling,
}

impl Cpu {
    /// Uses rayon's global threads, by default all cores.
    pub fn new() -> Cpu {
        let path = CpuPath::best();
        Cpu {
            path,
            instructions: Instructions::of(path).unwrap_or(Instructions::Scalar),
            #[cfg(feature = "rayon")]
            threads: Threads::Global,
            #[cfg(not(feature = "rayon"))]
            threads: Threads::Calling,
        }
    }

    /// Uses its own threads; 0 for one per core.
    ///
    /// # Errors
    ///
    /// [`BackendError::Threads`] if they cannot be started.
    #[cfg(feature = "rayon")]
    pub fn with_threads(threads: usize) -> Result<Cpu, BackendError> {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .map_err(|error| BackendError::Threads(error.to_string()))?;
        Ok(Cpu {
            threads: Threads::Own(pool),
            ..Cpu::new()
        })
    }

    /// Uses the calling thread alone: for fewer than some 1,000 positions, and for threads of
    /// your own.
    pub fn on_calling_thread(mut self) -> Cpu {
        self.threads = Threads::Calling;
        self
    }

    /// Uses this code path instead of the fastest.
    ///
    /// # Errors
    ///
    /// [`BackendError::NoCpuPath`] if this machine does not have it.
    pub fn with_path(mut self, path: CpuPath) -> Result<Cpu, BackendError> {
        self.instructions = Instructions::of(path).ok_or(BackendError::NoCpuPath(path))?;
        self.path = path;
        Ok(self)
    }

    pub(crate) fn threads(&self) -> usize {
        match &self.threads {
            #[cfg(feature = "rayon")]
            Threads::Global => rayon::current_num_threads(),
            #[cfg(feature = "rayon")]
            Threads::Own(pool) => pool.current_num_threads(),
            Threads::Calling => 1,
        }
    }

    /// Answers a question, in new columns: unlike other backends, a CPU does not fail.
    pub fn ask(&self, question: &Question<'_>, rules: &Rules) -> Answers {
        let mut answers = Answers::default();
        self.fill(question, rules, &mut answers);
        answers
    }

    pub(crate) fn fill(&self, question: &Question<'_>, rules: &Rules, answers: &mut Answers) {
        answers.fit(question);
        let all = 0..question.positions().len();
        match *question {
            Question::Scores(batch) => self.run(Score(batch), all, rules, &mut answers.scores),
            Question::Verdicts {
                positions,
                with_threat,
            } => {
                let kernel = Judge {
                    positions,
                    with_threat,
                };
                self.run(kernel, all, rules, &mut answers.verdicts);
            }
            Question::Bounds { positions, bounds } => {
                let kernel = Compare { positions, bounds };
                self.run(kernel, all, rules, &mut answers.exceeds);
            }
            Question::Records(..) => *answers = Answers::default(),
        }
    }

    fn run<K: Kernel>(
        &self,
        kernel: K,
        all: Range<usize>,
        rules: &Rules,
        answers: &mut [K::Answer],
    ) {
        let instructions = self.instructions;
        match &self.threads {
            #[cfg(feature = "rayon")]
            Threads::Global => in_parallel(instructions, kernel, all, rules, answers),
            #[cfg(feature = "rayon")]
            Threads::Own(pool) => {
                pool.install(|| in_parallel(instructions, kernel, all, rules, answers));
            }
            Threads::Calling => instructions.answer(kernel, all, rules, answers),
        }
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

#[cfg(feature = "rayon")]
fn in_parallel<K: Kernel>(
    instructions: Instructions,
    kernel: K,
    positions: Range<usize>,
    rules: &Rules,
    answers: &mut [K::Answer],
) {
    let tasks = positions.len().div_ceil(POSITIONS_A_TASK);
    if tasks <= 1 {
        return instructions.answer(kernel, positions, rules, answers);
    }
    let middle = positions.start + tasks / 2 * POSITIONS_A_TASK;
    let (first, second) = (positions.start..middle, middle..positions.end);
    let (first_answers, second_answers) = answers.split_at_mut(kernel.answers(first.clone()));
    rayon::join(
        || in_parallel(instructions, kernel, first, rules, first_answers),
        || in_parallel(instructions, kernel, second, rules, second_answers),
    );
}
