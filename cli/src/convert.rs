//! `swaplist convert`: converts between formats.

use std::path::{Path, PathBuf};

use anyhow::Result;
use swaplist_files::formats::{Format, Scale};
use swaplist_files::jobs::{Job, JobKind, Options, Summary};
use swaplist_files::report;

use super::options::{
    InputArgs, LabelArgs, OutputArgs, SideArgs, number, output_format, threads, writable,
};
use super::{many, session};

/// Converts a data set to another format.
///
/// Before the run, a note lists the fields that OUT's format cannot hold. A record that it cannot
/// hold at all ends the run; with --skip-invalid it is skipped. Such a record has a score of more
/// than 16 bits or a castling right that the format cannot express. Or it has no result, or no move
/// or an illegal one where moves are replayed (binpack, viriformat); then its game or chain is
/// skipped with it. plain needs a move and a result, too, since its converter takes what is missing
/// from the record before. Records without a score are written with 32002 where trainers skip that,
/// and refused in bulletformat and marlinformat, where they do not. Scores and results are White's
/// in text, viriformat and marlinformat, the side to move's in binpack, sfbin, plain and
/// bulletformat; conversions flip the sign. In the same format, records are copied unchanged,
/// except with --scale. Text written from other formats is lines `FEN | score | result`, or `FEN
/// [result]` for a record without a score. EPD is never written; its `sm`, `ce`, `c9`, `hmvc` and
/// `fmvn` are read. OUT's format is given by its name, or by --to.
#[derive(clap::Args)]
#[command(after_help = "\
Exit status: 0 done, 1 invalid records were skipped, 2 could not run,
130 interrupted (after 2 and 130, OUT is not written; but if only --stats cannot be, it
is, and the message says so).

Examples:
  swaplist convert games.binpack -o games.viriformat
  swaplist convert games.viriformat -o games.data
  swaplist convert games.data --from bulletformat --to text | head
  swaplist convert data/*.pgn --out-dir packed --to binpack")]
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

    /// Write each input to a file of the same name in this folder, with the extension of the format
    /// of --to. A file that cannot be converted is skipped, and the exit status is 1, or 2 if
    /// none can be
    #[arg(
        long,
        value_name = "FOLDER",
        help_heading = "Output",
        requires_all = ["input", "to"],
        conflicts_with = "output"
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
          help = format!("Format to write, if the name of OUT does not tell: {}", writable()))]
    to: Option<Format>,

    /// Leave out records without a score, or with the score 32002, which means none
    #[arg(long)]
    drop_unscored: bool,

    /// Give records without a score this one, from the side to move's view. Records that a filter
    /// marked get it too, and would be trained on again
    #[arg(
        long,
        value_name = "N",
        allow_negative_numbers = true,
        value_parser = number(-32_001..=32_001_i16, "a whole number of centipawns from -32001 to 32001"),
        conflicts_with = "drop_unscored"
    )]
    score: Option<i16>,

    /// Multiply the scores that are read by F, from 0.001 to 1000, to bring them into another unit.
    /// Mates, from 31000 on, stay as they are, and other scores are clipped to 30999 and counted.
    /// Records are then written anew, also in the same format
    #[arg(long, value_name = "F", allow_negative_numbers = true)]
    scale: Option<Scale>,

    /// Drop castling rights that the format of OUT cannot hold, such as those of Chess960 in
    /// binpack, and leave out the records that castle by one; both are counted
    #[arg(long, help_heading = "Output")]
    drop_castling: bool,

    /// Also write the summary to a file, as JSON
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    stats: Option<PathBuf>,

    /// Worker threads, up to 1024 [default: one per core]
    #[arg(long, value_name = "N", value_parser = threads(), allow_negative_numbers = true)]
    threads: Option<usize>,
}

/// Converts; returns whether no record was invalid and no input failed.
pub fn run(args: &Args) -> Result<bool> {
    let side = SideArgs {
        stats: args.stats.clone(),
        report: None,
    };
    if let Some(folder) = many::folder(args.out_dir.as_deref(), &args.more)? {
        return into_folder(args, &side, folder);
    }
    let conversion = args.job(&args.input, args.output.output.as_deref())?;
    let job = session::with_side_files(conversion, &side)?;
    session::run(job, &args.input, |job| Ok(job.convert()?))
}

/// Converts each input into a file of a folder.
fn into_folder(args: &Args, side: &SideArgs, folder: &Path) -> Result<bool> {
    let folder = many::IntoFolder {
        input: &args.input,
        more: &args.more,
        config: None,
        folder,
        skip_existing: args.skip_existing,
        output: &args.output,
        side,
        to: args.to,
    };
    folder.run(
        |input, output| {
            let result = args.job(input, Some(output))?.convert();
            result.map_err(|error| many::named(error, input))
        },
        |summary| {
            let written = report::grouped(summary.tally.records_written);
            format!("{written} records in {}", summary.output)
        },
        || {
            let mut summary = Summary::default();
            summary.job = JobKind::Convert;
            summary
        },
    )
}

impl Args {
    /// The job of converting one input; `None` as its output is standard output.
    fn job<'a>(&self, input: &InputArgs, output: Option<&Path>) -> Result<Job<'a>> {
        let options = self.output.options(Options {
            to: self.to,
            labels: self.labels.columns(),
            drop_unscored: self.drop_unscored,
            score: self.score,
            scale: self.scale,
            drop_castling: self.drop_castling,
            threads: self.threads,
            ..Options::default()
        });
        Ok(session::job(input, options)?.write_to(output)?)
    }
}
