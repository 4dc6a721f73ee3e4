//! A job: input, outputs and settings.

use std::io;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use super::cancel::Cancel;
use super::converting::{Converting, Unscored};
use super::error::{Error, ErrorKind, Result};
use super::input::Input;
use super::output::{Files, Output};
use super::pipeline::{self, Done, Needs, Plans, Source, Task};
use super::summary::{EvaluatorSummary, Summary, result_side};
use super::tally::Tally;
use super::watch::{Event, Watch};
use crate::formats::{Codec, Format, Reader, whole_games};
use crate::{CpuPath, Evaluator};

/// Makes the content of a side file from the summary.
type Beside<'a> = Box<dyn FnOnce(&Summary) -> Result<Vec<u8>> + 'a>;

/// A job on all records of an input. Set it up, then run it by one of [`filter`](Job::filter),
/// [`convert`](Job::convert), [`count`](Job::count), [`validate`](Job::validate),
/// [`score`](Job::score) and [`verdict`](Job::verdict).
///
/// Output files get their names together, once all are complete.
pub struct Job<'a> {
    /// The number of worker threads; by default one per core.
    pub threads: usize,
    /// Whether invalid records are skipped and counted; by default the first one is an error.
    pub skip_invalid: bool,
    /// The CPU's decoder; by default the fastest one.
    pub cpu_path: CpuPath,
    pub(super) input: Input,
    pub(super) converting: Converting,
    pub(super) output: Output,
    pub(super) rejects: Option<Output>,
    beside: Vec<(Output, Beside<'a>)>,
    files: Files,
    level: Option<u32>,
    watch: Watch<'a>,
}

