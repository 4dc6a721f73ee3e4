//! Mixing: makes a training set of several files.
//!
//! A [`Mix`] reads any number of inputs in any formats and writes one output, or several that share
//! the records: shuffled or interleaved, filtered, without duplicates, a sample or the first so
//! many. It prints nothing, and files are written atomically.
//!
//! ```
//! use std::path::Path;
//! use swaplist::Evaluator;
//! use swaplist::mix::{Identity, Mix, Options, Order};
//!
//! # let folder = tempfile::tempdir()?;
//! # let out = folder.path().join("all.viriformat");
//! let inputs = [Path::new("data/sample.binpack")];
//! let options = Options {
//!     order: Order::Shuffle,
//!     split: vec![95.0, 5.0],
//!     ..Options::default()
//! };
//! let mix = Mix::new(inputs, options)?.write_to(Some(&out))?; // all-1.viriformat, all-2.viriformat
//! let summary = mix.run(&Evaluator::cpu())?;
//! let [train, held_out] = &summary.outputs[..] else { panic!() };
//! assert_eq!(train.records + held_out.records, summary.inputs[0].records);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # How
//!
//! A shuffle takes two passes over the data. The first gives each record, or each game or chain
//! where these stay whole, a key: a hash of the seed and of its place in the inputs. It encodes it as
//! it will be written, and puts it into one of several temporary files, by the first bits of the
//! key. The second pass reads one of these files after the other, sorts it by the keys and appends
//! it to the output. So the output is in the order of the keys: every order is equally likely, and
//! it depends on the seed alone, not on memory, threads or the machine. Interleaving takes one pass
//! and no temporary files. Looking for duplicates takes a pass of its own before either.

#![allow(clippy::cast_precision_loss)] // sizes are estimates

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::time::Instant;

use crate::filter::Filter;
use crate::formats::Format;
use crate::jobs::error::{Error, ErrorKind, Result};
use crate::jobs::job::threads;
use crate::jobs::output::{Files, Output};
use crate::jobs::step::Yield;
use crate::jobs::tally::Tally;
use crate::jobs::{Cancel, pool, shown};
use crate::rules::choices;
use crate::{CpuPath, Evaluator};

mod buckets;
mod duplicates;
mod games;
mod interleave;
mod items;
mod key;
mod plan;
mod second;
mod sinks;
mod sort;
mod source;
mod summary;
mod task;

use buckets::{Buckets, Folder};
use duplicates::{Numbering, Survivors};
use interleave::{Batch, Clock, Lane};
use items::{Bits, Layout, MOST_PARTS};
use key::{Fingerprints, Share};
use plan::{Memory, Weight, free, on_one_disk, size, weigh};
use second::Queue;
use sinks::Sinks;
use source::{Opened, Source};
pub use summary::{InputSummary, OutputSummary, Summary};
pub(crate) use task::Mixed;
use task::{Joiner, Shared};

/// In which order records are written.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Order {
    /// Those of each input in its order, all inputs side by side: each is spread evenly over the
    /// output, by its length in bytes.
    #[default]
    Interleaved,
    /// The same, but of each input so many records, in proportion, until it ends: a weight above
    /// 0 for each.
    Weighted(Vec<f64>),
    /// At random, by the seed: every order is equally likely.
    Shuffle,
}

choices! {
    "identity",
    /// What makes two records duplicates of each other.
    pub enum Identity {
        /// The position, as far as the output's format holds it: the pieces, the side to move,
        /// castling rights and an en-passant square on which a capture is legal.
        Position = "position",
        /// The pieces on their squares, whoever moves.
        Placement = "placement",
    }
}

choices! {
    "split",
    /// What stays together when the records are split.
    #[derive(Default)]
    pub enum SplitBy {
        /// A position is in one output only, however often it is in the inputs. Castling rights and
        /// en passant do not count, and neither do the colours: a position and its mirror image stay
        /// together, in all formats.
        #[default]
        Position = "position",
        /// A game is in one output only.
        Game = "game",
    }
}

