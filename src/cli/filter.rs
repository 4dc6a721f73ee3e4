//! `swaplist filter`: keeps the quiet positions of a data set.

use std::path::PathBuf;

use anyhow::{Result, bail};
use swaplist::formats::Format;
use swaplist::jobs::{Filtered, Filtering, Job, Summary, WHITE, shown};

use super::options::{BackendArgs, InputArgs, OutputArgs, RulesArgs, at_least_one};
use super::report::Report;
use super::{Answer, opened, threads};

mod many;
mod settings;

use settings::SettingsArgs;

/// Keeps the quiet positions, byte for byte, in the input's format.
///
/// Files may be binary or text, and compressed as .zst or .gz. In a binpack, dropping would
/// break chains and make the file larger, so the other records are marked with the score 32002,
/// which trainers skip.
///
/// Quiet means: not in check, and no noisy move (capture, en passant, promotion) wins material.
/// Presets and single rules change this. Empty lines and comments are not written.
#[derive(clap::Args)]
#[command(after_help = "\
Exit status: 0 done, 1 invalid records were skipped, 2 could not run,
130 interrupted (after 2 and 130, OUT is not written).

Examples:
  swaplist filter games.fen -o quiet.fen
  swaplist filter games.binpack -o quiet.binpack --report quiet.html
  swaplist filter data/*.viriformat --out-dir quiet
  swaplist filter games.epd -o quiet.epd --max-threat 100 --stats quiet.json
  swaplist filter --preset bullet --max-see 0 --explain
  swaplist filter games.fen -o some.fen --config viridithas.toml --seed 1
  zstd -dc big.fen.zst | swaplist filter --profile legal | zstd > quiet.fen.zst")]
pub struct Args {
    #[command(flatten)]
    input: InputArgs,
    #[command(flatten)]
    output: OutputArgs,

    /// More input files, with --out-dir
    #[arg(value_name = "MORE")]
    more: Vec<PathBuf>,

    /// Write each input to a file of the same name in this folder. A file that cannot be
    /// filtered is skipped, and the exit status is 1. Not with --rejects or --limit, which need
    /// a single input
    #[arg(
        long,
        value_name = "FOLDER",
        help_heading = "Output",
        requires = "input",
        conflicts_with_all = ["output", "rejects", "limit"]
    )]
    out_dir: Option<PathBuf>,

    /// Write this format instead of the input's: text, binpack, bulletformat,
    /// marlinformat, viriformat, sfbin or plain
    #[arg(long, value_name = "FORMAT", help_heading = "Output")]
    to: Option<Format>,

    /// Write the records that are not kept to a file, in the output's format and the input's
    /// order; with --skip-invalid, invalid records too if no format is converted, except those of
    /// games and chains. For a single
    /// input only
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    rejects: Option<PathBuf>,

    /// Write the summary to a file, as JSON
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    stats: Option<PathBuf>,

    /// Write a page with plots of the records read and kept to a file
    #[arg(long, value_name = "FILE.html", help_heading = "Output")]
    report: Option<PathBuf>,

    /// Also tell what the presets calm, still and played-calm would have dropped of the records
    /// kept
    #[arg(long, help_heading = "Output")]
    stricter: bool,

    /// What to do with the other records: drop them, or mark them with the score 32002, which
    /// trainers skip (nnue-pytorch then judges a few scores of 0 differently, see
    /// docs/filter.md) [default: depends on the format]
    #[arg(long, value_enum, help_heading = "Output")]
    mode: Option<Mode>,

    /// Stop after N records were kept
    #[arg(long, help_heading = "Filter", value_name = "N", value_parser = at_least_one)]
    limit: Option<u64>,

    /// Print the rules as text and exit
    #[arg(long, help_heading = "Filter")]
    explain: bool,

    #[command(flatten)]
    settings: SettingsArgs,
    #[command(flatten)]
    rules: RulesArgs,
    #[command(flatten)]
    backend: BackendArgs,
}

/// What to do with records that are not kept.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Mode {
    Drop,
    Mark,
}

impl From<Mode> for swaplist::jobs::Mode {
    fn from(mode: Mode) -> swaplist::jobs::Mode {
        match mode {
            Mode::Drop => swaplist::jobs::Mode::Drop,
            Mode::Mark => swaplist::jobs::Mode::Mark,
        }
    }
}

pub fn run(args: &Args) -> Result<Answer> {
    let chosen = args.settings.choose(&args.rules)?;
    if args.explain {
        opened::print(&chosen.explain())?;
        return Ok(Answer::Yes);
    }
    let what = Filtering::new(chosen.filter, chosen.rules)
        .to(args.to)
        .mode(args.mode.map(Into::into))
        .limit(args.limit)
        .counts(args.stats.is_some() || args.report.is_some())
        .stricter(args.stricter);
    match (&args.out_dir, args.more.first()) {
        (Some(folder), _) => many::run(args, &what, folder),
        (None, None) => single(args, &what),
        (None, Some(second)) => bail!(
            "{}: several inputs need --out-dir FOLDER, where each becomes a file of its own",
            shown::path(second)
        ),
    }
}

fn single(args: &Args, what: &Filtering) -> Result<Answer> {
    let threads = threads::count(args.backend.threads);
    let force = args.output.force;
    let mut job = opened::job_to(&args.input, &args.output, threads, None)?;
    job = job.cpu_path(args.backend.cpu_path());
    if let Some(path) = &args.rejects {
        job = job.rejects_to(path, force)?;
    }
    job = beside(job, args)?;
    opened::look_beside(&job, args.input.quiet);
    let evaluator = args.backend.evaluator(threads, args.input.quiet)?;
    let on_stdout = job.writes_stdout();
    let summary = job.filter(what, &evaluator)?;
    opened::print_summary(&summary, &args.input, on_stdout)?;
    Ok(Answer::of(summary.is_sound()))
}

/// Adds the summary and the report as side files.
fn beside<'a>(job: Job<'a>, args: &Args) -> Result<Job<'a>> {
    let force = args.output.force;
    let stats = |summary: &Summary| Ok(opened::json_text(&summary.to_json()));
    let job = opened::beside(job, args.stats.as_deref(), force, stats)?;
    opened::beside(job, args.report.as_deref(), force, |summary| {
        report(summary).to_html()
    })
}

fn report(summary: &Summary) -> Report<'_> {
    let counts = summary.tally.counts.as_deref();
    let filter = summary.filter.as_ref();
    Report {
        title: format!("swaplist filter {}", summary.input),
        lines: summary.lines(),
        action: filter.map_or("dropped", Filtered::action),
        wins_of: filter.map_or(WHITE, |filter| filter.wins_of),
        reasons: summary.tally.reasons(),
        read: counts.map(|counts| &counts[0]),
        kept: counts.map(|counts| &counts[1]),
    }
}
