//! Many files, each to a file of the same name in another folder.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use swaplist::Evaluator;
use swaplist::formats::Format;

use super::{Job, Mode, Side, missing};
use crate::cli::Answer;
use crate::cli::counts;
use crate::cli::input::split_compression;
use crate::cli::leftovers;
use crate::cli::options::{InputArgs, OutputArgs};
use crate::cli::output::{self, Output, Taken};
use crate::cli::progress::Total;
use crate::cli::shown;
use crate::cli::stream::Ended;
use crate::cli::summary::{EITHER_MODE, Tally};

impl Job<'_> {
    /// One progress, one summary. What is wrong with a file is said, and the
    /// others are gone on with.
    pub(super) fn many(&self, folder: &Path) -> Result<Answer> {
        let args = self.args;
        let inputs: Vec<&PathBuf> = args.input.input.iter().chain(&args.more).collect();
        let pairs = self.pairs(&inputs, folder)?;
        fs::create_dir_all(folder)
            .with_context(|| format!("cannot create the folder '{}'", shown::path(folder)))?;
        let (side, on_stdout) = self.side(&inputs)?;
        leftovers::will_look_in(folder);
        leftovers::note(args.input.quiet);
        let evaluator = args.backend.evaluator(self.threads, args.input.quiet)?;
        let sizes = inputs.iter().filter_map(|input| fs::metadata(input).ok());
        let bytes = sizes.map(|metadata| metadata.len()).sum();
        let mut total = Total::new(bytes, args.input.quiet);
        let mut tally = Tally::default();
        let mut modes = BTreeSet::new();
        let mut wins_of = BTreeSet::new();
        let mut failed = 0;
        let mut unscored = String::new();
        for (input, output) in &pairs {
            match self.one(input, output, &evaluator, &total, side.wants_counts()) {
                Ok((mut ended, mode)) => {
                    let messages = &mut ended.tally.messages;
                    let named = |message: &String| format!("{}, {message}", shown::path(input));
                    *messages = messages.iter().map(named).collect();
                    tally.add(ended.tally);
                    unscored = ended.unscored;
                    wins_of.insert(counts::wins_of(ended.formats[0]));
                    modes.insert(mode.name());
                }
                Err(error) => {
                    failed += 1;
                    let error = shown::text(&format!("{error:#}"));
                    total.say(&format!("swaplist: error: {error}"));
                }
            }
            total.done[0] += fs::metadata(input).map_or(0, |metadata| metadata.len());
            total.done[1] = tally.records;
        }
        total.finish();
        let sound = failed == 0 && tally.invalid == 0;
        let ended = Ended {
            input: files(pairs.len(), failed),
            output: shown::path(folder),
            tally,
            elapsed: total.elapsed(),
            formats: [Format::default(); 2],
            unscored,
            outputs: Vec::new(),
            on_stdout,
        };
        let mode = match modes.len() {
            0 | 1 => modes.pop_first().unwrap_or(Mode::Drop.name()),
            _ => EITHER_MODE,
        };
        let wins_of = match wins_of.len() {
            0 | 1 => wins_of.pop_first().unwrap_or(counts::WHITE),
            _ => counts::EITHER,
        };
        // Each file has its own.
        self.close(ended, None, &evaluator, mode, wins_of, side)?;
        Ok(if sound { Answer::Yes } else { Answer::No })
    }

    /// Each input with its output.
    fn pairs<'i>(&self, inputs: &[&'i PathBuf], folder: &Path) -> Result<Vec<(&'i Path, PathBuf)>> {
        let mut names = BTreeSet::new();
        let mut pairs = Vec::new();
        for input in inputs {
            let Some(name) = input.file_name().filter(|name| *name != "-") else {
                bail!("'{}' is no file, name the files", shown::path(input));
            };
            let output = folder.join(output_name(name, self.args.to));
            if !names.insert(output.clone()) {
                let name = shown::path(&output);
                bail!("'{name}' would be written twice: two inputs have the same name");
            }
            pairs.push((input.as_path(), output));
        }
        Ok(pairs)
    }

    /// Whether one of them goes to standard output, too.
    fn side(&self, inputs: &[&PathBuf]) -> Result<(Side, bool)> {
        let mut taken = Taken::default();
        for input in inputs {
            taken.add(Some(input), None);
        }
        let mut open = |path: &Option<PathBuf>| {
            let opened = path
                .as_deref()
                .map(|path| Output::open(Some(path), self.args.output.force, &taken))
                .transpose()?;
            if let Some(output) = &opened {
                leftovers::will_look_beside(output);
            }
            taken.add(path.as_deref(), None);
            anyhow::Ok(opened)
        };
        let side = Side {
            stats: open(&self.args.stats)?,
            page: open(&self.args.report)?,
        };
        Ok((side, taken.writes_stdout()))
    }

    fn one(
        &self,
        input: &Path,
        output: &Path,
        evaluator: &Evaluator,
        total: &Total,
        count: bool,
    ) -> Result<(Ended, Mode)> {
        let input = InputArgs {
            input: Some(input.to_owned()),
            ..self.args.input.clone()
        };
        let output = OutputArgs {
            output: Some(output.to_owned()),
            ..self.args.output.clone()
        };
        let mut stream = self.open(&input, &output)?;
        stream.total = Some(total.clone());
        let name = stream.input_name().to_owned();
        let named = || name.clone();
        missing::refuse(self.filter, &stream)?;
        stream.write_records(self.args.to).with_context(named)?;
        let mode = self.mode(&stream).with_context(named)?;
        let mut ended = self.stream(stream, evaluator, mode, None, count)?;
        output::finish_some(ended.outputs.drain(..))?;
        Ok((ended, mode))
    }
}

/// The input's name, with another extension for another format.
fn output_name(name: &OsStr, to: Option<Format>) -> PathBuf {
    let name = Path::new(name);
    let Some(to) = to else {
        return name.to_owned();
    };
    let (stem, compression) = split_compression(name);
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
