//! `swaplist filter`: keeps the quiet positions of a data set.

use std::path::{Path, PathBuf};

use anyhow::Result;
use swaplist_files::filter::Filter;
use swaplist_files::formats::{Format, Scale};
use swaplist_files::jobs::{Job, Mode, Options, Summary, thread_count};
use swaplist_files::report;

use super::options::{
    BackendArgs, InputArgs, LabelArgs, OutputArgs, RulesArgs, SideArgs, number, one_of,
    output_format, writable,
};
use super::{many, session};

pub mod settings;

use settings::SettingsArgs;

/// Keeps the quiet positions, byte for byte, in the input's format.
///
/// Files may be binary or text, and compressed as .zst or .gz. In a binpack, dropping would break
/// chains and make the file larger, so records that are not kept are marked with the score 32002,
/// which trainers skip.
///
/// Quiet means: not in check, and no noisy move (capture, en passant, promotion) wins material.
/// Presets and single rules change this. Empty lines and comments are not written.
#[derive(clap::Args)]
#[command(after_help = "\
Exit status: 0 done, 1 invalid records were skipped, 2 could not run,
130 interrupted (after 2 and 130, OUT is not written; but if only --stats or --report
cannot be, it is, and the message says so).

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
    labels: LabelArgs,
    #[command(flatten)]
    output: OutputArgs,

    /// More input files, with --out-dir
    #[arg(value_name = "MORE")]
    more: Vec<PathBuf>,

    /// Write each input to a file of the same name in this folder. A file that cannot be
    /// filtered is skipped, and the exit status is 1, or 2 if none can be. Not with --rejects or
    /// --limit, which need a single input
    #[arg(
        long,
        value_name = "FOLDER",
        help_heading = "Output",
        requires = "input",
        conflicts_with_all = ["output", "rejects", "limit"]
    )]
    out_dir: Option<PathBuf>,

    /// Skip each input whose file in the folder exists, to go on after an interruption. For the
    /// exit status it is done
    #[arg(
        long,
        help_heading = "Output",
        requires = "out_dir",
        conflicts_with = "force"
    )]
    skip_existing: bool,

    #[arg(long, value_name = "FORMAT", help_heading = "Output", value_parser = output_format,
          help = format!("Write this format instead of the input's: {}", writable()))]
    to: Option<Format>,

    /// Drop castling rights that the format of OUT cannot hold, such as those of Chess960 in
    /// binpack, and leave out the records that castle by one; both are counted
    #[arg(long, help_heading = "Output")]
    drop_castling: bool,

    /// Also write a file of the records that are not kept, in the output's format and the input's
    /// order. With --skip-invalid it gets the invalid records too, unless --to or --scale is given;
    /// invalid games and chains are left out. For a single input only
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    rejects: Option<PathBuf>,

    /// Multiply the scores that are read by F, from 0.001 to 1000, before any rule looks at them, to
    /// bring them into another unit. Mates, from 31000 on, stay as they are, and other scores are
    /// clipped to 30999 and counted. Records are then written anew, and the CPU does that
    #[arg(
        long,
        value_name = "F",
        help_heading = "Output",
        allow_negative_numbers = true
    )]
    scale: Option<Scale>,

    #[command(flatten)]
    side: SideArgs,

    /// What to do with records that are not kept: drop them, or mark them with the score 32002,
    /// which trainers skip (nnue-pytorch then judges a few scores of 0 differently, see
    /// docs/filter.md) [default: depends on the format]
    #[arg(long, value_parser = one_of::<Mode>(), help_heading = "Output")]
    mode: Option<Mode>,

    /// Stop after N records were kept
    #[arg(long, help_heading = "Filter", value_name = "N", value_parser = number(1..=u64::MAX, "a whole number, 1 or more"), allow_negative_numbers = true)]
    limit: Option<u64>,

    /// Print the rules as text and exit
    #[arg(long, help_heading = "Filter", conflicts_with = "json")]
    explain: bool,

    #[command(flatten)]
    settings: SettingsArgs,
    #[command(flatten)]
    rules: RulesArgs,
    #[command(flatten)]
    backend: BackendArgs,
}

/// Filters; returns whether no record was invalid and no input failed.
pub fn run(args: &Args) -> Result<bool> {
    let (filter, preset) = args.settings.choose(&args.rules)?;
    if args.explain {
        session::print(&settings::explain(&filter, preset, args.mode))?;
        return Ok(true);
    }
    match many::folder(args.out_dir.as_deref(), &args.more)? {
        Some(folder) => into_folder(args, &filter, folder),
        None => single(args, &filter),
    }
}

/// Filters each input into a file of a folder.
fn into_folder(args: &Args, filter: &Filter, folder: &Path) -> Result<bool> {
    let evaluator = args.backend.evaluator(args.input.quiet)?;
    let folder = many::IntoFolder {
        input: &args.input,
        more: &args.more,
        config: args.settings.config.as_deref(),
        folder,
        skip_existing: args.skip_existing,
        output: &args.output,
        side: &args.side,
        to: args.to,
    };
    folder.run(
        |input, output| {
            let job = args.job(input, Some(output))?;
            let result = job.filter(filter, &evaluator);
            result.map_err(|error| many::named(error, input))
        },
        |summary| {
            let kept = report::share(summary.tally.kept, summary.tally.records);
            let records = report::grouped(summary.tally.records);
            format!("kept {kept} of {records} records")
        },
        || {
            let threads = thread_count(args.backend.threads);
            Summary::for_no_files(filter, args.mode, &evaluator, threads)
        },
    )
}

/// Filters the only input.
fn single(args: &Args, filter: &Filter) -> Result<bool> {
    let input = &args.input;
    let mut job = args.job(input, args.output.output.as_deref())?;
    if let Some(path) = &args.rejects {
        job = job.rejects_to(path)?;
    }
    job = session::with_side_files(job, &args.side)?;
    session::run(job, input, |job| {
        let evaluator = args.backend.evaluator(input.quiet)?;
        Ok(job.filter(filter, &evaluator)?)
    })
}

impl Args {
    /// The job of filtering one input; `None` as its output is standard output.
    fn job<'a>(&self, input: &InputArgs, output: Option<&Path>) -> Result<Job<'a>> {
        let options = Options {
            to: self.to,
            labels: self.labels.columns(),
            mode: self.mode,
            limit: self.limit,
            scale: self.scale,
            drop_castling: self.drop_castling,
            counts: self.side.stats.is_some() || self.side.report.is_some(),
            reads: self.settings.config.iter().cloned().collect(),
            ..self.output.options(self.backend.options())
        };
        Ok(session::job(input, options)?.write_to(output)?)
    }
}
