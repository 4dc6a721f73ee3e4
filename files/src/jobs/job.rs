//! A job: input, outputs and options.

use std::io::{self, Write};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use super::block_output::{BlockOutput, Made};
use super::caller::{Caller, Event};
use super::chunks::Chunks;
use super::conversion::Conversion;
use super::error::{Error, ErrorKind, Result};
use super::input::Input;
use super::options::{Options, thread_count};
use super::output::Output;
use super::plan::Plans;
use super::pool;
use super::run_context::RunContext;
use super::summary::{ResultSide, Summary};
use super::tally::Tally;
use super::task::Task;
use crate::formats::Reader;
use swaplist::{Choice, Evaluator};

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
    pub(crate) caller: Caller<'a, Summary>,
}

impl<'a> Job<'a> {
    /// A job on an input.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::UnknownFormat`], [`ErrorKind::Refused`] for a limit of 0, or a read error.
    pub fn new(mut input: Input, options: Options) -> Result<Job<'a>> {
        options.check()?;
        let named_column = options.fen_column.as_deref().or(options.labels.any());
        let from = input.format(options.from, named_column)?;
        let labelled = options.labels.fields();
        let mut caller = Caller::new(&options);
        if let Some(path) = &input.path {
            caller.files.read(path);
        } else if input.is_stdin {
            caller.files.read_stdin();
        }
        let converting = Conversion {
            from,
            to: from,
            drops_unscored: false,
            writes_dropped: false,
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
            caller,
        })
    }

    /// Sets the callback for notes and progress.
    pub fn watch(mut self, watch: impl FnMut(Event<'_>) -> ControlFlow<()> + Send + 'a) -> Job<'a> {
        self.caller.watch(watch);
        self
    }

    /// Writes the output atomically to a file, or to standard output for `-` and `None`. The
    /// name decides the compression. Without an output, nothing is written.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Exists`], [`ErrorKind::Level`], or a write error.
    pub fn write_to(mut self, path: Option<&Path>) -> Result<Job<'a>> {
        self.output = self.caller.create(path)?;
        self.caller.note_leftovers();
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
        self.rejects = Some(self.caller.side(path)?);
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
        self.caller.beside(path, make)?;
        Ok(self)
    }

    /// Whether data goes to standard output.
    pub fn writes_stdout(&self) -> bool {
        self.caller.files.writes_stdout()
    }

    /// Opens the input for a task: the reader of its blocks, the plans for the CPU and for a GPU, and
    /// what all threads of the run share. `on_gpu` says by which of the plans the first blocks are read.
    pub(crate) fn open<M: Made>(
        &mut self,
        task: Box<dyn Task<M>>,
        on_gpu: bool,
    ) -> Result<(Reader<'static>, Plans, RunContext<M>)> {
        let Conversion { from, to, .. } = self.converting;
        let spec = task.spec();
        let threads = thread_count(self.options.threads);
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
        Ok((reader.whole_games(from, to), plans, context))
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

    /// Runs a task on all records. Its output is written after the header.
    pub(crate) fn run(
        mut self,
        task: impl Task + 'static,
        header: &[u8],
        evaluator: Option<&Evaluator>,
    ) -> Result<Summary> {
        let started = Instant::now();
        if let Some(note) = self.options.labels.note() {
            self.caller.teller.note(note);
        }
        let on_gpu = evaluator.is_some_and(Evaluator::uses_gpu);
        let (reader, plans, context) = self.open(Box::new(task), on_gpu)?;
        self.output.write(header)?;
        let mut tally = Tally::default();
        // Copied records stay in the input's chunks. Only a conversion makes chunks of its own.
        let made = (!self.converting.copies()).then_some(self.converting.to);
        let mut chunks = [(); 2].map(|()| Chunks::for_format(made));
        // Whether an output failed or the job was cancelled, rather than the input.
        let mut has_stopped = false;
        let length = self.input.length.unwrap_or(0);
        let ran = pool::run(&context, reader, plans, evaluator, |done| {
            write(done, &mut chunks, &mut self.output, self.rejects.as_mut())
                .and_then(|()| {
                    tally += core::mem::take(&mut done.tally);
                    self.caller.teller.tell(Event::Progress {
                        pass: None,
                        records: tally.records,
                        bytes: self.input.read.load(Ordering::Relaxed),
                        of: length,
                    })
                })
                .inspect_err(|_| has_stopped = true)
        });
        // What comes before an error of the input is written, as far as somebody reads it.
        let ended = if has_stopped {
            ran
        } else {
            let written = end(&mut chunks, &mut self.output, self.rejects.as_mut());
            ran.and(written)
        };
        match ended {
            // `validate` reports a broken input as a fault of the data, and does not fail.
            Err(error) if context.spec.finds_faults && *error.kind() == ErrorKind::Broken => {
                tally.faults.broken = Some(error);
            }
            Err(error) => return Err(self.input.doubt(error, self.options.from)),
            Ok(()) => {}
        }
        let is_whole = self.input.part.is_none();
        if is_whole && tally.records + tally.invalid == 0 && tally.faults.broken.is_none() {
            self.caller.teller.note(if tally.bytes == 0 {
                "the input is empty"
            } else {
                "the input holds no records"
            });
        }
        let drops_unscored = self.converting.drops_unscored;
        if drops_unscored && tally.unscored == tally.records && tally.records > 0 {
            self.caller
                .teller
                .note("no record has a score: all were dropped");
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
        self.caller.finish(outputs, &summary, &written)?;
        Ok(summary)
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
            threads: thread_count(self.options.threads),
            rules: context.spec.rules,
            result_side: ResultSide::from_format(from),
            ..Summary::default()
        };
        context.task.sum_up(&mut summary);
        summary
    }
}

/// Writes the output of a block, and the records that were rejected.
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

/// The error of one of two outputs. Where there is one output, whoever reads it may close it early,
/// which is not a failure. Where there are two, the other one would be incomplete.
fn incomplete(error: Error) -> Error {
    error.with_kind(ErrorKind::Refused)
}
