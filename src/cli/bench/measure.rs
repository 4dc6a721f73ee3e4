//! One figure: the median of several runs, each result compared.

use std::time::{Duration, Instant};

use anyhow::Result;
use swaplist::formats::{Decoded, Format};
use swaplist::{Rules, Verdict};

use super::Contender;
use super::data::{Data, Expected};

/// How much time a figure may take.
#[derive(Clone, Copy)]
pub struct Patience {
    pub runs: usize,
    pub limit: Duration,
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
    let mut scores = vec![0; batch.len()];
    median(contender, patience, &mut scores, i32::MIN, &expected.scores, |scores| {
        Ok(contender.backend.score(&batch, rules, scores)?)
    })
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
    let nothing = Verdict { noisy: u32::MAX, ..Verdict::default() };
    let mut verdicts = vec![nothing; count];
    median(contender, patience, &mut verdicts, nothing, &expected.verdicts, |verdicts| {
        Ok(contender.backend.judge(&positions, rules, false, verdicts)?)
    })
}

/// Runs `call` until there are enough samples or patience ends; the results of
/// every sample are compared with what is expected, over and over.
fn median<T: Copy + PartialEq + std::fmt::Debug>(
    contender: &Contender,
    patience: Patience,
    results: &mut [T],
    poison: T,
    expected: &[T],
    mut call: impl FnMut(&mut [T]) -> Result<()>,
) -> Result<Measured> {
    let begun = Instant::now();
    let mut wrong = None;
    let mut sample = |repeat: u32| {
        results.fill(poison);
        let start = Instant::now();
        for _ in 0..repeat {
            call(results)?;
        }
        let total = start.elapsed() / repeat;
        if wrong.is_none() {
            wrong = first_difference(results, expected);
        }
        anyhow::Ok((total, (contender.kernel)()))
    };
    let (warm_up, _) = sample(1)?;
    let repeat = (SHORTEST.as_nanos() / warm_up.as_nanos().max(1)).clamp(1, 10_000) as u32;
    let mut totals = Vec::new();
    let mut kernels = Vec::new();
    while totals.is_empty() || totals.len() < patience.runs && begun.elapsed() < patience.limit {
        let (total, kernel) = sample(repeat)?;
        totals.push(total);
        kernels.extend(kernel);
    }
    let runs = totals.len();
    Ok(Measured { total: middle(totals), kernel: (!kernels.is_empty()).then(|| middle(kernels)), runs, wrong })
}

fn middle(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

fn first_difference<T: PartialEq + std::fmt::Debug>(results: &[T], expected: &[T]) -> Option<String> {
    let differs = |(_, (result, expected)): &(usize, (&T, &T))| result != expected;
    let (i, (result, expected)) = results.iter().zip(expected.iter().cycle()).enumerate().find(differs)?;
    Some(format!("result {i} is {result:?}, expected {expected:?}"))
}

/// Text to verdicts on one thread, in positions a second.
pub fn from_text(data: &Data, rules: &Rules, patience: Patience) -> f64 {
    let (_, codec) = Format::Text.open(std::io::empty(), 1 << 20);
    let mut decoded = Decoded::default();
    let begun = Instant::now();
    let mut times = Vec::new();
    while times.is_empty() || times.len() < patience.runs && begun.elapsed() < patience.limit {
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
