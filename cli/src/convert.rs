//! `swaplist convert`: converts between formats.

use std::path::PathBuf;

use anyhow::Result;
use swaplist::formats::Format;
use swaplist::jobs::Options;

use super::opened;
use super::options::{InputArgs, OutputArgs, SideArgs, number, output_format, threads, writable};

/// Converts a data set to another format.
///
/// Before the run, a note lists the fields that OUT's format cannot hold. A record that it
/// cannot hold at all ends the run, or is skipped with --skip-invalid, games and chains as a
/// whole: no result, a score of more than 16 bits, a castling right that it cannot express, an
/// illegal move where moves are replayed (binpack, viriformat). Records without a score are
/// written with 32002 where trainers skip that, and refused in bulletformat and marlinformat,
/// where they do not. Scores and results are White's in text, viriformat and marlinformat, the
/// side to move's in binpack, sfbin, plain and bulletformat; conversions flip the sign. In the
/// same format, records are copied unchanged. Text written from other formats is lines `FEN |
/// score | result`, or `FEN [result]` if no score is known, as in a PGN without any. EPD is
/// never written; its `sm`, `ce` and `c9` are read. OUT's format is given by its name, or by
/// --to.
#[derive(clap::Args)]
#[command(after_help = "\
Exit status: 0 done, 1 invalid records were skipped, 2 could not run,
130 interrupted (after 2 and 130, OUT is not written).

Examples:
  swaplist convert games.binpack -o games.viriformat
  swaplist convert games.viriformat -o games.data
  swaplist convert games.data --from bulletformat --to text | head")]
pub struct Args {
    #[command(flatten)]
    input: InputArgs,
    #[command(flatten)]
    output: OutputArgs,

    #[arg(long, value_name = "FORMAT", help_heading = "Output", value_parser = output_format,
          help = format!("Format to write, if the name of OUT does not tell: {}", writable()))]
    to: Option<Format>,

    /// Leave out records without a score, or with the score 32002, which means none
    #[arg(long)]
    drop_unscored: bool,

    /// Give such records this score instead, from the side to move's view
    #[arg(
        long,
        value_name = "N",
        allow_negative_numbers = true,
        value_parser = number(-32_001..=32_001_i16, "a whole number of centipawns from -32001 to 32001"),
        conflicts_with = "drop_unscored"
    )]
    score: Option<i16>,

    /// Also write the summary to a file, as JSON
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    stats: Option<PathBuf>,

    /// Worker threads, up to 1024 [default: one per core]
    #[arg(long, value_name = "N", value_parser = threads(), allow_negative_numbers = true)]
    threads: Option<usize>,
}

pub fn run(args: &Args) -> Result<bool> {
    let (input, output) = (&args.input, &args.output);
    let options = output.options(Options {
        to: args.to,
        drop_unscored: args.drop_unscored,
        score: args.score,
        threads: args.threads,
        ..Options::default()
    });
    let job = opened::job(input, options)?.write_to(output.output.as_deref())?;
    let side = SideArgs {
        stats: args.stats.clone(),
        report: None,
    };
    let job = opened::beside(job, &side)?;
    opened::run(job, input, |job| Ok(job.convert()?))
}