/// How a mix runs. By default, all records are interleaved into one output.
#[derive(Clone, Debug, Default)]
#[allow(clippy::struct_excessive_bools)] // switches that go together in any way
pub struct Options {
    /// The format of all inputs; by default that detected for each.
    pub from: Option<Format>,
    /// The format that is written; by default that of all inputs if the output's name fits it, or
    /// the one that the name tells.
    pub to: Option<Format>,
    /// The order.
    pub order: Order,
    /// The seed of everything that is drawn; by default 0. If there is one, it also draws which of
    /// several duplicates is left.
    pub seed: Option<u64>,
    /// Leaves out duplicates: of each position or placement the first record is left. The inputs
    /// are read twice.
    pub dedupe: Option<Identity>,
    /// The shares of the outputs, in any unit; empty for one output.
    pub split: Vec<f64>,
    /// What stays together.
    pub split_by: SplitBy,
    /// Leaves out what this filter does not keep.
    pub filter: Option<Filter>,
    /// Takes this share of the records, above 0 and up to 1, or of the games and chains if they stay
    /// whole.
    pub sample: Option<f64>,
    /// Ends once this many records were written to all outputs together.
    pub limit: Option<u64>,
    /// Writes each record by itself, also in formats of games or chains, which become much larger.
    /// By default these stay whole.
    pub records: bool,
    /// Leaves out records without a score, or with the score 32002, which means none.
    pub drop_unscored: bool,
    /// About how many bytes of memory sorting may take; by default [`DEFAULT_MEMORY`].
    pub memory: Option<u64>,
    /// The folder of temporary files; by default that of the output.
    pub temp: Option<PathBuf>,
    /// Whether existing outputs are replaced; by default that is an error.
    pub replace: bool,
    /// The level of compressed outputs, as in [`jobs::Options`](crate::jobs::Options).
    pub level: Option<u32>,
    /// Whether invalid records are skipped and counted; by default the first one is an error.
    pub skip_invalid: bool,
    /// The number of worker threads; by default one per core.
    pub threads: Option<usize>,
    /// The CPU's decoder; by default the fastest one.
    pub cpu_path: CpuPath,
}

/// Bytes of memory, unless told otherwise.
pub const DEFAULT_MEMORY: u64 = 2 << 30;
/// Less would need too many temporary files.
pub const LEAST_MEMORY: u64 = 16_000_000;

/// What a mix does with the data at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Pass {
    /// Reads all inputs to find duplicates.
    Duplicates,
    /// Reads all inputs and puts what is kept into temporary files.
    Deal,
    /// Reads the temporary files, and writes the outputs.
    Write,
    /// Reads all inputs and writes the outputs.
    Interleave,
}

impl Pass {
    /// What it does, in a word or two.
    pub const fn name(self) -> &'static str {
        match self {
            Pass::Duplicates => "finding duplicates",
            Pass::Deal => "reading",
            Pass::Write => "writing",
            Pass::Interleave => "interleaving",
        }
    }
}

/// What a running mix tells; see [`Mix::watch`].
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Event<'a> {
    /// A note to the user, such as fields that the target format cannot hold.
    Note(&'a str),
    /// What the outputs and temporary files will weigh, before the mix begins.
    Weight(&'a str),
    /// How far a pass is. `Break` cancels the mix.
    Progress {
        /// The pass.
        pass: Pass,
        /// Records read in this pass, or written by the last one.
        records: u64,
        /// Bytes done, of the inputs before decompression or of temporary files.
        bytes: u64,
        /// Of so many; 0 if that is not known.
        of: u64,
    },
}

type Watch<'a> = Box<dyn FnMut(Event<'_>) -> ControlFlow<()> + Send + 'a>;

/// Mixes files; see the [module](crate::mix).
#[must_use]
pub struct Mix<'a> {
    options: Options,
    sources: Vec<Source>,
    outputs: Vec<Output>,
    /// The folder of the first output.
    folder: Option<PathBuf>,
    files: Files,
    teller: Teller<'a>,
}

/// Tells notes and progress, and whether to go on.
struct Teller<'a> {
    watch: Mutex<Watch<'a>>,
    cancel: Cancel,
}

