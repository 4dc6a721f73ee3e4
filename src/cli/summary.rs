//! What a command did, at its end.

// Rates and shares are rounded for people anyway.
#![allow(clippy::cast_precision_loss, clippy::cast_sign_loss)]

use std::io::{self, Write as _};
use std::time::Duration;

use anyhow::{Context as _, Result};
use serde_json::{Map, Value, json};
use swaplist::filter::Reason;
use swaplist::formats::Format;
use swaplist::{Evaluator, Rules};

use super::counts::{Counts, wdl};
use super::options::rules_json;
use super::shown;
use super::stream::Ended;

mod tally;

pub use tally::Tally;

/// Of several files, some in formats whose records are dropped, others marked.
pub const EITHER_MODE: &str = "drop or mark";

/// What a filter did.
pub struct FilterNote {
    /// Its rules in words.
    pub rules: String,
    /// What became of what is not kept: "drop", "mark" or [`EITHER_MODE`].
    pub mode: &'static str,
    /// Whose wins are counted.
    pub wins_of: &'static str,
}

impl FilterNote {
    /// What became of the others.
    pub fn fate(&self) -> &'static str {
        match self.mode {
            "drop" => "dropped",
            "mark" => "marked",
            _ => "not kept",
        }
    }
}

/// What the block at the end of a command says.
pub struct Summary<'a> {
    pub command: &'a str,
    pub input: &'a str,
    pub output: &'a str,
    /// The formats read and written, where they are the same for all.
    pub formats: Option<[Format; 2]>,
    /// What became of records without a score.
    pub unscored: &'a str,
    pub tally: &'a Tally,
    pub elapsed: Duration,
    pub evaluator: &'a Evaluator,
    pub threads: usize,
    pub rules: &'a Rules,
    /// The filter in words, if the command is one.
    pub filter: Option<FilterNote>,
}

impl Summary<'_> {
    /// As text or as JSON, where data may go to standard output.
    pub fn print(&self, json: bool, data_on_stdout: bool) -> Result<()> {
        if json {
            print_json(&self.to_json(), data_on_stdout)
        } else {
            print_text(&self.to_text());
            Ok(())
        }
    }

    fn rate(&self) -> f64 {
        (self.tally.records + self.tally.invalid) as f64 / self.elapsed.as_secs_f64().max(1e-6)
    }

    fn backend(&self) -> String {
        if self.evaluator.uses_gpu() {
            self.evaluator.name()
        } else {
            cpu_name(self.threads)
        }
    }

    pub fn to_json(&self) -> Value {
        let tally = self.tally;
        let report = self.evaluator.report();
        let mut json = json!({
            "command": self.command,
            "input": self.input,
            "output": self.output,
            "records": tally.records,
            "invalid": tally.invalid,
            "invalid_bytes": tally.invalid_bytes,
            "contradicted_results": tally.contradicted,
            "seconds": self.elapsed.as_secs_f64(),
            "records_per_second": self.rate(),
            "backend": self.backend(),
            "threads": self.threads,
            "audited": report.audited,
            "fallback": report.fallback,
            "rules": rules_json(self.rules),
        });
        if let Some([from, to]) = self.formats.map(|formats| formats.map(Format::name)) {
            json["from"] = from.into();
            json["to"] = to.into();
        }
        if let Some(filter) = &self.filter {
            let reasons = Reason::all().zip(tally.dropped);
            let dropped: Map<String, Value> = reasons
                .map(|(reason, count)| (reason.name().to_owned(), count.into()))
                .collect();
            json["filter"] = filter.rules.as_str().into();
            json["mode"] = filter.mode.into();
            json["kept"] = tally.kept.into();
            json["bytes"] = tally.sizes_json(tally.held);
            json["dropped"] = dropped.into();
            json["marked"] = (tally.held - tally.kept).into();
            if self.formats.is_none_or(|[from, to]| from != to) {
                json["unscored"] = unscored_json(tally, self.unscored);
            }
            if let Some(counts) = &tally.counts {
                let [read, kept] = counts.each_ref().map(Counts::to_json);
                json["counts"] = json!({ "read": read, "kept": kept });
            }
            json["results"] = if tally.outcomes == [0; 3] {
                Value::Null // the records do not tell
            } else {
                json!({
                    "wins_of": filter.wins_of,
                    "read": outcomes_json(tally.outcomes),
                    "kept": outcomes_json(tally.kept_outcomes),
                })
            };
        } else {
            json["moves"] = tally.moves.into();
        }
        json
    }

    fn to_text(&self) -> String {
        format!("swaplist {}\n{}", self.command, self.lines().text())
    }

    pub fn lines(&self) -> Lines {
        let tally = self.tally;
        let mut lines = Lines::default();
        let [from, to] = match self.formats {
            Some(formats) => formats.map(|format| format!(", {}", format.name())),
            None => Default::default(),
        };
        lines.add("input", format!("{}{from}", self.input));
        lines.add("output", format!("{}{to}", self.output));
        lines.add("records", grouped(tally.records));
        match &self.filter {
            Some(filter) => {
                lines.add("kept", share(tally.kept, tally.records));
                let fate = filter.fate();
                for (reason, &count) in Reason::all().zip(&tally.dropped) {
                    if count > 0 {
                        lines.add(fate, format!("{}, {reason}", share(count, tally.records)));
                    }
                }
                if filter.mode == EITHER_MODE {
                    let marked = grouped(tally.held - tally.kept);
                    lines.add(
                        "marked",
                        format!("{marked} of these, which are in the output"),
                    );
                }
                if tally.outcomes != [0; 3] {
                    lines.add("W/D/L read", wdl(tally.outcomes, filter.wins_of));
                    lines.add("W/D/L kept", wdl(tally.kept_outcomes, filter.wins_of));
                }
                tally.unscored_line(self.unscored, &mut lines);
                tally.size_lines(tally.held, &mut lines);
                lines.add("filter", &filter.rules);
            }
            None => lines.add("moves", grouped(tally.moves)),
        }
        tally.invalid_lines(&mut lines);
        tally.contradicted_lines(&mut lines);
        let seconds = self.elapsed.as_secs_f64();
        lines.add(
            "time",
            format!("{seconds:.2} s, {} records/s", grouped(self.rate() as u64)),
        );
        lines.add("backend", self.backend());
        lines.add("rules", self.rules);
        let report = self.evaluator.report();
        if report.audited > 0 {
            lines.add(
                "audited",
                format!("{} scores on the CPU, all equal", grouped(report.audited)),
            );
        }
        if let Some(fallback) = report.fallback {
            lines.add("fallback", fallback);
        }
        lines
    }
}

