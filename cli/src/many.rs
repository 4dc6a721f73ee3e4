//! Several inputs: each is worked on by itself, then there is a summary of all.

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context as _, Result, bail};
use swaplist::formats::Format;
use swaplist::jobs::front::{self, Files, Output};
use swaplist::jobs::{self, Summary};

use crate::errors::{CANCEL, described};
use crate::opened::{self, Make};
use crate::options::{InputArgs, OutputArgs, SideArgs};

/// What came of the inputs.
struct Done {
    /// The summaries of those that were done, in order.
    files: Vec<Summary>,
    /// Their sum.
    sum: Option<Summary>,
    failed: usize,
    /// Inputs whose output existed.
    skipped: usize,
    started: Instant,
}

impl Done {
    /// The summary of all; this one if none was done.
    fn all(self, empty: impl FnOnce() -> Summary) -> Summary {
        let input = self.input();
        let elapsed = self.started.elapsed();
        let mut all = match self.sum {
            Some(sum) => sum.listing(self.files),
            None => empty(),
        };
        all.input = input;
        all.elapsed = elapsed;
        all
    }

    /// The number of inputs, and of those that were not done.
    fn input(&self) -> String {
        let count = self.files.len() + self.failed + self.skipped;
        let files = if count == 1 { "file" } else { "files" };
        let others = [
            (self.skipped, "skipped, as they exist"),
            (self.failed, "failed"),
        ];
        let others = others.into_iter().filter(|(count, _)| *count > 0);
        let parts = core::iter::once((count, files)).chain(others);
        let parts: Vec<String> = parts
            .map(|(count, what)| format!("{count} {what}"))
            .collect();
        parts.join(", ")
    }

    /// Whether all inputs were done and all their records are sound.
    fn is_sound(&self) -> bool {
        self.failed == 0 && self.files.iter().all(Summary::is_sound)
    }
}

/// Works on each input. The error of one is printed, and the run goes on, unless no input is done,
/// now or in a run before. `tell_of` prints what came of one; its errors end the run.
fn each<T>(
    inputs: &[T],
    skipped: usize,
    mut one: impl FnMut(&T) -> Result<Summary>,
    tell_of: impl Fn(&Summary) -> Result<()>,
) -> Result<Done> {
    let mut done = Done {
        files: Vec::new(),
        sum: None,
        failed: 0,
        skipped,
        started: Instant::now(),
    };
    for input in inputs {
        match one(input) {
            Ok(mut summary) => {
                tell_of(&summary)?;
                // In the summary of all.
                summary.tally.name_input(&summary.input);
                match &mut done.sum {
                    Some(sum) => sum.add(summary.clone()),
                    none => *none = Some(summary.clone()),
                }
                summary.settle();
                done.files.push(summary);
            }
            Err(error) if done.failed + 1 == inputs.len() + skipped => return Err(error),
            Err(error) => {
                done.failed += 1;
                tell(&format!("error: {}", described(&error)));
            }
        }
    }
    Ok(done)
}

/// An error of a job that names its input.
pub fn named(error: jobs::Error, input: &InputArgs) -> anyhow::Error {
    let name = input.input.as_deref().map(front::path).unwrap_or_default();
    let is_named = error.to_string().starts_with(&name);
    let error = anyhow::Error::new(error);
    if is_named { error } else { error.context(name) }
}

/// Prints a message.
fn tell(text: &str) {
    let _ = writeln!(io::stderr(), "swaplist: {text}");
}

/// The inputs of a command.
fn inputs<'a>(input: &'a InputArgs, more: &'a [PathBuf]) -> Vec<&'a Path> {
    let first = input.input.iter();
    first.chain(more).map(PathBuf::as_path).collect()
}

/// The same arguments with this input.
fn of_input(args: &InputArgs, path: &Path) -> InputArgs {
    InputArgs {
        input: Some(path.to_owned()),
        ..args.clone()
    }
}

/// Counts or validates each input, prints each result, and then that of all, with more text if it
/// is not JSON.
pub fn results(
    args: &InputArgs,
    more: &[PathBuf],
    side: &SideArgs,
    replace: bool,
    mut one: impl FnMut(&InputArgs) -> Result<Summary>,
    after: impl Fn(&Summary) -> String,
) -> Result<bool> {
    let inputs = inputs(args, more);
    let mut files = Files::new(&CANCEL);
    for path in &inputs {
        files.read(path);
    }
    let side = SideFiles::new(&mut files, side, replace)?;
    opened::must_be_open()?;
    if !args.quiet {
        for name in named_twice(&inputs) {
            tell(&format!("note: {name} is named twice and counts twice"));
        }
    }
    let one = |path: &&Path| one(&of_input(args, path));
    let tell_of = |summary: &Summary| {
        if args.json {
            return Ok(());
        }
        opened::print(&(summary.to_text() + "\n"))
    };
    let done = each(&inputs, 0, one, tell_of)?;
    let is_sound = done.is_sound();
    let all = done.all(Summary::default);
    side.write(&files, &all)?;
    opened::print_as(args.json, &all.to_json(), &(all.to_text() + &after(&all)))?;
    Ok(is_sound)
}

