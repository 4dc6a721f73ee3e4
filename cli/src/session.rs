//! What commands share from opening an input to printing the result.

use std::io::{self, IsTerminal as _, Write as _};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Result, bail};
use serde_json::Value;
use swaplist_files::jobs::{Files, Input, Job, Options, Output, Summary};
use swaplist_files::report::ResultTable;

use super::errors::CANCEL;
use super::options::{InputArgs, SideArgs};
use super::progress::Progress;
use super::report::to_html;

/// Opens an input; `None` and `-` are standard input. If that is a terminal, a message says that
/// positions are read from it.
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

/// A job on the input of `args`, with progress and notes on standard error. Ctrl-C cancels it.
pub fn job<'a>(args: &InputArgs, options: Options) -> Result<Job<'a>> {
    let input = input(args.input.as_deref())?;
    let progress = Progress::new(&input, args.quiet);
    let options = Options {
        from: args.from,
        fen_column: args.fen_column.clone(),
        skip_invalid: args.skip_invalid,
        cancel: CANCEL.clone(),
        ..options
    };
    Ok(Job::new(input, options)?.watch(move |event| progress.tell(event)))
}

/// The outputs of a command that reads these files.
pub fn files<'a>(replace: bool, reads: impl IntoIterator<Item = &'a Path>) -> Files {
    Files::new(&Options {
        replace,
        reads: reads.into_iter().map(Path::to_owned).collect(),
        cancel: CANCEL.clone(),
        ..Options::default()
    })
}

/// Makes the text of a side file, given the summary.
pub type MakeText = fn(&Summary) -> String;

/// The side files that the options name, each with what makes its text: the summary as JSON, the
/// page of bars.
pub fn side(args: &SideArgs) -> impl Iterator<Item = (&Path, MakeText)> {
    let stats = args.stats.iter();
    let report = args.report.iter();
    stats
        .map(|path| (path.as_path(), to_json_text as MakeText))
        .chain(report.map(|path| (path.as_path(), to_html as MakeText)))
}

fn to_json_text(summary: &Summary) -> String {
    json_text(&summary.table().json)
}

/// Adds the side files that the options name to a job.
pub fn with_side_files<'a>(job: Job<'a>, args: &SideArgs) -> Result<Job<'a>> {
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
        stdout_must_be_open()?;
    }
    let summary = work(job)?;
    print_summary(&summary, input, on_stdout)?;
    Ok(summary.is_sound())
}

/// Prints text to standard output.
pub fn print(text: &str) -> Result<()> {
    stdout_must_be_open()?;
    Ok(Output::stdout().write(text.as_bytes())?)
}

/// Prints the summary: with `--json` as JSON, to standard output unless data goes there; else as
/// text to standard error, unless quiet.
pub fn print_summary(summary: &Summary, input: &InputArgs, data_on_stdout: bool) -> Result<()> {
    let text = match input.json {
        true if data_on_stdout => json_text(&summary.table().json),
        true => return print(&json_text(&summary.table().json)),
        false if input.quiet => return Ok(()),
        false => summary.table().to_string(),
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

/// Prints a result as JSON, or as text with the text `after` it.
pub fn show(is_json: bool, table: &ResultTable, after: &str) -> Result<()> {
    print_as(is_json, &table.json, &format!("{table}{after}"))
}

/// JSON as indented text with a line end.
pub fn json_text(json: &Value) -> String {
    format!("{json:#}\n")
}

/// Whether standard output was closed when the process began.
static WAS_CLOSED: AtomicBool = AtomicBool::new(false);

/// Looks before `main`: Rust's runtime opens `/dev/null` in place of a closed standard output, and
/// what is written there would be lost without an error.
#[cfg(target_os = "linux")]
#[allow(unsafe_code)]
#[used]
// SAFETY: the section holds functions of this type.
#[unsafe(link_section = ".init_array")]
static LOOK_BEFORE_MAIN: extern "C" fn() = {
    extern "C" fn look() {
        use std::os::fd::AsFd as _;
        let copy = io::stdout().as_fd().try_clone_to_owned();
        WAS_CLOSED.store(copy.is_err(), Ordering::Relaxed);
    }
    look
};

/// Fails if standard output is closed.
pub fn stdout_must_be_open() -> Result<()> {
    if WAS_CLOSED.load(Ordering::Relaxed) {
        bail!("standard output is closed, redirect it");
    }
    Ok(())
}
