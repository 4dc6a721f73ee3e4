//! The filter's work on a block.

use std::ops::ControlFlow;
use std::sync::{Mutex, PoisonError};

use super::Filtering;
use crate::backend::Ask;
use crate::filter::{Filter, Judged, Reason};
use crate::formats::{Action, Actions, Block, Codec, Decoded, Record};
use crate::jobs::counts::Counts;
use crate::jobs::error::Result;
use crate::jobs::job::Job;
use crate::jobs::pipeline::{Done, Held, Plan, Step, Task};
use crate::jobs::summary::Mode;
use crate::jobs::tally::Tally;
use crate::{Evaluator, Position, Rules};

/// The block size for formats with independent records: small enough that the output stays in
/// the L2 cache until it is written.
const SMALL: usize = 1 << 18;

pub(in crate::jobs) struct Filters<'a> {
    evaluator: &'a Evaluator,
    what: &'a Filtering,
    mode: Mode,
    rejects: bool,
    /// Whether the output has another format; then records without a score are counted.
    converts: bool,
    /// What to ask a device that decodes the records, if one may.
    of_device: Option<Ask>,
    most_bytes: usize,
    judged: Pool<Judged>,
    data: Pool<Vec<u8>>,
}

/// Buffers to reuse, shared by all workers.
#[derive(Default)]
struct Pool<T>(Mutex<Vec<T>>);

impl Pool<Vec<u8>> {
    /// Drops empty vectors, whose memory was sent on: otherwise they would be taken first and
    /// the filled ones would pile up.
    fn give_if_filled(&self, spare: Vec<u8>) {
        if spare.capacity() > 0 {
            self.give(spare);
        }
    }
}

impl<T: Default> Pool<T> {
    fn take(&self) -> T {
        let mut spare = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        spare.pop().unwrap_or_default()
    }

    fn give(&self, spare: T) {
        let mut pool = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        pool.push(spare);
    }
}

impl Task for Filters<'_> {
    fn bytes_a_record(&self) -> usize {
        16
    }

    fn evaluator(&self) -> Option<&Evaluator> {
        Some(self.evaluator)
    }

    fn most_bytes(&self) -> usize {
        self.most_bytes
    }

    fn of_device(&self) -> Option<(&Rules, Ask)> {
        Some((self.what.filter.see_rules(), self.of_device?))
    }

    fn settle(
        &self,
        codec: &dyn Codec,
        done: &mut Done,
        before: &Tally,
    ) -> Result<ControlFlow<()>> {
        match (self.what.limit, done.held.take()) {
            (Some(limit), Some(held)) => self.cut(codec, &held, limit - before.kept, done),
            _ => Ok(ControlFlow::Continue(())),
        }
    }

    fn recycle(&self, data: Vec<u8>) {
        self.data.give_if_filled(data);
    }

    fn run(&self, mut step: Step<'_>) -> Result<()> {
        let (codec, block, decoded) = (step.codec, step.block, step.decoded);
        let mut judged = self.judged.take();
        let (positions, records) = (&decoded.positions, &decoded.records);
        let filter = &self.what.filter;
        if decoded.told.answers.is_empty() {
            self.judge(filter, positions, records, &mut judged)?;
        } else {
            filter.judge_answered(records, &decoded.told, &mut judged)?;
        }
        let dropped = judged.reasons.clone();
        self.judged.give(judged);
        if step.done.data.capacity() == 0 {
            step.done.data = self.data.take();
            step.done.data.clear();
        }
        self.write(codec, block, decoded, &dropped, step.done)?;
        if self.what.limit.is_some() {
            step.done.dropped.get_or_insert_default().extend(dropped);
            return Ok(());
        }
        step.send_if_large()
    }
}

impl<'a> Filters<'a> {
    /// For a job that was prepared.
    pub fn new(
        job: &Job<'_>,
        what: &'a Filtering,
        mode: Mode,
        evaluator: &'a Evaluator,
    ) -> Filters<'a> {
        let decodes_there = job.converting.copies() && !what.counts;
        Filters {
            evaluator,
            what,
            mode,
            rejects: job.rejects.is_some(),
            converts: !job.converting.copies(),
            of_device: what.filter.of_device().filter(|_| decodes_there),
            most_bytes: if job.converting.from.units().is_none() {
                SMALL
            } else {
                Plan::MOST
            },
            judged: Pool::default(),
            data: Pool::default(),
        }
    }

    fn judge(
        &self,
        filter: &Filter,
        positions: &[Position],
        records: &[Record],
        judged: &mut Judged,
    ) -> Result<()> {
        let (rules, bounds) = (filter.see_rules(), filter.bounds());
        filter.judge_all(positions, records, judged, |positions, exceeds| {
            self.evaluator.exceeds(positions, rules, bounds, exceeds);
        })?;
        Ok(())
    }

    /// Counts the records; encodes those kept and the rejects.
    fn write(
        &self,
        codec: &dyn Codec,
        block: &Block,
        decoded: &Decoded,
        dropped: &[Option<Reason>],
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
            tally.counts = Some(self.counts(decoded, dropped));
        }
        done.tally.add(tally);
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

    /// Counts over the records read and kept. Needs the verdicts of all records; the filter
    /// asks only for those that its cheap rules leave.
    fn counts(&self, decoded: &Decoded, dropped: &[Option<Reason>]) -> Box<[Counts; 2]> {
        let positions = &decoded.positions[..dropped.len()];
        let verdicts = self
            .evaluator
            .verdicts(positions, self.what.filter.see_rules(), false);
        let mut counts = Counts::none(self.what.filter.see_rules());
        let records = decoded.records.iter().zip(positions).zip(&verdicts);
        for (((record, position), verdict), reason) in records.zip(dropped) {
            let pieces = position.occupied().count();
            counts[0].add(pieces, record, verdict);
            if reason.is_none() {
                counts[1].add(pieces, record, verdict);
            }
        }
        counts
    }

    /// Ends the output at the record that reaches the limit, if it is in this block.
    fn cut(
        &self,
        codec: &dyn Codec,
        held: &Held,
        wanted: u64,
        done: &mut Done,
    ) -> Result<ControlFlow<()>> {
        let mut dropped = done.dropped.take().unwrap_or_default();
        let kept = dropped
            .iter()
            .enumerate()
            .filter(|(_, reason)| reason.is_none());
        let last = kept.map(|(i, _)| i).nth(wanted as usize - 1);
        let Some(last) = last else {
            return Ok(ControlFlow::Continue(()));
        };
        let mut decoded = held.decode(codec);
        let end = decoded.records[last].span().end;
        decoded.invalid.retain(|error| error.span.start < end);
        decoded.contradicted.retain(|&start| start < end);
        decoded.clamped.retain(|&start| start < end);
        dropped.truncate(last + 1);
        *done = Done::default();
        // Bytes after the limit do not count: how far the reader got depends on timing.
        done.tally.bytes = end.into();
        self.write(codec, &held.block, &decoded, &dropped, done)?;
        done.tally.note_decoded(&decoded);
        Ok(ControlFlow::Break(()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each block sends its only part on, so the buffer is empty at the end.
    #[test]
    fn one_buffer_serves_one_block_after_the_other() {
        let pool = Pool::default();
        for _ in 0..100 {
            let mut data: Vec<u8> = pool.take();
            data.resize(1 << 20, 0);
            let part = core::mem::take(&mut data);
            pool.give_if_filled(part);
            pool.give_if_filled(data);
        }
        assert_eq!(pool.0.into_inner().unwrap().len(), 1);
    }
}
