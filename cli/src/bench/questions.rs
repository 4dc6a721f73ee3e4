//! Questions from memory: scores and verdicts, by every path of the CPU and every GPU.
//!
//! A *contender* is a backend that is measured: the CPU on a code path and some threads, or a GPU.
//! A *figure* is one contender's time for one kind of question about one number of positions.

// Numbers of a batch are far below 2^52.
#![allow(clippy::cast_precision_loss, clippy::cast_sign_loss)]

use std::fmt::Write as _;
use std::path::Path;
use std::time::Instant;

use anyhow::{Context as _, Result, bail};
use indicatif::ProgressBar;
use serde::Serialize;
use swaplist::backend::{Answers, Backend, Cpu, Question};
use swaplist::{Batch, CpuPath, Rules, Sides, noisy_moves};
use swaplist_files::explain::rules_to_json;
use swaplist_files::formats::Format;
use swaplist_files::report::{ResultTable, grouped};

use super::Args;
use crate::devices::{self, Contender};
use crate::session::{input, show};
use crate::verify::poisoned;

/// The sizes of batches that are measured if none are asked for.
const SIZES: [usize; 6] = [64, 1024, 16384, 262_144, 1_048_576, 4_194_304];

/// Seconds for a figure, if no other number is asked for.
const PATIENCE: f64 = 0.5;

/// The most runs that count for a figure.
const MOST_RUNS: usize = 5;

/// How many seconds a run takes, if the backend is called often enough: far more than the clock's
/// resolution.
const RUN_SECONDS: f64 = 0.005;

/// Measures and prints; returns whether no answer was wrong.
pub fn run(args: &Args) -> Result<bool> {
    let threads = args.backend.threads()?;
    let fen_column = args.fen_column.as_deref();
    let (input_name, noisy) = load(args.input.as_deref(), args.from, fen_column)?;
    let mut bench = Bench {
        input_name,
        noisy,
        rules: args.rules.rules(),
        threads,
        contenders: contenders(args, threads)?,
        figures: Vec::new(),
    };
    let mut sizes = args.sizes.clone().unwrap_or_else(|| SIZES.to_vec());
    sizes.sort_unstable();
    let patience = args.patience.unwrap_or(PATIENCE);
    let progress = ProgressBar::new_spinner();
    for size in sizes {
        progress.set_message(format!("{size} positions"));
        progress.tick();
        bench.measure(size, patience)?;
    }
    progress.finish_and_clear();
    let [scores, verdicts] = KINDS.map(|kind| bench.table(kind));
    let tables = format!(
        "\nscores, one a move\n{scores}\nverdicts, one a position on all its noisy moves\n{verdicts}"
    );
    show(args.json, &bench.sheet(), &tables)?;
    Ok(bench.figures.iter().all(|figure| !figure.wrong))
}

/// The name of an input, and its first million positions or some more, with their noisy moves.
/// Without a path it is the built-in sample.
fn load(
    path: Option<&Path>,
    from: Option<Format>,
    fen_column: Option<&str>,
) -> Result<(String, Batch)> {
    const ENOUGH: usize = 1 << 20;
    let (name, mut records) = match path {
        Some(path) => {
            let mut input = input(Some(path))?;
            let name = input.name.clone();
            let format = input.format(from, fen_column)?;
            let records = format.records(input.into_stream());
            (name, records.positions_alone())
        }
        None => (
            "built-in sample".to_owned(),
            Format::Text.records(swaplist::SAMPLE.as_bytes()),
        ),
    };
    if let Some(name) = fen_column {
        records = records.fen_column(name);
    }
    let mut noisy = Batch::new();
    while noisy.positions().len() < ENOUGH
        && let Some(batch) = records.next_batch().context(name.clone())?
    {
        if let Some(error) = batch.invalid.first() {
            bail!("{name}, {error}");
        }
        for &position in &batch.positions {
            noisy.push(position, noisy_moves(&position));
        }
    }
    if noisy.is_empty() {
        bail!("{name}: no position with a noisy move in it");
    }
    Ok((name, noisy))
}