/// Files that are named more than once, by any path.
fn named_twice(inputs: &[&Path]) -> Vec<String> {
    let mut seen = BTreeSet::new();
    let mut is_again = |path: &Path| fs::canonicalize(path).is_ok_and(|path| !seen.insert(path));
    let again = inputs.iter().filter(|path| is_again(path));
    again.map(|path| front::path(path)).collect()
}

/// Files beside the outputs of all inputs.
struct SideFiles(Vec<(Output, Make)>);

impl SideFiles {
    fn new(files: &mut Files, args: &SideArgs, replace: bool) -> Result<SideFiles> {
        let mut side = Vec::new();
        for (path, make) in opened::side(args) {
            side.push((files.create(Some(path), replace, None)?, make));
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

/// Inputs that become a file each, of the same name in a folder.
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
    /// Runs a job on each file; `empty` is the summary if there is none. What became of each file is
    /// printed, as `became` says it. If the run fails, the folders that it made are removed, unless
    /// there is something in them.
    pub fn run(
        &self,
        one: impl FnMut(&InputArgs, &Path) -> Result<Summary>,
        became: impl Fn(&Summary) -> String,
        empty: impl FnOnce() -> Summary,
    ) -> Result<bool> {
        let missing = self.folder.ancestors().take_while(|at| !at.exists());
        let missing: Vec<_> = missing.collect();
        let done = self.run_all(one, became, empty);
        if done.is_err() {
            for made in missing {
                let _ = fs::remove_dir(made);
            }
        }
        done
    }

    fn run_all(
        &self,
        mut one: impl FnMut(&InputArgs, &Path) -> Result<Summary>,
        became: impl Fn(&Summary) -> String,
        empty: impl FnOnce() -> Summary,
    ) -> Result<bool> {
        let inputs = inputs(self.input, self.more);
        let mut pairs = pairs(&inputs, self.folder, self.to)?;
        if self.skip_existing {
            pairs.retain(|(_, output)| !output.exists());
        }
        let folder = front::path(self.folder);
        fs::create_dir_all(self.folder)
            .with_context(|| format!("cannot create the folder '{folder}'"))?;
        let mut files = Files::new(&CANCEL);
        for path in inputs.iter().copied().chain(self.config) {
            files.read(path);
        }
        let side = SideFiles::new(&mut files, self.side, self.output.force)?;
        if files.writes_stdout() {
            opened::must_be_open()?;
        }
        let skipped = inputs.len() - pairs.len();
        let one = |(input, output): &(&Path, PathBuf)| {
            let mut summary = one(&of_input(self.input, input), output)?;
            summary.formats = None;
            Ok(summary)
        };
        let tell_of = |summary: &Summary| {
            if !self.input.quiet {
                tell(&format!("{}: {}", summary.input, became(summary)));
            }
            Ok(())
        };
        let done = each(&pairs, skipped, one, tell_of)?;
        let is_sound = done.is_sound();
        let mut all = done.all(empty);
        all.output = folder;
        let on_stdout = files.writes_stdout();
        side.write(&files, &all)?;
        opened::print_summary(&all, self.input, on_stdout)?;
        Ok(is_sound)
    }
}

/// Pairs each input with its output.
fn pairs<'i>(
    inputs: &[&'i Path],
    folder: &Path,
    to: Option<Format>,
) -> Result<Vec<(&'i Path, PathBuf)>> {
    let mut names = BTreeSet::new();
    let mut pairs = Vec::new();
    for &input in inputs {
        let Some(name) = input.file_name().filter(|name| *name != "-") else {
            bail!("'{}' is not a file, name the files", front::path(input));
        };
        let output = folder.join(Output::renamed(Path::new(name), to));
        if !names.insert(output.clone()) {
            let name = front::path(&output);
            bail!("'{name}' would be written twice: two inputs have the same name");
        }
        pairs.push((input, output));
    }
    Ok(pairs)
}

/// The folder for the outputs, which several inputs need.
pub fn folder<'a>(folder: Option<&'a Path>, more: &[PathBuf]) -> Result<Option<&'a Path>> {
    match (folder, more.first()) {
        (None, Some(second)) => bail!(
            "{}: several inputs need --out-dir FOLDER, where each becomes a file of its own",
            front::path(second)
        ),
        (folder, _) => Ok(folder),
    }
}
