//! The CPU backend: the scalar exchange on all threads.

use super::{Backend, BackendError};
use crate::{Batch, Position, Rules, Verdict};
#[cfg(feature = "rayon")]
use rayon::prelude::*;

/// Positions a task takes: enough to hide what starting it costs.
#[cfg(feature = "rayon")]
const POSITIONS_A_TASK: usize = 1024;

/// Scores on the CPU, on rayon's threads where the feature `rayon` is on.
#[derive(Debug, Default)]
pub struct Cpu {
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
        Ok(Cpu { pool: Some(pool) })
    }

    fn threads(&self) -> usize {
        #[cfg(feature = "rayon")]
        return self.pool.as_ref().map_or_else(
            rayon::current_num_threads,
            rayon::ThreadPool::current_num_threads,
        );
        #[cfg(not(feature = "rayon"))]
        1
    }
}

impl Cpu {
    /// As [`Backend::score`], which cannot fail here.
    ///
    /// # Panics
    ///
    /// If `scores` and the batch differ in length.
    pub fn score_all(&self, batch: &Batch, rules: &Rules, scores: &mut [i32]) {
        assert_eq!(scores.len(), batch.len(), "one score a move");
        #[cfg(feature = "rayon")]
        match &self.pool {
            Some(pool) => pool.install(|| score_in_parallel(batch, rules, scores)),
            None => score_in_parallel(batch, rules, scores),
        }
        #[cfg(not(feature = "rayon"))]
        score_range(batch, rules, 0..batch.positions().len(), scores);
    }

    /// As [`Backend::judge`], which cannot fail here.
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
        assert_eq!(verdicts.len(), positions.len(), "one verdict a position");
        let judge = |(verdict, position): (&mut Verdict, &Position)| {
            *verdict = rules.verdict(position, with_threat);
        };
        #[cfg(feature = "rayon")]
        {
            let pairs = verdicts.par_iter_mut().zip(positions);
            let pairs = pairs.with_min_len(POSITIONS_A_TASK);
            match &self.pool {
                Some(pool) => pool.install(|| pairs.for_each(judge)),
                None => pairs.for_each(judge),
            }
        }
        #[cfg(not(feature = "rayon"))]
        verdicts.iter_mut().zip(positions).for_each(judge);
    }
}

impl Backend for Cpu {
    fn name(&self) -> String {
        match self.threads() {
            1 => "CPU, 1 thread".to_owned(),
            threads => format!("CPU, {threads} threads"),
        }
    }

    fn score(&self, batch: &Batch, rules: &Rules, scores: &mut [i32]) -> Result<(), BackendError> {
        self.score_all(batch, rules, scores);
        Ok(())
    }

    fn judge(
        &self,
        positions: &[Position],
        rules: &Rules,
        with_threat: bool,
        verdicts: &mut [Verdict],
    ) -> Result<(), BackendError> {
        self.judge_all(positions, rules, with_threat, verdicts);
        Ok(())
    }
}

#[cfg(feature = "rayon")]
fn score_in_parallel(batch: &Batch, rules: &Rules, mut scores: &mut [i32]) {
    let positions = batch.positions().len();
    rayon::scope(|scope| {
        for start in (0..positions).step_by(POSITIONS_A_TASK) {
            let range = start..positions.min(start + POSITIONS_A_TASK);
            let moves = batch.range(range.end - 1).end - batch.range(start).start;
            let (task, rest) = core::mem::take(&mut scores).split_at_mut(moves);
            scores = rest;
            scope.spawn(move |_| score_range(batch, rules, range, task));
        }
    });
}

/// The scores of some positions' moves.
fn score_range(batch: &Batch, rules: &Rules, range: core::ops::Range<usize>, scores: &mut [i32]) {
    let mut scores = scores.iter_mut();
    for i in range {
        let position = &batch.positions()[i];
        for (&capture, score) in batch.captures()[batch.range(i)].iter().zip(&mut scores) {
            *score = rules.see(position, capture);
        }
    }
}
