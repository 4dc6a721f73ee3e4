//! `swaplist bench`: speed of the CPU and the GPUs of this machine.

#[cfg(feature = "gpu")]
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Result;
use indicatif::ProgressBar;
use swaplist::formats::Format;
#[cfg(feature = "gpu")]
use swaplist::gpu::Options;
use swaplist::{CpuPath, Rules};

use super::errors::CANCEL;
use super::leftovers;
use super::options::{BackendArgs, RulesArgs};
use swaplist::jobs::{Files, Output};

mod contenders;
mod data;
mod files;
mod measure;
mod page;
mod report;

use contenders::Contender;
use data::Data;
use measure::{Job, Measurement, Part};

/// Measures the speed of scores, verdicts and files.
///
/// Scores and verdicts are measured on each CPU code path, on all threads, and on every GPU
/// adapter, for several batch sizes; files by stages, from reading to filtering. Every answer
/// is compared with the CPU's scalar code. Each figure is the median of several calls, from
/// memory to memory; kernels are timed alone too if the device can. Next to it is its floor,
/// measured in the same run: a copy of the same bytes in memory, to the device, or out of the
/// page cache. Compare figures of one run only.
#[derive(clap::Args)]
#[command(after_help = "\
A software adapter computes on the CPU: its figures say nothing about GPUs.

Files are measured on a temporary copy of up to 64 MiB, in /dev/shm if there is room:
INPUT repeated, or the sample as text, bulletformat and binpack.

Exit status: 0 done, 1 an answer was wrong, 2 could not run, 130 interrupted.

Examples:
  swaplist bench
  swaplist bench --full --plot bench.html --json=bench.json
  swaplist bench games.binpack --parts files
  swaplist bench --backend gpu --no-cpu --sizes 1M,16M --gpu-options workers=2")]
pub struct Args {
    /// Positions to use, a file of any format; - for standard input [default: a built-in
    /// sample]
    input: Option<PathBuf>,

    /// Format of the input, if it cannot be detected: text, binpack,
    /// bulletformat, marlinformat, viriformat, sfbin, plain, pgn or jsonl
    #[arg(long, value_name = "FORMAT")]
    from: Option<Format>,

    /// Batch sizes, moves or positions; k and M stand for 1,024 and 1,048,576
    #[arg(
        long,
        value_name = "LIST",
        value_delimiter = ',',
        value_parser = size,
        default_value = "1,64,1k,16k,256k,1M,4M"
    )]
    sizes: Vec<usize>,

    /// All sizes from 1 to 16M, and up to 20 seconds a figure: takes minutes
    #[arg(long, conflicts_with = "sizes")]
    full: bool,

    /// What to measure
    #[arg(
        long,
        value_name = "LIST",
        value_delimiter = ',',
        value_enum,
        default_value = "scores,verdicts,files"
    )]
    parts: Vec<Part>,

    /// Time limit per figure: fewer than five runs, larger batches left out [default: 0.5]
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    patience: Option<f64>,

    /// Write the figures as JSON, to standard output instead of the text, or to a file
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true, default_missing_value = "-")]
    json: Option<PathBuf>,

    /// Write a page with plots to a file
    #[arg(long, value_name = "FILE.html")]
    plot: Option<PathBuf>,

    /// Replace existing files
    #[arg(long)]
    force: bool,

    #[command(flatten)]
    rules: RulesArgs,
    #[command(flatten)]
    backend: BackendArgs,

    /// Leave the CPU out
    #[arg(long, help_heading = "Backend")]
    no_cpu: bool,

    /// GPU settings: chunk=N (moves or positions per dispatch), workers=N (threads that fill
    /// and read chunks), workgroup=N (invocations, a multiple of 32), list=N (list entries per
    /// invocation)
    #[cfg(feature = "gpu")]
    #[arg(long, value_name = "LIST", help_heading = "Backend", value_parser = gpu_options)]
    gpu_options: Option<Options>,
}

/// The largest batch.
const LARGEST: usize = 1 << 24;

/// A number of moves or positions, as `1000`, `64k` or `4M`.
fn size(text: &str) -> Result<usize, String> {
    let (digits, unit) = match text.strip_suffix(['k', 'K']) {
        Some(digits) => (digits, 1 << 10),
        None => match text.strip_suffix('M') {
            Some(digits) => (digits, 1 << 20),
            None => (text, 1),
        },
    };
    let number = digits.parse::<usize>().ok();
    number
        .and_then(|number| number.checked_mul(unit))
        .filter(|size| (1..=LARGEST).contains(size))
        .ok_or_else(|| "expected a number from 1 to 16M, such as 1000, 64k or 4M".to_owned())
}

fn seconds(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(seconds) if seconds > 0.0 && f64::is_finite(seconds) => Ok(seconds),
        _ => Err("expected a number of seconds above 0".to_owned()),
    }
}