impl<'a> Job<'a> {
    /// A job on an input, in this format or the detected one.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::UnknownFormat`], or a read error.
    pub fn new(mut input: Input, from: Option<Format>) -> Result<Job<'a>> {
        let from = input.format(from)?;
        let cores = std::thread::available_parallelism();
        let mut files = Files::default();
        if let Some(path) = &input.path {
            files.read(path);
        } else if input.is_stdin {
            files.read_stdin();
        }
        Ok(Job {
            threads: cores.map_or(1, core::num::NonZeroUsize::get),
            skip_invalid: false,
            cpu_path: CpuPath::best(),
            input,
            converting: Converting {
                from,
                to: from,
                unscored: Unscored::Kept,
                checks_moves: false,
            },
            output: Output::nowhere(),
            rejects: None,
            beside: Vec::new(),
            files,
            level: None,
            watch: Box::new(|_| ControlFlow::Continue(())),
        })
    }

    /// Sets the callback for notes and progress.
    #[must_use]
    pub fn watch(mut self, watch: impl FnMut(Event<'_>) -> ControlFlow<()> + Send + 'a) -> Job<'a> {
        self.watch = Box::new(watch);
        self
    }

    pub(super) fn note(&mut self, text: &str) {
        let _ = (self.watch)(Event::Note(text));
    }

    /// What may cancel the job. Call it before the methods that create outputs.
    #[must_use]
    pub fn cancelled_by(mut self, cancel: &Cancel) -> Job<'a> {
        self.files.cancel = cancel.clone();
        self
    }

    /// Writes the output atomically to a file, or to standard output for `-` and `None`. The
    /// name decides the compression, `level` its level. An existing file is replaced only if
    /// `replace` is set. Without an output, nothing is written.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Exists`], [`ErrorKind::Level`], or a write error.
    pub fn write_to(
        mut self,
        path: Option<&Path>,
        replace: bool,
        level: Option<u32>,
    ) -> Result<Job<'a>> {
        self.level = level;
        self.output = self.files.create(path, replace, level)?;
        Ok(self)
    }

    /// Writes the output to any writer.
    #[must_use]
    pub fn write_into(mut self, output: Output) -> Job<'a> {
        self.output = output;
        self
    }

    /// Also writes the records that a filter does not keep to a file.
    ///
    /// # Errors
    ///
    /// Like [`Job::write_to`].
    pub fn rejects_to(mut self, path: &Path, replace: bool) -> Result<Job<'a>> {
        self.rejects = Some(self.side(path, replace)?);
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
        replace: bool,
        make: impl FnOnce(&Summary) -> Result<Vec<u8>> + 'a,
    ) -> Result<Job<'a>> {
        let output = self.side(path, replace)?;
        self.beside.push((output, Box::new(make)));
        Ok(self)
    }

    fn side(&mut self, path: &Path, replace: bool) -> Result<Output> {
        // One level for all compressed outputs.
        let level = self.level.filter(|_| Output::would_compress(path));
        self.files.create(Some(path), replace, level)
    }

    /// The format of the input.
    #[must_use]
    pub const fn format(&self) -> Format {
        self.converting.from
    }

    /// The format that the output's name asks for.
    #[must_use]
    pub fn named_format(&self) -> Option<Format> {
        self.output.named_format()
    }

    /// Whether data goes to standard output.
    #[must_use]
    pub fn writes_stdout(&self) -> bool {
        self.files.writes_stdout()
    }

    /// Opens the input and the output's encoder.
    pub(super) fn open(&mut self, block_bytes: usize) -> Result<(Box<dyn Reader>, Codec)> {
        let Converting { from, to, .. } = self.converting;
        let stream = core::mem::replace(&mut self.input.stream, Box::new(io::empty()));
        let (reader, codec) = from.open_on(self.cpu_path, stream, block_bytes);
        Ok((whole_games(reader, from, to), self.converting.codec(codec)?))
    }

    /// Runs a task on all records, in order.
    pub(super) fn run(
        mut self,
        job: &'static str,
        task: &dyn Task,
        header: &[u8],
        evaluator: Option<&Evaluator>,
        finish: &dyn Fn(&mut Summary),
    ) -> Result<Summary> {
        let started = Instant::now();
        let Converting { from, to, .. } = self.converting;
        let threads = self.threads.max(1);
        let (needs, on_gpu) = (task.needs(), evaluator.is_some_and(Evaluator::uses_gpu));
        let plans = plans(from, to, threads, &needs, on_gpu);
        let read = Arc::clone(&self.input.read);
        let (reader, codec) = self.open(plans.now(on_gpu).block_bytes)?;
        let source = Source {
            name: &self.input.name,
            reader,
            codec: &codec,
            skip_invalid: self.skip_invalid,
        };
        self.output.write(header)?;
        let mut tally = Tally::default();
        pipeline::run(source, plans, task, evaluator, |done| {
            write(done, &mut self.output, self.rejects.as_mut())?;
            tally.add(core::mem::take(&mut done.tally));
            let progress = (self.watch)(Event::Progress {
                records: tally.records,
                bytes: read.load(Ordering::Relaxed),
            });
            if progress.is_break() || self.files.cancel.is_cancelled() {
                return Err(Error::cancelled());
            }
            Ok(())
        })
        .map_err(|error| if_cut_off(error, self.input.compressed, &self.output))?;
        if tally.records + tally.invalid == 0 {
            self.note(if tally.bytes == 0 {
                "the input is empty"
            } else {
                "the input holds no records"
            });
        }
        tally.written = self.output.written();
        tally.packed_written = self.output.end()?;
        let evaluated = needs
            .rules
            .zip(evaluator)
            .map(|(rules, evaluator)| EvaluatorSummary::by(evaluator, threads, rules));
        let output = self.output.name().to_owned();
        let mut summary = self.summary(job, output, tally, started.elapsed(), evaluated);
        finish(&mut summary);
        let written = match self.output.target() {
            Some(_) => format!("; '{}' is written", self.output.name()),
            None => String::new(),
        };
        let mut outputs = vec![self.output];
        outputs.extend(self.rejects);
        // A side file that cannot be written does not undo the run.
        let mut side = Ok(());
        for (mut output, make) in self.beside {
            match make(&summary).and_then(|content| output.write(&content)) {
                Ok(()) => outputs.push(output),
                Err(error) => side = Err(error.with_suffix(&written)),
            }
        }
        self.files.finish(outputs)?;
        side.map(|()| summary)
    }

    pub(super) fn summary(
        &self,
        job: &'static str,
        output: String,
        mut tally: Tally,
        elapsed: Duration,
        evaluated: Option<EvaluatorSummary>,
    ) -> Summary {
        let Converting { from, to, .. } = self.converting;
        let read = self.input.read.load(Ordering::Relaxed);
        tally.packed = self.input.compressed.then_some(read);
        Summary {
            job,
            input: self.input.name.clone(),
            output,
            formats: Some([from, to]),
            unscored: self.converting.became(),
            units: from.units(),
            elapsed,
            tally,
            evaluated,
            filter: None,
            result_side: result_side(from),
        }
    }
}

/// Plans the run.
pub(super) fn plans(
    from: Format,
    to: Format,
    threads: usize,
    needs: &Needs,
    on_gpu: bool,
) -> Plans {
    let mut plans = Plans::new(from, threads, needs.bytes_a_record, needs.most_bytes);
    if to.row().least_block_bytes.is_some() {
        // The block size becomes the chunk size of the output, so it must not change during the
        // run.
        plans.keep_blocks(plans.now(on_gpu).block_bytes, on_gpu);
    }
    plans
}

/// Writes the output of a block.
fn write(done: &Done, output: &mut Output, rejects: Option<&mut Output>) -> Result<()> {
    let Some(rejects) = rejects else {
        return output.write(&done.data);
    };
    let written = output.write(&done.data);
    let written = written.and_then(|()| rejects.write(&done.rejects));
    // A reader may close one of the two outputs, but then the other would be incomplete.
    written.map_err(|error| Error::new(ErrorKind::Refused, error.to_string()))
}

/// Adds a hint if a compressed input is truncated.
fn if_cut_off(error: Error, compressed: bool, output: &Output) -> Error {
    let is_cut_off = *error.kind() == ErrorKind::Io(io::ErrorKind::UnexpectedEof);
    if !compressed || !is_cut_off {
        return error;
    }
    let nothing = if output.is_atomic() {
        format!("nothing is left at '{}'; ", output.name())
    } else {
        String::new()
    };
    error.with_suffix(&format!(
        "; {nothing}get the file again, or decompress as much as there is"
    ))
}
