//! Opening inputs and outputs, printing summaries.

use std::io::{self, IsTerminal as _, Write as _};
use std::path::Path;

use anyhow::Result;
use serde_json::Value;
use swaplist::jobs::{Input, Job, Output, Summary};

use super::errors::CANCEL;
use super::leftovers;
use super::options::{InputArgs, OutputArgs};
use super::progress::{Shown, Total};

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

/// A job on an input, which may be one of several.
pub fn job<'a>(args: &InputArgs, threads: usize, total: Option<&Total>) -> Result<Job<'a>> {
    let input = input(args.input.as_deref())?;
    let shown = Shown::new(&input, args.quiet, total);
    let job = Job::new(input, args.from)?;
    let job = job.threads(threads).skip_invalid(args.skip_invalid);
    Ok(job.watch(shown).cancelled_by(&CANCEL))
}

/// A job with an output.
pub fn job_to<'a>(
    input: &InputArgs,
    output: &OutputArgs,
    threads: usize,
    total: Option<&Total>,
) -> Result<Job<'a>> {
    let job = job(input, threads, total)?;
    Ok(job.write_to(output.output.as_deref(), output.force, output.level)?)
}

/// Adds a side file, if asked for.
pub fn beside<'a>(
    job: Job<'a>,
    path: Option<&Path>,
    force: bool,
    make: impl FnOnce(&Summary) -> Result<String> + 'a,
) -> Result<Job<'a>> {
    let Some(path) = path else { return Ok(job) };
    Ok(job.beside(path, force, |summary| {
        let text = make(summary).map_err(io::Error::other)?;
        Ok(text.into_bytes())
    })?)
}

/// Notes files left by killed runs beside the outputs.
pub fn look_beside(job: &Job<'_>, quiet: bool) {
    leftovers::note(job.outputs().filter_map(Output::target), quiet);
}

pub fn print(text: &str) -> Result<()> {
    Ok(Output::stdout().write(text.as_bytes())?)
}

/// Prints the summary as text or JSON, unless quiet.
pub fn print_summary(summary: &Summary, input: &InputArgs, data_on_stdout: bool) -> Result<()> {
    if input.json {
        print_json(&summary.to_json(), data_on_stdout)
    } else {
        if !input.quiet {
            print_aside(&summary.to_text());
        }
        Ok(())
    }
}

/// Prints to standard output, or to standard error if data is there.
fn print_json(json: &Value, data_on_stdout: bool) -> Result<()> {
    let text = json_text(json);
    if data_on_stdout {
        print_aside(&text);
        return Ok(());
    }
    print(&text)
}

/// Prints to standard error; if that is closed, there is nobody to tell.
fn print_aside(text: &str) {
    let _ = io::stderr().write_all(text.as_bytes());
}

pub fn json_text(json: &Value) -> String {
    format!("{json:#}\n")
}
