//! One figure: the median of several runs, each result compared.

use std::time::{Duration, Instant};

use anyhow::Result;
use swaplist::backend::{Backend, BackendError};
use swaplist::{Rules, Verdict};

use super::contenders::{Contender, Kernels};
use super::data::{Data, Expected};

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

    /// The median of several runs of something.
    pub fn median(self, mut run: impl FnMut() -> Result<Duration>) -> Result<Duration> {
        let begun = Instant::now();
        let mut times = Vec::new();
        while self.lasts(times.len(), begun) {
            times.push(run()?);
        }
        Ok(middle(times))
    }

    /// The same, for what may be over too soon to be timed.
    pub fn median_of_repeats(self, mut run: impl FnMut()) -> Duration {
        let warm_up = time(1, &mut run);
        let repeat = repeats(warm_up);
        let begun = Instant::now();
        let mut times = Vec::new();
        while self.lasts(times.len(), begun) {
            times.push(time(repeat, &mut run));
        }
        middle(times)
    }
}

fn time(repeat: u32, run: &mut impl FnMut()) -> Duration {
    let start = Instant::now();
    (0..repeat).for_each(|_| run());
    start.elapsed() / repeat
}

pub struct Measured {
    /// All of the batch, from positions in memory to results in memory.
    pub total: Duration,
    /// The kernels alone, where the device can tell.
    pub kernel: Option<Duration>,
    pub runs: usize,
    /// What was wrong with a result.
    pub wrong: Option<String>,
}

/// A run shorter than this is repeated within one sample.
const SHORTEST: Duration = Duration::from_millis(5);

fn repeats(once: Duration) -> u32 {
    let repeats = SHORTEST.as_nanos() / once.as_nanos().max(1);
    repeats.clamp(1, 10_000) as u32
}

/// A larger batch is done in calls of so many each, one after the other and over
/// the same memory, so that the bench itself stays within bounds.
pub const MOST: usize = 1 << 22;

/// The sizes of the calls that a batch is done in.
pub fn calls(size: usize) -> impl Iterator<Item = usize> {
    let rest = Some(size % MOST).filter(|&rest| rest > 0);
    std::iter::repeat_n(MOST, size / MOST).chain(rest)
}

pub fn scores(
    contender: &Contender,
    data: &Data,
    expected: &Expected,
    rules: &Rules,
    moves: usize,
    patience: Patience,
) -> Result<Measured> {
    let [most, rest] = [moves.min(MOST), moves % MOST].map(|moves| data.batch(moves));
    let work = Work {
        call: |backend: &dyn Backend, scores: &mut [i32]| {
            let whole = scores.len() == most.len();
            backend.score(if whole { &most } else { &rest }, rules, scores)
        },
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
    let positions = data.repeated(count.min(MOST));
    let work = Work {
        call: |backend: &dyn Backend, verdicts: &mut [Verdict]| {
            backend.judge(&positions[..verdicts.len()], rules, false, verdicts)
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

/// All calls of a batch, and what was wrong with what they left.
struct Sample {
    total: Duration,
    kernel: Option<Duration>,
    wrong: Option<String>,
}

impl<T, F> Work<'_, T, F>
where
    T: Copy + PartialEq + std::fmt::Debug,
    F: Fn(&dyn Backend, &mut [T]) -> Result<(), BackendError>,
{
    /// Samples until there are enough, or patience ends.
    fn measure(&self, contender: &Contender, count: usize, patience: Patience) -> Result<Measured> {
        let mut results = vec![self.poison; count.min(MOST)];
        let begun = Instant::now();
        let backend = &*contender.backend;
        let warm_up = self.sample(backend, None, &mut results, count, 1)?;
        let repeat = repeats(warm_up.total);
        let mut wrong = warm_up.wrong;
        let mut totals = Vec::new();
        while patience.lasts(totals.len(), begun) {
            let sample = self.sample(backend, None, &mut results, count, repeat)?;
            totals.push(sample.total);
            wrong = wrong.or(sample.wrong);
        }
        let mut times = Vec::new();
        if let Some(gpu) = &contender.gpu {
            let begun = Instant::now();
            let backend = &*gpu.kernels.backend;
            while patience.lasts(times.len(), begun) {
                let kernels = Some(&gpu.kernels);
                let sample = self.sample(backend, kernels, &mut results, count, 1)?;
                wrong = wrong.or(sample.wrong);
                let Some(kernel) = sample.kernel else { break };
                times.push(kernel);
            }
        }
        Ok(Measured {
            runs: totals.len(),
            total: middle(totals),
            kernel: (!times.is_empty()).then(|| middle(times)),
            wrong,
        })
    }

    fn sample(
        &self,
        backend: &dyn Backend,
        kernels: Option<&Kernels>,
        results: &mut [T],
        count: usize,
        repeat: u32,
    ) -> Result<Sample> {
        let mut sample = Sample {
            total: Duration::ZERO,
            kernel: kernels.map(|_| Duration::ZERO),
            wrong: None,
        };
        for call in calls(count) {
            let results = &mut results[..call];
            results.fill(self.poison);
            let start = Instant::now();
            for _ in 0..repeat {
                (self.call)(backend, results)?;
            }
            sample.total += start.elapsed() / repeat;
            let kernel = kernels.and_then(|kernels| (kernels.time)());
            sample.kernel = sample.kernel.zip(kernel).map(|(sum, kernel)| sum + kernel);
            let wrong = first_difference(results, self.expected);
            sample.wrong = sample.wrong.or(wrong);
        }
        Ok(sample)
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
        let data = Data::load(None, None).unwrap();
        let expected = data.expected(&Rules::SWAP);
        let contender = Contender {
            name: backend.name(),
            title: String::new(),
            backend,
            gpu: None,
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

    #[test]
    fn a_batch_is_done_in_calls_that_add_up() {
        for size in [1, 1000, MOST - 1, MOST, MOST + 1, 3 * MOST, 4 * MOST + 7] {
            assert_eq!(calls(size).sum::<usize>(), size);
            assert!(calls(size).all(|call| (1..=MOST).contains(&call)));
        }
    }
}
