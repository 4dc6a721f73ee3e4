//! The CPU backend: the fastest code path, on all threads.

use super::error::BackendError;
use crate::simd::{Compare, CpuPath, Instructions, Judge, Kernel, Score};
use crate::{Batch, Bounds, BoundsExceeded, Position, Rules, Verdict};

/// Positions per task: enough to hide the cost of starting it.
#[cfg(feature = "rayon")]
const POSITIONS_A_TASK: usize = 1024;

/// Scores on the CPU, on rayon's threads with the feature `rayon`.
#[derive(Debug)]
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
    #[must_use]
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
    #[must_use]
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

    /// The code path in use.
    #[must_use]
    pub fn path(&self) -> CpuPath {
        self.path
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

    /// Writes the exact SEE of every move of a batch to `scores`, in order.
    ///
    /// # Panics
    ///
    /// If `scores` and the batch differ in length.
    pub fn score_all(&self, batch: &Batch, rules: &Rules, scores: &mut [i32]) {
        self.run(Score::of(batch), rules, scores);
    }

    /// Writes the verdict on each position, with the opponent's threat if asked for.
    ///
    /// # Panics
    ///
    /// If `verdicts` and `positions` differ in length.
    pub fn judge_all(
        &self,
        positions: &[Position],
        rules: &Rules,
        with_threat: bool,
        verdicts: &mut [Verdict],
    ) {
        let kernel = Judge {
            positions,
            with_threat,
        };
        self.run(kernel, rules, verdicts);
    }

    /// Finds which bounds each position exceeds, faster than by verdicts.
    ///
    /// # Panics
    ///
    /// If `exceeds` and `positions` differ in length.
    pub fn exceeds_all(
        &self,
        positions: &[Position],
        rules: &Rules,
        bounds: Bounds,
        exceeds: &mut [BoundsExceeded],
    ) {
        self.run(Compare { positions, bounds }, rules, exceeds);
    }

    fn run<K: Kernel>(&self, kernel: K, rules: &Rules, answers: &mut [K::Answer]) {
        assert_eq!(kernel.answers(), answers.len(), "one answer each");
        match &self.threads {
            #[cfg(feature = "rayon")]
            Threads::Global => in_parallel(self.instructions, kernel, rules, answers),
            #[cfg(feature = "rayon")]
            Threads::Own(pool) => {
                pool.install(|| in_parallel(self.instructions, kernel, rules, answers));
            }
            Threads::Calling => self.instructions.answer(kernel, rules, answers),
        }
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
    rules: &Rules,
    answers: &mut [K::Answer],
) {
    let tasks = kernel.positions().div_ceil(POSITIONS_A_TASK);
    if tasks <= 1 {
        return instructions.answer(kernel, rules, answers);
    }
    let (first, second) = kernel.split_at(tasks / 2 * POSITIONS_A_TASK);
    let (first_answers, second_answers) = answers.split_at_mut(first.answers());
    rayon::join(
        || in_parallel(instructions, first, rules, first_answers),
        || in_parallel(instructions, second, rules, second_answers),
    );
}
