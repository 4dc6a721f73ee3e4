//! One figure: the median of several runs, each result compared.

use std::time::{Duration, Instant};

use anyhow::Result;
use swaplist::backend::{Backend, BackendError};
use swaplist::formats::{Decoded, Format};
use swaplist::{Rules, Verdict};

use super::data::{Data, Expected};
use super::{Contender, Kernels};

/// How much time a figure may take.
#[derive(Clone, Copy)]
pub struct Patience {
    pub runs: usize,
    pub limit: Duration,
}

impl Patience {
    /// Whether there is to be one more sample; there is always one.
    fn lasts(self, samples: usize, begun: Instant) -> bool {
        samples == 0 || samples < self.runs && begun.elapsed() < self.limit
    }
}

pub struct Measured {
    /// One call, from positions in memory to results in memory.
    pub total: Duration,
    /// The kernels alone, where the device can tell.
    pub kernel: Option<Duration>,
    pub runs: usize,
    /// What was wrong with a result.
    pub wrong: Option<String>,
}

/// A run shorter than this is repeated within one sample.
const SHORTEST: Duration = Duration::from_millis(5);

pub fn scores(
    contender: &Contender,
    data: &Data,
    expected: &Expected,
    rules: &Rules,
    moves: usize,
    patience: Patience,
) -> Result<Measured> {
    let batch = data.batch(moves);
    let work = Work {
        call: |backend: &dyn Backend, scores: &mut [i32]| backend.score(&batch, rules, scores),
        poison: i32::MIN,
        expected: &expected.scores,
    };
    work.measure(contender, moves, patience)
}

pub fn verdicts(
    contender: &Contender,
    data: &Data,
    expected: &Expected,
    rules: &Rules,
    count: usize,
    patience: Patience,
) -> Result<Measured> {
    let positions: Vec<_> = data.positions.iter().copied().cycle().take(count).collect();
    let work = Work {
        call: |backend: &dyn Backend, verdicts: &mut [Verdict]| {
            backend.judge(&positions, rules, false, verdicts)
        },
        poison: Verdict {
            noisy: u32::MAX,
            ..Verdict::default()
        },
        expected: &expected.verdicts,
    };
    work.measure(contender, count, patience)
}

/// What is measured: a call that fills a slice, and what should then be in it.
struct Work<'a, T, F> {
    call: F,
    /// No result is this: it stands where nothing was written.
    poison: T,
    /// Over and over.
    expected: &'a [T],
}

/// One call, and what was wrong with what it left.
struct Sample {
    total: Duration,
    wrong: Option<String>,
}

impl<T, F> Work<'_, T, F>
where
    T: Copy + PartialEq + std::fmt::Debug,
    F: Fn(&dyn Backend, &mut [T]) -> Result<(), BackendError>,
{
    /// Samples until there are enough, or patience ends.
    fn measure(&self, contender: &Contender, count: usize, patience: Patience) -> Result<Measured> {
        let mut results = vec![self.poison; count];
        let begun = Instant::now();
        let warm_up = self.sample(&*contender.backend, &mut results, 1)?;
        let repeat = SHORTEST.as_nanos() / warm_up.total.as_nanos().max(1);
        let repeat = repeat.clamp(1, 10_000) as u32;
        let mut wrong = warm_up.wrong;
        let mut totals = Vec::new();
        while patience.lasts(totals.len(), begun) {
            let sample = self.sample(&*contender.backend, &mut results, repeat)?;
            totals.push(sample.total);
            wrong = wrong.or(sample.wrong);
        }
        let mut kernels = Vec::new();
        if let Some(Kernels { backend, time }) = &contender.kernels {
            let begun = Instant::now();
            self.sample(&**backend, &mut results, 1)?;
            while patience.lasts(kernels.len(), begun) {
                wrong = wrong.or(self.sample(&**backend, &mut results, 1)?.wrong);
                let Some(kernel) = time() else { break };
                kernels.push(kernel);
            }
        }
        Ok(Measured {
            runs: totals.len(),
            total: middle(totals),
            kernel: (!kernels.is_empty()).then(|| middle(kernels)),
            wrong,
        })
    }

    fn sample(&self, backend: &dyn Backend, results: &mut [T], repeat: u32) -> Result<Sample> {
        results.fill(self.poison);
        let start = Instant::now();
        for _ in 0..repeat {
            (self.call)(backend, results)?;
        }
        let total = start.elapsed() / repeat;
        let wrong = first_difference(results, self.expected);
        Ok(Sample { total, wrong })
    }
}

fn middle(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

fn first_difference<T: PartialEq + std::fmt::Debug>(
    results: &[T],
    expected: &[T],
) -> Option<String> {
    let differs = |(_, (result, expected)): &(usize, (&T, &T))| result != expected;
    let (i, (result, expected)) = results
        .iter()
        .zip(expected.iter().cycle())
        .enumerate()
        .find(differs)?;
    Some(format!("result {i} is {result:?}, expected {expected:?}"))
}

/// Text to verdicts on one thread, in positions a second.
#[allow(clippy::cast_precision_loss)] // there are far fewer than 2^52
pub fn from_text(data: &Data, rules: &Rules, patience: Patience) -> f64 {
    let (_, codec) = Format::Text.open(std::io::empty(), 1 << 20);
    let mut decoded = Decoded::default();
    let begun = Instant::now();
    let mut times = Vec::new();
    while patience.lasts(times.len(), begun) {
        let start = Instant::now();
        for block in &data.blocks {
            codec.decode(block, &mut decoded);
            for position in &decoded.positions {
                std::hint::black_box(rules.verdict(position, false));
            }
        }
        times.push(start.elapsed());
    }
    data.positions.len() as f64 / middle(times).as_secs_f64().max(1e-9)
}

#[cfg(test)]
mod tests {
    use super::*;
    use swaplist::Batch;
    use swaplist::backend::Cpu;

    /// Wrong in one result of a hundred, or writes nothing at all.
    struct Liar {
        writes: bool,
    }

    impl Backend for Liar {
        fn name(&self) -> String {
            "liar".to_owned()
        }

        fn score(
            &self,
            batch: &Batch,
            rules: &Rules,
            scores: &mut [i32],
        ) -> Result<(), BackendError> {
            if self.writes {
                Cpu::new().score_all(batch, rules, scores);
                scores.iter_mut().step_by(100).for_each(|score| *score += 1);
            }
            Ok(())
        }
    }

    fn wrong(backend: Box<dyn Backend>) -> Option<String> {
        let data = Data::load(None).unwrap();
        let expected = data.expected(&Rules::SWAP);
        let contender = Contender {
            name: backend.name(),
            backend,
            kernels: None,
            software: false,
        };
        let patience = Patience {
            runs: 1,
            limit: Duration::from_secs(1),
        };
        scores(&contender, &data, &expected, &Rules::SWAP, 20_000, patience)
            .unwrap()
            .wrong
    }

    #[test]
    fn wrong_results_are_told() {
        assert_eq!(wrong(Box::new(Cpu::new())), None);
        assert!(wrong(Box::new(Liar { writes: true })).is_some());
        assert!(wrong(Box::new(Liar { writes: false })).is_some());
    }
}