impl Teller<'_> {
    fn tell(&self, event: Event<'_>) -> Result<()> {
        let mut watch = self.watch.lock().unwrap_or_else(PoisonError::into_inner);
        if watch(event).is_break() || self.cancel.is_cancelled() {
            return Err(Error::cancelled());
        }
        Ok(())
    }

    fn note(&self, text: &str) -> Result<()> {
        self.tell(Event::Note(text))
    }
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
        options: Options,
    ) -> Result<Mix<'a>> {
        let mut files = Files::default();
        let mut sources = Vec::new();
        for path in inputs {
            let source = Source::open(path.as_ref(), options.from)?;
            match &source.path {
                Some(path) => files.read(path),
                None => files.read_stdin(),
            }
            sources.push(source);
        }
        let mix = Mix {
            options,
            sources,
            outputs: Vec::new(),
            folder: None,
            files,
            teller: Teller {
                watch: Mutex::new(Box::new(|_| ControlFlow::Continue(()))),
                cancel: Cancel::default(),
            },
        };
        mix.check()?;
        Ok(mix)
    }

    /// Refuses options that contradict each other or the inputs.
    fn check(&self) -> Result<()> {
        let Options {
            order,
            dedupe,
            split,
            sample,
            memory,
            ..
        } = &self.options;
        let refuse = |message: String| Err(Error::refused(message));
        let streams = self.sources.iter().filter(|source| source.is_stream());
        let stream = streams.clone().next().map(|source| &source.name);
        if self.sources.is_empty() {
            return refuse("there is no input to mix".to_owned());
        }
        if streams.count() > 1 && self.sources.iter().filter(|at| at.path.is_none()).count() > 1 {
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
        if let Order::Weighted(weights) = order {
            let is_weight = |weight: &f64| weight.is_finite() && *weight > 0.0;
            if weights.len() != self.sources.len() || !weights.iter().all(is_weight) {
                return refuse("there must be a weight above 0 for each input".to_owned());
            }
        }
        let is_share = |share: &f64| share.is_finite() && *share > 0.0;
        if split.len() == 1 || split.len() > MOST_PARTS || !split.iter().all(is_share) {
            return refuse(format!(
                "a split needs 2 to {MOST_PARTS} shares, all above 0, such as 95:5"
            ));
        }
        if sample.is_some_and(|sample| !(sample > 0.0 && sample <= 1.0)) {
            return refuse("a sample is a share above 0 and up to 1".to_owned());
        }
        if memory.is_some_and(|memory| memory < LEAST_MEMORY) {
            return refuse(format!(
                "at least {} of memory are needed",
                size(LEAST_MEMORY as f64)
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
        self.teller.watch = Mutex::new(Box::new(watch));
        self
    }

    /// What may cancel the mix. Call it before the methods that create outputs.
    pub fn cancelled_by(mut self, cancel: &Cancel) -> Mix<'a> {
        self.files.cancel = cancel.clone();
        self.teller.cancel = cancel.clone();
        self
    }

    /// Registers another file that is read, which no output may replace.
    pub fn reads(mut self, path: &Path) -> Mix<'a> {
        self.files.read(path);
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
            let (s, count) = (if shares == 1 { "" } else { "s" }, paths.len());
            return Err(Error::refused(format!(
                "the split has {shares} share{s}, but the number of outputs is {count}"
            )));
        }
        self.create(paths.iter().map(|path| Some(path.as_ref())))
    }

    fn create<'p>(mut self, paths: impl IntoIterator<Item = Option<&'p Path>>) -> Result<Mix<'a>> {
        let Options { replace, level, .. } = self.options;
        for path in paths {
            self.outputs.push(self.files.create(path, replace, level)?);
            if let Some(path) = path
                && self.folder.is_none()
            {
                let folder = path
                    .parent()
                    .filter(|folder| !folder.as_os_str().is_empty());
                self.folder = Some(folder.unwrap_or(Path::new(".")).to_owned());
            }
        }
        Ok(self)
    }

    /// Whether there is a filter, for which the evaluator answers.
    pub const fn filters(&self) -> bool {
        self.options.filter.is_some()
    }

    /// Whether data goes to standard output.
    pub fn writes_stdout(&self) -> bool {
        self.files.writes_stdout()
    }

    /// Runs the mix. The evaluator answers for the filter, if there is one.
    ///
    /// # Errors
    ///
    /// An [`Error`] of any kind; then no output file is left, and no temporary one.
    pub fn run(mut self, evaluator: &Evaluator) -> Result<Summary> {
        let started = Instant::now();
        let to = self.format()?;
        let mut run = Run::new(&mut self, to)?;
        run.find_duplicates(evaluator)?;
        let outputs = core::mem::take(&mut run.mix.outputs);
        let mut sinks = Sinks::new(outputs, to, run.shared.layout, run.mix.options.limit);
        if run.mix.options.order == Order::Shuffle {
            run.shuffle(evaluator, &mut sinks)?;
        } else {
            run.interleave(evaluator, &mut sinks)?;
        }
        sinks.flush()?;
        let mut summary = run.summary(&mut sinks)?;
        summary.elapsed = started.elapsed();
        summary.evaluated_by(evaluator);
        self.files
            .finish(sinks.sinks.into_iter().map(|sink| sink.output))?;
        Ok(summary)
    }

    /// The format that is written.
    fn format(&self) -> Result<Format> {
        let first = self.sources[0].format;
        let common = self.sources.iter().all(|source| source.format == first);
        let Some(output) = self.outputs.first() else {
            return Err(Error::refused("there is no output"));
        };
        let is_named_so = |format: Format| output.check_name(format, false).is_ok();
        let common = Some(first).filter(|format| common && format.is_convertible_to());
        let fitting = common.filter(|format| is_named_so(*format));
        let named = || output.named_format().or(common);
        let Some(to) = self.options.to.or(fitting).or_else(named) else {
            let name = output.quoted();
            let message = format!("the name of {name} does not tell the format");
            return Err(Error::new(ErrorKind::Unnamed, message));
        };
        if !to.is_convertible_to() {
            let message = format!("{} can only be read", to.name());
            return Err(Error::new(ErrorKind::ReadOnly, message));
        }
        for output in &self.outputs {
            output.check_name(to, self.options.to.is_some())?;
            if !to.is_text() && output.is_terminal {
                let message = format!("{} is binary and not for a terminal", to.name());
                return Err(Error::new(ErrorKind::Terminal, message));
            }
        }
        Ok(to)
    }
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

