//! The summary of a job.

// rates are shown rounded
#![allow(clippy::cast_precision_loss, clippy::cast_sign_loss)]

use std::time::Duration;

use serde_json::{Map, Value, json};

use super::counts::{Counts, results_json};
use super::shown::{Lines, grouped, share};
use super::tally::Tally;
use crate::filter::Reason;
use crate::formats::{Field, Format};
use crate::rules::choices;
use crate::{Evaluator, Report, Rules};

/// Results are White's, in formats that tell who plays White.
pub(super) const WHITE: &str = "White";
const SIDE_TO_MOVE: &str = "the side to move";
/// For several files together.
const EITHER: &str = "White, or in bulletformat the side to move";

/// Whose wins are counted first.
pub(super) fn result_side(format: Format) -> &'static str {
    if format.holds(Field::Turn) {
        WHITE
    } else {
        SIDE_TO_MOVE
    }
}

/// Wins, draws and losses as text.
pub(super) fn wdl(outcomes: [u64; 3], result_side: &str) -> String {
    let counts = outcomes.map(grouped).join(" / ");
    format!("{counts} positions, seen by {result_side}")
}

choices! {
    "mode",
    /// What becomes of records that are not kept.
    pub enum Mode {
        /// They are left out.
        Drop = "drop",
        /// They get the score 32002 (no score), which trainers skip.
        Mark = "mark",
    }
}

/// The summary's part about a filter.
#[derive(Clone, Debug)]
pub(super) struct Filtered {
    /// Its rules as text.
    pub rules: String,
    /// What became of the records that were not kept, if the same in all files.
    pub mode: Option<Mode>,
}

/// What evaluated, and the rules.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct EvaluatorSummary {
    /// The GPU, or the CPU with its threads.
    pub backend: String,
    /// Worker threads.
    pub threads: usize,
    /// What the evaluator did.
    pub report: Report,
    /// The rules of the SEE.
    pub rules: Rules,
}

impl EvaluatorSummary {
    /// The state of an evaluator now.
    #[must_use]
    pub fn by(evaluator: &Evaluator, threads: usize, rules: Rules) -> EvaluatorSummary {
        EvaluatorSummary {
            backend: if evaluator.uses_gpu() {
                evaluator.name()
            } else {
                cpu_name(threads)
            },
            threads,
            report: evaluator.report(),
            rules,
        }
    }

    pub(super) fn decoded_line(&self, lines: &mut Lines) {
        if self.report.decoded > 0 {
            let decoded = grouped(self.report.decoded);
            lines.add("decoded", format!("{decoded} records on the GPU"));
        }
    }
}

/// The result of a job; [`lines`](Summary::lines) and [`to_json`](Summary::to_json) show it.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Summary {
    /// "filter", "convert", "count", "validate", "score" or "verdict".
    pub job: &'static str,
    /// The input's name in messages.
    pub input: String,
    /// The output's name in messages.
    pub output: String,
    /// The formats read and written, if the same for all files.
    pub formats: Option<[Format; 2]>,
    /// What became of records without a score.
    pub unscored: String,
    /// The input's record groups: "games" or "chains".
    pub units: Option<&'static str>,
    /// What was counted.
    pub tally: Tally,
    /// The wall time.
    pub elapsed: Duration,
    /// The evaluator, if one was used.
    pub evaluated: Option<EvaluatorSummary>,
    /// For filter jobs.
    pub(super) filter: Option<Filtered>,
    /// Whose wins are counted first.
    pub(super) result_side: &'static str,
}

impl Summary {
    /// Adds the summary of one more file.
    pub fn add(&mut self, one: Summary) {
        self.tally.add(one.tally);
        self.formats = None;
        self.unscored = one.unscored;
        self.evaluated = one.evaluated;
        if let (Some(all), Some(one)) = (&mut self.filter, &one.filter)
            && all.mode != one.mode
        {
            all.mode = None;
        }
        if self.result_side != one.result_side {
            self.result_side = EITHER;
        }
    }

