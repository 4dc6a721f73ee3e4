//! What the commands that stream records have in common.

use std::io::{self, Write as _};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use anyhow::{Error, Result, anyhow, bail};
use swaplist::CpuPath;
use swaplist::formats::{Codec, Format, Part, ReadError, whole_games};

use super::input::Input;
use super::options::{InputArgs, OutputArgs};
use super::output::{Output, Taken};
use super::pipeline::{self, Done, Plans, Source, Task};
use super::progress::{Progress, Total};
use super::summary::Tally;
use super::{Answer, leftovers};

mod converting;
mod fens;

use converting::Converting;
pub use converting::Unscored;
pub use fens::{each_fen, holds_fens};

/// An input, an output and what is between them.
pub struct Stream {
    input: Input,
    from: Format,
    /// Of the records that are written, if any are.
    to: Format,
    pub output: Output,
    pub taken: Taken,
    level: Option<u32>,
    threads: usize,
    skip_invalid: bool,
    quiet: bool,
    /// What becomes of records without a score in another format.
    pub unscored: Unscored,
    /// Whether played moves have to be legal, in the input's format too.
    pub checks_moves: bool,
    /// How the CPU decodes.
    pub cpu: CpuPath,
    /// Where this is one of several files.
    pub total: Option<Total>,
}

/// What a stream came to.
pub struct Ended {
    pub input: String,
    pub output: String,
    pub tally: Tally,
    pub elapsed: Duration,
    /// The formats read and written.
    pub formats: [Format; 2],
    /// What became of records without a score.
    pub unscored: String,
    /// Complete, but without their names as yet.
    pub outputs: Vec<Output>,
    /// Whether data went to standard output.
    pub on_stdout: bool,
}

impl Ended {
    /// No, if there were invalid records.
    pub fn answer(&self) -> Answer {
        if self.tally.invalid == 0 {
            Answer::Yes
        } else {
            Answer::No
        }
    }
}

impl Stream {
    /// Opens the input and the output; refuses what cannot work.
    pub fn open(input: &InputArgs, output: &OutputArgs, threads: usize) -> Result<Stream> {
        let mut source = Input::open(input.input.as_deref())?;
        let from = source.format(input.from)?;
        let mut taken = Taken::default();
        taken.add(None, source.metadata.as_ref());
        let path = output.output.as_deref();
        let sink = Output::open_at(output.level, path, output.force, &taken)?;
        if output.level.is_some() && !sink.is_compressed() {
            bail!(
                "--level is for files that are compressed: {} is not, name it .zst or .gz",
                sink.name()
            );
        }
        leftovers::will_look_beside(&sink);
        taken.add(path.or(Some(Path::new("-"))), None);
        Ok(Stream {
            input: source,
            from,
            to: from,
            output: sink,
            taken,
            level: output.level,
            threads,
            skip_invalid: input.skip_invalid,
            quiet: input.quiet,
            unscored: Unscored::Kept,
            checks_moves: false,
            cpu: CpuPath::best(),
            total: None,
        })
    }

    /// Opens an input of which only what is found out goes to standard output.
    pub fn read(input: &InputArgs, threads: usize) -> Result<Stream> {
        Stream::open(input, &OutputArgs::default(), threads)
    }

    /// Opens one more output.
    pub fn side_output(&mut self, path: Option<&Path>, force: bool) -> Result<Option<Output>> {
        if path.is_none() {
            return Ok(None);
        }
        let output = Output::open_at(self.level, path, force, &self.taken)?;
        leftovers::will_look_beside(&output);
        self.taken.add(path, None);
        Ok(Some(output))
    }

    /// The records are written, in this format or else in that of the input. Says
    /// what gets lost; refuses what cannot be done and what is hardly meant.
    pub fn write_records(&mut self, asked: Option<Format>) -> Result<()> {
        // What can only be read is written as the name of the output says.
        let named = self
            .output
            .named_format()
            .filter(|_| !self.from.is_writable());
        self.to = asked.or(named).unwrap_or(self.from);
        let (to, name) = (self.to.name(), self.output.name());
        if !self.to.is_writable() {
            bail!("{to} can only be read; add --to text, or another format to write");
        }
        self.codec()?;
        if !self.to.is_text() && self.output.is_terminal() {
            bail!("{to} is binary and not for a terminal; name a file with -o OUT");
        }
        let named = self.output.named_formats();
        // A name that says little gives way to what was asked for, any name to that of an
        // input that is copied.
        let is_meant = asked.is_some() && named.len() > 1
            || self.to == self.from && self.output.is_named_as(&self.input);
        if let [first, ..] = named[..]
            && !named.contains(&self.to)
            && !is_meant
        {
            let all: Vec<_> = named.iter().map(|format| format.name()).collect();
            let convert = if first.is_convertible_to() {
                format!(", or --to {} to convert into that", first.name())
            } else {
                String::new()
            };
            bail!(
                "'{name}' is named as {}, but {to} would be written; choose another name{convert}",
                all.join(" or "),
            );
        }
        if !self.quiet {
            self.say_what_is_lost();
        }
        Ok(())
    }

    pub fn input_name(&self) -> &str {
        &self.input.name
    }

    /// Of the input.
    pub fn format(&self) -> Format {
        self.from
    }

    pub fn written_format(&self) -> Format {
        self.to
    }

