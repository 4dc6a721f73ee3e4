//! The filter's work on a block.

use super::Filtering;
use crate::backend::{Answers, Ask, Question};
use crate::filter::Reason;
use crate::formats::{Action, Actions, Decoded};
use crate::jobs::counts::Counts;
use crate::jobs::error::Result;
use crate::jobs::job::Job;
use crate::jobs::pipeline::{Done, Memory, Needs, Part, Plan, Task};
use crate::jobs::summary::Mode;
use crate::jobs::tally::Tally;

/// The block size for formats with independent records: small enough that the output stays in
/// the L2 cache until it is written.
const SMALL: usize = 1 << 18;

pub(in crate::jobs) struct Filters {
    what: Filtering,
    mode: Mode,
    rejects: bool,
    /// Whether the output has another format; then records without a score are counted.
    converts: bool,
    /// What to ask a device that decodes the records, if one may.
    ask: Option<Ask>,
    most_bytes: usize,
}

impl Task for Filters {
    fn needs(&self) -> Needs {
        Needs {
            bytes_a_record: 16,
            most_bytes: self.most_bytes,
            rules: Some(*self.what.filter.see_rules()),
            ask: self.ask,
            limit: self.what.limit,
        }
    }

    /// Only the positions that cheap rules leave; for counts the verdicts on all.
    fn question<'a>(
        &self,
        _: &Part<'_>,
        decoded: &'a Decoded,
        memory: &'a mut Memory,
    ) -> Result<Option<Question<'a>>> {
        let (filter, judged) = (&self.what.filter, &mut memory.judged);
        let all = &decoded.positions;
        filter.begin(all, &decoded.records, judged)?;
        let bounds = filter.bounds();
        let positions = judged.asked(all);
        Ok(if self.what.counts {
            Some(Question::Verdicts {
                positions: all,
                with_threat: bounds.asks_threat(),
            })
        } else if positions.is_empty() {
            None
        } else {
            Some(Question::Bounds { positions, bounds })
        })
    }

    fn finish(
        &self,
        part: &Part<'_>,
        decoded: &mut Decoded,
        memory: &mut Memory,
        answers: &Answers,
        done: &mut Done,
    ) -> Result<()> {
        let filter = &self.what.filter;
        let (judged, bounds) = (&mut memory.judged, filter.bounds());
        let (positions, records) = (&decoded.positions, &decoded.records);
        if !answers.records.is_empty() {
            filter.judge_answered(records, answers, judged)?;
        } else if self.what.counts {
            let exceeds = |i: usize, _| bounds.exceeds(&answers.verdicts[i]);
            filter.finish(positions, records, judged, exceeds);
        } else {
            let exceeds = |_, nth: usize| answers.exceeds[nth];
            filter.finish(positions, records, judged, exceeds);
        }
        let dropped = &mut judged.reasons;
        if let Some(left) = part.left {
            let kept = (0..).zip(dropped.iter());
            let mut kept = kept.filter(|(_, reason)| reason.is_none());
            if let Some((last, _)) = kept.nth((left as usize).saturating_sub(1)) {
                dropped.truncate(last + 1);
                let end = decoded.records[last].span().end;
                decoded.invalid.retain(|error| error.span.start < end);
                decoded.contradicted.retain(|&start| start < end);
                decoded.clamped.retain(|&start| start < end);
                done.end = Some(end);
            }
        }
        self.write(part, decoded, dropped, answers, done)
    }
}

impl Filters {
    /// For a job that was prepared.
    pub fn new(job: &Job<'_>, what: &Filtering, mode: Mode) -> Filters {
        let decodes_there = job.converting.copies() && !what.counts;
        Filters {
            mode,
            rejects: job.rejects.is_some(),
            converts: !job.converting.copies(),
            ask: what.filter.of_device().filter(|_| decodes_there),
            most_bytes: if job.converting.from.units().is_none() {
                SMALL
            } else {
                Plan::MOST
            },
            what: what.clone(),
        }
    }

    /// Counts the records; encodes those kept and the rejects.
    fn write(
        &self,
        part: &Part<'_>,
        decoded: &Decoded,
        dropped: &[Option<Reason>],
        answers: &Answers,
        done: &mut Done,
    ) -> Result<()> {
        let actions = |kept: bool, others: Action| -> Vec<Action> {
            let chosen = |reason: &Option<Reason>| reason.is_none() == kept;
            let action = |chosen| if chosen { Action::Keep } else { others };
            let mut actions: Vec<Action> = dropped.iter().map(chosen).map(action).collect();
            // Records after the limit.
            actions.resize(decoded.records.len(), Action::Drop);
            actions
        };
        let mut tally = Tally::default();
        tally.count(&decoded.records, dropped);
        if self.converts {
            let records = decoded.records.iter().zip(dropped);
            let kept = records.filter(|(record, reason)| reason.is_none() && record.is_unscored());
            tally.unscored = kept.count() as u64;
        }
        tally.held = match self.mode {
            Mode::Drop => tally.kept,
            Mode::Mark => tally.records,
        };
        if self.what.counts {
            tally.counts = Some(self.counts(decoded, dropped, answers));
        }
        done.tally.add(tally);
        let Part { codec, block, .. } = part;
        let [of_data, of_rejects] = &mut done.open;
        let kept = Actions {
            records: &actions(true, self.mode.action()),
            invalid: false,
        };
        codec.encode_part(block, decoded, &kept, &mut done.data, of_data)?;
        if self.rejects {
            let rejected = Actions {
                records: &actions(false, Action::Drop),
                invalid: true,
            };
            codec.encode_part(block, decoded, &rejected, &mut done.rejects, of_rejects)?;
        }
        Ok(())
    }

    /// Counts over the records read and kept.
    fn counts(
        &self,
        decoded: &Decoded,
        dropped: &[Option<Reason>],
        answers: &Answers,
    ) -> Box<[Counts; 2]> {
        let mut counts = Counts::none(self.what.filter.see_rules());
        let records = decoded.records.iter().zip(&decoded.positions);
        for (((record, position), verdict), reason) in records.zip(&answers.verdicts).zip(dropped) {
            let pieces = position.occupied().count();
            counts[0].add(pieces, record, verdict);
            if reason.is_none() {
                counts[1].add(pieces, record, verdict);
            }
        }
        counts
    }
}
