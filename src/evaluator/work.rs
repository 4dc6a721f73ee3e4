//! The kinds of work, whole or in parts.

use core::ops::Range;
use std::borrow::Cow;

use crate::backend::{Backend, BackendError, Cpu};
use crate::{Batch, Bounds, Exceeds, Position, Rules, Verdict};

/// Work that any backend can do, and that can be cut at every position.
pub(super) trait Work: Sized + Sync {
    /// What comes out, one by one.
    type Output: Clone + Default + Send;

    /// The same with its own data.
    type Owned: Work<Output = Self::Output> + Send + 'static;

    /// What comes out, for people.
    const UNIT: &'static str;

    /// Whether as many positions come at a time as [`Evaluator::expect`] was told.
    /// Scores come in batches of so many moves, whoever does them.
    ///
    /// [`Evaluator::expect`]: super::Evaluator::expect
    const IS_EXPECTED: bool = true;

    fn positions(&self) -> usize;

    /// How many results some of its positions bring.
    fn results_of(&self, positions: &Range<usize>) -> usize;

    fn part(&self, positions: Range<usize>) -> Self;

    /// As many positions of this work, over and over, but not many more than
    /// [`MOST_MOVES`].
    fn sample(&self, positions: usize) -> Self::Owned;

    fn on_all_cores(&self, cpu: &Cpu, outputs: &mut [Self::Output]);

    fn on_this_thread(&self, cpu: &Cpu, outputs: &mut [Self::Output]);

    /// Takes so many evenly spread ones again on the CPU; how many moves that were.
    fn on(
        &self,
        gpu: &dyn Backend,
        outputs: &mut [Self::Output],
        samples: usize,
    ) -> Result<u64, BackendError>;

    /// How many moves were scored for these results.
    fn scored(outputs: &[Self::Output]) -> u64;

    fn results(&self) -> usize {
        self.results_of(&(0..self.positions()))
    }
}

/// Moves to measure with: enough for any device, where a single position may name as
/// many as fit in a line.
pub(super) const MOST_MOVES: usize = 1 << 22;

/// The exact SEE of moves.
pub(super) struct Scoring<'a> {
    pub batch: Cow<'a, Batch>,
    pub rules: Rules,
}

impl Scoring<'_> {
    /// The first difference is an error.
    fn audit(&self, samples: usize, scores: &[i32]) -> Result<u64, BackendError> {
        let batch = &self.batch;
        if samples == 0 || batch.is_empty() {
            return Ok(0);
        }
        let step = batch.len().div_ceil(samples);
        let mut audited = 0;
        let mut next = 0;
        for (i, (position, captures)) in batch.iter().enumerate() {
            let range = batch.range(i);
            while next < range.end {
                let capture = captures[next - range.start];
                let (gpu, cpu) = (scores[next], self.rules.see(position, capture));
                if gpu != cpu {
                    let what = format!("{capture} in '{position}' is {gpu}, on the CPU {cpu}");
                    return Err(BackendError::Wrong(what));
                }
                audited += 1;
                next += step;
            }
        }
        Ok(audited)
    }
}

impl Work for Scoring<'_> {
    type Output = i32;
    type Owned = Scoring<'static>;
    const UNIT: &'static str = "scores";
    const IS_EXPECTED: bool = false;

    fn positions(&self) -> usize {
        self.batch.positions().len()
    }

    fn results_of(&self, positions: &Range<usize>) -> usize {
        self.batch.moves_of(positions).len()
    }

    fn part(&self, positions: Range<usize>) -> Self {
        Scoring {
            batch: Cow::Owned(self.batch.part(positions)),
            rules: self.rules,
        }
    }

    fn sample(&self, positions: usize) -> Scoring<'static> {
        let mut batch = Batch::new();
        while batch.positions().len() < positions
            && batch.len() < MOST_MOVES
            && self.positions() > 0
        {
            let left = positions - batch.positions().len();
            batch.append(&self.batch.part(0..left.min(self.positions())));
        }
        Scoring {
            batch: Cow::Owned(batch),
            rules: self.rules,
        }
    }

    fn on_all_cores(&self, cpu: &Cpu, scores: &mut [i32]) {
        cpu.score_all(&self.batch, &self.rules, scores);
    }

    fn on_this_thread(&self, cpu: &Cpu, scores: &mut [i32]) {
        cpu.score_here(&self.batch, &self.rules, scores);
    }

    fn on(
        &self,
        gpu: &dyn Backend,
        scores: &mut [i32],
        samples: usize,
    ) -> Result<u64, BackendError> {
        gpu.score(&self.batch, &self.rules, scores)?;
        self.audit(samples, scores)
    }

    fn scored(scores: &[i32]) -> u64 {
        scores.len() as u64
    }
}

fn part_of<'a>(all: &Cow<'a, [Position]>, part: Range<usize>) -> Cow<'a, [Position]> {
    match all {
        Cow::Borrowed(all) => Cow::Borrowed(&all[part]),
        Cow::Owned(all) => Cow::Owned(all[part].to_vec()),
    }
}

