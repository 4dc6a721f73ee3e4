//! The inputs of a mix, which may be read several times.

use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::task::{MixTask, Mixed, Shared};
use super::{MixOptions, SplitBy};
use crate::formats::{Format, LabelColumns, Naming, Reader, Scale};
use crate::jobs::error::{Access, Context as _, Error, ErrorKind, Result};
use crate::jobs::filter::SMALL;
use crate::jobs::pieces::Version;
use crate::jobs::plan::{Plan, Plans};
use crate::jobs::run_context::RunContext;
use crate::jobs::{self, Input, Job};

/// An input file of a mix, or standard input.
pub struct Source {
    pub name: String,
    pub format: Format,
    /// The column of the FEN, if it was named and this input is a table.
    pub fen_column: Option<String>,
    /// What its scores are multiplied by.
    pub scale: Option<Scale>,
    /// The columns of the score and the result, if it is a table.
    pub labels: LabelColumns,
    /// What to tell of columns that are not read, if the output is in another format.
    note_on_labels: Option<String>,
    /// The path as it was given; `None` for standard input.
    pub path: Option<PathBuf>,
    /// The length and the time of the last change; `None` for standard input and pipes.
    version: Option<Version>,
    pub is_compressed: bool,
    /// Standard input or a pipe, which cannot be opened twice, until it is read.
    input: Option<Input>,
    /// Bytes read so far, before decompression.
    read: Arc<AtomicU64>,
}

/// An input that is open for one reading.
pub struct Opened {
    pub context: RunContext<Mixed>,
    pub reader: Reader<'static>,
    pub plans: Plans,
}

impl Source {
    /// Opens an input and tells its format; `-` is standard input. The columns that the options name
    /// apply only to inputs that are tables.
    pub fn open(path: &Path, options: &MixOptions) -> Result<Source> {
        let jobs::Options {
            from,
            fen_column,
            labels,
            ..
        } = &options.job;
        let from = *from;
        let mut input = Input::open(Some(path))?;
        let is_named = fen_column.is_some() || labels.any().is_some();
        let (fen_column, labels) = if is_named && input.is_table(from)? {
            (fen_column.clone(), labels.clone())
        } else {
            (None, LabelColumns::default())
        };
        // Whichever column was named, its name tells that a text is a table.
        let named_column = fen_column.as_deref().or(labels.any());
        let format = input.format(from, named_column)?;
        let naming = Naming {
            fen: fen_column.as_deref(),
            labels: &labels,
        };
        let note_on_labels = input.note_on_labels(format, &naming)?;
        let is_stdin = input.is_stdin;
        let version = Version::at(path).filter(|_| !is_stdin);
        Ok(Source {
            name: input.name.clone(),
            format,
            fen_column,
            labels,
            note_on_labels,
            scale: None,
            path: (!is_stdin).then(|| path.to_owned()),
            version,
            is_compressed: input.compression.is_some(),
            read: Arc::clone(&input.read),
            input: version.is_none().then_some(input),
        })
    }

    /// Opens an input. If neither its name nor its content tells the format, it is `otherwise`.
    pub fn open_any(path: &Path, otherwise: Option<Format>) -> Result<Source> {
        match Source::open(path, &MixOptions::default()) {
            Err(error) if matches!(error.kind(), ErrorKind::UnknownFormat(_)) => {
                let format = otherwise.ok_or(error)?;
                let mut options = MixOptions::default();
                options.job.from = Some(format);
                Source::open(path, &options)
            }
            opened => opened,
        }
    }

    /// Whether it can be read once only.
    pub const fn is_stream(&self) -> bool {
        self.version.is_none()
    }

    /// Its length in bytes, before decompression, if it is a file.
    pub fn length(&self) -> Option<u64> {
        self.version.map(|version| version.0)
    }

    /// Bytes read so far by the current reading, before decompression. Each reading counts anew.
    pub fn bytes_read(&self) -> u64 {
        self.read.load(Ordering::Relaxed)
    }

    /// The counter of the current reading, for another thread to look at: that of
    /// [`bytes_read`](Source::bytes_read).
    pub fn counter(&self) -> Arc<AtomicU64> {
        Arc::clone(&self.read)
    }

    fn input(&mut self) -> Result<Input> {
        if let Some(input) = self.input.take() {
            return Ok(input);
        }
        let Some(path) = self.path.as_deref().filter(|_| !self.is_stream()) else {
            return Err(Error::refused(format!(
                "{} can be read only once",
                self.name
            )));
        };
        if Version::at(path) != self.version {
            let name = &self.name;
            return Err(Error::refused(format!(
                "'{name}' was changed while it was mixed; run again when nothing else changes it"
            )));
        }
        let input = Input::open(Some(path))?;
        self.read = Arc::clone(&input.read);
        Ok(input)
    }

