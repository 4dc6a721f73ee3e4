//! Filters many files into another folder.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use swaplist::Evaluator;
use swaplist::formats::Format;
use swaplist::formats::compressed::Compression;
use swaplist::jobs::{EITHER, EITHER_MODE, Files, Filtering, Output, Summary, shown};

use super::{Args, report};
use crate::cli::errors::{CANCEL, described};
use crate::cli::options::{InputArgs, OutputArgs};
use crate::cli::progress::Total;
use crate::cli::{Answer, leftovers, opened, threads};

/// Runs the filter on each file, with one progress bar and one summary. A file's error is
/// printed, and the run goes on.
pub fn run(args: &Args, what: &Filtering, folder: &Path) -> Result<Answer> {
    let threads = threads::count(args.backend.threads);
    let inputs: Vec<&PathBuf> = args.input.input.iter().chain(&args.more).collect();
    let pairs = pairs(&inputs, folder, args.to)?;
    fs::create_dir_all(folder)
        .with_context(|| format!("cannot create the folder '{}'", shown::path(folder)))?;
    let side = Side::open(args, &inputs)?;
    let targets = side.files().filter_map(Output::target);
    let first = pairs.first().map(|(_, output)| output.as_path());
    leftovers::note(targets.chain(first), args.input.quiet);
    let evaluator = args.backend.evaluator(threads, args.input.quiet)?;
    let sizes = inputs.iter().filter_map(|input| fs::metadata(input).ok());
    let bytes = sizes.map(|metadata| metadata.len()).sum();
    let mut total = Total::new(bytes, args.input.quiet);
    let mut all = None;
    let mut failed = 0;
    for (input, output) in &pairs {
        match one(args, what, [input, output], &evaluator, &total) {
            Ok(summary) => all = Some(sum(all, summary, input)),
            Err(error) => {
                failed += 1;
                total.say(&format!("swaplist: error: {}", described(&error)));
            }
        }
        total.done[0] += fs::metadata(input).map_or(0, |metadata| metadata.len());
        total.done[1] = all.as_ref().map_or(0, |all: &Summary| all.tally.records);
    }
    total.finish();
    let mut all = all.unwrap_or_else(|| what.of_nothing(&evaluator, threads));
    all.input = files(pairs.len(), failed);
    all.output = shown::path(folder);
    all.elapsed = total.elapsed();
    let on_stdout = side.on_stdout;
    side.write(&all)?;
    opened::print_summary(&all, &args.input, on_stdout)?;
    Ok(Answer::of(failed == 0 && all.is_sound()))
}

/// Adds the summary of one more file.
fn sum(all: Option<Summary>, mut one: Summary, input: &Path) -> Summary {
    let named = |message: &String| format!("{}, {message}", shown::path(input));
    one.tally.messages = one.tally.messages.iter().map(named).collect();
    one.formats = None;
    let Some(mut all) = all else { return one };
    all.tally.add(one.tally);
    all.unscored = one.unscored;
    all.evaluated = one.evaluated;
    if let (Some(all), Some(one)) = (&mut all.filter, &one.filter) {
        if all.mode != one.mode {
            all.mode = EITHER_MODE;
        }
        if all.wins_of != one.wins_of {
            all.wins_of = EITHER;
        }
    }
    all
}

fn one(
    args: &Args,
    what: &Filtering,
    [input, output]: [&Path; 2],
    evaluator: &Evaluator,
    total: &Total,
) -> Result<Summary> {
    let threads = threads::count(args.backend.threads);
    let input = InputArgs {
        input: Some(input.to_owned()),
        ..args.input.clone()
    };
    let output = OutputArgs {
        output: Some(output.to_owned()),
        ..args.output.clone()
    };
    let job = opened::job_to(&input, &output, threads, Some(total))?;
    let name = job.input().name().to_owned();
    let filtered = job
        .cpu_path(args.backend.cpu_path())
        .filter(what, evaluator);
    filtered.map_err(|error| {
        let is_named = error.to_string().starts_with(&name);
        let error = anyhow::Error::new(error);
        if is_named { error } else { error.context(name) }
    })
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
            bail!("'{}' is no file, name the files", shown::path(input));
        };
        let output = folder.join(output_name(name, to));
        if !names.insert(output.clone()) {
            let name = shown::path(&output);
            bail!("'{name}' would be written twice: two inputs have the same name");
        }
        pairs.push((input.as_path(), output));
    }
    Ok(pairs)
}

/// Side files for all inputs together.
struct Side {
    files: Files,
    stats: Option<Output>,
    page: Option<Output>,
    /// Whether a side file goes to standard output.
    on_stdout: bool,
}

impl Side {
    fn open(args: &Args, inputs: &[&PathBuf]) -> Result<Side> {
        let mut files = Files::new(&CANCEL);
        for input in inputs {
            files.read(Some(input), None);
        }
        let mut open = |path: &Option<PathBuf>| {
            let open = |path: &Path| files.create(Some(path), args.output.force, None);
            path.as_deref().map(open).transpose()
        };
        let (stats, page) = (open(&args.stats)?, open(&args.report)?);
        Ok(Side {
            on_stdout: files.writes_stdout(),
            files,
            stats,
            page,
        })
    }

    fn files(&self) -> impl Iterator<Item = &Output> {
        self.stats.iter().chain(&self.page)
    }

    fn write(mut self, summary: &Summary) -> Result<()> {
        if let Some(stats) = &mut self.stats {
            stats.write(opened::json_text(&summary.to_json()).as_bytes())?;
        }
        if let Some(page) = &mut self.page {
            page.write(report(summary).to_html()?.as_bytes())?;
        }
        Ok(self.files.finish(self.stats.into_iter().chain(self.page))?)
    }
}

/// The input's name, with the extension of the output's format.
fn output_name(name: &OsStr, to: Option<Format>) -> PathBuf {
    let name = Path::new(name);
    let Some(to) = to else {
        return name.to_owned();
    };
    let (stem, compression) = Compression::split(name);
    let extension = match to {
        Format::Text => "txt",
        to => to.name(),
    };
    let mut renamed = stem.with_extension(extension).into_os_string();
    if let Some(kind) = compression {
        renamed.push(".");
        renamed.push(kind.extension());
    }
    renamed.into()
}

fn files(count: usize, failed: usize) -> String {
    let files = if count == 1 { "file" } else { "files" };
    match failed {
        0 => format!("{count} {files}"),
        _ => format!("{count} {files}, {failed} of them failed"),
    }
}