/// What a conversion did.
pub fn conversion_json(ended: &Ended) -> Value {
    let (tally, [from, to]) = (&ended.tally, ended.formats.map(Format::name));
    json!({
        "command": "convert",
        "input": ended.input,
        "output": ended.output,
        "from": from,
        "to": to,
        "records": tally.records,
        "unscored": unscored_json(tally, &ended.unscored),
        "invalid": tally.invalid,
        "invalid_bytes": tally.invalid_bytes,
        "contradicted_results": tally.contradicted,
        "bytes": tally.sizes_json(tally.held),
        "seconds": ended.elapsed.as_secs_f64(),
        "records_per_second": rate(ended),
    })
}

/// The same as text.
pub fn conversion_text(ended: &Ended) -> String {
    let (tally, [from, to]) = (&ended.tally, ended.formats.map(Format::name));
    let mut lines = Lines::default();
    lines.add("input", format!("{}, {from}", ended.input));
    lines.add("output", format!("{}, {to}", ended.output));
    lines.add("records", grouped(tally.records));
    tally.unscored_line(&ended.unscored, &mut lines);
    tally.size_lines(tally.held, &mut lines);
    tally.invalid_lines(&mut lines);
    tally.contradicted_lines(&mut lines);
    let (seconds, rate) = (ended.elapsed.as_secs_f64(), grouped(rate(ended) as u64));
    lines.add("time", format!("{seconds:.2} s, {rate} records/s"));
    format!("swaplist convert\n{}", lines.text())
}

/// On standard output, unless there is data there.
pub fn print_json(json: &Value, data_on_stdout: bool) -> Result<()> {
    let text = json_text(json);
    if data_on_stdout {
        print_text(&text);
        return Ok(());
    }
    let mut stdout = io::stdout();
    let written = stdout.write_all(text.as_bytes());
    let written = written.and_then(|()| stdout.flush());
    written.context("cannot write standard output")
}

/// On standard error. If that is closed, nobody wanted to know.
pub fn print_text(text: &str) {
    let _ = io::stderr().write_all(text.as_bytes());
}

fn rate(ended: &Ended) -> f64 {
    ended.tally.records as f64 / ended.elapsed.as_secs_f64().max(1e-6)
}

fn unscored_json(tally: &Tally, became: &str) -> Value {
    json!({ "records": tally.unscored, "became": became })
}

/// A summary as people and programs read JSON.
pub fn json_text(json: &Value) -> String {
    format!("{json:#}\n")
}

/// Names and values, one pair a line.
#[derive(Default)]
pub struct Lines(Vec<(String, String)>);

impl Lines {
    pub fn add(&mut self, name: &str, value: impl std::fmt::Display) {
        self.0
            .push((name.to_owned(), shown::text(&value.to_string())));
    }

    pub fn rows(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, value)| (&**name, &**value))
    }

    pub fn text(&self) -> String {
        let line = |(name, value)| format!("  {name:<10}  {value}\n");
        self.rows().map(line).collect()
    }
}

pub fn cpu_name(threads: usize) -> String {
    format!(
        "CPU, {threads} thread{}",
        if threads == 1 { "" } else { "s" }
    )
}

fn outcomes_json([white, draw, black]: [u64; 3]) -> Value {
    json!({ "white": white, "draw": draw, "black": black })
}

pub fn share(count: u64, of: u64) -> String {
    let percent = 100.0 * count as f64 / of.max(1) as f64;
    format!("{} ({percent:.1} %)", grouped(count))
}

/// A number with its thousands set apart.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut grouped = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}
