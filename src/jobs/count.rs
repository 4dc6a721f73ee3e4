//! Counting what a data set holds.

use super::counts::Counts;
use super::error::Result;
use super::job::Job;
use super::step::{Needs, Step, Task};
use super::summary::Summary;
use crate::backend::{Answers, Ask, Question};
use crate::formats::Codec;
use crate::{Evaluator, Rules};

impl Job<'_> {
    /// Counts what the records hold.
    ///
    /// # Errors
    ///
    /// An [`Error`](super::Error) of any kind.
    pub fn count(self, rules: &Rules, evaluator: &Evaluator) -> Result<Summary> {
        self.run(CountTask(*rules), &[], Some(evaluator))
    }
}

pub(super) struct CountTask(pub Rules);

impl Task for CountTask {
    fn needs(&self) -> Needs {
        Needs {
            rules: Some(self.0),
            ask: Some(Ask::Verdicts),
            ..Needs::of("count")
        }
    }

    fn question<'a>(&self, _: &Codec, step: &'a mut Step) -> Result<Option<Question<'a>>> {
        Ok(Some(Question::Verdicts {
            positions: &step.decoded.positions,
            with_threat: false,
        }))
    }

    fn finish(&self, codec: &Codec, step: &mut Step, answers: &Answers) -> Result<()> {
        let (decoded, tally) = (&step.decoded, &mut step.done.tally);
        let none = || Counts::none(&self.0);
        let [counts, _] = &mut **tally.counts.get_or_insert_with(none);
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
        if codec.format().units().is_some() {
            // Games and chains never span two parts.
            counts.units += decoded.units().count() as u64;
        }
        tally.records += decoded.records.len() as u64;
        Ok(())
    }

    fn sum_up(&self, summary: &mut Summary) {
        let counts = &mut summary.tally.counts;
        counts.get_or_insert_with(|| Counts::none(&self.0));
    }
}