/// A mix while it runs.
struct Run<'m, 'a> {
    mix: &'m mut Mix<'a>,
    to: Format,
    shared: Arc<Shared>,
    memory: Memory,
    /// The same for looking for duplicates.
    memory_of_scan: Memory,
    folder: Folder,
    threads: usize,
    /// Of each input.
    tallies: Vec<Tally>,
}

impl<'m, 'a> Run<'m, 'a> {
    /// Prepares a run: what it will weigh, and how it is divided.
    fn new(mix: &'m mut Mix<'a>, to: Format) -> Result<Run<'m, 'a>> {
        let options = mix.options.clone();
        let is_whole = to.units().is_some() && !options.records;
        let layout = match to.record_bytes() {
            Some(bytes) => Layout::Fixed(bytes),
            None => Layout::Sized,
        };
        let all: f64 = options.split.iter().sum();
        let mut sum = 0.0;
        let mut sides: Vec<Share> = Vec::new();
        for share in options.split.iter().take(options.split.len().max(1) - 1) {
            sum += share;
            sides.push(Share::of(sum / all));
        }
        let plain = Shared {
            seed: options.seed.unwrap_or(0),
            filter: None,
            sample: None,
            sides: Vec::new(),
            by: options.split_by,
            drops_unscored: options.drop_unscored,
            is_whole,
            shuffles: options.order == Order::Shuffle,
            layout,
            bits: Bits(0),
            fingerprints: None,
            survivors: None,
        };
        let threads = threads(options.threads);
        let folder = options.temp.clone().or(mix.folder.clone());
        let folder = Folder(folder.unwrap_or_else(std::env::temp_dir));
        let mut run = Run {
            tallies: mix.sources.iter().map(|_| Tally::default()).collect(),
            mix,
            to,
            shared: Arc::new(plain),
            memory: Memory::new(LEAST_MEMORY, threads, None),
            memory_of_scan: Memory::new(LEAST_MEMORY, threads, None),
            folder,
            threads,
        };
        let stores = options.order == Order::Shuffle || options.dedupe.is_some();
        if stores && !run.folder.0.is_dir() {
            let folder = shown::path(&run.folder.0);
            return Err(Error::refused(format!(
                "there is no folder '{folder}' for temporary files"
            )));
        }
        run.tell_losses()?;
        let weight = run.weigh()?;
        run.tell_weight(weight.as_ref())?;
        let memory = options.memory.unwrap_or(DEFAULT_MEMORY);
        let items = weight.map(|weight| weight.temporary);
        run.memory = Memory::new(memory, threads, items);
        let entries = weight.map(|weight| weight.records * duplicates::ENTRY as f64);
        run.memory_of_scan = Memory::new(memory, threads, entries);
        let bits = match options.order {
            Order::Shuffle => run.memory.bits,
            _ => Bits(0),
        };
        let shared = run.shared()?;
        shared.filter.clone_from(&options.filter);
        shared.sample = options.sample.map(Share::of);
        shared.sides = sides;
        shared.bits = bits;
        shared.fingerprints = options.dedupe.map(|by| Fingerprints::new(by, to));
        Ok(run)
    }

