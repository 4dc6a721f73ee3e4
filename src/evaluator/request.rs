//! The requests: scores of moves, verdicts on positions, bounds exceeded.

use core::time::Duration;
use std::time::Instant;

use crate::backend::{Backend, BackendError, Cpu};
use crate::{Batch, Bounds, Exceeds, Position, Rules, Verdict};

/// A request that both the CPU and a GPU can answer.
pub(super) trait Request: Copy {
    /// One answer.
    type Answer: Clone + Default;

    /// The name of the answers in messages.
    const UNIT: &'static str;

    /// Whether positions come in the numbers given to [`Evaluator::expect`]. Scores do not:
    /// their batches are the same for every backend.
    ///
    /// [`Evaluator::expect`]: super::Evaluator::expect
    const IS_EXPECTED: bool = true;

    fn answers(self) -> usize;

    /// Splits off the first `positions`; `None` if there are no others, or a copy would be
    /// needed.
    fn split(self, positions: usize) -> Option<(Self, Self)>;

    /// Repeats the positions for about `answers` answers.
    fn sample(self, answers: usize) -> Sample;

    /// Answers on this thread alone (`here`), or on all cores.
    fn cpu(self, cpu: &Cpu, here: bool, answers: &mut [Self::Answer]);

    /// Answers on a GPU and audits evenly spread samples; returns the number audited.
    fn gpu(
        self,
        gpu: &dyn Backend,
        samples: usize,
        answers: &mut [Self::Answer],
    ) -> Result<u64, BackendError>;

    /// The number of moves scored for these answers.
    fn scored(answers: &[Self::Answer]) -> u64;
}

/// The exact SEE of each move.
#[derive(Clone, Copy)]
pub(super) struct Scores<'a> {
    pub batch: &'a Batch,
    pub rules: &'a Rules,
}

impl Scores<'_> {
    /// Its positions over and over, with about `answers` moves.
    fn repeated(self, answers: usize) -> Batch {
        let mut batch = Batch::new();
        for i in (0..self.batch.positions().len()).cycle().take(answers) {
            let captures = &self.batch.captures()[self.batch.range(i)];
            batch.push(self.batch.positions()[i], captures.iter().copied());
            // A position from a text line may have many thousands of moves.
            if batch.len() >= answers {
                break;
            }
        }
        batch
    }
}

/// Compares samples of the answers with the CPU, evenly spread, by a function that returns the
/// number of moves or positions audited. The first difference is an error.
pub(super) fn audit(
    samples: usize,
    answers: usize,
    mut compare: impl FnMut(usize) -> Result<u64, BackendError>,
) -> Result<u64, BackendError> {
    if samples == 0 || answers == 0 {
        return Ok(0);
    }
    let audited = (0..answers).step_by(answers.div_ceil(samples));
    audited.map(&mut compare).sum()
}

impl Request for Scores<'_> {
    type Answer = i32;
    const UNIT: &'static str = "scores";
    const IS_EXPECTED: bool = false;

    fn answers(self) -> usize {
        self.batch.len()
    }

    fn split(self, _: usize) -> Option<(Self, Self)> {
        None
    }

    fn sample(self, answers: usize) -> Sample {
        let (batch, rules) = (self.repeated(answers), *self.rules);
        Box::new(move |gpu| {
            let request = Scores {
                batch: &batch,
                rules: &rules,
            };
            rate(request, gpu)
        })
    }

    fn cpu(self, cpu: &Cpu, here: bool, scores: &mut [i32]) {
        if here {
            cpu.score_here(self.batch, self.rules, scores);
        } else {
            cpu.score_all(self.batch, self.rules, scores);
        }
    }

    fn gpu(
        self,
        gpu: &dyn Backend,
        samples: usize,
        scores: &mut [i32],
    ) -> Result<u64, BackendError> {
        gpu.score(self.batch, self.rules, scores)?;
        let (positions, captures) = (self.batch.positions(), self.batch.captures());
        let mut owner = 0;
        audit(samples, captures.len(), |i| {
            while self.batch.range(owner).end <= i {
                owner += 1;
            }
            let (position, capture) = (&positions[owner], captures[i]);
            let (gpu, cpu) = (scores[i], self.rules.see(position, capture));
            if gpu != cpu {
                let what = format!("{capture} in '{position}' is {gpu}, on the CPU {cpu}");
                return Err(BackendError::Wrong(what));
            }
            Ok(1)
        })
    }

    fn scored(scores: &[i32]) -> u64 {
        scores.len() as u64
    }
}

/// The verdict on each position.
#[derive(Clone, Copy)]
pub(super) struct Verdicts<'a> {
    pub positions: &'a [Position],
    pub rules: &'a Rules,
    pub with_threat: bool,
}

