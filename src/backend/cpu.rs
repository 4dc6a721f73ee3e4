//! The CPU backend: the fastest path of the machine on all threads.

use super::error::BackendError;
use crate::simd::{self, CpuPath, Moves};
use crate::{Batch, Beyond, Bounds, Position, Rules, Verdict};
#[cfg(feature = "rayon")]
use rayon::prelude::*;

/// Positions a task takes: enough to hide what starting it costs.
#[cfg(feature = "rayon")]
const POSITIONS_A_TASK: usize = 1024;

/// Scores on the CPU, on rayon's threads where the feature `rayon` is on.
#[derive(Debug, Default)]
pub struct Cpu {
    path: CpuPath,
    #[cfg(feature = "rayon")]
    pool: Option<rayon::ThreadPool>,
}

impl Cpu {
    /// On rayon's global threads: all cores, unless it was told otherwise.
    #[must_use]
    pub fn new() -> Cpu {
        Cpu::default()
    }

    /// On a number of threads of its own; 0 for one a core.
    ///
    /// # Errors
    ///
    /// [`BackendError::Device`] if the threads cannot be started.
    #[cfg(feature = "rayon")]
    pub fn with_threads(threads: usize) -> Result<Cpu, BackendError> {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .map_err(|error| BackendError::Device(error.to_string()))?;
        Ok(Cpu {
            path: CpuPath::best(),
            pool: Some(pool),
        })
    }

    /// The same by a path of the caller's choice instead of the fastest.
    ///
    /// # Errors
    ///
    /// [`BackendError::NoCpuPath`] if this machine does not have it.
    pub fn with_path(mut self, path: CpuPath) -> Result<Cpu, BackendError> {
        if !path.is_available() {
            return Err(BackendError::NoCpuPath(path));
        }
        self.path = path;
        Ok(self)
    }

    /// The path in use.
    #[must_use]
    pub fn path(&self) -> CpuPath {
        self.path
    }

    #[cfg_attr(not(feature = "rayon"), allow(clippy::unused_self))] // one thread
    pub(crate) fn threads(&self) -> usize {
        #[cfg(feature = "rayon")]
        return self.pool.as_ref().map_or_else(
            rayon::current_num_threads,
            rayon::ThreadPool::current_num_threads,
        );
        #[cfg(not(feature = "rayon"))]
        1
    }

    /// As [`Backend::score`](super::Backend::score), which cannot fail here.
    ///
    /// # Panics
    ///
    /// If `scores` and the batch differ in length.
    pub fn score_all(&self, batch: &Batch, rules: &Rules, scores: &mut [i32]) {
        assert_eq!(scores.len(), batch.len(), "one score a move");
        #[cfg(feature = "rayon")]
        match &self.pool {
            Some(pool) => pool.install(|| score_in_parallel(self.path, batch, rules, scores)),
            None => score_in_parallel(self.path, batch, rules, scores),
        }
        #[cfg(not(feature = "rayon"))]
        self.score_here(batch, rules, scores);
    }

    /// As [`Cpu::score_all`], on the calling thread alone.
    ///
    /// # Panics
    ///
    /// If `scores` and the batch differ in length.
    pub fn score_here(&self, batch: &Batch, rules: &Rules, scores: &mut [i32]) {
        assert_eq!(scores.len(), batch.len(), "one score a move");
        let moves = Moves::of(batch, 0..batch.positions().len());
        simd::score(self.path, rules, moves, scores);
    }

    /// As [`Backend::judge`](super::Backend::judge), which cannot fail here.
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
        assert_eq!(positions.len(), verdicts.len(), "one verdict a position");
        self.on_all_cores(positions, verdicts, |positions, verdicts| {
            simd::verdicts(self.path, rules, positions, with_threat, verdicts);
        });
    }

    /// As [`Cpu::judge_all`], on the calling thread alone.
    ///
    /// # Panics
    ///
    /// If `verdicts` and `positions` differ in length.
    pub fn judge_here(
        &self,
        positions: &[Position],
        rules: &Rules,
        with_threat: bool,
        verdicts: &mut [Verdict],
    ) {
        assert_eq!(positions.len(), verdicts.len(), "one verdict a position");
        simd::verdicts(self.path, rules, positions, with_threat, verdicts);
    }

    /// What is beyond the bounds in each position: less than a verdict tells, and
    /// quicker.
    ///
    /// # Panics
    ///
    /// If `beyond` and `positions` differ in length.
    pub fn beyond_all(
        &self,
        positions: &[Position],
        rules: &Rules,
        bounds: Bounds,
        beyond: &mut [Beyond],
    ) {
        assert_eq!(positions.len(), beyond.len(), "one answer a position");
        self.on_all_cores(positions, beyond, |positions, beyond| {
            simd::beyond(self.path, rules, positions, bounds, beyond);
        });
    }

    /// As [`Cpu::beyond_all`], on the calling thread alone.
    ///
    /// # Panics
    ///
    /// If `beyond` and `positions` differ in length.
    pub fn beyond_here(
        &self,
        positions: &[Position],
        rules: &Rules,
        bounds: Bounds,
        beyond: &mut [Beyond],
    ) {
        assert_eq!(positions.len(), beyond.len(), "one answer a position");
        simd::beyond(self.path, rules, positions, bounds, beyond);
    }

    /// A kernel on all threads, some positions at a time.
    #[cfg_attr(not(feature = "rayon"), allow(clippy::unused_self))] // one thread
    fn on_all_cores<T: Send>(
        &self,
        positions: &[Position],
        outputs: &mut [T],
        kernel: impl Fn(&[Position], &mut [T]) + Send + Sync,
    ) {
        #[cfg(feature = "rayon")]
        {
            let mut work = || {
                let outputs = outputs.par_chunks_mut(POSITIONS_A_TASK);
                let tasks = positions.par_chunks(POSITIONS_A_TASK).zip(outputs);
                tasks.for_each(|(positions, outputs)| kernel(positions, outputs));
            };
            match &self.pool {
                Some(pool) => pool.install(work),
                None => work(),
            }
        }
        #[cfg(not(feature = "rayon"))]
        kernel(positions, outputs);
    }
}

#[cfg(feature = "rayon")]
fn score_in_parallel(path: CpuPath, batch: &Batch, rules: &Rules, mut scores: &mut [i32]) {
    let positions = batch.positions().len();
    rayon::scope(|scope| {
        for start in (0..positions).step_by(POSITIONS_A_TASK) {
            let range = start..positions.min(start + POSITIONS_A_TASK);
            let moves = Moves::of(batch, range);
            let (task, rest) = core::mem::take(&mut scores).split_at_mut(moves.len());
            scores = rest;
            scope.spawn(move |_| simd::score(path, rules, moves, task));
        }
    });
}