    /// Notes what gets lost, and refuses what cannot be written.
    fn tell_losses(&self) -> Result<()> {
        let mix = &self.mix;
        let extension = mix.outputs.first().and_then(Output::extension);
        for (i, source) in mix.sources.iter().enumerate() {
            for loss in source.check(self.to, &mix.options, extension.as_deref())? {
                mix.teller.note(&format!("{}: {loss}", source.name))?;
            }
            let is_same = |other: &&Source| source.path.is_some() && is_same_file(source, other);
            if let Some(other) = mix.sources[..i].iter().find(is_same) {
                mix.teller.note(&format!(
                    "{} is the same file as {}: its records are taken twice",
                    source.name, other.name
                ))?;
            }
        }
        Ok(())
    }

    /// What all inputs weigh; `None` if one is a stream.
    fn weigh(&mut self) -> Result<Option<Weight>> {
        let mut all = Weight::default();
        let (options, shared) = (self.mix.options.clone(), Arc::clone(&self.shared));
        for source in &mut self.mix.sources {
            let Some(one) = weigh(source, self.to, &options, &shared)? else {
                return Ok(None);
            };
            all.bytes += one.bytes;
            all.records += one.records;
            all.written += one.written;
            all.temporary += one.temporary;
        }
        let mut taken = options.sample.unwrap_or(1.0);
        all.temporary *= taken;
        if let Some(limit) = options.limit {
            taken = taken.min(limit as f64 / all.records.max(1.0));
        }
        all.written *= taken;
        Ok(Some(all))
    }

    /// Notes what the mix will weigh, and refuses it if there is no room.
    fn tell_weight(&self, weight: Option<&Weight>) -> Result<()> {
        let (mix, options) = (&self.mix, &self.mix.options);
        let Some(weight) = weight else {
            return mix
                .teller
                .note("the size of the output is not known beforehand, as an input is a stream");
        };
        let by_filter =
            options.filter.is_some() || options.dedupe.is_some() || options.drop_unscored;
        let most = if by_filter { "at most" } else { "about" };
        let shuffles = options.order == Order::Shuffle;
        let of_scan = match options.dedupe {
            Some(_) => weight.records * duplicates::ENTRY as f64,
            None => 0.0,
        };
        let temporary = of_scan.max(if shuffles { weight.temporary } else { 0.0 });
        let compressed = mix.outputs.iter().any(Output::compresses);
        let before = if compressed {
            " before compression"
        } else {
            ""
        };
        let output = size(weight.written);
        // Where positions go, games and chains begin anew.
        let breaks =
            by_filter || !options.split.is_empty() && options.split_by == SplitBy::Position;
        let single = self
            .to
            .row()
            .single_bytes
            .filter(|_| breaks && self.shared.is_whole);
        let mut text = match (single, self.to.units()) {
            (Some(single), Some(units)) => {
                let most = size(weight.records * single as f64);
                format!(
                    "the output will weigh about {output}{before} as a whole, and up to {most} as \
                     positions go that break up {units}"
                )
            }
            _ => format!("the output will weigh {most} {output}{before}"),
        };
        if temporary > 0.0 {
            let folder = shown::path(&self.folder.0);
            let temporary = size(temporary);
            text = format!("{text}, and temporary files in '{folder}' {temporary}");
        }
        mix.teller.tell(Event::Weight(&text))?;
        if let Some(units) = self.to.units().filter(|_| options.records) {
            let name = self.to.name();
            mix.teller.note(&format!(
                "each record is written by itself: {name} is much smaller with whole {units}"
            ))?;
        }
        let certain = !by_filter && !compressed;
        let target = mix.folder.as_deref();
        let one_disk = target.is_some_and(|target| on_one_disk(target, &self.folder.0));
        let mut needs = Vec::new();
        if let Some(target) = target {
            let most = if one_disk {
                weight.written.max(temporary)
            } else {
                weight.written
            };
            needs.push((target, most, certain || temporary >= weight.written));
        }
        if !one_disk && temporary > 0.0 {
            needs.push((&self.folder.0, temporary, !by_filter));
        }
        for (folder, bytes, certain) in needs {
            let Some(free) = free(folder).map(|free| free as f64) else {
                continue;
            };
            // Sizes are told by each input's first block.
            if bytes <= free {
                continue;
            }
            let folder = shown::path(folder);
            let (bytes, left) = (size(bytes), size(free));
            let text = format!("'{folder}' has {left} left, and {most} {bytes} are needed");
            if certain && bytes_exceed(weight, free) {
                return Err(Error::refused(format!(
                    "{text}; make room, choose another folder, or take fewer records"
                )));
            }
            mix.teller.note(&text)?;
        }
        Ok(())
    }

