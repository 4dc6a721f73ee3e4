//! The command line: what is asked for, errors and exit statuses.

use std::io::{self, Write as _};
use std::process::ExitCode;

use clap::{Parser, Subcommand};

mod bars;
mod bench;
mod check;
mod convert;
mod count;
mod counts;
mod devices;
mod explain;
mod filter;
mod histogram;
mod input;
mod leftovers;
#[cfg(test)]
mod liar;
mod options;
mod output;
mod packed;
mod page;
mod pipeline;
mod progress;
mod report;
mod rows;
mod score;
mod shown;
mod stream;
mod summary;
mod threads;
mod validate;
mod verdict;
mod verify;

/// Static Exchange Evaluation (SEE) of millions of chess positions, exactly.
#[derive(Parser)]
#[command(name = "swaplist", version, propagate_version = true, after_help = AFTER_HELP)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

const AFTER_HELP: &str = "\
Data goes to standard output or to -o OUT, everything else to standard error.
Exit status: 0 done, 1 the answer is no (a mismatch, invalid records passed
over), 2 the command could not run, 130 interrupted.

Example:
  swaplist explain 4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1 e4d5";

#[derive(Subcommand)]
enum Command {
    Score(score::Args),
    Verdict(verdict::Args),
    Filter(Box<filter::Args>),
    Convert(convert::Args),
    Count(count::Args),
    Validate(validate::Args),
    Explain(explain::Args),
    Verify(verify::Args),
    Bench(bench::Args),
    Devices(devices::Args),
    Check(check::Args),
}

/// The answer of a command that ran.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Answer {
    Yes,
    No,
}

/// Runs the command that the arguments ask for.
pub fn main() -> ExitCode {
    let cli = Cli::parse();
    if let Err(error) = output::remove_on_interrupt() {
        return fail(&error);
    }
    let answer = match cli.command {
        Command::Score(args) => score::run(&args),
        Command::Verdict(args) => verdict::run(&args),
        Command::Filter(args) => filter::run(&args),
        Command::Convert(args) => convert::run(&args),
        Command::Count(args) => count::run(&args),
        Command::Validate(args) => validate::run(&args),
        Command::Explain(args) => explain::run(&args),
        Command::Verify(args) => verify::run(&args),
        Command::Bench(args) => bench::run(&args),
        Command::Devices(args) => devices::run(&args),
        Command::Check(args) => check::run(&args),
    };
    match answer {
        Ok(Answer::Yes) => ExitCode::SUCCESS,
        Ok(Answer::No) => ExitCode::from(1),
        Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => fail(&error),
    }
}

/// Lines on standard error, which may itself be closed.
fn fail(error: &anyhow::Error) -> ExitCode {
    let mut stderr = io::stderr();
    let _ = writeln!(
        stderr,
        "swaplist: error: {}",
        shown::text(&format!("{error:#}"))
    );
    ExitCode::from(2)
}

/// Whether the reader of our output went away: it has seen enough.
fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        cause
            .downcast_ref::<io::Error>()
            .is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
    })
}
