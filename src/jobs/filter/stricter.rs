//! What stricter presets would have dropped in addition.

use super::task::Filters;
use crate::Position;
use crate::filter::{Judged, Preset, Reason};
use crate::formats::{Decoded, Record};
use crate::jobs::error::Result;
use crate::jobs::stricter::{STRICTER, Stricter};

impl Filters<'_> {
    /// Tries the stricter presets on the records kept.
    pub(super) fn stricter(
        &self,
        decoded: &Decoded,
        dropped: &[Option<Reason>],
    ) -> Result<Stricter> {
        let records = decoded.positions.iter().zip(&decoded.records).zip(dropped);
        let kept = records.filter(|(_, reason)| reason.is_none());
        let (positions, records): (Vec<Position>, Vec<Record>) = kept
            .map(|((position, record), _)| (*position, *record))
            .unzip();
        let mut counts = [None; STRICTER.len()];
        for (count, preset) in counts.iter_mut().zip(STRICTER) {
            *count = self.dropped_by(preset, &positions, &records)?;
        }
        Ok(counts)
    }

    fn dropped_by(
        &self,
        preset: Preset,
        positions: &[Position],
        records: &[Record],
    ) -> Result<Option<u64>> {
        let (filter, rules) = (preset.filter(), &self.what.rules);
        let has_all = |record| filter.needs().all(|field| field.is_in(record));
        if !records.iter().all(has_all) {
            return Ok(None);
        }
        let mut judged = Judged::default();
        filter.judge_all(
            rules,
            positions,
            records,
            &mut judged,
            |positions, exceeds| {
                self.evaluator
                    .exceeds(positions, rules, filter.bounds(), exceeds);
            },
        )?;
        let dropped = judged.reasons.iter().filter(|reason| reason.is_some());
        Ok(Some(dropped.count() as u64))
    }
}
