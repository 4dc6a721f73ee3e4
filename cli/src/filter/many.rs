//! Filters many files into another folder.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use swaplist::Evaluator;
use swaplist::filter::Filter;
use swaplist::formats::Format;
use swaplist::jobs::front::{self, Files};
use swaplist::jobs::{Output, Summary};

use super::Args;
use crate::errors::{CANCEL, described};
use crate::options::{InputArgs, thread_count};
use crate::progress::Total;
use crate::{opened, stdout};

/// Runs the filter on each file, with one progress bar and one summary. A file's error is
/// printed, and the run goes on.
pub fn run(args: &Args, filter: &Filter, folder: &Path) -> Result<bool> {
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
    for (path, make) in args.side() {
        side.push((files.create(Some(path), args.output.force, None)?, make));
    }
    if files.writes_stdout() {
        stdout::must_be_open()?;
    }
    let evaluator = args.backend.evaluator(args.input.quiet)?;
    let sizes = pairs
        .iter()
        .filter_map(|(input, _)| fs::metadata(input).ok());
    let bytes = sizes.map(|metadata| metadata.len()).sum();
    let mut total = Total::new(Some(bytes), args.input.quiet);
    let mut all: Option<Summary> = None;
    let mut failed = 0;
    for (input, output) in &pairs {
        match (
            one(args, filter, [input, output], &evaluator, &total),
            &mut all,
        ) {
            (Ok(summary), Some(all)) => all.add(summary),
            (Ok(summary), None) => all = Some(summary),
            (Err(error), _) => {
                failed += 1;
                total.say(&format!("swaplist: error: {}", described(&error, false)));
            }
        }
        total.done[0] += fs::metadata(input).map_or(0, |metadata| metadata.len());
        total.done[1] = all.as_ref().map_or(0, |all| all.tally.records);
    }
    total.finish();
    for note in total.repeated() {
        total.say(&note);
    }
    let threads = thread_count(args.backend.threads);
    let mut all = all.unwrap_or_else(|| Summary::of_no_files(filter, &evaluator, threads));
    all.input = count(inputs.len(), skipped, failed);
    all.output = front::path(folder);
    all.elapsed = total.elapsed();
    for (output, make) in &mut side {
        output.write(make(&all)?.as_bytes())?;
    }
    files.finish(side.into_iter().map(|(output, _)| output))?;
    opened::print_summary(&all, &args.input, files.writes_stdout())?;
    Ok(failed == 0 && all.is_sound())
}

fn one(
    args: &Args,
    filter: &Filter,
    [input, output]: [&Path; 2],
    evaluator: &Evaluator,
    total: &Total,
) -> Result<Summary> {
    let name = front::path(input);
    let input = InputArgs {
        input: Some(input.to_owned()),
        ..args.input.clone()
    };
    let job = args.job(&input, Some(output), Some(total))?;
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
    let mut text = format!("{count} {files}");
    for (count, what) in [(skipped, "skipped, as they exist"), (failed, "failed")] {
        if count > 0 {
            let _ = write!(text, ", {count} {what}");
        }
    }
    text
}
