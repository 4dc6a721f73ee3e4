//! Counting what a data set holds.

use serde_json::{Value, json};

use super::counts::Counts;
use super::error::Result;
use super::job::Job;
use super::pipeline::{Done, Memory, Needs, Part, Task};
use super::shown::{Lines, grouped, share};
use super::summary::{Summary, wdl};
use crate::backend::{Answers, Ask, Question};
use crate::formats::{Decoded, Format};
use crate::{Evaluator, Rules};

impl Job<'_> {
    /// Counts what the records hold.
    ///
    /// # Errors
    ///
    /// An [`Error`](super::Error) of any kind.
    pub fn count(self, rules: &Rules, evaluator: &Evaluator) -> Result<Summary> {
        let task = Counting(*rules);
        self.run("count", &task, &[], Some(evaluator), &|summary| {
            let counts = &mut summary.tally.counts;
            counts.get_or_insert_with(|| Counts::none(rules));
        })
    }
}

/// Counts by these rules.
pub(super) struct Counting(pub Rules);

impl Task for Counting {
    fn needs(&self) -> Needs {
        Needs {
            rules: Some(self.0),
            ask: Some(Ask::Verdicts),
            ..Needs::default()
        }
    }

    fn question<'a>(
        &self,
        _: &Part<'_>,
        decoded: &'a Decoded,
        _: &'a mut Memory,
    ) -> Result<Option<Question<'a>>> {
        Ok(Some(Question::Verdicts {
            positions: &decoded.positions,
            with_threat: false,
        }))
    }

    fn finish(
        &self,
        part: &Part<'_>,
        decoded: &mut Decoded,
        _: &mut Memory,
        answers: &Answers,
        done: &mut Done,
    ) -> Result<()> {
        let none = || Counts::none(&self.0);
        let [counts, _] = &mut **done.tally.counts.get_or_insert_with(none);
        let judged = decoded.records.iter().zip(&answers.verdicts);
        if answers.records.is_empty() {
            for ((record, verdict), position) in judged.zip(&decoded.positions) {
                counts.add(position.occupied().count(), record, verdict);
            }
        } else {
            for ((record, verdict), answer) in judged.zip(&answers.records) {
                counts.add(answer.pieces(), record, verdict);
            }
        }
        if part.codec.format().units().is_some() {
            // Games and chains never span two parts.
            counts.units += decoded.units().count() as u64;
        }
        done.tally.records += decoded.records.len() as u64;
        Ok(())
    }
}

/// The summary of a count.
impl Summary {
    pub(super) fn count_json(&self, counts: &Counts) -> Value {
        let tally = &self.tally;
        let mut json = counts.to_json();
        json["command"] = "count".into();
        json["input"] = self.input.as_str().into();
        json["format"] = self.format().name().into();
        json["result_side"] = self.result_side.into();
        json["invalid"] = tally.invalid.into();
        json["invalid_bytes"] = tally.invalid_bytes.into();
        json["contradicted_results"] = tally.contradicted.into();
        json["clamped_scores"] = tally.clamped.into();
        json["bytes"] = tally.bytes.into();
        json["bytes_compressed"] = tally.packed.into();
        json["seconds"] = self.elapsed.as_secs_f64().into();
        let evaluated = self.evaluated.as_ref();
        json["rules"] = evaluated.map(|by| by.rules.to_json()).into();
        json["decoded_on_gpu"] = evaluated.map(|by| by.report.decoded).into();
        json["units"] = self.units.map(|name| json!({ name: counts.units })).into();
        json
    }

    pub(super) fn count_lines(&self, counts: &Counts) -> Lines {
        let tally = &self.tally;
        let of_all = |count| share(count, counts.positions);
        let mut lines = Lines::default();
        lines.add("format", self.format().name());
        lines.add("positions", grouped(counts.positions));
        if let Some(name) = self.units {
            lines.add(name, grouped(counts.units));
        }
        lines.add("in check", of_all(counts.in_check));
        let moves = grouped(counts.noisy_moves);
        let noisy = of_all(counts.noisy);
        lines.add("noisy", format!("{noisy} have noisy moves, {moves} in all"));
        lines.add("winning", format!("{}, SEE > 0", of_all(counts.winning)));
        if counts.has_outcomes() {
            lines.add("W/D/L", wdl(counts.outcomes, self.result_side));
        }
        if counts.scored + counts.unscored > 0 {
            lines.add("scored", of_all(counts.scored));
        }
        if counts.unscored > 0 {
            let unscored = of_all(counts.unscored);
            let why = self.format().row().why_unscored;
            lines.add("no score", format!("{unscored}, {why}"));
        }
        lines.add("size", tally.size_read());
        tally.invalid_lines(&mut lines);
        tally.game_lines(&mut lines);
        if let Some(evaluated) = &self.evaluated {
            lines.add("rules", evaluated.rules);
            evaluated.decoded_line(&mut lines);
        }
        lines
    }

    fn format(&self) -> Format {
        self.formats.unwrap_or_default()[0]
    }
}
