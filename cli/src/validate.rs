//! `swaplist validate`: checks every record.

use std::path::PathBuf;

use anyhow::Result;
use swaplist_files::jobs::{Job, Options};

use super::options::{InputArgs, LabelArgs, SideArgs, threads};
use super::{many, session};

/// Checks each record: does it decode, is its position legal, is the played move legal,
/// do games and chains hold together.
///
/// Some faults are accepted by all other commands: played moves that can be made but are
/// not legal (except those that leave a king in check before another move of the game or
/// chain), castling rights without king and rook in place, more material than possible,
/// checks that cannot arise. A conversion without errors does not mean that a file is
/// sound. A broken game or chain cannot be read beyond the break.
#[derive(clap::Args)]
#[command(mut_arg("quiet", |arg| arg.help("Show no progress and no notes, only the result")))]
#[command(after_help = "\
Exit status: 0 all records are sound, 1 some are not or there are none, 2 could not run,
130 interrupted.

Examples:
  swaplist validate games.binpack
  swaplist validate data/*.binpack
  swaplist validate games.data --from bulletformat --json")]
pub struct Args {
    #[command(flatten)]
    input: InputArgs,
    #[command(flatten)]
    labels: LabelArgs,

    /// More input files: each is checked, and all together. One that cannot be read is skipped,
    /// and the exit status is 1, or 2 if none can be
    #[arg(value_name = "MORE")]
    more: Vec<PathBuf>,

    /// Worker threads, up to 1024 [default: one per core]
    #[arg(long, value_name = "N", value_parser = threads(), allow_negative_numbers = true)]
    threads: Option<usize>,
}

/// Validates; returns whether there are records, and all of them are sound.
pub fn run(args: &Args) -> Result<bool> {
    if !args.more.is_empty() {
        let no_side_files = SideArgs {
            stats: None,
            report: None,
        };
        let replace = false;
        return many::results(
            &args.input,
            &args.more,
            &no_side_files,
            replace,
            |input| {
                let result = job(args, input)?.validate();
                result.map_err(|error| many::named(error, input))
            },
            |_| String::new(),
        );
    }
    let summary = job(args, &args.input)?.validate()?;
    session::show(args.input.json, &summary.table(), "")?;
    Ok(summary.is_sound())
}

/// The job of validating one input.
fn job<'a>(args: &Args, input: &InputArgs) -> Result<Job<'a>> {
    let options = Options {
        labels: args.labels.columns(),
        threads: args.threads,
        ..Options::default()
    };
    session::job(input, options)
}
