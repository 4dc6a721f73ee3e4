//! An input, an output, and what is between them.

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use super::cancel::Cancel;
use super::converting::{Converting, Unscored};
use super::error::{Error, ErrorKind, Result};
use super::input::Input;
use super::output::{Files, Output};
use super::pipeline::{self, Done, Plans, Source, Task};
use super::summary::{Evaluated, Summary};
use super::tally::Tally;
use super::watch::{Nobody, Progress, Watch};
use crate::formats::{Codec, Format, whole_games};
use crate::{CpuPath, Rules};

/// What is written beside the data once the summary is known.
type Beside<'a> = Box<dyn FnOnce(&Summary) -> Result<Vec<u8>> + 'a>;

/// A job on all records of an input, to be given what it needs and then to be run by one
/// of [`filter`](Job::filter), [`convert`](Job::convert), [`count`](Job::count),
/// [`validate`](Job::validate), [`score`](Job::score) and [`verdict`](Job::verdict).
///
/// Files that are written appear together when all of them are complete.
pub struct Job<'a> {
    pub(super) input: Input,
    pub(super) from: Format,
    /// Of the records that are written, if any are.
    pub(super) to: Format,
    pub(super) output: Output,
    pub(super) rejects: Option<Output>,
    beside: Vec<(Output, Beside<'a>)>,
    files: Files,
    cancel: Cancel,
    level: Option<u32>,
    pub(super) threads: usize,
    pub(super) skip_invalid: bool,
    pub(super) cpu: CpuPath,
    pub(super) watch: Box<dyn Watch + 'a>,
    /// What becomes of records without a score in another format.
    pub(super) unscored: Unscored,
    /// Whether played moves have to be legal, in the input's format too.
    pub(super) checks_moves: bool,
}

