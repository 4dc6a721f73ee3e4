//! Counting what a data set holds.

use serde_json::{Value, json};

use super::counts::{Counts, wdl, wins_of};
use super::error::Result;
use super::job::Job;
use super::pipeline::{Step, Task};
use super::shown::{Lines, grouped, share};
use super::summary::Summary;
use crate::formats::Format;
use crate::{Evaluator, Rules};

impl Job<'_> {
    /// Counts what the records hold.
    ///
    /// # Errors
    ///
    /// An [`Error`](super::Error) of any kind.
    pub fn count(self, rules: &Rules, evaluator: &Evaluator) -> Result<Counted> {
        let task = Counting { evaluator, rules };
        let summary = self.run("count", &task, &[], Some(rules), |_| {})?;
        Ok(Counted::new(summary, rules))
    }
}

pub(super) struct Counting<'a> {
    pub evaluator: &'a Evaluator,
    pub rules: &'a Rules,
}

impl Task for Counting<'_> {
    fn evaluator(&self) -> Option<&Evaluator> {
        Some(self.evaluator)
    }

    fn run(&self, step: Step<'_>) -> Result<()> {
        let Step {
            codec,
            decoded,
            done,
            ..
        } = step;
        let verdicts = self
            .evaluator
            .verdicts(&decoded.positions, self.rules, false);
        let none = || Box::new([Counts::new(self.rules), Counts::new(self.rules)]);
        let [counts, _] = &mut **done.tally.counts.get_or_insert_with(none);
        // Games and chains never span two parts.
        let has_units = codec.format().units().is_some();
        let mut unit = None;
        let records = decoded.positions.iter().zip(&decoded.records);
        for ((position, record), verdict) in records.zip(&verdicts) {
            counts.add(position, record, verdict);
            let start = Some(record.span().start).filter(|_| has_units);
            counts.units += u64::from(start != unit);
            unit = start;
        }
        done.tally.records += verdicts.len() as u64;
        Ok(())
    }
}

/// What a data set holds.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Counted {
    /// What was read.
    pub summary: Summary,
    /// What was counted.
    pub counts: Counts,
    rules: Rules,
    format: Format,
}

impl Counted {
    /// From the summary of a [`Job::count`].
    #[must_use]
    pub fn new(summary: Summary, rules: &Rules) -> Counted {
        let [counts, _] = *summary.tally.counts(rules);
        Counted {
            format: summary.formats.unwrap_or_default()[0],
            summary,
            counts,
            rules: *rules,
        }
    }

    /// Whose wins are counted first.
    #[must_use]
    pub const fn wins_of(&self) -> &'static str {
        wins_of(self.format)
    }

    /// As JSON.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let Summary { tally, .. } = &self.summary;
        let mut json = self.counts.to_json();
        json["command"] = "count".into();
        json["input"] = self.summary.input.as_str().into();
        json["format"] = self.format.name().into();
        json["wins_of"] = self.wins_of().into();
        json["invalid"] = tally.invalid.into();
        json["invalid_bytes"] = tally.invalid_bytes.into();
        json["contradicted_results"] = tally.contradicted.into();
        json["bytes"] = tally.bytes.into();
        json["bytes_compressed"] = tally.packed.into();
        json["seconds"] = self.summary.elapsed.as_secs_f64().into();
        json["rules"] = self.rules.to_json();
        let units = self
            .summary
            .units
            .map(|name| json!({ name: self.counts.units }));
        json["units"] = units.into();
        json
    }

    /// As lines of name and value.
    #[must_use]
    pub fn lines(&self) -> Lines {
        let (counts, tally) = (&self.counts, &self.summary.tally);
        let of_all = |count| share(count, counts.positions);
        let mut lines = Lines::default();
        lines.add("format", self.format.name());
        lines.add("positions", grouped(counts.positions));
        if let Some(name) = self.summary.units {
            lines.add(name, grouped(counts.units));
        }
        lines.add("in check", of_all(counts.in_check));
        let moves = grouped(counts.noisy_moves);
        let noisy = of_all(counts.noisy);
        lines.add("noisy", format!("{noisy} have noisy moves, {moves} in all"));
        lines.add("winning", format!("{}, SEE > 0", of_all(counts.winning)));
        if counts.has_outcomes() {
            lines.add("W/D/L", wdl(counts.outcomes, self.wins_of()));
        }
        if counts.scored + counts.unscored > 0 {
            lines.add("scored", of_all(counts.scored));
        }
        if counts.unscored > 0 {
            let unscored = of_all(counts.unscored);
            let why = match self.format {
                Format::Pgn => "in games where others have one",
                _ => "marked with 32002",
            };
            lines.add("no score", format!("{unscored}, {why}"));
        }
        lines.add("size", tally.size_read());
        tally.invalid_lines(&mut lines);
        tally.contradicted_lines(&mut lines);
        lines.add("rules", self.rules);
        lines
    }
}
