//! One measurement: the median of several runs, with answers compared.

// batches are far below 2^52
#![allow(clippy::cast_precision_loss)]

use std::time::{Duration, Instant};

use anyhow::Result;
use serde::Serialize;
use swaplist::backend::{Answers, Backend, BackendError, Question};
use swaplist::{Batch, Rules, Verdict};

use super::data::Data;

#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Part {
    Scores,
    Verdicts,
    Files,
}

impl Part {
    pub const ALL: [Part; 3] = [Part::Scores, Part::Verdicts, Part::Files];

    pub const fn title(self) -> &'static str {
        match self {
            Part::Scores => "scores (one a move), millions a second by batch size",
            Part::Verdicts => {
                "verdicts (one a position, all its noisy moves), millions a second by batch size"
            }
            Part::Files => {
                "from a file in memory, ns a record, stages on one thread hold those before them;\n\
                            9x: 9 times as long as the page-cache read, or for a filter to a file its copy"
            }
        }
    }
}

/// A result.
#[derive(Serialize)]
pub struct Measurement {
    pub part: Part,
    /// For files.
    pub format: Option<&'static str>,
    pub bytes: Option<u64>,
    /// The contender, or the stage of a file.
    pub name: String,
    pub kind: Kind,
    /// Moves, positions or records.
    pub batch: usize,
    pub seconds: f64,
    /// The name of its floor, of the same part, format and batch.
    pub floor: Option<String>,
    /// The first wrong answer.
    pub wrong: Option<String>,
}

impl Measurement {
    pub fn new(part: Part, name: &str, kind: Kind, seconds: f64) -> Measurement {
        Measurement {
            part,
            format: None,
            bytes: None,
            name: name.to_owned(),
            kind,
            batch: 0,
            seconds,
            floor: None,
            wrong: None,
        }
    }

    pub fn per_second(&self) -> f64 {
        self.batch as f64 / self.seconds
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(not(feature = "gpu"), allow(dead_code))] // some are for GPUs
pub enum Kind {
    Cpu,
    Gpu,
    /// A software adapter.
    Software,
    /// A GPU's kernels alone, by its own timestamps.
    Kernels,
    /// A copy of the same bytes.
    Floor,
    /// A stage of a file.
    File,
}

/// The most runs of a measurement.
pub const RUNS: usize = 5;

/// Shorter runs are repeated.
const SHORTEST: Duration = Duration::from_millis(5);

/// The median time in seconds of a function that returns the mean of n repetitions.
pub fn median(limit: Duration, mut run: impl FnMut(u32) -> Result<Duration>) -> Result<f64> {
    let begun = Instant::now();
    let repeat = SHORTEST.as_nanos() / run(1)?.as_nanos().max(1);
    let mut times = Vec::new();
    while times.is_empty() || times.len() < RUNS && begun.elapsed() < limit {
        times.push(run(repeat.clamp(1, 10_000) as u32)?);
    }
    times.sort_unstable();
    Ok(times[times.len() / 2].as_secs_f64().max(1e-9))
}

/// The mean time of n calls.
pub fn mean(repeat: u32, mut call: impl FnMut() -> Result<()>) -> Result<Duration> {
    let start = Instant::now();
    (0..repeat).try_for_each(|_| call())?;
    Ok(start.elapsed() / repeat)
}

/// A batch of moves to score or of positions to judge, with room for one kind of answers.
pub struct Job<'a> {
    data: &'a Data,
    batch: Batch,
    scores_moves: bool,
    answers: Answers,
}

impl Job<'_> {
    pub fn new(part: Part, size: usize, data: &Data) -> Job<'_> {
        let (batch, scores_moves) = match part {
            Part::Scores => (data.moves(size), true),
            _ => (data.positions(size), false),
        };
        Job {
            data,
            batch,
            scores_moves,
            answers: Answers::default(),
        }
    }

    pub fn run(&mut self, backend: &dyn Backend, rules: &Rules) -> Result<(), BackendError> {
        let question = if self.scores_moves {
            Question::Scores(&self.batch)
        } else {
            Question::Verdicts {
                positions: self.batch.positions(),
                with_threat: false,
            }
        };
        backend.answer(&question, rules, &mut self.answers)
    }

    /// The positions and moves as raw bytes.
    pub fn bytes(&self) -> [&[u8]; 2] {
        let (positions, moves) = (self.batch.positions(), self.batch.captures());
        [bytemuck::cast_slice(positions), bytemuck::cast_slice(moves)]
    }

    /// Overwrites the answers with impossible ones, so that missing ones are found.
    pub fn poison(&mut self) {
        self.answers.scores.fill(i32::MIN);
        self.answers.verdicts.fill(Verdict {
            noisy: u32::MAX,
            ..Verdict::default()
        });
    }

    pub fn wrong(&self) -> Option<String> {
        let of_scores = first_difference(&self.answers.scores, &self.data.scores);
        of_scores.or_else(|| first_difference(&self.answers.verdicts, &self.data.verdicts))
    }
}

/// Compares with the expected answers, repeated.
fn first_difference<T>(answers: &[T], expected: &[T]) -> Option<String>
where
    T: PartialEq + std::fmt::Debug,
{
    let mut pairs = answers.iter().zip(expected.iter().cycle()).enumerate();
    let (i, (answer, expected)) = pairs.find(|(_, (answer, expected))| answer != expected)?;
    Some(format!("answer {i} is {answer:?}, expected {expected:?}"))
}
