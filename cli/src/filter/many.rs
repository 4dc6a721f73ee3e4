//! Filters many files into another folder.

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context as _, Result, bail};
use swaplist::Evaluator;
use swaplist::filter::Filter;
use swaplist::formats::Format;
use swaplist::jobs::Summary;
use swaplist::jobs::front::{self, Files, Output};

use super::Args;
use crate::errors::{CANCEL, described};
use crate::opened;
use crate::options::InputArgs;

/// Runs the filter on each file. If it fails, the folders that it made are removed, unless there is
/// something in them.
pub fn run(args: &Args, filter: &Filter, folder: &Path) -> Result<bool> {
    let missing: Vec<_> = folder.ancestors().take_while(|at| !at.exists()).collect();
    let done = run_all(args, filter, folder);
    if done.is_err() {
        for made in missing {
            let _ = fs::remove_dir(made);
        }
    }
    done
}

/// What each file kept is printed, and its error if it has one; then the run goes on. The summary is
/// of all files.
fn run_all(args: &Args, filter: &Filter, folder: &Path) -> Result<bool> {
    let inputs: Vec<&PathBuf> = args.input.input.iter().chain(&args.more).collect();
    let mut pairs = pairs(&inputs, folder, args.to)?;
    if args.skip_existing {
        pairs.retain(|(_, output)| !output.exists());
    }
    let skipped = inputs.len() - pairs.len();
    fs::create_dir_all(folder)
        .with_context(|| format!("cannot create the folder '{}'", front::path(folder)))?;
    let mut files = Files::new(&CANCEL);
    for path in inputs.iter().copied().chain(&args.settings.config) {
        files.read(path);
    }
    let mut side = Vec::new();
    for (path, make) in opened::side(&args.side) {
        side.push((files.create(Some(path), args.output.force, None)?, make));
    }
    if files.writes_stdout() {
        opened::must_be_open()?;
    }
    let evaluator = args.backend.evaluator(args.input.quiet)?;
    let started = Instant::now();
    let mut all: Option<Summary> = None;
    let mut failed = 0;
    for (input, output) in &pairs {
        match one(args, filter, [input, output], &evaluator) {
            Ok(summary) => {
                let kept = front::share(summary.tally.kept, summary.tally.records);
                let records = front::grouped(summary.tally.records);
                if !args.input.quiet {
                    tell(&format!(
                        "{}: kept {kept} of {records} records",
                        summary.input
                    ));
                }
                match &mut all {
                    Some(all) => all.add(summary),
                    None => all = Some(summary),
                }
            }
            // Nothing was done, now or in a run before.
            Err(error) if failed + 1 == inputs.len() => return Err(error),
            Err(error) => {
                failed += 1;
                tell(&format!("error: {}", described(&error)));
            }
        }
    }
    let threads = front::threads(args.backend.threads);
    let mut all = all.unwrap_or_else(|| Summary::of_no_files(filter, &evaluator, threads));
    all.input = count(inputs.len(), skipped, failed);
    all.output = front::path(folder);
    all.elapsed = started.elapsed();
    for (output, make) in &mut side {
        output.write(make(&all).as_bytes())?;
    }
    files.finish(side.into_iter().map(|(output, _)| output))?;
    opened::print_summary(&all, &args.input, files.writes_stdout())?;
    Ok(failed == 0 && all.is_sound())
}

fn tell(text: &str) {
    let _ = writeln!(io::stderr(), "swaplist: {text}");
}

fn one(
    args: &Args,
    filter: &Filter,
    [input, output]: [&Path; 2],
    evaluator: &Evaluator,
) -> Result<Summary> {
    let name = front::path(input);
    let input = InputArgs {
        input: Some(input.to_owned()),
        ..args.input.clone()
    };
    let job = args.job(&input, Some(output))?;
    let mut summary = job.filter(filter, evaluator).map_err(|error| {
        let is_named = error.to_string().starts_with(&name);
        let error = anyhow::Error::new(error);
        if is_named {
            error
        } else {
            error.context(name.clone())
        }
    })?;
    summary.formats = None;
    for message in &mut summary.tally.messages {
        *message = format!("{name}, {message}");
    }
    Ok(summary)
}

/// Pairs each input with its output.
fn pairs<'i>(
    inputs: &[&'i PathBuf],
    folder: &Path,
    to: Option<Format>,
) -> Result<Vec<(&'i Path, PathBuf)>> {
    let mut names = BTreeSet::new();
    let mut pairs = Vec::new();
    for input in inputs {
        let Some(name) = input.file_name().filter(|name| *name != "-") else {
            bail!("'{}' is not a file, name the files", front::path(input));
        };
        let output = folder.join(Output::renamed(Path::new(name), to));
        if !names.insert(output.clone()) {
            let name = front::path(&output);
            bail!("'{name}' would be written twice: two inputs have the same name");
        }
        pairs.push((input.as_path(), output));
    }
    Ok(pairs)
}

fn count(count: usize, skipped: usize, failed: usize) -> String {
    let files = if count == 1 { "file" } else { "files" };
    let others = [(skipped, "skipped, as they exist"), (failed, "failed")];
    let others = others.into_iter().filter(|(count, _)| *count > 0);
    let parts = core::iter::once((count, files)).chain(others);
    let parts: Vec<String> = parts
        .map(|(count, what)| format!("{count} {what}"))
        .collect();
    parts.join(", ")
}
