//! Commands on several inputs: one job for each input, then a summary of all.
//!
//! `count` and `validate` print the result of each input and then the sum ([`results`]). `filter`
//! and `convert` write a file for each input into a folder ([`IntoFolder`]). If an input fails, its
//! error is printed and the run goes on with the next one. Only if every input fails does the run
//! fail, with the error of the last one.

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context as _, Result, bail};
use swaplist_files::formats::Format;
use swaplist_files::jobs::{self, Summary};
use swaplist_files::jobs::{Files, Output};
use swaplist_files::report;

use crate::errors::{described, is_cancelled};
use crate::options::{InputArgs, OutputArgs, SideArgs};
use crate::session::{self, MakeText};

/// The results of a run over several inputs.
struct Results {
    /// The sum of the summaries of the inputs that did not fail, which lists them in their order;
    /// `None` if all failed.
    sum: Option<Summary>,
    /// The number of inputs that failed.
    failed: usize,
    /// The number of inputs that were skipped, as their outputs exist.
    skipped: usize,
    start: Instant,
}

impl Results {
    /// The summary of all inputs. If no job was done, because all outputs existed, `empty` makes it.
    fn all(self, empty: impl FnOnce() -> Summary) -> Summary {
        let input = self.input();
        let elapsed = self.start.elapsed();
        let mut all = self.sum.unwrap_or_else(empty);
        all.input = input;
        all.elapsed = elapsed;
        all
    }

    /// The name of the inputs in the summary of all: `5 files, 1 failed`.
    fn input(&self) -> String {
        let done = self.sum.as_ref().map_or(0, |sum| sum.files.len());
        let count = done + self.failed + self.skipped;
        let files = if count == 1 { "file" } else { "files" };
        let mut parts = vec![format!("{count} {files}")];
        if self.skipped > 0 {
            parts.push(format!("{} skipped, as they exist", self.skipped));
        }
        if self.failed > 0 {
            parts.push(format!("{} failed", self.failed));
        }
        parts.join(", ")
    }

    /// Whether no input failed, and all records are sound.
    fn is_sound(&self) -> bool {
        self.failed == 0 && self.sum.as_ref().is_none_or(Summary::is_sound)
    }
}

/// Calls `run_one` on each input, and `report` with its summary, which prints it.
///
/// If `run_one` fails, the error is printed and the next input follows. The run itself fails if a
/// job was cancelled, if `report` fails, or if all inputs failed, with the last error. `skipped` is
/// the number of inputs that are not in `inputs` because an earlier run has done them.
fn each<T>(
    inputs: &[T],
    skipped: usize,
    mut run_one: impl FnMut(&T) -> Result<Summary>,
    report: impl Fn(&Summary) -> Result<()>,
) -> Result<Results> {
    let mut results = Results {
        sum: None,
        failed: 0,
        skipped,
        start: Instant::now(),
    };
    for input in inputs {
        match run_one(input) {
            Ok(summary) => {
                report(&summary)?;
                summary.add_to(&mut results.sum);
            }
            Err(error) if is_cancelled(&error) => return Err(error),
            Err(error) if results.failed + 1 == inputs.len() + skipped => return Err(error),
            Err(error) => {
                results.failed += 1;
                tell(&format!("error: {}", described(&error)));
            }
        }
    }
    Ok(results)
}

/// An error of a job, with the name of its input before it, unless it is about that file and names
/// it already.
pub fn named(error: jobs::Error, input: &InputArgs) -> anyhow::Error {
    let name = input.input.as_deref().map(report::path).unwrap_or_default();
    let is_named = error.file() == Some(&name);
    let error = anyhow::Error::new(error);
    if is_named { error } else { error.context(name) }
}

/// Prints a message to standard error.
fn tell(text: &str) {
    let _ = writeln!(io::stderr(), "swaplist: {text}");
}

/// All inputs of a command, in their order.
fn inputs<'a>(input: &'a InputArgs, more: &'a [PathBuf]) -> Vec<&'a Path> {
    let first = input.input.iter();
    first.chain(more).map(PathBuf::as_path).collect()
}

/// Replaces the input in the arguments.
fn with_input(args: &InputArgs, path: &Path) -> InputArgs {
    InputArgs {
        input: Some(path.to_owned()),
        ..args.clone()
    }
}