/// The CPU on one thread by every path, and on all threads by the fastest path or that of `--cpu`;
/// then the GPUs. At least one.
fn contenders(args: &Args, threads: usize) -> Result<Vec<Contender>> {
    let backend = &args.backend;
    let mut contenders = Vec::new();
    if !args.no_cpu {
        for path in devices::cpu_paths(backend.cpu) {
            let cpu = Cpu::with_threads(1)?.with_path(path)?;
            contenders.push(Contender::new("cpu", cpu));
        }
        if threads > 1 {
            let cpu = Cpu::with_threads(threads)?.with_path(backend.cpu_path())?;
            contenders.push(Contender::new("cpu", cpu));
        }
    }
    let options = args.gpu_options.clone().unwrap_or_default();
    contenders.extend(devices::gpus(backend.choice()?, &options)?);
    if contenders.is_empty() {
        bail!("without the CPU there is nothing to measure here; leave out --no-cpu");
    }
    Ok(contenders)
}

/// The result of measuring a backend on a question.
struct Measurement {
    /// The median time of a call.
    seconds: f64,
    /// Whether an answer was not the expected one.
    is_wrong: bool,
}

/// Measures one run to warm up, and then one to [`MOST_RUNS`], as many as begin within `limit`
/// seconds. A run calls the backend so often that it takes some [`RUN_SECONDS`], 10,000 times at
/// most.
fn measured(
    backend: &dyn Backend,
    question: &Question<'_>,
    rules: &Rules,
    expected: &Answers,
    limit: f64,
) -> Result<Measurement> {
    let start = Instant::now();
    let mut times = Vec::new();
    let mut is_wrong = false;
    let mut calls = 1;
    // The first run warms up caches and clocks, and does not count.
    while times.len() < 2 || times.len() < 1 + MOST_RUNS && start.elapsed().as_secs_f64() < limit {
        // Answers that no backend gives, so that one that is not written is found.
        let mut answers = poisoned(question);
        let run_start = Instant::now();
        for _ in 0..calls {
            backend.answer(question, rules, &mut answers)?;
        }
        times.push(run_start.elapsed().as_secs_f64() / f64::from(calls));
        is_wrong |= answers != *expected;
        calls = (RUN_SECONDS / times[0]).clamp(1.0, 10_000.0) as u32;
    }
    times.remove(0);
    times.sort_unstable_by(f64::total_cmp);
    Ok(Measurement {
        seconds: times[times.len() / 2],
        is_wrong,
    })
}

/// What is measured, and the figures so far.
struct Bench {
    input_name: String,
    /// The input's positions with their noisy moves; batches are made of them, over and over.
    noisy: Batch,
    rules: Rules,
    /// The number of threads of a CPU on all threads.
    threads: usize,
    contenders: Vec<Contender>,
    figures: Vec<Figure>,
}

/// The kinds of questions that are measured.
const KINDS: [&str; 2] = ["scores", "verdicts"];

/// A contender's time for one kind of question and one size of the batch. The names of the fields
/// are those of the JSON.
#[derive(Serialize)]
struct Figure {
    /// One of [`KINDS`].
    part: &'static str,
    name: String,
    /// "cpu", "gpu", or "software" for a software adapter.
    kind: &'static str,
    adapter: Option<String>,
    /// The size of the batch.
    positions: usize,
    /// Scores, one a move, or verdicts, one a position.
    answers: usize,
    seconds: f64,
    per_second: f64,
    /// Whether an answer was not the scalar code's.
    wrong: bool,
}

impl Bench {
    /// Measures every contender on `size` positions, except those whose last figure of this kind,
    /// on fewer positions, took more than half of `limit` seconds.
    fn measure(&mut self, size: usize, limit: f64) -> Result<()> {
        let rules = self.rules;
        let mut batch = Batch::new();
        let endless = core::iter::repeat_with(|| self.noisy.iter()).flatten();
        for (position, moves) in endless.take(size) {
            batch.push(*position, moves.iter().copied());
        }
        let verdicts = Question::Verdicts {
            positions: batch.positions(),
            sides: Sides::ToMove,
        };
        let scalar = Cpu::new().with_path(CpuPath::Scalar)?;
        for (kind, question) in KINDS.into_iter().zip([Question::Scores(&batch), verdicts]) {
            let answers = question.answers();
            let expected = scalar.answers(&question, &rules)?;
            for contender in &self.contenders {
                let last = self
                    .figures
                    .iter()
                    .rfind(|figure| figure.part == kind && figure.name == contender.name);
                if last.is_some_and(|last| last.seconds * 2.0 > limit) {
                    continue;
                }
                let backend = &*contender.backend;
                let measurement = measured(backend, &question, &rules, &expected, limit)?;
                let seconds = measurement.seconds;
                self.figures.push(Figure {
                    part: kind,
                    name: contender.name.clone(),
                    kind: contender.kind,
                    adapter: contender.adapter.clone(),
                    positions: size,
                    answers,
                    seconds,
                    per_second: answers as f64 / seconds,
                    wrong: measurement.is_wrong,
                });
            }
        }
        Ok(())
    }

