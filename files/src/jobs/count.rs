//! Counting what a data set holds.

use super::counts::{Counts, HAS_DATA};
use super::data::Comparison;
use super::error::Result;
use super::job::Job;
use super::kind::JobKind;
use super::step::Step;
use super::summary::Summary;
use super::task::{Task, TaskSpec};
use crate::formats::Codec;
use swaplist::backend::Question;
use swaplist::{Evaluator, Rules, Sides};

impl Job<'_> {
    /// Counts what the records hold; with [`Options::data`](super::Options::data), also what
    /// matters to training.
    ///
    /// # Errors
    ///
    /// An [`Error`](super::Error) of any kind.
    pub fn count(self, rules: &Rules, evaluator: &Evaluator) -> Result<Summary> {
        let task = CountTask::new(*rules, self.options.data);
        self.run(task, &[], Some(evaluator))
    }
}

pub(super) struct CountTask {
    rules: Rules,
    /// Whether it also counts what matters to training.
    with_data: bool,
}

impl CountTask {
    pub const fn new(rules: Rules, with_data: bool) -> CountTask {
        CountTask { rules, with_data }
    }

    /// Counts of no records.
    fn none(&self) -> Box<[Counts; 2]> {
        let mut none = Counts::none(&self.rules);
        none[0].data = (HAS_DATA && self.with_data).then(Box::default);
        none
    }
}

impl Task for CountTask {
    fn spec(&self) -> TaskSpec {
        TaskSpec {
            rules: Some(self.rules),
            ..TaskSpec::for_job(JobKind::Count)
        }
    }

    fn question<'a>(&self, _: &Codec, step: &'a mut Step) -> Result<Option<Question<'a>>> {
        Ok(Some(Question::Verdicts {
            positions: &step.decoded.positions,
            sides: Sides::ToMove,
        }))
    }

    fn write(&self, codec: &Codec, step: &mut Step) -> Result<()> {
        let has_units = codec.format().units().is_some();
        if HAS_DATA && self.with_data && Comparison::new(codec.format()).needs_state() {
            codec.states(&step.block, &mut step.decoded);
        }
        let decoded = &step.decoded;
        let tally = &mut step.done.tally;
        let [counts, _] = &mut **tally.counts.get_or_insert_with(|| self.none());
        let judged = decoded.records.iter().zip(&step.answers.verdicts);
        for ((record, verdict), position) in judged.zip(&decoded.positions) {
            counts.add(position.occupied().count(), record, verdict);
        }
        if has_units {
            // Games and chains never span two parts.
            counts.units += decoded.units().count() as u64;
        }
        if let Some(data) = counts.data.as_mut().filter(|_| HAS_DATA) {
            let comparison = Comparison::new(codec.format());
            data.compared_by(comparison);
            for i in 0..decoded.records.len() {
                data.add(&decoded.record(i), comparison);
            }
            let units = decoded.units().filter(|_| has_units);
            units.for_each(|records| data.add_unit(records));
        }
        tally.records += decoded.records.len() as u64;
        Ok(())
    }

    fn sum_up(&self, summary: &mut Summary) {
        let counts = &mut summary.tally.counts;
        counts.get_or_insert_with(|| self.none());
    }
}
