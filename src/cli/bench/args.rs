//! The options of `bench`.

#[cfg(feature = "gpu")]
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::time::Duration;

use swaplist::formats::Format;
#[cfg(feature = "gpu")]
use swaplist::gpu::Options;

use super::measure::Part;
use crate::cli::options::{BackendArgs, RulesArgs};

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
    pub input: Option<PathBuf>,

    /// Format of the input, if it cannot be detected: text, binpack,
    /// bulletformat, marlinformat, viriformat, sfbin, plain, pgn or jsonl
    #[arg(long, value_name = "FORMAT")]
    pub from: Option<Format>,

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
    pub parts: Vec<Part>,

    /// Time limit per figure: fewer than five runs, larger batches left out [default: 0.5]
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    patience: Option<f64>,

    /// Write the figures as JSON, to standard output instead of the text, or to a file
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true, default_missing_value = "-")]
    pub json: Option<PathBuf>,

    /// Write a page with plots to a file
    #[arg(long, value_name = "FILE.html")]
    pub plot: Option<PathBuf>,

    /// Replace existing files
    #[arg(long)]
    pub force: bool,

    #[command(flatten)]
    pub rules: RulesArgs,
    #[command(flatten)]
    pub backend: BackendArgs,

    /// Leave the CPU out
    #[arg(long, help_heading = "Backend")]
    pub no_cpu: bool,

    /// GPU settings: chunk=N (moves or positions per dispatch), workers=N (threads that fill
    /// and read chunks), workgroup=N (invocations, a multiple of 32), list=N (list entries per
    /// invocation)
    #[cfg(feature = "gpu")]
    #[arg(long, value_name = "LIST", help_heading = "Backend", value_parser = gpu_options)]
    pub gpu_options: Option<Options>,
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
        let within = |range: RangeInclusive<usize>, step: usize| {
            let value = size(value).ok();
            let value = value.filter(|value| range.contains(value) && value % step == 0);
            value.ok_or_else(|| {
                let (least, most) = (range.start(), range.end());
                let steps = match step {
                    1 => String::new(),
                    step => format!(", a multiple of {step}"),
                };
                format!("{name}: expected a whole number from {least} to {most}{steps}")
            })
        };
        options = match name {
            "chunk" => options.chunk(within(Options::CHUNKS, 1)?),
            "workers" => options.workers(within(Options::WORKERS, 1)?),
            "workgroup" => options.workgroup(within(range(Options::WORKGROUPS), 32)? as u32),
            "list" => options.list(within(range(Options::LISTS), 1)? as u32),
            _ => return Err("expected chunk=N, workers=N, workgroup=N or list=N".to_owned()),
        };
    }
    Ok(options)
}

impl Args {
    pub fn sizes(&self) -> Vec<usize> {
        if self.full {
            return (0..=24).step_by(2).map(|power| 1 << power).collect();
        }
        let mut sizes = self.sizes.clone();
        sizes.sort_unstable();
        sizes.dedup();
        sizes
    }

    /// The JSON file, unless JSON goes to standard output.
    pub fn json_file(&self) -> Option<&Path> {
        self.json.as_deref().filter(|path| *path != Path::new("-"))
    }

    pub fn limit(&self) -> Duration {
        let seconds = self.patience.unwrap_or(if self.full { 20.0 } else { 0.5 });
        Duration::from_secs_f64(seconds.min(1e6))
    }
}