    /// What was measured on what, and the figures.
    fn sheet(&self) -> ResultTable {
        let mut sheet = ResultTable::new("bench");
        sheet.title = format!("bench {}", self.input_name);
        let positions = self.noisy.positions().len();
        let moves = self.noisy.len();
        sheet.value("version", env!("CARGO_PKG_VERSION"));
        sheet.value("input", &self.input_name);
        sheet.value("positions", positions).value("moves", moves);
        let data = format!(
            "{} positions with {} noisy moves, over and over",
            grouped(positions as u64),
            grouped(moves as u64)
        );
        sheet.row("data", data);
        sheet
            .value("rules", rules_to_json(&self.rules))
            .row("rules", self.rules);
        let cpu = devices::cpu_name();
        sheet.value("cpu", &cpu).row("CPU", cpu);
        sheet.value("threads", self.threads);
        for contender in &self.contenders {
            if let Some(adapter) = &contender.adapter {
                sheet.row("GPU", adapter);
            }
            if contender.kind == "software" {
                let note = "it computes on the CPU, its figures say nothing about GPUs";
                sheet.row("NOTE", format!("SOFTWARE ADAPTER: {note}"));
            }
        }
        let figures = "millions a second by positions in the batch, * the fastest;";
        sheet
            .value("figures", &self.figures)
            .row("figures", figures);
        sheet.row("", "median of up to 5 runs, all answers compared");
        sheet
    }

    /// The table of a kind of question: a row for each contender, a column for each size of the
    /// batch, in millions of answers per second.
    fn table(&self, kind: &str) -> String {
        let all = self.figures.iter();
        let figures: Vec<_> = all.filter(|figure| figure.part == kind).collect();
        let batches: Vec<_> = figures
            .chunk_by(|a, b| a.positions == b.positions)
            .collect();
        let width = figures
            .iter()
            .map(|figure| figure.name.len())
            .max()
            .unwrap_or(0);
        let mut text = format!("  {:width$}", "");
        for batch in &batches {
            let _ = write!(text, "  {:>11}", grouped(batch[0].positions as u64));
        }
        for Figure { name, .. } in batches[0] {
            let _ = write!(text, "\n  {name:width$}");
            for batch in &batches {
                let real = batch.iter().filter(|figure| figure.kind != "software");
                let fastest = real.min_by(|a, b| a.seconds.total_cmp(&b.seconds));
                let is_fastest = fastest.is_some_and(|figure| figure.name == *name);
                let figure = batch.iter().find(|figure| figure.name == *name);
                let rate = figure.map_or("-".to_owned(), |figure| {
                    let star = if is_fastest { "*" } else { "" };
                    format!("{star}{:.2}", figure.per_second / 1e6)
                });
                let _ = write!(text, "  {rate:>11}");
            }
        }
        text.push('\n');
        for wrong in figures.iter().filter(|figure| figure.wrong) {
            let name = &wrong.name;
            let size = grouped(wrong.positions as u64);
            let _ = writeln!(
                text,
                "  WRONG on {name}, {size} positions; verify tells where"
            );
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fake::Fake;

    #[test]
    fn wrong_answers_are_told() {
        let (input_name, noisy) = load(None, None, None).unwrap();
        // One gives a wrong answer to every 100th question, the other writes no answers.
        let liars = [Fake::lying(100), Fake::silent()].map(|fake| Contender::new("cpu", fake));
        let mut bench = Bench {
            input_name,
            noisy,
            rules: Rules::SWAP,
            threads: 1,
            contenders: vec![Contender::new("cpu", Cpu::new())],
            figures: Vec::new(),
        };
        bench.contenders.extend(liars);
        bench.measure(10_000, 1.0).unwrap();
        let wrong: Vec<bool> = bench.figures.iter().map(|figure| figure.wrong).collect();
        assert_eq!(wrong, [false, true, true].repeat(2));
    }
}
