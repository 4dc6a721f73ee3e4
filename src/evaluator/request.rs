//! The requests: scores of moves, verdicts on positions, bounds exceeded.

use core::time::Duration;
use std::time::Instant;

use crate::backend::{Backend, BackendError, Cpu};
use crate::simd::{Compare, Judge, Question, Score};
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

    /// The same for the CPU.
    fn question(self) -> impl Question<Answer = Self::Answer>;

    fn answers(self) -> usize {
        self.question().answers()
    }

    /// Splits off the first `positions`; `None` if there are no others, or a copy would be
    /// needed.
    fn split(self, positions: usize) -> Option<(Self, Self)>;

    /// Repeats the positions for about `answers` answers.
    fn sample(self, rules: &Rules, answers: usize) -> Sample;

    fn cpu(self, rules: &Rules, cpu: &Cpu, answers: &mut [Self::Answer]) {
        cpu.answer(self.question(), rules, answers);
    }

    /// Answers on a GPU and audits evenly spread samples; returns the number audited.
    fn gpu(
        self,
        rules: &Rules,
        gpu: &dyn Backend,
        samples: usize,
        answers: &mut [Self::Answer],
    ) -> Result<u64, BackendError>;
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

/// The exact SEE of each move.
impl Request for &Batch {
    type Answer = i32;
    const UNIT: &'static str = "scores";
    const IS_EXPECTED: bool = false;

    fn question(self) -> impl Question<Answer = i32> {
        Score::of(self)
    }

    fn split(self, _: usize) -> Option<(Self, Self)> {
        None
    }

    fn sample(self, rules: &Rules, answers: usize) -> Sample {
        let (batch, rules) = (repeated_moves(self, answers), *rules);
        Box::new(move |gpu| rate(&batch, &rules, gpu))
    }

    fn gpu(
        self,
        rules: &Rules,
        gpu: &dyn Backend,
        samples: usize,
        scores: &mut [i32],
    ) -> Result<u64, BackendError> {
        gpu.score(self, rules, scores)?;
        let (positions, captures) = (self.positions(), self.captures());
        let mut owner = 0;
        audit(samples, captures.len(), |i| {
            while self.range(owner).end <= i {
                owner += 1;
            }
            let (position, capture) = (&positions[owner], captures[i]);
            let (gpu, cpu) = (scores[i], rules.see(position, capture));
            if gpu != cpu {
                let what = format!("{capture} in '{position}' is {gpu}, on the CPU {cpu}");
                return Err(BackendError::Wrong(what));
            }
            Ok(1)
        })
    }
}

/// The positions over and over, with about `answers` moves.
fn repeated_moves(batch: &Batch, answers: usize) -> Batch {
    let mut repeated = Batch::new();
    for i in (0..batch.positions().len()).cycle().take(answers) {
        let captures = &batch.captures()[batch.range(i)];
        repeated.push(batch.positions()[i], captures.iter().copied());
        // A position from a text line may have many thousands of moves.
        if repeated.len() >= answers {
            break;
        }
    }
    repeated
}

impl Request for Judge<'_> {
    type Answer = Verdict;
    const UNIT: &'static str = "verdicts";

    fn question(self) -> impl Question<Answer = Verdict> {
        self
    }

    fn split(self, positions: usize) -> Option<(Self, Self)> {
        split(self, positions)
    }

    fn sample(self, rules: &Rules, answers: usize) -> Sample {
        let (all, rules) = (repeated(self.positions, answers), *rules);
        let with_threat = self.with_threat;
        Box::new(move |gpu| {
            let positions = &all[..];
            let request = Judge {
                positions,
                with_threat,
            };
            rate(request, &rules, gpu)
        })
    }

    fn gpu(
        self,
        rules: &Rules,
        gpu: &dyn Backend,
        samples: usize,
        verdicts: &mut [Verdict],
    ) -> Result<u64, BackendError> {
        gpu.judge(self.positions, rules, self.with_threat, verdicts)?;
        audit(samples, self.positions.len(), |i| {
            same_verdict(&self.positions[i], rules, self.with_threat, &verdicts[i])
        })
    }
}

impl Request for Compare<'_> {
    type Answer = Exceeds;
    const UNIT: &'static str = "positions";

    fn question(self) -> impl Question<Answer = Exceeds> {
        self
    }

    fn split(self, positions: usize) -> Option<(Self, Self)> {
        split(self, positions)
    }

    fn sample(self, rules: &Rules, answers: usize) -> Sample {
        let (all, rules) = (repeated(self.positions, answers), *rules);
        let bounds = self.bounds;
        Box::new(move |gpu| {
            let positions = &all[..];
            rate(Compare { positions, bounds }, &rules, gpu)
        })
    }

    fn gpu(
        self,
        rules: &Rules,
        gpu: &dyn Backend,
        samples: usize,
        exceeds: &mut [Exceeds],
    ) -> Result<u64, BackendError> {
        gpu.exceeds(self.positions, rules, self.bounds, exceeds)?;
        audit(samples, self.positions.len(), |i| {
            same_bounds(&self.positions[i], rules, self.bounds, exceeds[i])
        })
    }
}

/// The number of moves audited, unless the CPU's verdict is another one.
pub(super) fn same_verdict(
    position: &Position,
    rules: &Rules,
    with_threat: bool,
    gpu: &Verdict,
) -> Result<u64, BackendError> {
    let cpu = rules.verdict(position, with_threat);
    if *gpu != cpu {
        let what = format!("the verdict on '{position}' is {gpu:?}, on the CPU {cpu:?}");
        return Err(BackendError::Wrong(what));
    }
    Ok(cpu.noisy.into())
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
fn split<Q: Question>(question: Q, at: usize) -> Option<(Q, Q)> {
    let others = question.positions() > at;
    others.then(|| question.split_at(at))
}

/// Measuring starts no new round after this time.
const WINDOW: Duration = Duration::from_millis(40);

/// Measures a GPU on data of its own: its answers per second.
pub(super) type Sample = Box<dyn Fn(&dyn Backend) -> Result<f64, BackendError> + Send>;

fn rate<Q: Request>(request: Q, rules: &Rules, gpu: &dyn Backend) -> Result<f64, BackendError> {
    let mut answers = vec![Q::Answer::default(); request.answers()];
    let (mut rounds, begin) = (0, Instant::now());
    while rounds == 0 || begin.elapsed() < WINDOW {
        request.gpu(rules, gpu, 0, &mut answers)?;
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
        for wanted in [1 << 12, 1 << 20] {
            let moves = repeated_moves(&crowded, wanted).len();
            assert!((wanted..wanted + 300_000).contains(&moves), "{moves}");
        }
    }
}
