//! Opening inputs and outputs, printing summaries.

use std::io::{self, IsTerminal as _, Write as _};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Result, bail};
use serde_json::Value;
use swaplist::jobs::front::{Output, Sheet};
use swaplist::jobs::{Input, Job, Options, Summary};

use super::errors::CANCEL;
use super::options::{InputArgs, SideArgs};
use super::progress::Progress;
use super::report::to_html;

/// Opens an input; says so if it is a terminal.
pub fn input(path: Option<&Path>) -> Result<Input> {
    let is_stdin = path.is_none_or(|path| path == Path::new("-"));
    if is_stdin && io::stdin().is_terminal() {
        let _ = writeln!(
            io::stderr(),
            "swaplist: reading positions from the terminal"
        );
    }
    Ok(Input::open(path)?)
}

/// A job on an input.
pub fn job<'a>(args: &InputArgs, options: Options) -> Result<Job<'a>> {
    let input = input(args.input.as_deref())?;
    let progress = Progress::new(&input, args.quiet);
    let options = Options {
        from: args.from,
        fen_column: args.fen_column.clone(),
        skip_invalid: args.skip_invalid,
        ..options
    };
    let job = Job::new(input, options)?;
    let job = job.watch(move |event| progress.tell(event));
    Ok(job.cancelled_by(&CANCEL))
}

/// Makes the text of a side file.
pub type Make = fn(&Summary) -> String;

/// The side files asked for.
pub fn side(args: &SideArgs) -> impl Iterator<Item = (&Path, Make)> {
    let json: Make = |summary| json_text(&summary.to_json());
    let stats = args.stats.iter().map(move |path| (path.as_path(), json));
    let report = args.report.iter();
    stats.chain(report.map(|path| (path.as_path(), to_html as Make)))
}

/// Adds side files to a job.
pub fn beside<'a>(job: Job<'a>, args: &SideArgs) -> Result<Job<'a>> {
    Ok(side(args).try_fold(job, |job, (path, make)| job.beside(path, make))?)
}

/// Runs a job and prints its summary; returns whether all records are sound.
pub fn run<'a>(
    job: Job<'a>,
    input: &InputArgs,
    work: impl FnOnce(Job<'a>) -> Result<Summary>,
) -> Result<bool> {
    let on_stdout = job.writes_stdout();
    if on_stdout {
        must_be_open()?;
    }
    let summary = work(job)?;
    print_summary(&summary, input, on_stdout)?;
    Ok(summary.is_sound())
}

pub fn print(text: &str) -> Result<()> {
    must_be_open()?;
    Ok(Output::stdout().write(text.as_bytes())?)
}

/// Prints the summary as text, unless quiet, or as JSON, to standard output unless data is
/// there.
pub fn print_summary(summary: &Summary, input: &InputArgs, data_on_stdout: bool) -> Result<()> {
    let text = match input.json {
        true if data_on_stdout => json_text(&summary.to_json()),
        true => return print(&json_text(&summary.to_json())),
        false if input.quiet => return Ok(()),
        false => summary.to_text(),
    };
    // If standard error is closed, there is nobody to tell.
    let _ = io::stderr().write_all(text.as_bytes());
    Ok(())
}

/// Prints a result as JSON or as text.
pub fn print_as(is_json: bool, json: &Value, text: &str) -> Result<()> {
    if is_json {
        print(&json_text(json))
    } else {
        print(text)
    }
}

/// Prints a result as JSON, or as text: its title, its rows and what follows them.
pub fn show(json: bool, shown: Sheet, title: &str, after: &str) -> Result<()> {
    let text = format!("swaplist {title}\n{}{after}", shown.text());
    print_as(json, &shown.json(), &text)
}

pub fn json_text(json: &Value) -> String {
    format!("{json:#}\n")
}

/// Whether standard output was closed when the process began.
static CLOSED: AtomicBool = AtomicBool::new(false);

/// Looks before `main`: Rust's runtime opens `/dev/null` in place of a closed standard output, and
/// what is written there would be lost without an error.
#[cfg(target_os = "linux")]
#[allow(unsafe_code)]
#[used]
// SAFETY: the section holds functions of this type.
#[unsafe(link_section = ".init_array")]
static LOOK: extern "C" fn() = {
    extern "C" fn look() {
        use std::os::fd::AsFd as _;
        let copy = io::stdout().as_fd().try_clone_to_owned();
        CLOSED.store(copy.is_err(), Ordering::Relaxed);
    }
    look
};

/// Refuses to write to a closed standard output.
pub fn must_be_open() -> Result<()> {
    if CLOSED.load(Ordering::Relaxed) {
        bail!("standard output is closed, redirect it");
    }
    Ok(())
}
