//! `swaplist filter`: keeps the quiet positions of a data set.

use std::ops::ControlFlow;
use std::path::PathBuf;

use anyhow::{Result, anyhow, bail};
use swaplist::filter::{Field, Filter};
use swaplist::formats::{Codec, EncodeError, Fate, Format};
use swaplist::{Evaluator, Rules};

use super::Answer;
use super::counts::{WHITE, wins_of};
use super::options::{BackendArgs, InputArgs, OutputArgs, RulesArgs, at_least_one};
use super::output::{self, Output, Taken};
use super::pipeline::{Done, Plan};
use super::report::Report;
use super::shown;
use super::stream::{Ended, Stream, Unscored};
use super::summary::{FilterNote, Summary, Tally, json_text};

mod many;
mod missing;
mod settings;
mod task;

use settings::SettingsArgs;
use task::{Filtering, Pool, SMALL};

/// Keeps the quiet positions, byte for byte, in the input's format.
///
/// Files may be binary or text, and compressed as .zst or .gz. In a binpack, where
/// dropping breaks chains and makes the file larger, all others are marked with the
/// score 32002 instead, which trainers skip.
///
/// Quiet means: not in check, and no noisy move (capture, en passant, promotion)
/// wins anything. Presets and single rules say otherwise. Empty lines and comments
/// are no records and are not written.
#[derive(clap::Args)]
#[command(after_help = "\
Exit status: 0 done, 1 invalid records were passed over, 2 could not run (then
nothing is left at OUT), 130 interrupted (neither).

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

    /// More files, with --out-dir
    #[arg(value_name = "MORE")]
    more: Vec<PathBuf>,

    /// Write each input to a file of the same name in this folder. A file that
    /// cannot be filtered is passed over, and the exit status is 1. Not together with
    /// --rejects and --limit, which are for a single input
    #[arg(
        long,
        value_name = "FOLDER",
        help_heading = "Output",
        requires = "input",
        conflicts_with_all = ["output", "rejects", "limit"]
    )]
    out_dir: Option<PathBuf>,

    /// Write another format than the input's: text, binpack, bulletformat,
    /// marlinformat, viriformat, sfbin or plain
    #[arg(long, value_name = "FORMAT", help_heading = "Output")]
    to: Option<Format>,

    /// Write what is not kept to a file, in the format that is written: dropped records,
    /// and invalid ones with --skip-invalid if that is the input's format, in the input's
    /// order. For a single input, without --out-dir
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    rejects: Option<PathBuf>,

    /// Write the summary to a file, as JSON
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    stats: Option<PathBuf>,

    /// Write a page with plots of what was read and kept to a file
    #[arg(long, value_name = "FILE.html", help_heading = "Output")]
    report: Option<PathBuf>,

    /// What becomes of the records that are not kept: drop leaves them out, mark
    /// gives them the score 32002, which trainers skip (after either nnue-pytorch
    /// judges a few scores of 0 anew, see docs/filter.md) [default: what suits the format]
    #[arg(long, value_enum, help_heading = "Output")]
    mode: Option<Mode>,

    /// Stop once so many records were kept
    #[arg(long, help_heading = "Filter", value_name = "N", value_parser = at_least_one)]
    limit: Option<u64>,

    /// Print the rules in words and exit
    #[arg(long, help_heading = "Filter")]
    explain: bool,

    #[command(flatten)]
    settings: SettingsArgs,
    #[command(flatten)]
    rules: RulesArgs,
    #[command(flatten)]
    backend: BackendArgs,
}

/// What becomes of records that are not kept.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Mode {
    Drop,
    Mark,
}

impl Mode {
    fn of(asked: Option<Mode>, codec: &dyn Codec, format: Format) -> Result<Mode> {
        let suited = if codec.prefers_mark() {
            Mode::Mark
        } else {
            Mode::Drop
        };
        let mode = asked.unwrap_or(suited);
        if mode == Mode::Mark && !codec.can_mark() {
            return Err(EncodeError::NoMark(format.name()).into());
        }
        Ok(mode)
    }

    const fn name(self) -> &'static str {
        match self {
            Mode::Drop => "drop",
            Mode::Mark => "mark",
        }
    }

    const fn fate(self) -> Fate {
        match self {
            Mode::Drop => Fate::Drop,
            Mode::Mark => Fate::Mark,
        }
    }
}

pub fn run(args: &Args) -> Result<Answer> {
    let chosen = args.settings.choose(&args.rules)?;
    if args.explain {
        let mut out = Output::open(None, false, &Taken::default())?;
        out.write(chosen.explain().as_bytes())?;
        return Ok(Answer::Yes);
    }
    if let (None, Some(second)) = (&args.out_dir, args.more.first()) {
        bail!(
            "{}: several inputs need --out-dir FOLDER, where each becomes a file of its own",
            shown::path(second)
        );
    }
    let job = Job {
        args,
        filter: &chosen.filter,
        rules: &chosen.rules,
        threads: args.backend.threads()?,
    };
    match &args.out_dir {
        Some(folder) => job.many(folder),
        None => job.single(),
    }
}

/// What is to be done with every input.
struct Job<'a> {
    args: &'a Args,
    filter: &'a Filter,
    rules: &'a Rules,
    threads: usize,
}

/// Files beside the data.
struct Side {
    stats: Option<Output>,
    page: Option<Output>,
}

impl Side {
    fn wants_counts(&self) -> bool {
        self.stats.is_some() || self.page.is_some()
    }
}

