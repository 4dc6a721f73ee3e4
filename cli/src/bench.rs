//! `swaplist bench`: speed of the CPU and the GPUs of this machine, on whole files
//! (`bench/files.rs`) or on questions from memory (`bench/questions.rs`).

use std::path::PathBuf;

use anyhow::{Result, bail};
use swaplist_files::formats::Format;
use swaplist_files::jobs::Mode;

use super::devices::GpuOptions;
use super::filter::settings::SettingsArgs;
use super::options::{BackendArgs, RulesArgs, input_formats, number, one_of};

mod files;
mod page;
mod questions;
mod scratch;

/// Measures the speed of a filter of a whole file, or of questions from memory.
///
/// With FILE, the filter that `swaplist filter` would run on it is measured from file to file, in
/// storage that is memory if there is room: by the CPU on one, half and all threads, by each GPU,
/// and by `auto`. For each it says what a record costs and what bounds the run, and all outputs are
/// compared byte by byte.
///
/// Without FILE, or with --questions, scores and verdicts are measured from memory to memory: each
/// CPU code path on one thread, the fastest one on all threads, and every GPU adapter, for several
/// batch sizes. Every answer is compared with the CPU's scalar code. A figure is the median of
/// several calls. Compare figures of one run only.
#[derive(clap::Args)]
#[allow(clippy::struct_excessive_bools)] // switches that go together in any way
#[command(after_help = "\
A software adapter computes on the CPU: its figures say nothing about GPUs.

Exit status: 0 done, 1 an answer or an output was wrong, 2 could not run, 130 interrupted.

Examples:
  swaplist bench
  swaplist bench games.binpack
  swaplist bench games.binpack --preset calm --profile legal --report bench.html
  swaplist bench games.binpack --questions --json
  swaplist bench --backend gpu --no-cpu --sizes 1048576 --gpu-options workers=2")]
pub struct Args {
    /// Training data to filter, or with --questions positions to ask about, in a file of any format;
    /// then - is standard input [default: questions about a built-in sample]
    input: Option<PathBuf>,

    #[arg(long, value_name = "FORMAT", help = input_formats())]
    from: Option<Format>,

    /// Name of the column with the FEN, if the input is a table [default: fen, or else epd]
    #[arg(long, value_name = "NAME")]
    fen_column: Option<String>,

    /// Print the figures as JSON
    #[arg(long)]
    json: bool,

    /// Runs of each contender on the file
    #[arg(long, value_name = "N", default_value_t = 5, help_heading = "Whole files",
          value_parser = number(1..=1000_usize, "a number of runs from 1 to 1000"))]
    runs: usize,

    /// Folder for copies of the file and its outputs, three times its size; they have no name and
    /// are gone afterwards [default: memory if there is room (/dev/shm), else that of temporary
    /// files]
    #[arg(long, value_name = "FOLDER", help_heading = "Whole files")]
    scratch: Option<PathBuf>,

    /// Also write a page with the table and a timeline of threads, bus and device
    #[arg(long, value_name = "FILE.html", help_heading = "Whole files")]
    report: Option<PathBuf>,

    /// Replace an existing report
    #[arg(long, requires = "report", help_heading = "Whole files")]
    force: bool,

    /// Whether records that are not kept are dropped or marked [default: as the filter does]
    #[arg(long, value_parser = one_of::<Mode>(), help_heading = "Whole files")]
    mode: Option<Mode>,

    /// Ask questions from memory about the positions of FILE
    #[arg(long, requires = "input", help_heading = "Questions from memory")]
    questions: bool,

    /// Batch sizes, in positions [default: 64,1024,16384,262144,1048576,4194304]
    #[arg(long, value_name = "LIST", value_delimiter = ',', help_heading = "Questions from memory",
          value_parser = number(1..=1_usize << 24, "numbers from 1 to 16777216"))]
    sizes: Option<Vec<usize>>,

    /// Time limit per figure. Slower ones get fewer than five runs, and larger batches are left out
    /// [default: 0.5]
    #[arg(long, value_name = "SECONDS", help_heading = "Questions from memory")]
    patience: Option<f64>,

    /// Leave the CPU out
    #[arg(long, help_heading = "Questions from memory")]
    no_cpu: bool,

    /// GPU settings: chunk=N (moves or positions per dispatch), workers=N (threads that fill
    /// and read chunks), slots=N (chunks in flight), workgroup=N (invocations, a multiple of 32),
    /// list=N (list entries per invocation)
    #[cfg_attr(
        feature = "gpu",
        arg(long, value_name = "LIST", help_heading = "Questions from memory", value_parser = gpu_options)
    )]
    #[cfg_attr(not(feature = "gpu"), arg(skip))]
    gpu_options: Option<GpuOptions>,

    #[command(flatten)]
    settings: SettingsArgs,
    #[command(flatten)]
    rules: RulesArgs,
    #[command(flatten)]
    backend: BackendArgs,
}

/// Settings such as `chunk=65536,workers=2`; opening a GPU checks their ranges.
#[cfg(feature = "gpu")]
fn gpu_options(text: &str) -> Result<GpuOptions, String> {
    let expected = || "expected chunk=N, workers=N, slots=N, workgroup=N or list=N".to_owned();
    let mut options = GpuOptions::default();
    for setting in text.split(',') {
        let (name, number) = setting.split_once('=').ok_or_else(expected)?;
        let value: u32 = number.parse().map_err(|_| expected())?;
        match name {
            "chunk" => options.chunk = value as usize,
            "workers" => options.workers = Some(value as usize),
            "slots" => options.slots = value as usize,
            "workgroup" => options.workgroup = value,
            "list" => options.list = value,
            _ => return Err(expected()),
        }
    }
    Ok(options)
}

/// Measures; returns whether no answer and no output was wrong.
pub fn run(args: &Args) -> Result<bool> {
    match &args.input {
        Some(path) if !args.questions => {
            args.refuse_those_of_questions()?;
            files::run(args, path)
        }
        _ => {
            args.refuse_those_of_files()?;
            questions::run(args)
        }
    }
}

impl Args {
    /// Refuses options that only matter to questions from memory.
    fn refuse_those_of_questions(&self) -> Result<()> {
        let given = [
            ("--sizes", self.sizes.is_some()),
            ("--patience", self.patience.is_some()),
            ("--no-cpu", self.no_cpu),
            ("--gpu-options", self.gpu_options.is_some()),
        ];
        match given.into_iter().find(|(_, is_given)| *is_given) {
            Some((name, _)) => bail!("{name} is for questions from memory; add --questions"),
            None => Ok(()),
        }
    }

    /// Refuses options that only matter to whole files.
    fn refuse_those_of_files(&self) -> Result<()> {
        let given = [
            ("--scratch", self.scratch.is_some()),
            ("--report", self.report.is_some()),
            ("--mode", self.mode.is_some()),
            ("the rules of a filter", !self.settings.is_empty()),
        ];
        match given.into_iter().find(|(_, is_given)| *is_given) {
            Some((name, _)) if self.questions => {
                bail!("{name}: for whole files alone; leave out --questions")
            }
            Some((name, _)) => bail!("{name}: for whole files alone; name a file"),
            None => Ok(()),
        }
    }
}
