//! Setting up a mix: its inputs are opened, its outputs created under temporary names, and options
//! that contradict each other or the inputs are refused. [`Mix::run`] then calls the passes.

#![allow(clippy::cast_precision_loss)] // a size is shown rounded

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use super::games;
use super::items::MOST_PARTS;
use super::options::{LEAST_MEMORY, MixOptions, Order, SplitBy};
use super::source::Source;
use super::summary::MixSummary;
use crate::filter::Preset;
use crate::formats::Format;
use crate::jobs::caller::{Caller, Event};
use crate::jobs::error::{Error, ErrorKind, Result};
use crate::jobs::output::Output;
use crate::report;
use swaplist::Choice;

/// Mixes files; see the [module](crate::mix).
#[must_use]
pub struct Mix<'a> {
    pub(super) options: MixOptions,
    pub(super) sources: Vec<Source>,
    /// The files whose positions are left out.
    pub(super) excluded: Vec<Source>,
    pub(super) outputs: Vec<Output>,
    /// The folder of each output; `None` for one that is a stream or a device.
    pub(super) folders: Vec<Option<PathBuf>>,
    pub(super) caller: Caller<'a, MixSummary>,
}

impl<'a> Mix<'a> {
    /// Opens the inputs; `-` is standard input.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::UnknownFormat`], a read error, or [`ErrorKind::Refused`] for options that
    /// contradict each other.
    pub fn new(
        inputs: impl IntoIterator<Item = impl AsRef<Path>>,
        options: MixOptions,
    ) -> Result<Mix<'a>> {
        let mut caller = Caller::new(&options.job);
        let mut sources = Vec::new();
        let mut scales = options.scales.iter();
        for path in inputs {
            let mut source = Source::open(path.as_ref(), &options)?;
            source.scale = scales.next().copied().flatten();
            match &source.path {
                Some(path) => caller.files.read(path),
                None => caller.files.read_stdin(),
            }
            sources.push(source);
        }
        let names_column = options.job.fen_column.is_some() || options.job.labels.any().is_some();
        let mut named = sources
            .iter()
            .filter(|source| source.fen_column.is_some() || source.labels.any().is_some());
        if names_column && named.next().is_none() {
            return Err(Error::refused(
                "no input is a table (csv), so there is no column to name",
            ));
        }
        let mut excluded = Vec::new();
        for path in &options.exclude {
            excluded.push(Source::open_any(path, options.job.from)?);
            caller.files.read(path);
        }
        let mix = Mix {
            options,
            sources,
            excluded,
            outputs: Vec::new(),
            folders: Vec::new(),
            caller,
        };
        mix.check()?;
        Ok(mix)
    }

    /// Refuses options that contradict each other or the inputs.
    fn check(&self) -> Result<()> {
        let MixOptions {
            job,
            order,
            dedupe,
            split,
            sample,
            memory,
            ..
        } = &self.options;
        job.check()?;
        if job.mode.is_some()
            || job.score.is_some()
            || job.scale.is_some()
            || job.counts
            || job.data
        {
            return Err(Error::refused(
                "mode, score, scale, counts and data are options of other jobs than a mix, which \
                 has scales",
            ));
        }
        let refuse = |message: String| Err(Error::refused(message));
        let stream = self
            .sources
            .iter()
            .find(|source| source.is_stream())
            .map(|source| &source.name);
        if self.sources.is_empty() {
            return refuse("there is no input to mix".to_owned());
        }
        let stdins = self.sources.iter().filter(|source| source.path.is_none());
        if stdins.count() > 1 {
            return refuse("standard input is named twice and can be read only once".to_owned());
        }
        if let (Some(name), Some(_)) = (stream, dedupe) {
            return refuse(format!(
                "to find duplicates, inputs are read twice, which {name} cannot be; write it to a \
                 file first"
            ));
        }
        if let Some(name) = stream
            && *order == Order::Interleaved
            && self.sources.len() > 1
        {
            return refuse(format!(
                "interleaving needs the size of each input, and {name} has none; shuffle, give \
                 weights, or write it to a file first"
            ));
        }
        if let Order::Weighted(weights) = order
            && (weights.len() != self.sources.len() || !are_finite_and_above_0(weights))
        {
            return refuse("there must be a weight above 0 for each input".to_owned());
        }
        if !self.options.scales.is_empty() && self.options.scales.len() != self.sources.len() {
            return refuse("there must be a scale, or none, for each input".to_owned());
        }
        if split.len() == 1 || split.len() > MOST_PARTS || !are_finite_and_above_0(split) {
            return refuse(format!(
                "a split needs 2 to {MOST_PARTS} shares, all above 0, such as 95:5"
            ));
        }
        if !split.iter().sum::<f64>().is_finite() {
            return refuse(
                "the shares of a split are too large to add up, take smaller ones such as 95:5"
                    .to_owned(),
            );
        }
        if sample.is_some_and(|sample| !(sample > 0.0 && sample <= 1.0)) {
            return refuse("a sample is a share above 0 and up to 1".to_owned());
        }
        if memory.is_some_and(|memory| memory < LEAST_MEMORY) {
            return refuse(format!(
                "at least {} of memory are needed",
                report::size(LEAST_MEMORY as f64)
            ));
        }
        let by_game = !split.is_empty() && self.options.split_by == SplitBy::Game;
        let mut sources = self.sources.iter();
        if let Some(source) = sources.find(|source| by_game && !games::tells_games(source.format)) {
            return refuse(format!(
                "'{}' cannot be split by game: {} does not tell which records are of one game; \
                 split by position, or mix the games from which it was made",
                source.name,
                source.format.name()
            ));
        }
        Ok(())
    }

    /// Sets the callback for notes and progress.
    pub fn watch(mut self, watch: impl FnMut(Event<'_>) -> ControlFlow<()> + Send + 'a) -> Mix<'a> {
        self.caller.watch(watch);
        self
    }

    /// Writes to a file, or to standard output for `-` and `None`. If the mix is split, the outputs
    /// are named by number: `all.data` becomes `all-1.data`, `all-2.data` and so on.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Exists`], [`ErrorKind::Level`], or a write error.
    pub fn write_to(self, path: Option<&Path>) -> Result<Mix<'a>> {
        let count = self.options.split.len();
        match path.filter(|path| *path != Path::new("-")) {
            Some(path) if count > 1 => {
                let names = (1..=count).map(|number| numbered(path, number));
                self.write_each(names.collect::<Vec<_>>())
            }
            None if count > 1 => Err(Error::refused(
                "a split cannot go to standard output, name a file",
            )),
            path => self.create([path]),
        }
    }

    /// Writes to these files, one for each share of the split.
    ///
    /// # Errors
    ///
    /// Like [`Mix::write_to`].
    pub fn write_each(self, paths: impl IntoIterator<Item = impl AsRef<Path>>) -> Result<Mix<'a>> {
        let paths: Vec<_> = paths.into_iter().collect();
        let shares = self.options.split.len().max(1);
        if paths.len() != shares {
            let s = if shares == 1 { "" } else { "s" };
            let count = paths.len();
            return Err(Error::refused(format!(
                "the split has {shares} share{s}, but the number of outputs is {count}"
            )));
        }
        self.create(paths.iter().map(|path| Some(path.as_ref())))
    }

    fn create<'p>(mut self, paths: impl IntoIterator<Item = Option<&'p Path>>) -> Result<Mix<'a>> {
        for path in paths {
            self.outputs.push(self.caller.create(path)?);
            self.folders
                .push(path.and_then(folder_of).map(Path::to_owned));
        }
        self.caller.note_leftovers();
        Ok(self)
    }

    /// Writes a side file made from the summary. Call it after the methods that create outputs.
    ///
    /// # Errors
    ///
    /// Like [`Mix::write_to`].
    pub fn beside(
        mut self,
        path: &Path,
        make: impl FnOnce(&MixSummary) -> String + 'a,
    ) -> Result<Mix<'a>> {
        self.caller.beside(path, make)?;
        Ok(self)
    }

    /// Adds the rule about placeholders to the filter, if in this format they would be scores like
    /// all others.
    pub(super) fn drop_placeholders(&mut self, to: Format) {
        let mut sources = self.sources.iter();
        if sources.any(|source| source.format.hides_placeholders_in(to)) {
            let filter = self.options.filter.take();
            let filter = filter.unwrap_or_else(|| Preset::None.filter());
            self.options.filter = Some(filter.without_placeholders());
        }
    }

    /// Whether data goes to standard output.
    pub fn writes_stdout(&self) -> bool {
        self.caller.files.writes_stdout()
    }

    /// The format that is written.
    pub(super) fn format(&self) -> Result<Format> {
        let first = self.sources[0].format;
        let is_common = self.sources.iter().all(|source| source.format == first);
        let Some(output) = self.outputs.first() else {
            return Err(Error::refused("there is no output"));
        };
        let common = Some(first).filter(|format| is_common && format.is_convertible_to());
        let fitting = common.filter(|format| output.check_name(*format, None).is_ok());
        let by_name = output.named_format().or(common);
        let Some(to) = self.options.job.to.or(fitting).or(by_name) else {
            let name = output.quoted();
            let message = format!("the name of {name} does not tell the format");
            return Err(Error::new(ErrorKind::Unnamed, message));
        };
        if !to.is_convertible_to() {
            let message = format!("{} can only be read", to.name());
            return Err(Error::new(ErrorKind::ReadOnly, message));
        }
        for output in &self.outputs {
            output.check_name(to, self.options.job.to)?;
            if !to.is_text() && output.is_terminal {
                let message = format!("{} is binary and not for a terminal", to.name());
                return Err(Error::new(ErrorKind::Terminal, message));
            }
        }
        Ok(to)
    }
}

fn are_finite_and_above_0(numbers: &[f64]) -> bool {
    numbers
        .iter()
        .all(|number| number.is_finite() && *number > 0.0)
}

/// The folder of an output. `None` beside `/dev/null` or a pipe: that is no place for temporary
/// files.
fn folder_of(path: &Path) -> Option<&Path> {
    if path.exists() && !path.is_file() {
        return None;
    }
    let parent = path.parent()?;
    let is_here = parent.as_os_str().is_empty();
    Some(if is_here { Path::new(".") } else { parent })
}

/// A file's name with a number before its extensions.
fn numbered(path: &Path, number: usize) -> PathBuf {
    let (stem, compression) = crate::formats::compressed::Compression::split(path);
    let mut name = stem.file_stem().unwrap_or_default().to_owned();
    name.push(format!("-{number}"));
    if let Some(extension) = stem.extension() {
        name.push(".");
        name.push(extension);
    }
    if let Some(extension) = path.extension().filter(|_| compression.is_some()) {
        name.push(".");
        name.push(extension);
    }
    path.with_file_name(name)
}
