//! What the commands that stream records have in common.

use std::ops::ControlFlow;
use std::path::Path;
use std::time::Duration;

use anyhow::Result;
use swaplist::formats::Format;

use super::Answer;
use super::input::Input;
use super::options::{InputArgs, OutputArgs};
use super::output::{Output, Taken};
use super::pipeline::{self, Done, Source, Task};
use super::progress::Progress;
use super::summary::Tally;

/// An input, an output and what is between them.
pub struct Stream {
    input: Input,
    pub output: Output,
    pub taken: Taken,
    threads: usize,
    skip_invalid: bool,
    quiet: bool,
}

/// What a stream came to.
pub struct Ended {
    pub input: String,
    pub output: String,
    pub tally: Tally,
    pub elapsed: Duration,
    /// Complete, but without their names as yet.
    pub outputs: Vec<Output>,
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
        let source = Input::open(input.input.as_deref())?;
        let mut taken = Taken::default();
        taken.add(None, source.metadata.as_ref());
        let path = output.output.as_deref();
        let sink = Output::open(path, output.force, &taken)?;
        taken.add(path.filter(|path| *path != Path::new("-")), None);
        Ok(Stream {
            input: source,
            output: sink,
            taken,
            threads,
            skip_invalid: input.skip_invalid,
            quiet: input.quiet,
        })
    }

    /// Runs a task on all records; `write` is given what comes out, in order, and
    /// the counts so far without it.
    pub fn run(
        mut self,
        task: &impl Task,
        header: &[u8],
        mut extra: Vec<Output>,
        mut write: impl FnMut(&mut Done, &mut Output, &mut [Output], &Tally) -> Result<ControlFlow<()>>,
    ) -> Result<Ended> {
        let progress = Progress::new(&self.input, self.quiet);
        let mut tally = Tally::default();
        let block_bytes = pipeline::block_bytes(self.threads, task.expansion());
        let (reader, codec) = Format::Text.open(self.input.stream, block_bytes);
        let source = Source {
            name: &self.input.name,
            reader,
            codec: &*codec,
            skip_invalid: self.skip_invalid,
        };
        self.output.write(header)?;
        pipeline::run(source, self.threads, task, |mut done| {
            let flow = write(&mut done, &mut self.output, &mut extra, &tally)?;
            tally.add(done.tally);
            progress.set(tally.records);
            Ok(flow)
        })?;
        let output = self.output.name().to_owned();
        extra.push(self.output);
        Ok(Ended {
            input: self.input.name,
            output,
            tally,
            elapsed: progress.elapsed(),
            outputs: extra,
        })
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
