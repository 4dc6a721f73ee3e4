//! `swaplist score`: the exact SEE of each move.

use anyhow::Result;
use swaplist_files::jobs::{Moves, Rows};

use super::options::{BackendArgs, InputArgs, OutputArgs, RulesArgs, one_of};
use super::session;

/// Prints the exact SEE of each noisy move, or of the moves that a line names.
///
/// Lines are FEN, EPD, `FEN | score | result`, or `FEN;m1 m2`, where only the named moves (UCI
/// or SAN) are scored. Empty lines and lines that begin with # are skipped. Moves with a SEE that
/// another engine says, `FEN;move;value`, are for `swaplist check`.
#[derive(clap::Args)]
#[command(after_help = "\
Exit status: 0 done, 1 invalid records were skipped, 2 could not run,
130 interrupted.

Examples:
  swaplist score games.fen -o scores.tsv
  echo '4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1;exd5' | swaplist score --profile sf --values stockfish
  zstd -dc games.fen.zst | swaplist score --to jsonl | head -1")]
pub struct Args {
    #[command(flatten)]
    input: InputArgs,
    #[command(flatten)]
    output: OutputArgs,

    /// Moves to score where a line names none
    #[arg(long, help_heading = "Rows", value_parser = one_of::<Moves>(), default_value_t = Moves::Noisy)]
    moves: Moves,

    /// Format of the rows [default: jsonl if OUT is named .jsonl or .json, otherwise tsv]
    #[arg(long, help_heading = "Rows", value_parser = one_of::<Rows>())]
    to: Option<Rows>,

    #[command(flatten)]
    rules: RulesArgs,
    #[command(flatten)]
    backend: BackendArgs,
}

/// Scores; returns whether no record was invalid.
pub fn run(args: &Args) -> Result<bool> {
    let Args { input, output, .. } = args;
    let to = output.rows(args.to)?;
    let options = output.options(args.backend.options());
    let job = session::job(input, options)?.write_to(output.output.as_deref())?;
    session::run(job, input, |job| {
        let evaluator = args.backend.evaluator(input.quiet)?;
        Ok(job.score(args.moves, to, &args.rules.rules(), &evaluator)?)
    })
}
