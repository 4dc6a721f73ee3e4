//! A job: input, outputs and options.

use std::io::{self, Write};
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use super::block_output::{BlockOutput, Made};
use super::cancel::Cancel;
use super::chunks::Chunks;
use super::error::{Error, ErrorKind, Result};
use super::input::Input;
use super::output::{Files, Output};
use super::plan::Plans;
use super::pool;
use super::run_context::RunContext;
use super::summary::{Mode, ResultSide, Summary};
use super::tally::Tally;
use super::task::Task;
use crate::formats::{
    Codec, Field, Format, LabelColumns, LabelledFields, Reader, Scale, VALUE_NONE,
};
use swaplist::{BackendChoice, CpuPath, Evaluator};

/// How a job runs. By default all is found out: formats, level, threads, backend.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools)] // switches that go together in any way
pub struct Options {
    /// The format of the input; by default the one detected.
    pub from: Option<Format>,
    /// The name of the column of the FEN, in any case, if the input is a table; by default `fen`
    /// or, if there is none, `epd`.
    pub fen_column: Option<String>,
    /// The columns of the score and the result, if the input is a table; by default they are not
    /// read.
    pub labels: LabelColumns,
    /// The format that is written; by default the input's for a filter, and for a conversion the
    /// one that the output's name tells.
    pub to: Option<Format>,
    /// What becomes of records that a filter does not keep; by default what suits the format.
    pub mode: Option<Mode>,
    /// A filter ends once this many records were kept, 1 or more.
    pub limit: Option<u64>,
    /// A conversion leaves out records without a score, which includes the score 32002. By default
    /// they are written without one if the target format has a way to say so, else refused.
    pub drop_unscored: bool,
    /// A conversion gives them this score instead, from the side to move's view.
    pub score: Option<i16>,
    /// A filter and a conversion multiply the scores that they read, before any rule looks at them.
    /// Then records are made anew, also in the input's own format.
    pub scale: Option<Scale>,
    /// Castling rights that the format written cannot hold are dropped and counted, and the records
    /// that castle by one are left out and counted. By default records with such rights are
    /// invalid.
    pub drop_castling: bool,
    /// Whether a filter also counts the records read and kept, which needs the verdicts of all.
    pub counts: bool,
    /// Whether a count also tells what matters to training: plies, squares of the kings, results by
    /// score, lengths of games, and duplicates. It takes about twice as long.
    pub data: bool,
    /// Whether existing outputs are replaced; by default that is an error.
    pub replace: bool,
    /// The level of compressed outputs: 1 to 22 for `.zst`, 3 by default, and 1 to 9 for `.gz`, 6
    /// by default.
    pub level: Option<u32>,
    /// Whether invalid records are skipped and counted; by default the first one is an error.
    pub skip_invalid: bool,
    /// The number of worker threads; by default one per core.
    pub threads: Option<usize>,
    /// The CPU's decoder; by default the fastest one.
    pub cpu_path: CpuPath,
    /// What computes, for [`filter`](super::filter()); jobs get an [`Evaluator`].
    pub backend: BackendChoice,
}

/// The number of threads asked for, or one per core.
pub fn threads(asked: Option<usize>) -> usize {
    let cores = || std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
    asked.unwrap_or_else(cores).max(1)
}

/// The formats read and written, and how records are converted.
#[derive(Clone, Copy)]
pub(crate) struct Conversion {
    pub from: Format,
    pub to: Format,
    /// The fields that records of a table have because their columns are named.
    pub labelled: LabelledFields,
    /// Whether records without a score are left out.
    pub drops_unscored: bool,
    /// The score that they get.
    pub score: Option<i16>,
    /// What brings all scores into another unit.
    pub scale: Option<Scale>,
    /// Whether castling rights that the format written cannot hold are dropped.
    pub drops_castling: bool,
    /// Whether illegal played moves are errors, even if records are copied.
    pub checks_moves: bool,
}

impl Conversion {
    /// Whether records are written as they were read.
    pub fn copies(self) -> bool {
        self.from == self.to && self.scale.is_none()
    }

    /// Whether records that are read can have a field.
    pub fn holds(self, field: Field) -> bool {
        self.from.holds(field) || self.labelled.has(field)
    }

    /// The fields that are written anew, not copied with their records.
    pub fn written(self) -> impl Iterator<Item = Field> {
        let is_written = move |field: &Field| !self.copies() && self.to.writes(*field);
        Field::ALL.into_iter().filter(is_written)
    }