/// Settings such as `chunk=1M,workers=2`.
#[cfg(feature = "gpu")]
fn gpu_options(text: &str) -> Result<Options, String> {
    let range = |range: RangeInclusive<u32>| *range.start() as usize..=*range.end() as usize;
    let mut options = Options::new();
    for setting in text.split(',') {
        let (name, value) = setting.split_once('=').unwrap_or((setting, ""));
        let (range, step) = match name {
            "chunk" => (Options::CHUNKS, 1),
            "workers" => (Options::WORKERS, 1),
            "workgroup" => (range(Options::WORKGROUPS), 32),
            "list" => (range(Options::LISTS), 1),
            _ => return Err("expected chunk=N, workers=N, workgroup=N or list=N".to_owned()),
        };
        let value = size(value)
            .ok()
            .filter(|value| range.contains(value) && value % step == 0);
        let value = value.ok_or_else(|| {
            let (least, most) = (range.start(), range.end());
            format!("{name}: expected a whole number from {least} to {most}, a multiple of {step}")
        })?;
        options = match name {
            "chunk" => options.chunk(value),
            "workers" => options.workers(value),
            "workgroup" => options.workgroup(value as u32),
            _ => options.list(value as u32),
        };
    }
    Ok(options)
}

impl Args {
    fn sizes(&self) -> Vec<usize> {
        if self.full {
            return (0..=24).step_by(2).map(|power| 1 << power).collect();
        }
        let mut sizes = self.sizes.clone();
        sizes.sort_unstable();
        sizes.dedup();
        sizes
    }

    /// The JSON file, unless JSON goes to standard output.
    fn json_file(&self) -> Option<&Path> {
        self.json.as_deref().filter(|path| *path != Path::new("-"))
    }

    fn limit(&self) -> Duration {
        let seconds = self.patience.unwrap_or(if self.full { 20.0 } else { 0.5 });
        Duration::from_secs_f64(seconds.min(1e6))
    }
}

/// The settings and results of a run.
struct Bench {
    data: Data,
    rules: Rules,
    /// Time limit per figure.
    limit: Duration,
    threads: usize,
    path: CpuPath,
    contenders: Vec<Contender>,
    list: Vec<Measurement>,
    progress: ProgressBar,
}

impl Bench {
    /// Shows progress on standard error if that is a terminal.
    fn say(&self, what: String) {
        self.progress.set_message(what);
        self.progress.tick();
    }

    /// Measures every contender on every batch size, until one takes too long.
    fn batches(&mut self, part: Part, sizes: &[usize]) -> Result<()> {
        let mut contenders = std::mem::take(&mut self.contenders);
        for &batch in sizes {
            let mut job = Job::new(part, batch, &self.data);
            for contender in &mut contenders {
                let same = |of: &&Measurement| of.part == part && of.name == contender.name;
                let last = self.list.iter().rfind(same);
                if last.is_some_and(|last| last.seconds * 2.0 > self.limit.as_secs_f64()) {
                    continue;
                }
                self.say(format!("{part:?}: {batch} on {}", contender.name));
                let (seconds, wrong) = contender.measure(&mut job, self.limit)?;
                let measured = Measurement::new(part, &contender.name, contender.kind, seconds);
                self.list.push(Measurement {
                    batch,
                    floor: contender.floor.clone(),
                    wrong,
                    ..measured
                });
            }
        }
        self.contenders = contenders;
        Ok(())
    }
}

pub fn run(args: &Args) -> Result<bool> {
    let mut files = Files::new(&CANCEL);
    let input = args.input.as_deref().filter(|path| *path != Path::new("-"));
    let metadata = input.and_then(|path| std::fs::metadata(path).ok());
    files.read(None, metadata.as_ref());
    let mut open = |path: &Path| files.create(Some(path), args.force, None);
    let mut stdout = open("-".as_ref())?;
    let mut json_file = args.json_file().map(&mut open).transpose()?;
    let mut page = args.plot.as_deref().map(&mut open).transpose()?;
    let targets = [&json_file, &page].into_iter().flatten();
    leftovers::note(targets.filter_map(Output::target), false);

    let bench = measured(args)?;
    let json = format!("{:#}\n", bench.to_json());
    if let Some(page) = &mut page {
        page.write(page::to_html(&bench)?.as_bytes())?;
    }
    if let Some(file) = &mut json_file {
        file.write(json.as_bytes())?;
    }
    // Files first: they are complete even if nobody reads standard output.
    let only_json = args.json.is_some() && json_file.is_none();
    files.finish(page.into_iter().chain(json_file))?;
    let text = if only_json { json } else { bench.to_text() };
    stdout.write(text.as_bytes())?;
    Ok(bench.list.iter().all(|of| of.wrong.is_none()))
}

fn measured(args: &Args) -> Result<Bench> {
    let threads = args.backend.threads()?;
    let rules = args.rules.rules();
    let mut bench = Bench {
        data: Data::load(args.input.as_deref(), args.from, &rules)?,
        rules,
        limit: args.limit(),
        threads,
        path: args.backend.cpu_path(),
        contenders: contenders::all(
            rules,
            &args.backend,
            !args.no_cpu,
            threads,
            #[cfg(feature = "gpu")]
            &args.gpu_options.clone().unwrap_or_default(),
        )?,
        list: Vec::new(),
        progress: ProgressBar::new_spinner(),
    };
    for part in Part::ALL {
        match part {
            _ if !args.parts.contains(&part) => {}
            Part::Files => bench.files()?,
            _ => bench.batches(part, &args.sizes())?,
        }
    }
    bench.progress.finish_and_clear();
    Ok(bench)
}