    /// Opens an input to be read once.
    fn read(&mut self, number: usize, threads: usize) -> Result<Opened> {
        let (options, shared) = (self.mix.options.clone(), Arc::clone(&self.shared));
        self.mix.sources[number].read(number, self.to, &options, &shared, threads)
    }

    /// The evaluator, if there is something to ask.
    fn asked<'e>(&self, evaluator: &'e Evaluator) -> Option<&'e Evaluator> {
        self.mix.options.filter.as_ref().map(|_| evaluator)
    }

    /// Reads all inputs, one after the other.
    fn read_all(
        &mut self,
        pass: Pass,
        evaluator: &Evaluator,
        mut take: impl FnMut(usize, &mut Yield) -> Result<()> + Send,
    ) -> Result<()> {
        let lengths = self.mix.sources.iter().map(Source::length);
        let of: Option<u64> = lengths.sum();
        let (mut before, mut records) = (0, 0);
        for number in 0..self.mix.sources.len() {
            let Opened {
                work,
                reader,
                plans,
            } = self.read(number, self.threads)?;
            let mut tally = Tally::default();
            let evaluator = self.asked(evaluator);
            let teller = &self.mix.teller;
            let source = &self.mix.sources[number];
            let read = source.counter();
            pool::run(&work, reader, plans, evaluator, |done| {
                take(number, done)?;
                records += done.tally.records;
                tally.add(core::mem::take(&mut done.tally));
                teller.tell(Event::Progress {
                    pass,
                    records,
                    bytes: before + read.load(Ordering::Relaxed),
                    of: of.unwrap_or(0),
                })
            })?;
            before += source.length().unwrap_or_else(|| source.bytes_read());
            self.finish_input(number, pass, tally)?;
        }
        Ok(())
    }

    /// Keeps the counts of an input; notes if it is empty.
    fn finish_input(&mut self, number: usize, pass: Pass, mut tally: Tally) -> Result<()> {
        let mine = &mut self.tallies[number];
        if self.shared.survivors.is_some() {
            // The filter was applied before; what was lost is known.
            mine.held = tally.held;
            return Ok(());
        }
        tally.held = if pass == Pass::Duplicates {
            0
        } else {
            tally.held
        };
        *mine = tally;
        // With a limit, it may not have been read.
        if mine.records + mine.invalid == 0 && self.mix.options.limit.is_none() {
            let name = &self.mix.sources[number].name;
            let what = if mine.bytes == 0 {
                "is empty"
            } else {
                "holds no records"
            };
            self.mix.teller.note(&format!("{name}: the input {what}"))?;
        }
        Ok(())
    }

    /// Looks for duplicates, if they go.
    fn find_duplicates(&mut self, evaluator: &Evaluator) -> Result<()> {
        if self.shared.fingerprints.is_none() {
            return Ok(());
        }
        let of_run = self.shared.bits;
        let allowed = self.mix.options.memory.unwrap_or(DEFAULT_MEMORY);
        let memory = self.memory_of_scan;
        self.shared()?.bits = memory.bits;
        let folder = self.folder.clone();
        let mut buckets = Buckets::new(&folder, memory.bits, memory.buffers);
        let mut numbering = Numbering::default();
        let mut current = None;
        self.read_all(Pass::Duplicates, evaluator, |number, done| {
            while current.is_none_or(|current| current < number) {
                numbering.begin();
                current = Some(current.map_or(0, |current| current + 1));
            }
            for items in &mut done.mixed.items {
                duplicates::number(items, numbering.records);
                buckets.append(items)?;
            }
            if !done.is_part {
                numbering.add(done.mixed.start, done.tally.records);
            }
            Ok(())
        })?;
        let inputs = self.mix.sources.len();
        (current.map_or(0, |current| current + 1)..inputs).for_each(|_| numbering.begin());
        let needed = numbering.records / 8;
        if needed > allowed / 2 {
            return Err(Error::refused(format!(
                "finding duplicates takes a bit of memory for each record; allow at least {}",
                size(needed as f64 * 2.0)
            )));
        }
        let survivors = Survivors::new(numbering, self.mix.options.seed);
        let most = memory.most;
        let queue = Queue::new(buckets, &folder, most);
        let key_at = |_, bytes: &[u8]| duplicates::key_at(bytes);
        let cancel = &self.mix.files.cancel;
        second::each(queue, memory.threads, key_at, |mut bucket, _| {
            if cancel.is_cancelled() {
                return Err(Error::cancelled());
            }
            if bucket.bytes > most {
                return survivors.decide_large(&mut bucket, &folder);
            }
            let mut bytes = Vec::new();
            bucket.read(&folder, &mut bytes)?;
            survivors.decide(&mut bytes);
            Ok(())
        })?;
        let shared = self.shared()?;
        shared.bits = of_run;
        shared.survivors = Some(survivors);
        Ok(())
    }

    /// What the tasks share, while no input is read.
    fn shared(&mut self) -> Result<&mut Shared> {
        Arc::get_mut(&mut self.shared).ok_or_else(Error::panicked)
    }

    /// Shuffles in two passes.
    fn shuffle(&mut self, evaluator: &Evaluator, sinks: &mut Sinks) -> Result<()> {
        let layout = self.shared.layout;
        let folder = self.folder.clone();
        let mut buckets = Buckets::new(&folder, self.shared.bits, self.memory.buffers);
        let mut joiners: Vec<Joiner> = Vec::new();
        joiners.resize_with(self.mix.sources.len(), Joiner::default);
        self.read_all(Pass::Deal, evaluator, |number, done| {
            joiners[number].join(layout, &mut done.mixed, done.is_part);
            done.mixed
                .items
                .iter()
                .try_for_each(|items| buckets.append(items))
        })?;
        let of = buckets.bytes();
        let queue = Queue::new(buckets, &folder, self.memory.most);
        let with_order = self.mix.options.limit.is_some() && sinks.sinks.len() > 1;
        let teller = &self.mix.teller;
        let mut done = 0;
        second::write(
            queue,
            layout,
            self.memory.threads,
            with_order,
            sinks,
            |sinks, bytes| {
                done += bytes;
                teller.tell(Event::Progress {
                    pass: Pass::Write,
                    records: sinks.records(),
                    bytes: done,
                    of,
                })
            },
        )
    }

    /// Interleaves in one pass, with threads of its own for each input.
    fn interleave(&mut self, evaluator: &Evaluator, sinks: &mut Sinks) -> Result<()> {
        let count = self.mix.sources.len();
        let mut clocks = Vec::new();
        for (i, source) in self.mix.sources.iter_mut().enumerate() {
            clocks.push(match &self.mix.options.order {
                Order::Weighted(weights) => Clock::Weight {
                    weight: weights[i],
                    records: 0,
                },
                _ if count == 1 => Clock::Share { length: 1 },
                _ => Clock::Share {
                    length: source.decompressed_length()?,
                },
            });
        }
        let threads = self.threads.div_ceil(count);
        let opened: Vec<Opened> = (0..count)
            .map(|number| self.read(number, threads))
            .collect::<Result<_>>()?;
        let (layout, asked) = (self.shared.layout, self.asked(evaluator));
        let (mix, mut lanes) = (&*self.mix, Vec::new());
        let teller = &mix.teller;
        let of: Option<u64> = mix.sources.iter().map(Source::length).sum();
        let (tallies, ends) = std::thread::scope(|scope| {
            let mut readers = Vec::new();
            for (opened, clock) in opened.into_iter().zip(clocks) {
                let (sender, batches) = mpsc::sync_channel(2);
                lanes.push(Lane::new(batches, clock));
                readers.push(scope.spawn(move || read_lane(opened, asked, layout, &sender)));
            }
            let ends = interleave::merge(layout, lanes, sinks, |sinks| {
                teller.tell(Event::Progress {
                    pass: Pass::Interleave,
                    records: sinks.records(),
                    bytes: mix.sources.iter().map(Source::bytes_read).sum(),
                    of: of.unwrap_or(0),
                })
            });
            let tallies = readers.into_iter().map(std::thread::ScopedJoinHandle::join);
            let tallies: Vec<Tally> = tallies.map(Result::unwrap_or_default).collect();
            (tallies, ends)
        });
        let ends = ends?;
        for (number, tally) in tallies.into_iter().enumerate() {
            self.finish_input(number, Pass::Interleave, tally)?;
        }
        self.tell_ends(&ends, sinks.records())
    }

    /// Notes which inputs ended early, if they were interleaved by weight.
    fn tell_ends(&self, ends: &[u64], written: u64) -> Result<()> {
        if !matches!(self.mix.options.order, Order::Weighted(_)) {
            return Ok(());
        }
        for (source, &end) in self.mix.sources.iter().zip(ends) {
            // The last ones end together.
            if end > 0 && end < written - written / 100 {
                let (end, name) = (shown::grouped(end), &source.name);
                self.mix.teller.note(&format!(
                    "{name} has no more records: all are among the first {end} of the output"
                ))?;
            }
        }
        Ok(())
    }

    fn summary(&mut self, sinks: &mut Sinks) -> Result<Summary> {
        let mut outputs = Vec::new();
        for sink in &mut sinks.sinks {
            let packed = sink.output.end()?;
            outputs.push(OutputSummary {
                name: sink.output.name().to_owned(),
                records: sink.records,
                bytes: sink.output.written,
                packed,
            });
        }
        let gone = |number: usize| match &self.shared.survivors {
            Some(survivors) => survivors.gone[number].load(Ordering::Relaxed),
            None => 0,
        };
        let inputs = self
            .mix
            .sources
            .iter()
            .zip(core::mem::take(&mut self.tallies));
        let inputs = inputs
            .enumerate()
            .map(|(number, (source, tally))| InputSummary {
                name: source.name.clone(),
                format: source.format,
                records: tally.records,
                duplicates: gone(number),
                tally,
            });
        Ok(Summary::new(
            &self.mix.options,
            self.to,
            inputs.collect(),
            outputs,
        ))
    }
}