/// Counts or validates each input by `run_one`. Prints the result of each input and then that of
/// all, followed by the text that `after` makes of it. With `--json` it prints only that of all, as
/// JSON. `replace` is `--force`.
pub fn results(
    args: &InputArgs,
    more: &[PathBuf],
    side: &SideArgs,
    replace: bool,
    mut run_one: impl FnMut(&InputArgs) -> Result<Summary>,
    after: impl Fn(&Summary) -> String,
) -> Result<bool> {
    let inputs = inputs(args, more);
    let mut files = session::files(replace, inputs.iter().copied());
    let side = SideFiles::new(&mut files, side)?;
    session::stdout_must_be_open()?;
    if !args.quiet {
        for name in named_twice(&inputs) {
            tell(&format!("note: {name} is named twice and counts twice"));
        }
    }
    let skipped = 0;
    let results = each(
        &inputs,
        skipped,
        |path| run_one(&with_input(args, path)),
        |summary| {
            if args.json {
                Ok(())
            } else {
                session::print(&format!("{}\n", summary.table()))
            }
        },
    )?;
    let is_sound = results.is_sound();
    let all = results.all(Summary::default);
    side.write(&files, &all)?;
    session::show(args.json, &all.table(), &after(&all))?;
    Ok(is_sound)
}

/// Files that are named more than once, by any path.
fn named_twice(inputs: &[&Path]) -> Vec<String> {
    let mut seen = BTreeSet::new();
    inputs
        .iter()
        .filter(|path| fs::canonicalize(path).is_ok_and(|path| !seen.insert(path)))
        .map(|path| report::path(path))
        .collect()
}

/// The files of `--stats` and `--report`, each with the function that makes its text from the
/// summary of all inputs.
struct SideFiles(Vec<(Output, MakeText)>);

impl SideFiles {
    fn new(files: &mut Files, args: &SideArgs) -> Result<SideFiles> {
        let mut side = Vec::new();
        for (path, make) in session::side(args) {
            side.push((files.create(Some(path), None)?, make));
        }
        Ok(SideFiles(side))
    }

    fn write(mut self, files: &Files, all: &Summary) -> Result<()> {
        for (output, make) in &mut self.0 {
            output.write(make(all).as_bytes())?;
        }
        Ok(files.finish(self.0.into_iter().map(|(output, _)| output))?)
    }
}

/// A run that writes each input into a folder, as a file of the same name.
pub struct IntoFolder<'a> {
    pub input: &'a InputArgs,
    pub more: &'a [PathBuf],
    /// A file with settings.
    pub config: Option<&'a Path>,
    pub folder: &'a Path,
    pub skip_existing: bool,
    pub output: &'a OutputArgs,
    pub side: &'a SideArgs,
    pub to: Option<Format>,
}

impl IntoFolder<'_> {
    /// Calls `run_one` on each input, with the path of its output, and prints for each file what
    /// `describe` says of its summary. `empty` makes the summary of all if no job was done. If the
    /// run fails, the folders that it made are removed, unless there is something in them.
    pub fn run(
        &self,
        run_one: impl FnMut(&InputArgs, &Path) -> Result<Summary>,
        describe: impl Fn(&Summary) -> String,
        empty: impl FnOnce() -> Summary,
    ) -> Result<bool> {
        // The innermost folder comes first, so that each is empty when it is its turn.
        let ancestors = self.folder.ancestors();
        let missing: Vec<_> = ancestors.take_while(|folder| !folder.exists()).collect();
        let result = self.run_all(run_one, describe, empty);
        if result.is_err() {
            for folder in missing {
                let _ = fs::remove_dir(folder);
            }
        }
        result
    }

    fn run_all(
        &self,
        mut run_one: impl FnMut(&InputArgs, &Path) -> Result<Summary>,
        describe: impl Fn(&Summary) -> String,
        empty: impl FnOnce() -> Summary,
    ) -> Result<bool> {
        let inputs = inputs(self.input, self.more);
        let mut pairs = pairs(&inputs, self.folder, self.to)?;
        if self.skip_existing {
            pairs.retain(|(_, output)| !output.exists());
        }
        let folder = report::path(self.folder);
        fs::create_dir_all(self.folder)
            .with_context(|| format!("cannot create the folder '{folder}'"))?;
        let read = inputs.iter().copied().chain(self.config);
        let mut files = session::files(self.output.force, read);
        let side = SideFiles::new(&mut files, self.side)?;
        if files.writes_stdout() {
            session::stdout_must_be_open()?;
        }
        let skipped = inputs.len() - pairs.len();
        let results = each(
            &pairs,
            skipped,
            |(input, output)| run_one(&with_input(self.input, input), output),
            |summary| {
                if !self.input.quiet {
                    tell(&format!("{}: {}", summary.input, describe(summary)));
                }
                Ok(())
            },
        )?;
        let is_sound = results.is_sound();
        let mut all = results.all(empty);
        all.output = folder;
        let on_stdout = files.writes_stdout();
        side.write(&files, &all)?;
        session::print_summary(&all, self.input, on_stdout)?;
        Ok(is_sound)
    }
}

