//! The `swaplist` command: parses arguments, runs a command, sets the exit status.

use std::process::ExitCode;

use clap::{CommandFactory as _, Parser, Subcommand};

mod bench;
mod check;
mod convert;
mod count;
mod devices;
mod errors;
mod explain;
#[cfg(test)]
#[path = "../../tests/common/fake.rs"]
mod fake;
mod filter;
mod generate;
mod many;
mod mix;
mod options;
mod progress;
mod report;
mod score;
mod session;
mod suite;
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
Exit status: 0 done, 1 done with faults (invalid records, differences),
2 could not run, 130 interrupted.

Example:
  swaplist explain 4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1 e4d5";

#[derive(Subcommand)]
enum Command {
    Score(score::Args),
    Verdict(verdict::Args),
    Filter(Box<filter::Args>),
    Convert(convert::Args),
    Mix(Box<mix::Args>),
    Count(count::Args),
    Validate(validate::Args),
    Explain(explain::Args),
    Verify(verify::Args),
    Bench(Box<bench::Args>),
    Devices(devices::Args),
    Check(check::Args),
    Suite(suite::Args),
    Generate(generate::Args),
}

fn main() -> ExitCode {
    quiet_mesa();
    survive_file_limit();
    return_freed_memory();
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return errors::refuse(error),
    };
    if let Err(error) = errors::remove_on_interrupt() {
        return errors::fail(&error);
    }
    // Each command returns whether all is well: records are sound, answers equal. Then the exit
    // status is 0, else 1; an error's is 2.
    let result = match cli.command {
        Command::Score(args) => score::run(&args),
        Command::Verdict(args) => verdict::run(&args),
        Command::Filter(args) => filter::run(&args),
        Command::Convert(args) => convert::run(&args),
        Command::Mix(args) => mix::run(&args),
        Command::Count(args) => count::run(&args),
        Command::Validate(args) => validate::run(&args),
        Command::Explain(args) => explain::run(&args),
        Command::Verify(args) => verify::run(&args),
        Command::Bench(args) => bench::run(&args),
        Command::Devices(args) => devices::run(&args),
        Command::Check(args) => check::run(&args),
        Command::Suite(args) => suite::run(&args),
        Command::Generate(args) => generate::run(&args, Cli::command()),
    };
    match result {
        Ok(is_well) => ExitCode::from(u8::from(!is_well)),
        Err(error) => errors::fail(&error),
    }
}

/// Makes a limit on the size of files (`ulimit -f`) an error like a full disk: by default its signal
/// kills, and the unfinished output stays.
fn survive_file_limit() {
    #[cfg(unix)]
    // SAFETY: no handler is set, the signal is only ignored.
    #[allow(unsafe_code)]
    unsafe {
        libc::signal(libc::SIGXFSZ, libc::SIG_IGN);
    }
}

/// Lets the C library of Linux return large buffers to the system when they are freed. By default it
/// raises the bound from which on it does, to 32 MiB, as such buffers are freed. What a thread has
/// freed then stays with that thread: with 64 threads, games of 64,000 moves took 750 MiB.
fn return_freed_memory() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: it only sets a number, and no other thread runs yet.
    #[allow(unsafe_code)]
    unsafe {
        libc::mallopt(libc::M_MMAP_THRESHOLD, 128 << 10);
    }
}

/// Silences Mesa's adapter-ordering layer, which complains on standard error without
/// `XDG_RUNTIME_DIR`, as on servers and in containers. The order is not needed: swaplist orders
/// adapters itself.
fn quiet_mesa() {
    if cfg!(target_os = "linux") && std::env::var_os("XDG_RUNTIME_DIR").is_none() {
        // SAFETY: no other thread runs yet.
        #[allow(unsafe_code)]
        unsafe {
            std::env::set_var("NODEVICE_SELECT", "1");
        }
    }
}