impl Job<'_> {
    fn single(&self) -> Result<Answer> {
        let args = self.args;
        let mut stream = self.open(&args.input, &args.output)?;
        missing::refuse(self.filter, &stream)?;
        stream.write_records(args.to)?;
        let mode = self.mode(&stream)?;
        let force = args.output.force;
        let rejects = stream.side_output(args.rejects.as_deref(), force)?;
        let side = Side {
            stats: stream.side_output(args.stats.as_deref(), force)?,
            page: stream.side_output(args.report.as_deref(), force)?,
        };
        let evaluator = args.backend.evaluator(self.threads, args.input.quiet)?;
        let ended = self.stream(stream, &evaluator, mode, rejects, side.wants_counts())?;
        let answer = ended.answer();
        let (formats, wins_of) = (Some(ended.formats), wins_of(ended.formats[0]));
        self.close(ended, formats, &evaluator, mode.name(), wins_of, side)?;
        Ok(answer)
    }

    /// Formats whose loaders skip no mark hold none without a word.
    fn check_marks(&self, stream: &Stream, mode: Mode) -> Result<()> {
        let to = stream.written_format();
        if to.skips_unscored() || to.is_text() {
            return Ok(());
        }
        let (name, rejects) = (to.name(), self.args.rejects.is_some());
        if rejects && stream.format() != to && self.filter.keeps_no_unscored() {
            bail!(
                "--rejects cannot hold records without a score in {name}; leave it out, or filter \
                 in the input's own format first"
            );
        }
        if mode == Mode::Mark && !self.args.input.quiet {
            stream.note(&format!(
                "loaders of {name} do not skip marked records: leave them out before training \
                 (--preset none --drop-unscored), or use --mode drop"
            ));
        }
        Ok(())
    }

    fn open(&self, input: &InputArgs, output: &OutputArgs) -> Result<Stream> {
        let mut stream = Stream::open(input, output, self.threads)?;
        stream.cpu = self.args.backend.cpu_path();
        if self.filter.keeps_no_unscored() {
            stream.unscored = Unscored::Dropped;
        }
        stream.checks_moves = self.filter.needs().any(|field| field == Field::Played);
        Ok(stream)
    }

    fn mode(&self, stream: &Stream) -> Result<Mode> {
        let mode = Mode::of(self.args.mode, &*stream.codec()?, stream.written_format())?;
        self.check_marks(stream, mode)?;
        Ok(mode)
    }

    /// Filters one input.
    fn stream(
        &self,
        stream: Stream,
        evaluator: &Evaluator,
        mode: Mode,
        rejects: Option<Output>,
        count: bool,
    ) -> Result<Ended> {
        let codec = stream.codec()?;
        let format = stream.format();
        let task = Filtering {
            evaluator,
            rules: self.rules,
            filter: self.filter,
            mode,
            rejects: rejects.is_some(),
            count,
            converts_to: Some(stream.written_format()).filter(|&to| to != format),
            hold: self.args.limit.is_some(),
            most_bytes: if codec.units().is_none() {
                SMALL
            } else {
                Plan::MOST
            },
            judged: Pool::default(),
            data: Pool::default(),
        };
        let limit = self.args.limit.unwrap_or(u64::MAX);
        let write = |done: &mut Done, kept: &mut Output, side: &mut [Output], before: &Tally| {
            let flow = match done.held.take() {
                Some(held) => task.cut(&*codec, &held, limit - before.kept, done)?,
                None => ControlFlow::Continue(()),
            };
            match side {
                [rejects, ..] => {
                    let written = kept.write(&done.data);
                    let written = written.and_then(|()| rejects.write(&done.rejects));
                    // Who reads one of the two may stop, but the other is lost by it.
                    written.map_err(|error| anyhow!("{error:#}"))?;
                }
                [] => kept.write(&done.data)?,
            }
            task.data.give_if_filled(core::mem::take(&mut done.data));
            Ok(flow)
        };
        let ended = stream.run(&task, &[], rejects.into_iter().collect(), write);
        ended.map_err(|error| missing::explained(error, format))
    }

    /// Gives the outputs their names and says what was done.
    fn close(
        &self,
        mut ended: Ended,
        formats: Option<[Format; 2]>,
        evaluator: &Evaluator,
        mode: &'static str,
        wins_of: &'static str,
        mut side: Side,
    ) -> Result<()> {
        let outputs = core::mem::take(&mut ended.outputs);
        let summary = Summary {
            command: "filter",
            unscored: &ended.unscored,
            input: &ended.input,
            output: &ended.output,
            formats,
            tally: &ended.tally,
            elapsed: ended.elapsed,
            evaluator,
            threads: self.threads,
            rules: self.rules,
            filter: Some(FilterNote {
                rules: self.filter.to_string(),
                mode,
                wins_of,
            }),
        };
        if let Some(stats) = &mut side.stats {
            stats.write(json_text(&summary.to_json()).as_bytes())?;
        }
        if let Some(page) = &mut side.page {
            page.write(report(&summary).to_html()?.as_bytes())?;
        }
        output::finish(outputs.into_iter().chain(side.stats).chain(side.page))?;
        if self.args.input.wants_summary() {
            summary.print(self.args.input.json, ended.on_stdout)?;
        }
        Ok(())
    }
}

fn report<'a>(summary: &Summary<'a>) -> Report<'a> {
    let counts = summary.tally.counts.as_deref();
    Report {
        title: format!("swaplist filter {}", summary.input),
        lines: summary.lines(),
        fate: summary.filter.as_ref().map_or("dropped", FilterNote::fate),
        wins_of: summary
            .filter
            .as_ref()
            .map_or(WHITE, |filter| filter.wins_of),
        reasons: summary.tally.reasons(),
        read: counts.map(|counts| &counts[0]),
        kept: counts.map(|counts| &counts[1]),
    }
}