    /// Its length in bytes after decompression, if that is known without reading it.
    pub fn known_length(&self) -> Option<u64> {
        self.length().filter(|_| !self.is_compressed)
    }

    /// Its length in bytes after decompression, for which it is read through. `tell` is called now
    /// and then with the bytes read so far, before decompression.
    pub fn measure(&mut self, mut tell: impl FnMut(u64) -> Result<()>) -> Result<u64> {
        const NOW_AND_THEN: u64 = 4 << 20;
        let mut stream = self.input()?.into_stream();
        let mut length = 0;
        loop {
            let mut piece = (&mut stream).take(NOW_AND_THEN);
            let read = io::copy(&mut piece, &mut io::sink()).doing(Access::ReadOn, &self.name)?;
            if read == 0 {
                return Ok(length);
            }
            length += read;
            tell(self.bytes_read())?;
        }
    }

    /// Opens the input for one reading by a mix that writes the format `to`. `number` is its place
    /// among the inputs.
    pub fn read(
        &mut self,
        number: usize,
        to: Format,
        options: &MixOptions,
        shared: &Shared,
        threads: usize,
    ) -> Result<Opened> {
        let input = self.input()?;
        let mut job = self.job(input, to, options)?;
        let spec = self.format.spec();
        // Blocks must not depend on the number of threads. One of games or chains is as large as the
        // format needs it to be, as it holds whole ones.
        let most_bytes = match spec.units {
            Some(_) if !spec.is_text => spec.least_block_bytes.unwrap_or(Plan::MOST),
            _ => SMALL,
        };
        let task = MixTask {
            shared: shared.clone(),
            input: number as u32,
            most_bytes,
        };
        job.options.threads = Some(threads);
        let (mut reader, mut plans, mut context) = job.open(Box::new(task), false)?;
        if !shared.sides.is_empty() && shared.by == SplitBy::Game {
            // A game is known by its first records, which have to be in one block: blocks are cut as if
            // a format of games were written.
            reader = reader.whole_games(self.format, Format::Viriformat);
        }
        plans.cpu.block_bytes = most_bytes;
        plans.gpu = plans.cpu;
        if self.copies(to) && spec.units.is_some() && !shared.is_whole {
            // A codec that copies would keep chains whole; this one writes each record by itself, and
            // has to be told again what it leaves out.
            let drops_unscored = context.codec.target.drops_unscored;
            context.codec = self
                .format
                .codec_on(options.job.cpu_path)
                .rewriting_to(to)?;
            context.codec.target.drops_unscored = drops_unscored;
        }
        Ok(Opened {
            context,
            reader,
            plans,
        })
    }

    /// A job on the input, with its conversion.
    fn job(&self, input: Input, to: Format, options: &MixOptions) -> Result<Job<'static>> {
        let of_job = jobs::Options {
            from: Some(self.format),
            fen_column: self.fen_column.clone(),
            labels: self.labels.clone(),
            ..options.job.clone()
        };
        let mut job = Job::new(input, of_job)?;
        let filter = options.filter.as_ref();
        job.converting.to = to;
        job.converting.scale = self.scale;
        job.converting.drops_unscored =
            options.job.drop_unscored || filter.is_some_and(crate::filter::Filter::drops_unscored);
        job.converting.drops_castling = options.job.drop_castling;
        job.converting.checks_moves = filter.is_some_and(|filter| {
            let mut needs = filter.needs();
            needs.any(|field| field == crate::formats::Field::Played)
        });
        Ok(job)
    }

    /// Whether its records would be written as they are, in this format.
    pub fn copies(&self, to: Format) -> bool {
        self.format == to && self.scale.is_none()
    }

    /// What becomes of records without a score, in words for the summary.
    pub fn unscored_became(&self, to: Format, options: &MixOptions) -> Result<String> {
        let input = Input::reader(&self.name, io::empty())?;
        Ok(self.job(input, to, options)?.converting.became())
    }

    /// Refuses a conversion that is impossible; the notes on what gets lost.
    pub fn check(
        &self,
        to: Format,
        options: &MixOptions,
        name: Option<&str>,
    ) -> Result<Vec<String>> {
        let input = Input::reader(&self.name, io::empty())?;
        let job = self.job(input, to, options)?;
        if let Some(filter) = &options.filter {
            jobs::filter::refuse(filter, job.converting, &self.name)?;
        }
        job.converting.codec(self.format.codec())?;
        let mut notes = job.losses_of(name);
        notes.extend(job.options.labels.note().map(str::to_owned));
        let is_written_anew = self.format != to;
        notes.extend(self.note_on_labels.clone().filter(|_| is_written_anew));
        Ok(notes)
    }
}
