//! `swaplist verdict`: a verdict per position.

use anyhow::Result;
use swaplist::MAX_QUIESCENCE;
use swaplist_files::jobs::{Options, Rows};

use super::options::{BackendArgs, InputArgs, OutputArgs, RulesArgs, number, one_of};
use super::session;

/// Prints a row per position: check, number of noisy moves, the best of them, and the
/// opponent's best if it were to move.
///
/// Noisy moves are legal captures, en passant and promotions. `best_see` and `best_move` are
/// empty if there is none; `threat_see` and `threat_move` are the same for the opponent, and
/// `threats` is the number of squares where it could win something; all are empty in check.
/// `quiescence` is what the side to move wins by noisy moves in turn if either side may stop, at
/// least 0.
#[derive(clap::Args)]
#[command(after_help = "\
Exit status: 0 done, 1 invalid records were skipped, 2 could not run,
130 interrupted.

Examples:
  swaplist verdict games.fen -o verdicts.tsv
  swaplist verdict games.fen --to jsonl --profile legal | head -1")]
pub struct Args {
    #[command(flatten)]
    input: InputArgs,
    #[command(flatten)]
    output: OutputArgs,

    /// Format of the rows [default: jsonl if OUT is named .jsonl or .json, otherwise tsv]
    #[arg(long, help_heading = "Rows", value_parser = one_of::<Rows>())]
    to: Option<Rows>,

    /// Add a column for material quiescence: at most K + 1 noisy moves in turn, then the best SEE.
    /// K is 0 to 3
    #[arg(long, help_heading = "Rows", value_name = "K", allow_negative_numbers = true, value_parser = number(0..=MAX_QUIESCENCE, "a whole number from 0 to 3"))]
    quiescence: Option<u32>,

    #[command(flatten)]
    rules: RulesArgs,
    #[command(flatten)]
    backend: BackendArgs,
}

/// Judges; returns whether no record was invalid.
pub fn run(args: &Args) -> Result<bool> {
    let Args { input, output, .. } = args;
    let to = output.rows(args.to)?;
    let options = Options {
        quiescence: args.quiescence,
        ..output.options(args.backend.options())
    };
    let job = session::job(input, options)?.write_to(output.output.as_deref())?;
    session::run(job, input, |job| {
        let evaluator = args.backend.evaluator(input.quiet)?;
        Ok(job.verdict(to, &args.rules.rules(), &evaluator)?)
    })
}
