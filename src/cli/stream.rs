//! What the commands that stream records have in common.

use std::borrow::Cow;
use std::io::{self, Write as _};
use std::iter;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use anyhow::{Error, Result, anyhow, bail};
use swaplist::CpuPath;
use swaplist::formats::{Block, Codec, Conversion, Cut, Decoded, Format, Part, ReadError};

use super::input::Input;
use super::options::{InputArgs, OutputArgs};
use super::output::{Output, Taken};
use super::pipeline::{self, Done, Plans, Source, Task};
use super::progress::{Progress, Total};
use super::resume::{Resume, Terms};
use super::summary::{Tally, grouped};
use super::{Answer, leftovers};

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
    /// How the CPU decodes.
    pub cpu: CpuPath,
    /// Where this is one of several files.
    pub total: Option<Total>,
    resume: Option<Resume>,
}

/// What a stream came to.
pub struct Ended {
    pub input: String,
    pub output: String,
    pub tally: Tally,
    pub elapsed: Duration,
    /// The formats read and written.
    pub formats: [Format; 2],
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
            cpu: CpuPath::best(),
            total: None,
            resume: None,
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

    /// From now on the run can be gone on with if it is interrupted; goes on with one
    /// that was.
    pub fn resume(
        &mut self,
        rejects: Option<&mut Output>,
        mut terms: Terms,
        every: Duration,
    ) -> Result<()> {
        let mut outputs = vec![&mut self.output];
        outputs.extend(rejects);
        for (name, format) in [("--from", self.from), ("--to", self.to)] {
            terms.push((name.to_owned(), format.name().to_owned()));
        }
        let (skip, taken) = (self.skip_invalid, &self.taken);
        let resume = Resume::begin(&mut self.input, outputs, taken, terms, skip, every)?;
        let records = resume.tally().records;
        if records > 0 && !self.quiet {
            let records = grouped(records);
            let _ = writeln!(io::stderr(), "swaplist: going on behind {records} records");
        }
        self.resume = Some(resume);
        Ok(())
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
            bail!(
                "'{name}' is named as {}, but {to} would be written; \
                 choose another name, or --to {} to convert into that",
                all.join(" or "),
                first.name()
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
        if from.may_lack_score_in(to) {
            self.note(
                "positions without a score in a comment are written with the score 32002, \
                 which stands for none",
            );
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
        converting(self.from, self.to, self.from.open(io::empty(), 1).1)
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
        let mut progress = match &self.total {
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
        let mut block_bytes = plans.now(on_gpu).block_bytes;
        let mut start = Cut::default();
        if let Some(resume) = &mut self.resume {
            (start, tally) = (resume.next(), resume.tally());
            block_bytes = resume.block_bytes(block_bytes);
            progress.earlier = resume.elapsed();
        }
        if self.to == Format::Binpack {
            // Its chunks are what comes of a block, whenever that is.
            plans.keep_blocks(block_bytes, on_gpu);
        }
        let (input, read) = (self.input.stream, Arc::clone(&self.input.read));
        let (reader, codec) = self.from.open_on(self.cpu, input, block_bytes, start);
        let codec = converting(self.from, self.to, codec)?;
        let source = Source {
            name: &self.input.name,
            reader,
            codec: &*codec,
            skip_invalid: self.skip_invalid,
        };
        self.output.write(header)?;
        pipeline::run(source, plans, task, |mut done| {
            let flow = write(&mut done, &mut self.output, &mut extra, &tally)?;
            let next = done.next;
            tally.add(done.tally);
            progress.set(tally.records);
            if let (Some(resume), Some(next)) = (&mut self.resume, next) {
                let outputs = iter::once(&mut self.output).chain(&mut extra);
                resume.note(next, outputs, &tally, progress.elapsed())?;
            }
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

/// Whether the records hold FENs as text, which may be odd.
pub fn holds_fens(codec: &dyn Codec, block: &Block, decoded: &Decoded) -> bool {
    let is_text = || matches!(codec.fen(block, decoded, 0), Cow::Borrowed(_));
    !decoded.records.is_empty() && is_text()
}

/// Calls `found` with each record's number and FEN, in order, until it fails.
pub fn each_fen(
    codec: &dyn Codec,
    block: &Block,
    decoded: &Decoded,
    mut found: impl FnMut(usize, &str) -> Result<()>,
) -> Result<()> {
    if holds_fens(codec, block, decoded) {
        let mut records = 0..decoded.records.len();
        return records.try_for_each(|record| found(record, &codec.fen(block, decoded, record)));
    }
    // Games and chains are played through once, not once for each position, and
    // the text is written into memory that is there.
    let mut result = Ok(());
    let mut fen = Vec::new();
    codec.states(block, decoded, &mut |record, state| {
        if result.is_ok() {
            fen.clear();
            state.write_fen(&mut fen);
            result = found(record, &String::from_utf8_lossy(&fen));
        }
    });
    result
}

fn converting(from: Format, to: Format, codec: Box<dyn Codec>) -> Result<Box<dyn Codec>> {
    Ok(if from == to {
        codec
    } else {
        Box::new(Conversion::new(from, codec, to)?)
    })
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