    /// What became of the records that were not kept.
    #[must_use]
    pub fn action(&self) -> &'static str {
        match self.filter.as_ref().map(|filter| filter.mode) {
            None | Some(Some(Mode::Drop)) => "dropped",
            Some(Some(Mode::Mark)) => "marked",
            Some(None) => "not kept",
        }
    }

    /// The names of the three results.
    #[must_use]
    pub fn results(&self) -> [&'static str; 3] {
        match self.result_side {
            WHITE => ["White won", "Draw", "Black won"],
            SIDE_TO_MOVE => ["Side to move won", "Draw", "Side to move lost"],
            _ => ["Won", "Draw", "Lost"],
        }
    }

    /// What was counted, if this is of a [`Job::count`](super::Job::count).
    fn counted(&self) -> Option<&Counts> {
        let counts = self.tally.counts.as_deref();
        counts.filter(|_| self.filter.is_none()).map(|[all, _]| all)
    }

    /// Whether no record was invalid.
    #[must_use]
    pub const fn is_sound(&self) -> bool {
        self.tally.invalid == 0
    }

    fn rate(&self) -> f64 {
        let mut records = self.tally.records;
        if self.evaluated.is_some() {
            records += self.tally.invalid;
        }
        records as f64 / self.elapsed.as_secs_f64().max(1e-6)
    }

    /// As JSON: counts in records and bytes, times in seconds.
    #[must_use]
    pub fn to_json(&self) -> Value {
        if let Some(counts) = self.counted() {
            return self.count_json(counts);
        }
        let tally = &self.tally;
        let mut json = json!({
            "command": self.job,
            "input": self.input,
            "output": self.output,
            "records": tally.records,
            "invalid": tally.invalid,
            "invalid_bytes": tally.invalid_bytes,
            "invalid_records": tally.invalid_records,
            "contradicted_results": tally.contradicted,
            "clamped_scores": tally.clamped,
            "seconds": self.elapsed.as_secs_f64(),
            "records_per_second": self.rate(),
        });
        if let Some(evaluated) = &self.evaluated {
            json["backend"] = evaluated.backend.as_str().into();
            json["threads"] = evaluated.threads.into();
            json["audited"] = evaluated.report.audited.into();
            json["decoded_on_gpu"] = evaluated.report.decoded.into();
            json["fallback"] = evaluated.report.fallback.clone().into();
            json["rules"] = evaluated.rules.to_json();
        }
        if let Some([from, to]) = self.formats.map(|formats| formats.map(Format::name)) {
            json["from"] = from.into();
            json["to"] = to.into();
        }
        match &self.filter {
            Some(filter) => self.add_filter(filter, &mut json),
            None if self.evaluated.is_some() => json["moves"] = tally.moves.into(),
            None => {
                json["unscored"] = self.unscored_json();
                json["bytes"] = tally.sizes_json(tally.held);
            }
        }
        json
    }

    fn add_filter(&self, filter: &Filtered, json: &mut Value) {
        let tally = &self.tally;
        let reasons = Reason::all().zip(tally.dropped);
        let dropped: Map<String, Value> = reasons
            .map(|(reason, count)| (reason.name().to_owned(), count.into()))
            .collect();
        json["filter"] = filter.rules.as_str().into();
        json["mode"] = filter.mode.map_or("drop or mark", Mode::name).into();
        json["kept"] = tally.kept.into();
        json["bytes"] = tally.sizes_json(tally.held);
        json["dropped"] = dropped.into();
        json["marked"] = (tally.held - tally.kept).into();
        if self.formats.is_none_or(|[from, to]| from != to) {
            json["unscored"] = self.unscored_json();
        }
        if let Some(counts) = &tally.counts {
            let [read, kept] = counts.each_ref().map(Counts::to_json);
            json["counts"] = json!({ "read": read, "kept": kept });
        }
        json["results"] = if tally.outcomes == [0; 3] {
            Value::Null // no record has a result
        } else {
            json!({
                "result_side": self.result_side,
                "read": results_json(tally.outcomes),
                "kept": results_json(tally.kept_outcomes),
            })
        };
    }

    fn unscored_json(&self) -> Value {
        json!({ "records": self.tally.unscored, "became": self.unscored })
    }

    /// As text.
    #[must_use]
    pub fn to_text(&self) -> String {
        let lines = self.lines().text();
        match self.counted() {
            Some(_) => format!("swaplist count {}\n{lines}", self.input),
            None => format!("swaplist {}\n{lines}", self.job),
        }
    }

    /// As lines of name and value.
    #[must_use]
    pub fn lines(&self) -> Lines {
        if let Some(counts) = self.counted() {
            return self.count_lines(counts);
        }
        let tally = &self.tally;
        let mut lines = Lines::default();
        let [from, to] = match self.formats {
            Some(formats) => formats.map(|format| format!(", {}", format.name())),
            None => Default::default(),
        };
        lines.add("input", format!("{}{from}", self.input));
        lines.add("output", format!("{}{to}", self.output));
        lines.add("records", grouped(tally.records));
        match &self.filter {
            Some(filter) => self.add_filter_lines(filter, &mut lines),
            None if self.evaluated.is_some() => lines.add("moves", grouped(tally.moves)),
            None => {
                tally.unscored_line(tally.records, &self.unscored, &mut lines);
                tally.size_lines(tally.held, &mut lines);
            }
        }
        tally.invalid_lines(&mut lines);
        tally.game_lines(&mut lines);
        let (seconds, rate) = (self.elapsed.as_secs_f64(), grouped(self.rate() as u64));
        lines.add("time", format!("{seconds:.2} s, {rate} records/s"));
        let Some(evaluated) = &self.evaluated else {
            return lines;
        };
        lines.add("backend", &evaluated.backend);
        lines.add("rules", evaluated.rules);
        evaluated.decoded_line(&mut lines);
        if evaluated.report.audited > 0 {
            let audited = grouped(evaluated.report.audited);
            lines.add(
                "audited",
                format!("{audited} answers on the CPU, all equal"),
            );
        }
        if let Some(fallback) = &evaluated.report.fallback {
            lines.add("fallback", fallback);
        }
        lines
    }

    fn add_filter_lines(&self, filter: &Filtered, lines: &mut Lines) {
        let tally = &self.tally;
        lines.add("kept", share(tally.kept, tally.records));
        let action = self.action();
        for (reason, &count) in Reason::all().zip(&tally.dropped) {
            if count > 0 {
                lines.add(action, format!("{}, {reason}", share(count, tally.records)));
            }
        }
        if filter.mode.is_none() {
            let marked = grouped(tally.held - tally.kept);
            let marked = format!("{marked} of these, which are in the output");
            lines.add("marked", marked);
        }
        if tally.outcomes != [0; 3] {
            lines.add("W/D/L read", wdl(tally.outcomes, self.result_side));
            lines.add("W/D/L kept", wdl(tally.kept_outcomes, self.result_side));
        }
        tally.unscored_line(tally.kept, &self.unscored, lines);
        tally.size_lines(tally.held, lines);
        lines.add("filter", &filter.rules);
    }
}

/// The CPU backend's name, with its number of threads.
fn cpu_name(threads: usize) -> String {
    let s = if threads == 1 { "" } else { "s" };
    format!("CPU, {threads} thread{s}")
}