/// Whether the bytes needed are surely more than those that are free.
fn bytes_exceed(weight: &Weight, free: f64) -> bool {
    weight.written * 0.9 > free || weight.temporary * 0.9 > free
}

fn is_same_file(one: &Source, other: &Source) -> bool {
    let canonical = |source: &Source| std::fs::canonicalize(source.path.as_ref()?).ok();
    canonical(one).is_some() && canonical(one) == canonical(other)
}

/// Reads an input and hands on its items, until nobody takes them.
fn read_lane(
    opened: Opened,
    evaluator: Option<&Evaluator>,
    layout: Layout,
    sender: &mpsc::SyncSender<Result<Batch>>,
) -> Tally {
    let Opened {
        work,
        reader,
        plans,
    } = opened;
    let (mut tally, mut joiner, mut first) = (Tally::default(), Joiner::default(), 0);
    let ran = pool::run(&work, reader, plans, evaluator, |done| {
        joiner.join(layout, &mut done.mixed, done.is_part);
        let items = core::mem::take(&mut done.mixed.items);
        let batch = Batch { items, first };
        first += done.tally.bytes;
        tally.add(core::mem::take(&mut done.tally));
        sender.send(Ok(batch)).map_err(|_| Error::cancelled())
    });
    if let Err(error) = ran {
        // If nobody listens, the mix has ended.
        let _ = sender.send(Err(error));
    }
    tally
}