    /// An error if it is impossible for these formats.
    pub fn codec(self, codec: Codec) -> Result<Codec> {
        let codec = codec.labelling(self.labelled);
        let mut codec = if self.copies() {
            codec
        } else {
            self.check_scale()?;
            codec.rewriting_to(self.to)?
        };
        if let Some(scale) = self.scale {
            codec = codec.scaling(scale);
        }
        codec.target.omits_unscored = self.drops_unscored;
        codec.target.drops_castling = self.drops_castling;
        if let Some(score) = self.score {
            codec.target.unscored = Some(score.into());
        }
        if self.checks_moves {
            codec = codec.checking_moves();
        }
        Ok(codec)
    }

    /// Refuses to multiply scores where there are none, or where records can only be copied.
    fn check_scale(self) -> Result<()> {
        let Conversion { from, to, .. } = self;
        if self.scale.is_none() {
            return Ok(());
        }
        let name = from.name();
        if !self.holds(Field::Score) {
            return Err(Error::refused(format!(
                "{name} holds no score, so there is none to multiply"
            )));
        }
        if from == to && !to.is_convertible_to() {
            return Err(Error::refused(format!(
                "records of {name} can only be copied, so their scores cannot be multiplied; \
                 write another format"
            )));
        }
        Ok(())
    }

    /// What became of records without a score, for the summary.
    pub fn became(self) -> String {
        match self.score {
            _ if self.drops_unscored => "dropped".to_owned(),
            _ if self.copies() => "copied".to_owned(),
            None if self.to.is_text() && !self.to.skips_unscored() => {
                "written without a score".to_owned()
            }
            score => format!("written as {}", score.unwrap_or(VALUE_NONE)),
        }
    }
}

/// What a running job tells; see [`Job::watch`].
///
/// ```
/// use std::ops::ControlFlow;
/// use swaplist_files::jobs::{ErrorKind, Event, Input, Job, Options};
///
/// let fens = "4k3/8/8/8/8/8/8/4K3 w - -\n".repeat(10);
/// let job = Job::new(Input::reader("ten", std::io::Cursor::new(fens))?, Options::default())?;
/// let no_more_than_5 = |event: Event<'_>| match event {
///     Event::Progress { records: 6.., .. } => ControlFlow::Break(()),
///     _ => ControlFlow::Continue(()),
/// };
/// let error = job.watch(no_more_than_5).validate().unwrap_err();
/// assert_eq!(*error.kind(), ErrorKind::Cancelled);
/// # Ok::<(), swaplist_files::jobs::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub enum Event<'a> {
    /// A note to the user, such as fields that the target format cannot hold.
    Note(&'a str),
    /// A block is done. `Break` cancels the job.
    Progress {
        /// Valid records done so far, in all blocks together.
        records: u64,
        /// Bytes of the input read so far, before decompression.
        bytes: u64,
    },
}

type Watch<'a> = Box<dyn FnMut(Event<'_>) -> ControlFlow<()> + Send + 'a>;

/// Makes the content of a side file from the summary.
type Beside<'a> = Box<dyn FnOnce(&Summary) -> String + 'a>;

/// A job on all records of an input. Set it up, then run it by one of [`filter`](Job::filter),
/// [`convert`](Job::convert), [`count`](Job::count), [`validate`](Job::validate),
/// [`score`](Job::score) and [`verdict`](Job::verdict).
///
/// Output files get their names together, once all are complete.
#[must_use]
pub struct Job<'a> {
    pub(crate) options: Options,
    pub(crate) input: Input,
    pub(crate) converting: Conversion,
    pub(crate) output: Output,
    pub(crate) rejects: Option<Output>,
    beside: Vec<(Output, Beside<'a>)>,
    pub(crate) files: Files,
    watch: Watch<'a>,
}