    fn say_what_is_lost(&self) {
        let (from, to) = (self.from, self.to);
        let lost: Vec<_> = from.lost_in(to).map(|part| part.to_string()).collect();
        if !lost.is_empty() {
            let lost = lost.join(", ");
            self.note(&format!("not carried over to {}: {lost}", to.name()));
        }
        if (from, to) == (Format::Pgn, Format::Text) {
            self.note(
                "games with scores in comments become lines FEN | score | result, 32002 for \
                 positions without one; games without any become lines FEN [result]",
            );
        }
        if (from, to) == (Format::Pgn, Format::Plain) {
            self.note(
                "positions without a score in a comment are written without a line for it, \
                 and so are results that are not known",
            );
        }
        if from != to && to == Format::Text && self.output.is_named("epd") {
            self.note("lines FEN | score | result are written; EPD is only read");
        }
        if from.unknown_in(to).any(|part| part == Part::Turn) {
            self.note(&format!(
                "{} does not tell who moves: all positions are written with White to move, \
                 without castling rights and clocks",
                from.name()
            ));
        }
    }

    pub fn note(&self, text: &str) {
        note(self.total.as_ref(), &self.input.name, text);
    }

    /// What decodes the input and encodes the output.
    pub fn codec(&self) -> Result<Box<dyn Codec>> {
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

    /// Runs a task on all records; `write` is given what comes out, in order, and
    /// the counts so far without it.
    pub fn run(
        mut self,
        task: &impl Task,
        header: &[u8],
        mut extra: Vec<Output>,
        mut write: impl FnMut(&mut Done, &mut Output, &mut [Output], &Tally) -> Result<ControlFlow<()>>
        + Send,
    ) -> Result<Ended> {
        leftovers::note(self.quiet);
        let progress = match &self.total {
            Some(total) => Progress::within(total, &self.input),
            None => Progress::new(&self.input, self.quiet),
        };
        let mut tally = Tally::default();
        let (a_record, most) = (task.bytes_a_record(), task.most_bytes());
        let mut plans = Plans::new(self.from, self.threads, a_record, most);
        if let Some(evaluator) = task.evaluator() {
            evaluator.expect(plans.gpu.threads, plans.records_on_gpu(self.from));
        }
        let on_gpu = task.is_on_gpu();
        let block_bytes = plans.now(on_gpu).block_bytes;
        if self.to == Format::Binpack {
            // Its chunks are what comes of a block, whenever that is.
            plans.keep_blocks(block_bytes, on_gpu);
        }
        let converting = self.converting();
        let (input, read) = (self.input.stream, Arc::clone(&self.input.read));
        let (reader, codec) = self.from.open_on(self.cpu, input, block_bytes);
        let codec = converting.codec(codec)?;
        let source = Source {
            name: &self.input.name,
            reader: whole_games(reader, self.from, self.to),
            codec: &*codec,
            skip_invalid: self.skip_invalid,
        };
        self.output.write(header)?;
        pipeline::run(source, plans, task, |mut done| {
            let flow = write(&mut done, &mut self.output, &mut extra, &tally)?;
            tally.add(done.tally);
            progress.set(tally.records);
            Ok(flow)
        })
        .map_err(|error| if_cut_off(error, self.input.compressed, &self.output))?;
        let elapsed = progress.elapsed();
        drop(progress);
        if tally.records + tally.invalid == 0 && !self.quiet {
            let nothing = if tally.bytes == 0 {
                "the input is empty"
            } else {
                "the input holds no records"
            };
            note(self.total.as_ref(), &self.input.name, nothing);
        }
        tally.written = self.output.written();
        tally.packed_written = self.output.end()?;
        if self.input.compressed {
            tally.packed = Some(read.load(Ordering::Relaxed));
        }
        let output = self.output.name().to_owned();
        extra.push(self.output);
        Ok(Ended {
            input: self.input.name,
            output,
            tally,
            elapsed,
            formats: [self.from, self.to],
            unscored: converting.became(),
            outputs: extra,
            on_stdout: self.taken.writes_stdout(),
        })
    }
}

/// What can be done about a compressed input that is cut off.
fn if_cut_off(error: Error, compressed: bool, output: &Output) -> Error {
    let cut_off = |error: &ReadError| match error {
        ReadError::Io(error) => error.kind() == io::ErrorKind::UnexpectedEof,
        _ => false,
    };
    if !compressed || !error.downcast_ref().is_some_and(cut_off) {
        return error;
    }
    let nothing = if output.is_all_or_nothing() {
        format!("nothing is left at '{}'; ", output.name())
    } else {
        String::new()
    };
    anyhow!("{error:#}; {nothing}get the file again, or decompress as much as there is")
}

/// Names the input where it is one of several.
fn note(total: Option<&Total>, input: &str, text: &str) {
    match total {
        Some(total) => total.say(&format!("swaplist: note: {input}: {text}")),
        None => {
            let _ = writeln!(io::stderr(), "swaplist: note: {text}");
        }
    }
}

/// Writes the data of a block.
pub fn write_data(
    done: &mut Done,
    output: &mut Output,
    _: &mut [Output],
    _: &Tally,
) -> Result<ControlFlow<()>> {
    output.write(&done.data)?;
    Ok(ControlFlow::Continue(()))
}
