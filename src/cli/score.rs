//! `swaplist score`: the exact SEE of each move.

use anyhow::Result;
use clap::ValueEnum;
use swaplist::jobs::{self, Rows};

use super::options::{BackendArgs, InputArgs, OutputArgs, RulesArgs};
use super::{Answer, opened, threads};

/// Prints the exact SEE of each noisy move, or of the moves that a line names.
///
/// Lines are FEN, EPD, `FEN | score | result`, or `FEN;m1 m2`, where only the named moves (UCI
/// or SAN) are scored. Empty lines and lines that begin with # are skipped.
#[derive(clap::Args)]
#[command(after_help = "\
Exit status: 0 done, 1 invalid records were skipped, 2 could not run.

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
    #[arg(long, help_heading = "Rows", value_enum, default_value_t = Moves::Noisy)]
    moves: Moves,

    /// Format of the rows
    #[arg(long, help_heading = "Rows", value_enum, default_value_t = To::Tsv)]
    to: To,

    #[command(flatten)]
    rules: RulesArgs,
    #[command(flatten)]
    backend: BackendArgs,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Moves {
    /// Captures, en passant, promotions
    Noisy,
    /// Captures and en passant
    Captures,
    /// All legal moves
    All,
}

/// The format of rows.
#[derive(Clone, Copy, ValueEnum)]
pub enum To {
    /// Tab-separated columns, under a header
    Tsv,
    /// One JSON object per line
    Jsonl,
}

impl From<To> for Rows {
    fn from(to: To) -> Rows {
        match to {
            To::Tsv => Rows::Tsv,
            To::Jsonl => Rows::Jsonl,
        }
    }
}

pub fn run(args: &Args) -> Result<Answer> {
    let Args { input, output, .. } = args;
    let moves = match args.moves {
        Moves::Noisy => jobs::Moves::Noisy,
        Moves::Captures => jobs::Moves::Captures,
        Moves::All => jobs::Moves::All,
    };
    let threads = threads::count(args.backend.threads);
    let job = opened::job_to(input, output, threads, None)?.cpu_path(args.backend.cpu_path());
    opened::look_beside(&job, input.quiet);
    let evaluator = args.backend.evaluator(threads, input.quiet)?;
    let on_stdout = job.writes_stdout();
    let summary = job.score(moves, args.to.into(), &args.rules.rules(), &evaluator)?;
    opened::print_summary(&summary, input, on_stdout)?;
    Ok(Answer::of(summary.is_sound()))
}