impl<'a> Job<'a> {
    /// A job on an input.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::UnknownFormat`], or a read error.
    pub fn new(mut input: Input, options: Options) -> Result<Job<'a>> {
        let named_column = options.fen_column.as_deref().or(options.labels.any());
        let from = input.format_with(options.from, named_column)?;
        let labelled = options.labels.fields();
        let mut files = Files::default();
        if let Some(path) = &input.path {
            files.read(path);
        } else if input.is_stdin {
            files.read_stdin();
        }
        let converting = Conversion {
            from,
            to: from,
            drops_unscored: false,
            score: None,
            scale: None,
            labelled,
            drops_castling: false,
            checks_moves: false,
        };
        Ok(Job {
            options,
            input,
            converting,
            output: Output::to("nowhere", io::sink()),
            rejects: None,
            beside: Vec::new(),
            files,
            watch: Box::new(|_| ControlFlow::Continue(())),
        })
    }

    /// Sets the callback for notes and progress.
    pub fn watch(mut self, watch: impl FnMut(Event<'_>) -> ControlFlow<()> + Send + 'a) -> Job<'a> {
        self.watch = Box::new(watch);
        self
    }

    pub(crate) fn note(&mut self, text: &str) {
        let _ = (self.watch)(Event::Note(text));
    }

    /// What may cancel the job. Call it before the methods that create outputs.
    pub fn cancelled_by(mut self, cancel: &Cancel) -> Job<'a> {
        self.files.cancel = cancel.clone();
        self
    }

    /// Registers another file that is read, which no output may replace.
    pub fn reads(mut self, path: &Path) -> Job<'a> {
        self.files.read(path);
        self
    }

    /// Writes the output atomically to a file, or to standard output for `-` and `None`. The
    /// name decides the compression. Without an output, nothing is written.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Exists`], [`ErrorKind::Level`], or a write error.
    pub fn write_to(mut self, path: Option<&Path>) -> Result<Job<'a>> {
        let Options { replace, level, .. } = self.options;
        self.output = self.files.create(path, replace, level)?;
        self.note_leftovers();
        Ok(self)
    }

    /// Writes the output to any writer, under a name for messages.
    pub fn write_into(mut self, name: &str, writer: impl Write + Send + 'static) -> Job<'a> {
        self.output = Output::to(name, writer);
        self
    }

    /// Also writes the records that a filter does not keep to a file.
    ///
    /// # Errors
    ///
    /// Like [`Job::write_to`].
    pub fn rejects_to(mut self, path: &Path) -> Result<Job<'a>> {
        self.rejects = Some(self.side(path)?);
        Ok(self)
    }

    /// Writes a side file made from the summary.
    ///
    /// # Errors
    ///
    /// Like [`Job::write_to`].
    pub fn beside(
        mut self,
        path: &Path,
        make: impl FnOnce(&Summary) -> String + 'a,
    ) -> Result<Job<'a>> {
        let output = self.side(path)?;
        self.beside.push((output, Box::new(make)));
        Ok(self)
    }

    fn side(&mut self, path: &Path) -> Result<Output> {
        // One level for all compressed outputs.
        let level = self.options.level.filter(|_| Output::would_compress(path));
        let output = self.files.create(Some(path), self.options.replace, level)?;
        self.note_leftovers();
        Ok(output)
    }

    /// Notes the temporary files beside an output that earlier runs left.
    fn note_leftovers(&mut self) {
        if let Some(note) = self.files.leftovers_note() {
            self.note(&note);
        }
    }

    /// Whether data goes to standard output.
    pub fn writes_stdout(&self) -> bool {
        self.files.writes_stdout()
    }

    pub(crate) fn open<M: Made>(
        &mut self,
        task: Box<dyn Task<M>>,
        on_gpu: bool,
    ) -> Result<(Reader<'static>, Plans, RunContext<M>)> {
        let Conversion { from, to, .. } = self.converting;
        let spec = task.spec();
        let threads = threads(self.options.threads);
        let converts = !self.converting.copies();
        let rewrites = task.recipe().is_some();
        let plans = Plans::new(from, threads, &spec, converts, rewrites);
        let stream = core::mem::replace(&mut self.input.stream, Box::new(io::empty()));
        let block_bytes = plans.now(on_gpu).block_bytes;
        let (mut reader, _) = from.open(stream, block_bytes);
        reader.set_fen_column(self.options.fen_column.clone());
        reader.set_label_columns(self.options.labels.clone());
        let required = spec.required.and(self.converting.written());
        let codec = from.codec_on(self.options.cpu_path).requiring(required);
        if let Some(part) = &self.input.part {
            reader.start_at(part.first, part.columns);
            self.refuse_part(spec.limit)?;
        }
        let context = RunContext {
            name: self.input.name.clone(),
            codec: self.converting.codec(codec)?,
            task,
            spec,
            skip_invalid: self.options.skip_invalid,
        };
        Ok((reader.of_whole_games(from, to), plans, context))
    }

    /// Refuses what depends on other parts of a file.
    fn refuse_part(&self, limit: Option<u64>) -> Result<()> {
        let Conversion { from, to, .. } = self.converting;
        let why = match to.units() {
            _ if limit.is_some() => "a limit counts from the file's start".to_owned(),
            Some(units) if from != to => {
                format!("{units} of {} may go on in the next part", to.name())
            }
            _ => return Ok(()),
        };
        let name = &self.input.name;
        Err(Error::refused(format!(
            "'{name}' cannot be worked on in parts: {why}"
        )))
    }

    pub(crate) fn run(
        mut self,
        task: impl Task + 'static,
        header: &[u8],
        evaluator: Option<&Evaluator>,
    ) -> Result<Summary> {
        let started = Instant::now();
        if let Some(note) = self.options.labels.note() {
            self.note(note);
        }
        let on_gpu = evaluator.is_some_and(Evaluator::uses_gpu);
        let (reader, plans, context) = self.open(Box::new(task), on_gpu)?;
        self.output.write(header)?;
        let mut tally = Tally::default();
        let made = (!self.converting.copies()).then_some(self.converting.to);
        let mut chunks = [(); 2].map(|()| Chunks::of(made));
        // Whether an output failed or the job was cancelled, rather than the input.
        let mut has_stopped = false;
        let ran = pool::run(&context, reader, plans, evaluator, |done| {
            write(done, &mut chunks, &mut self.output, self.rejects.as_mut())
                .inspect_err(|_| has_stopped = true)?;
            tally.add(core::mem::take(&mut done.tally));
            let progress = (self.watch)(Event::Progress {
                records: tally.records,
                bytes: self.input.read.load(Ordering::Relaxed),
            });
            if progress.is_break() || self.files.cancel.is_cancelled() {
                has_stopped = true;
                return Err(Error::cancelled());
            }
            Ok(())
        });
        // What comes before an error of the input is written, as far as somebody reads it.
        let ended = if has_stopped {
            ran
        } else {
            let written = end(&mut chunks, &mut self.output, self.rejects.as_mut());
            ran.and(written)
        };
        match ended {
            Err(error) if context.spec.finds_faults && *error.kind() == ErrorKind::Broken => {
                tally.faults.broken = Some(error);
            }
            Err(error) => return Err(self.input.doubt(error, self.options.from)),
            Ok(()) => {}
        }
        let is_whole = self.input.part.is_none();
        if is_whole && tally.records + tally.invalid == 0 && tally.faults.broken.is_none() {
            self.note(if tally.bytes == 0 {
                "the input is empty"
            } else {
                "the input holds no records"
            });
        }
        let drops_unscored = self.converting.drops_unscored;
        if drops_unscored && tally.unscored == tally.records && tally.records > 0 {
            self.note("no record has a score: all were dropped");
        }
        tally.written = self.output.written;
        tally.written_compressed = self.output.end()?;
        let mut summary = self.summary(&context, self.output.name(), tally, started.elapsed());
        if let Some(evaluator) = evaluator {
            summary.evaluated_by(evaluator);
        }
        let target = self.output.target();
        let written = target
            .map(|_| format!("; '{}' is written", self.output.name()))
            .unwrap_or_default();
        let mut outputs = vec![self.output];
        outputs.extend(self.rejects);
        // A side file that cannot be written does not undo the run.
        let mut side = Ok(());
        for (mut output, make) in self.beside {
            match output.write(make(&summary).as_bytes()) {
                Ok(()) => outputs.push(output),
                Err(error) => side = Err(error.and(&written)),
            }
        }
        self.files.finish(outputs)?;
        side.map(|()| summary)
    }

    pub(crate) fn summary(
        &self,
        context: &RunContext,
        output: &str,
        mut tally: Tally,
        elapsed: Duration,
    ) -> Summary {
        let Conversion { from, to, .. } = self.converting;
        tally.bytes_compressed = tally.bytes_compressed.or_else(|| self.input.packed());
        let mut summary = Summary {
            job: context.spec.job,
            input: self.input.name.clone(),
            output: output.to_owned(),
            formats: Some([from, to]),
            unscored: self.converting.became(),
            scale: self.converting.scale,
            elapsed,
            tally,
            threads: threads(self.options.threads),
            rules: context.spec.rules,
            result_side: ResultSide::of(from),
            ..Summary::default()
        };
        context.task.sum_up(&mut summary);
        summary
    }
}

/// Writes what a block has become.
fn write(
    done: &BlockOutput,
    [of_output, of_rejects]: &mut [Chunks; 2],
    output: &mut Output,
    rejects: Option<&mut Output>,
) -> Result<()> {
    let [open, open_rejects] = &done.open;
    let written = of_output.write(&done.data, open, output);
    let Some(rejects) = rejects else {
        return written;
    };
    let both = written.and_then(|()| of_rejects.write(&done.rejects, open_rejects, rejects));
    both.map_err(incomplete)
}

/// Writes what is left after the last block.
fn end(
    [of_output, of_rejects]: &mut [Chunks; 2],
    output: &mut Output,
    rejects: Option<&mut Output>,
) -> Result<()> {
    let written = of_output.end(output);
    let Some(rejects) = rejects else {
        return written;
    };
    let both = written.and_then(|()| of_rejects.end(rejects));
    both.map_err(incomplete)
}

/// A reader may close one of two outputs, but then the other would be incomplete.
fn incomplete(error: Error) -> Error {
    error.with_kind(ErrorKind::Refused)
}
