//! The threads of a [`Cpu`], with rayon: its global ones, or a pool of its own.

use core::ops::Range;

use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::Rules;
use crate::backend::{BackendError, Cpu};
use crate::simd::{Instructions, LaneKernel};

/// Positions per task: enough to hide the cost of starting a task, some 10 microseconds.
const POSITIONS_A_TASK: usize = 1024;

/// The threads on which a [`Cpu`] works.
#[derive(Debug, Default)]
pub enum Threads {
    /// Rayon's global threads.
    #[default]
    Global,
    /// Rayon's threads in a pool of this backend alone.
    Own(ThreadPool),
    /// The calling thread alone.
    Calling,
}

impl Threads {
    /// How many they are.
    pub fn count(&self) -> usize {
        match self {
            Threads::Global => rayon::current_num_threads(),
            Threads::Own(pool) => pool.current_num_threads(),
            Threads::Calling => 1,
        }
    }

    /// Runs a kernel on these positions, whose answers are all of `answers`.
    pub fn run<K: LaneKernel>(
        &self,
        instructions: Instructions,
        kernel: K,
        positions: Range<usize>,
        rules: &Rules,
        answers: &mut [K::Answer],
    ) {
        match self {
            Threads::Global => in_parallel(instructions, kernel, positions, rules, answers),
            Threads::Own(pool) => {
                pool.install(|| in_parallel(instructions, kernel, positions, rules, answers));
            }
            Threads::Calling => instructions.answer(kernel, positions, rules, answers),
        }
    }
}

impl Cpu {
    /// Starts a pool of threads for this backend alone; 0 for one per core.
    ///
    /// # Errors
    ///
    /// [`BackendError::Threads`] if they cannot be started.
    pub fn with_threads(threads: usize) -> Result<Cpu, BackendError> {
        let pool = ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .map_err(|error| BackendError::Threads(error.to_string()))?;
        Ok(Cpu {
            threads: Threads::Own(pool),
            ..Cpu::new()
        })
    }
}

/// Halves the positions until there are at most [`POSITIONS_A_TASK`], and runs the kernel on the
/// halves at the same time. `answers` are those of these positions. Tasks begin at multiples of
/// [`POSITIONS_A_TASK`], so only the last one has fewer positions.
fn in_parallel<K: LaneKernel>(
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
    let first = positions.start..middle;
    let second = middle..positions.end;
    let (first_answers, second_answers) = answers.split_at_mut(kernel.answers(first.clone()));
    rayon::join(
        || in_parallel(instructions, kernel, first, rules, first_answers),
        || in_parallel(instructions, kernel, second, rules, second_answers),
    );
}
