//! Rows of a table, as text or as JSON objects.

use anyhow::Result;
use clap::ValueEnum;
use swaplist::{Evaluator, Rules};

use super::Answer;
use super::options::{BackendArgs, InputArgs, OutputArgs, RulesArgs};
use super::output;
use super::pipeline::Task;
use super::stream::{self, Stream};
use super::summary::Summary;

/// How rows are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum To {
    /// Columns between tabs, under a header
    Tsv,
    /// One JSON object a line
    Jsonl,
}

impl To {
    /// The line above all rows.
    pub fn header(self, columns: &str) -> Vec<u8> {
        match self {
            To::Tsv => format!("{columns}\n").into_bytes(),
            To::Jsonl => Vec::new(),
        }
    }
}

/// What the rows of a command are made with.
pub struct Rows {
    pub evaluator: Evaluator,
    pub rules: Rules,
    /// As a JSON object tells them.
    pub rules_text: String,
    pub to: To,
    threads: usize,
}

impl Rows {
    /// Opens what is read and written, and what computes.
    pub fn open(
        input: &InputArgs,
        output: &OutputArgs,
        backend: &BackendArgs,
        rules: &RulesArgs,
        to: To,
    ) -> Result<(Stream, Rows)> {
        let threads = backend.threads()?;
        let rules = rules.rules();
        let mut stream = Stream::open(input, output, threads)?;
        stream.cpu = backend.cpu_path();
        let rows = Rows {
            evaluator: backend.evaluator(threads, input.quiet)?,
            rules,
            rules_text: rules.to_string(),
            to,
            threads,
        };
        Ok((stream, rows))
    }

    /// Writes the rows that a task makes, and says what was done.
    pub fn write(
        &self,
        stream: Stream,
        columns: &str,
        task: &impl Task,
        command: &str,
        input: &InputArgs,
    ) -> Result<Answer> {
        let header = self.to.header(columns);
        let mut ended = stream.run(task, &header, Vec::new(), stream::write_data)?;
        output::finish(ended.outputs.drain(..))?;
        if input.wants_summary() {
            let summary = Summary {
                unscored: &ended.unscored,
                command,
                input: &ended.input,
                output: &ended.output,
                formats: None, // rows of text are written
                tally: &ended.tally,
                elapsed: ended.elapsed,
                evaluator: &self.evaluator,
                threads: self.threads,
                rules: &self.rules,
                filter: None,
            };
            summary.print(input.json, ended.on_stdout)?;
        }
        Ok(ended.answer())
    }
}