/// Each input with its output: a file of the same name in the folder, with the extension of the
/// format `to` if there is one.
fn pairs<'i>(
    inputs: &[&'i Path],
    folder: &Path,
    to: Option<Format>,
) -> Result<Vec<(&'i Path, PathBuf)>> {
    let mut names = BTreeSet::new();
    let mut pairs = Vec::new();
    for &input in inputs {
        let Some(name) = input.file_name().filter(|name| *name != "-") else {
            bail!("'{}' is not a file, name the files", report::path(input));
        };
        let output = folder.join(Output::renamed(Path::new(name), to));
        if !names.insert(output.clone()) {
            bail!(
                "'{}' would be written twice: two inputs have the same name",
                report::path(&output)
            );
        }
        pairs.push((input, output));
    }
    Ok(pairs)
}

/// The folder for the outputs; `None` if there is a single input and no folder. Several inputs
/// without a folder are an error.
pub fn folder<'a>(folder: Option<&'a Path>, more: &[PathBuf]) -> Result<Option<&'a Path>> {
    match (folder, more.first()) {
        (None, Some(second)) => bail!(
            "{}: several inputs need --out-dir FOLDER, where each becomes a file of its own",
            report::path(second)
        ),
        (folder, _) => Ok(folder),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use swaplist::Evaluator;
    use swaplist_files::filter::Filter;
    use swaplist_files::jobs::{Cancel, Input, Job, Options};

    const POSITION: &str = "4k3/8/8/8/8/8/8/4K3 w - - 0 1\n";

    /// What becomes of a file with one position.
    fn filtered(cancel: &Cancel) -> Result<Summary> {
        let input = Input::reader("one.fen", POSITION.as_bytes())?;
        let options = Options {
            cancel: cancel.clone(),
            ..Options::default()
        };
        Ok(Job::new(input, options)?.filter(&Filter::default(), &Evaluator::cpu())?)
    }

    /// The numbers of the inputs that are tried, if some are cancelled or missing, and the results.
    fn tried(cancelled: &[u8], missing: &[u8]) -> (Vec<u8>, Result<Results>) {
        let mut tried = Vec::new();
        let results = each(
            &[1, 2, 3],
            0,
            |number| {
                tried.push(*number);
                if missing.contains(number) {
                    bail!("no such file");
                }
                let cancel = Cancel::default();
                if cancelled.contains(number) {
                    cancel.cancel();
                }
                filtered(&cancel)
            },
            |_| Ok(()),
        );
        (tried, results)
    }

    #[test]
    fn a_failed_input_does_not_end_the_run() {
        let (tried, results) = tried(&[], &[2]);
        let results = results.unwrap();
        assert_eq!((tried, results.failed), (vec![1, 2, 3], 1));
        assert_eq!(results.input(), "3 files, 1 failed");
    }

    /// The run was cancelled, not one input of it: no other one begins.
    #[test]
    fn a_cancelled_input_is_not_a_failed_one() {
        for (cancelled, missing, expected) in [
            (&[1][..], &[][..], &[1][..]),
            (&[2], &[], &[1, 2]),
            (&[3], &[1, 2], &[1, 2, 3]),
        ] {
            let (tried, results) = tried(cancelled, missing);
            assert_eq!(tried, expected);
            assert!(is_cancelled(&results.err().unwrap()), "{cancelled:?}");
        }
    }
}