impl<'a> Job<'a> {
    /// On an input, of this format or else the one that it shows.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::UnknownFormat`], or why the input cannot be read.
    pub fn new(mut input: Input, from: Option<Format>) -> Result<Job<'a>> {
        let from = input.format(from)?;
        let cores = std::thread::available_parallelism();
        let mut job = Job {
            input,
            from,
            to: from,
            output: Output::nowhere(),
            rejects: None,
            beside: Vec::new(),
            files: Files::default(),
            cancel: Cancel::default(),
            level: None,
            threads: cores.map_or(1, core::num::NonZeroUsize::get),
            skip_invalid: false,
            cpu: CpuPath::best(),
            watch: Box::new(Nobody),
            unscored: Unscored::Kept,
            checks_moves: false,
        };
        job.watch_over(&Cancel::default());
        Ok(job)
    }

    fn watch_over(&mut self, cancel: &Cancel) {
        self.cancel = cancel.clone();
        self.files = Files::new(cancel);
        let Input { path, metadata, .. } = &self.input;
        self.files.read(path.as_deref(), metadata.as_ref());
    }

    /// By so many worker threads; one a core unless told otherwise.
    #[must_use]
    pub const fn threads(mut self, threads: usize) -> Job<'a> {
        self.threads = if threads == 0 { 1 } else { threads };
        self
    }

    /// How the CPU decodes; the best way it can unless told otherwise.
    #[must_use]
    pub const fn cpu_path(mut self, cpu: CpuPath) -> Job<'a> {
        self.cpu = cpu;
        self
    }

    /// Invalid records are passed over and counted; else the first one is an error.
    #[must_use]
    pub const fn skip_invalid(mut self, skip: bool) -> Job<'a> {
        self.skip_invalid = skip;
        self
    }

    /// Who looks on.
    #[must_use]
    pub fn watch(mut self, watch: impl Watch + 'a) -> Job<'a> {
        self.watch = Box::new(watch);
        self
    }

    /// What may end it early. To be said before what is written.
    #[must_use]
    pub fn cancelled_by(mut self, cancel: &Cancel) -> Job<'a> {
        self.watch_over(cancel);
        self
    }

    /// Writes what comes out to a file that appears when it is complete, or to standard
    /// output for `-` and none; compressed by its name, at this level. A file that exists
    /// is replaced only if asked for. Without an output, nothing is written.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Exists`], [`ErrorKind::Level`], or why it cannot be written.
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

    /// Writes what comes out to whatever can be written to.
    #[must_use]
    pub fn write_into(mut self, output: Output) -> Job<'a> {
        self.output = output;
        self
    }

    /// Writes what a filter does not keep to a file, too.
    ///
    /// # Errors
    ///
    /// As [`Job::write_to`].
    pub fn rejects_to(mut self, path: &Path, replace: bool) -> Result<Job<'a>> {
        self.rejects = Some(self.side(path, replace)?);
        Ok(self)
    }

    /// Writes a file made of the summary.
    ///
    /// # Errors
    ///
    /// As [`Job::write_to`].
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
        // One level serves all files that are compressed.
        let level = self.level.filter(|_| Output::would_compress(path));
        self.files.create(Some(path), replace, level)
    }

    /// As messages call the input.
    #[must_use]
    pub fn input(&self) -> &Input {
        &self.input
    }

    /// Of the input.
    #[must_use]
    pub const fn format(&self) -> Format {
        self.from
    }

    /// The format that the name of the output asks for.
    #[must_use]
    pub fn named_format(&self) -> Option<Format> {
        self.output.named_format()
    }

    /// All files that are written.
    pub fn outputs(&self) -> impl Iterator<Item = &Output> {
        let beside = self.beside.iter().map(|(output, _)| output);
        core::iter::once(&self.output)
            .chain(&self.rejects)
            .chain(beside)
    }

    /// Whether data goes to standard output.
    #[must_use]
    pub fn writes_stdout(&self) -> bool {
        self.files.writes_stdout()
    }

    /// What decodes the input and encodes the output.
    pub(super) fn codec(&self) -> Result<Box<dyn Codec>> {
        self.converting().codec(self.from.open(io::empty(), 1).1)
    }

    fn converting(&self) -> Converting {
        Converting {
            from: self.from,
            to: self.to,
            unscored: self.unscored,
            checks_moves: self.checks_moves,
        }
    }

    /// Runs a task on all records, in order. The summary tells what a rule set has to do
    /// with it.
    pub(super) fn run(
        self,
        job: &'static str,
        task: &impl Task,
        header: &[u8],
        rules: Option<&Rules>,
        finish: impl FnOnce(&mut Summary),
    ) -> Result<Summary> {
        let started = Instant::now();
        let Job {
            input,
            mut output,
            mut rejects,
            mut watch,
            cancel,
            ..
        } = self;
        let converting = Converting {
            from: self.from,
            to: self.to,
            unscored: self.unscored,
            checks_moves: self.checks_moves,
        };
        let plans = plans(self.from, self.to, self.threads, task);
        let block_bytes = plans.now(task.is_on_gpu()).block_bytes;
        let read = Arc::clone(&input.read);
        let (reader, codec) = self.from.open_on(self.cpu, input.stream, block_bytes);
        let codec = converting.codec(codec)?;
        let source = Source {
            name: &input.name,
            reader: whole_games(reader, self.from, self.to),
            codec: &*codec,
            skip_invalid: self.skip_invalid,
        };
        output.write(header)?;
        let mut tally = Tally::default();
        pipeline::run(source, plans, task, |mut done| {
            let flow = task.settle(&*codec, &mut done, &tally)?;
            write(&mut done, &mut output, rejects.as_mut())?;
            task.recycle(core::mem::take(&mut done.data));
            tally.add(done.tally);
            let progress = Progress {
                records: tally.records,
                bytes: read.load(Ordering::Relaxed),
            };
            if watch.progress(progress).is_break() || cancel.is_cancelled() {
                return Err(Error::cancelled());
            }
            Ok(flow)
        })
        .map_err(|error| if_cut_off(error, input.compressed, &output))?;
        if tally.records + tally.invalid == 0 {
            watch.note(if tally.bytes == 0 {
                "the input is empty"
            } else {
                "the input holds no records"
            });
        }
        tally.written = output.written();
        tally.packed_written = output.end()?;
        if input.compressed {
            tally.packed = Some(read.load(Ordering::Relaxed));
        }
        let evaluated = rules
            .zip(task.evaluator())
            .map(|(rules, evaluator)| Evaluated::by(evaluator, self.threads, *rules));
        let mut summary = Summary {
            job,
            input: input.name,
            output: output.name().to_owned(),
            formats: Some([self.from, self.to]),
            unscored: converting.became(),
            units: codec.units(),
            elapsed: started.elapsed(),
            tally,
            evaluated,
            filter: None,
        };
        finish(&mut summary);
        let mut outputs = vec![output];
        outputs.extend(rejects);
        for (mut output, make) in self.beside {
            output.write(&make(&summary)?)?;
            outputs.push(output);
        }
        self.files.finish(outputs)?;
        Ok(summary)
    }
}

/// How much works at a time; whatever evaluates is told what to expect.
fn plans(from: Format, to: Format, threads: usize, task: &impl Task) -> Plans {
    let (a_record, most) = (task.bytes_a_record(), task.most_bytes());
    let mut plans = Plans::new(from, threads, a_record, most);
    if let Some(evaluator) = task.evaluator() {
        evaluator.expect(plans.gpu.threads, plans.records_on_gpu(from));
    }
    if to == Format::Binpack {
        // Its chunks are what comes of a block, whenever that is.
        let on_gpu = task.is_on_gpu();
        plans.keep_blocks(plans.now(on_gpu).block_bytes, on_gpu);
    }
    plans
}

/// Writes what came out of a block.
fn write(done: &mut Done, output: &mut Output, rejects: Option<&mut Output>) -> Result<()> {
    let Some(rejects) = rejects else {
        return output.write(&done.data);
    };
    let written = output.write(&done.data);
    let written = written.and_then(|()| rejects.write(&done.rejects));
    // Who reads one of the two may stop, but the other is lost by it.
    written.map_err(|error| Error::new(ErrorKind::Refused, error.to_string()))
}

/// What can be done about a compressed input that is cut off.
fn if_cut_off(error: Error, compressed: bool, output: &Output) -> Error {
    let is_cut_off = *error.kind() == ErrorKind::Io(io::ErrorKind::UnexpectedEof);
    if !compressed || !is_cut_off {
        return error;
    }
    let nothing = if output.is_all_or_nothing() {
        format!("nothing is left at '{}'; ", output.name())
    } else {
        String::new()
    };
    error.with_suffix(&format!(
        "; {nothing}get the file again, or decompress as much as there is"
    ))
}