impl Request for Verdicts<'_> {
    type Answer = Verdict;
    const UNIT: &'static str = "verdicts";

    fn answers(self) -> usize {
        self.positions.len()
    }

    fn split(self, positions: usize) -> Option<(Self, Self)> {
        let (first, others) = split(self.positions, positions)?;
        let of = |positions| Verdicts { positions, ..self };
        Some((of(first), of(others)))
    }

    fn sample(self, answers: usize) -> Sample {
        let (positions, rules) = (repeated(self.positions, answers), *self.rules);
        let with_threat = self.with_threat;
        Box::new(move |gpu| {
            let request = Verdicts {
                positions: &positions,
                rules: &rules,
                with_threat,
            };
            rate(request, gpu)
        })
    }

    fn cpu(self, cpu: &Cpu, here: bool, verdicts: &mut [Verdict]) {
        if here {
            cpu.judge_here(self.positions, self.rules, self.with_threat, verdicts);
        } else {
            cpu.judge_all(self.positions, self.rules, self.with_threat, verdicts);
        }
    }

    fn gpu(
        self,
        gpu: &dyn Backend,
        samples: usize,
        verdicts: &mut [Verdict],
    ) -> Result<u64, BackendError> {
        gpu.judge(self.positions, self.rules, self.with_threat, verdicts)?;
        audit(samples, self.positions.len(), |i| {
            let position = &self.positions[i];
            let (gpu, cpu) = (verdicts[i], self.rules.verdict(position, self.with_threat));
            if gpu != cpu {
                let what = format!("the verdict on '{position}' is {gpu:?}, on the CPU {cpu:?}");
                return Err(BackendError::Wrong(what));
            }
            Ok(cpu.noisy.into())
        })
    }

    fn scored(verdicts: &[Verdict]) -> u64 {
        let noisy = verdicts.iter().map(|verdict| u64::from(verdict.noisy));
        noisy.sum()
    }
}

/// Which bounds each position exceeds.
#[derive(Clone, Copy)]
pub(super) struct BoundsExceeded<'a> {
    pub positions: &'a [Position],
    pub rules: &'a Rules,
    pub bounds: Bounds,
}

impl Request for BoundsExceeded<'_> {
    type Answer = Exceeds;
    const UNIT: &'static str = "positions";

    fn answers(self) -> usize {
        self.positions.len()
    }

    fn split(self, positions: usize) -> Option<(Self, Self)> {
        let (first, others) = split(self.positions, positions)?;
        let of = |positions| BoundsExceeded { positions, ..self };
        Some((of(first), of(others)))
    }

    fn sample(self, answers: usize) -> Sample {
        let (positions, rules) = (repeated(self.positions, answers), *self.rules);
        let bounds = self.bounds;
        Box::new(move |gpu| {
            let request = BoundsExceeded {
                positions: &positions,
                rules: &rules,
                bounds,
            };
            rate(request, gpu)
        })
    }

    fn cpu(self, cpu: &Cpu, here: bool, exceeds: &mut [Exceeds]) {
        if here {
            cpu.exceeds_here(self.positions, self.rules, self.bounds, exceeds);
        } else {
            cpu.exceeds_all(self.positions, self.rules, self.bounds, exceeds);
        }
    }

    fn gpu(
        self,
        gpu: &dyn Backend,
        samples: usize,
        exceeds: &mut [Exceeds],
    ) -> Result<u64, BackendError> {
        gpu.exceeds(self.positions, self.rules, self.bounds, exceeds)?;
        audit(samples, self.positions.len(), |i| {
            same_bounds(&self.positions[i], self.rules, self.bounds, exceeds[i])
        })
    }

    /// No move is scored exactly here.
    fn scored(_: &[Exceeds]) -> u64 {
        0
    }
}

/// One position audited, unless the CPU finds that it exceeds other bounds.
pub(super) fn same_bounds(
    position: &Position,
    rules: &Rules,
    bounds: Bounds,
    gpu: Exceeds,
) -> Result<u64, BackendError> {
    let cpu = rules.exceeds(position, bounds);
    if gpu != cpu {
        let what = format!("what '{position}' exceeds is {gpu:?}, on the CPU {cpu:?}");
        return Err(BackendError::Wrong(what));
    }
    Ok(1)
}

/// These positions over and over.
fn repeated(positions: &[Position], answers: usize) -> Vec<Position> {
    positions.iter().copied().cycle().take(answers).collect()
}

/// Splits the positions at `at`, if there are more.
fn split(positions: &[Position], at: usize) -> Option<(&[Position], &[Position])> {
    let others = positions.len() > at;
    others.then(|| positions.split_at(at))
}

/// Measuring starts no new round after this time.
const WINDOW: Duration = Duration::from_millis(40);

/// Measures a GPU on data of its own: its answers per second.
pub(super) type Sample = Box<dyn Fn(&dyn Backend) -> Result<f64, BackendError> + Send>;

fn rate<Q: Request>(request: Q, gpu: &dyn Backend) -> Result<f64, BackendError> {
    let mut answers = vec![Q::Answer::default(); request.answers()];
    let (mut rounds, begin) = (0, Instant::now());
    while rounds == 0 || begin.elapsed() < WINDOW {
        request.gpu(gpu, 0, &mut answers)?;
        rounds += 1;
    }
    Ok(per_second(rounds * answers.len(), begin.elapsed()))
}

#[allow(clippy::cast_precision_loss)] // shown rounded
pub(super) fn per_second(answers: usize, time: Duration) -> f64 {
    answers as f64 / time.as_secs_f64().max(1e-9)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::noisy_moves;

    /// A position may name as many moves as fit in a line; repeating that thousands of times
    /// would exhaust memory.
    #[test]
    fn to_measure_takes_no_more_moves_than_enough() {
        let position = "1k1r4/1pp4p/p7/4p3/8/P5P1/1PP4P/2K1R3 w - - 0 1";
        let position: Position = position.parse().unwrap();
        let mut crowded = Batch::new();
        let moves = noisy_moves(&position).into_iter().cycle();
        crowded.push(position, moves.take(300_000));
        let scores = Scores {
            batch: &crowded,
            rules: &Rules::SWAP,
        };
        for wanted in [1 << 12, 1 << 20] {
            let moves = scores.repeated(wanted).len();
            assert!((wanted..wanted + 300_000).contains(&moves), "{moves}");
        }
    }
}