fn over_and_over(all: &[Position], positions: usize) -> Vec<Position> {
    all.iter().copied().cycle().take(positions).collect()
}

/// Verdicts on positions.
pub(super) struct Judging<'a> {
    pub positions: Cow<'a, [Position]>,
    pub rules: Rules,
    pub with_threat: bool,
}

impl Judging<'_> {
    fn of<'b>(&self, positions: impl Into<Cow<'b, [Position]>>) -> Judging<'b> {
        Judging {
            positions: positions.into(),
            rules: self.rules,
            with_threat: self.with_threat,
        }
    }

    /// The first difference is an error.
    fn audit(&self, samples: usize, verdicts: &[Verdict]) -> Result<u64, BackendError> {
        let positions = &self.positions;
        if samples == 0 || positions.is_empty() {
            return Ok(0);
        }
        let mut audited = 0;
        for i in (0..positions.len()).step_by(positions.len().div_ceil(samples)) {
            let cpu = self.rules.verdict(&positions[i], self.with_threat);
            let (gpu, position) = (verdicts[i], &positions[i]);
            if gpu != cpu {
                let what = format!("the verdict on '{position}' is {gpu:?}, on the CPU {cpu:?}");
                return Err(BackendError::Wrong(what));
            }
            audited += u64::from(cpu.noisy);
        }
        Ok(audited)
    }
}

impl Work for Judging<'_> {
    type Output = Verdict;
    type Owned = Judging<'static>;
    const UNIT: &'static str = "verdicts";

    fn positions(&self) -> usize {
        self.positions.len()
    }

    fn results_of(&self, positions: &Range<usize>) -> usize {
        positions.len()
    }

    fn part(&self, positions: Range<usize>) -> Self {
        self.of(part_of(&self.positions, positions))
    }

    fn sample(&self, positions: usize) -> Judging<'static> {
        self.of(over_and_over(&self.positions, positions))
    }

    fn on_all_cores(&self, cpu: &Cpu, verdicts: &mut [Verdict]) {
        cpu.judge_all(&self.positions, &self.rules, self.with_threat, verdicts);
    }

    fn on_this_thread(&self, cpu: &Cpu, verdicts: &mut [Verdict]) {
        cpu.judge_here(&self.positions, &self.rules, self.with_threat, verdicts);
    }

    fn on(
        &self,
        gpu: &dyn Backend,
        verdicts: &mut [Verdict],
        samples: usize,
    ) -> Result<u64, BackendError> {
        gpu.judge(&self.positions, &self.rules, self.with_threat, verdicts)?;
        self.audit(samples, verdicts)
    }

    fn scored(verdicts: &[Verdict]) -> u64 {
        verdicts
            .iter()
            .map(|verdict| u64::from(verdict.noisy))
            .sum()
    }
}

/// What is beyond bounds: a GPU gives verdicts for it, the CPU less, but sooner.
pub(super) struct Screening<'a> {
    pub positions: Cow<'a, [Position]>,
    pub rules: Rules,
    pub bounds: Bounds,
}

impl Screening<'_> {
    fn of<'b>(&self, positions: impl Into<Cow<'b, [Position]>>) -> Screening<'b> {
        Screening {
            positions: positions.into(),
            rules: self.rules,
            bounds: self.bounds,
        }
    }

    fn judging(&self) -> Judging<'_> {
        Judging {
            positions: Cow::Borrowed(&self.positions),
            rules: self.rules,
            with_threat: self.bounds.threat.is_some(),
        }
    }
}

impl Work for Screening<'_> {
    type Output = Exceeds;
    type Owned = Screening<'static>;
    const UNIT: &'static str = "positions";

    fn positions(&self) -> usize {
        self.positions.len()
    }

    fn results_of(&self, positions: &Range<usize>) -> usize {
        positions.len()
    }

    fn part(&self, positions: Range<usize>) -> Self {
        self.of(part_of(&self.positions, positions))
    }

    fn sample(&self, positions: usize) -> Screening<'static> {
        self.of(over_and_over(&self.positions, positions))
    }

    fn on_all_cores(&self, cpu: &Cpu, exceeds: &mut [Exceeds]) {
        cpu.exceeds_all(&self.positions, &self.rules, self.bounds, exceeds);
    }

    fn on_this_thread(&self, cpu: &Cpu, exceeds: &mut [Exceeds]) {
        cpu.exceeds_here(&self.positions, &self.rules, self.bounds, exceeds);
    }

    fn on(
        &self,
        gpu: &dyn Backend,
        exceeds: &mut [Exceeds],
        samples: usize,
    ) -> Result<u64, BackendError> {
        let mut verdicts = vec![Verdict::default(); exceeds.len()];
        let audited = self.judging().on(gpu, &mut verdicts, samples)?;
        for (exceeds, verdict) in exceeds.iter_mut().zip(&verdicts) {
            *exceeds = self.bounds.exceeds(verdict);
        }
        Ok(audited)
    }

    /// Nothing is scored to its end here.
    fn scored(_: &[Exceeds]) -> u64 {
        0
    }
}
