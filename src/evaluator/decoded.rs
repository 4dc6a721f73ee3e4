//! Answers about records that the GPU decodes itself.

use super::Evaluator;
use super::request::{audit, same_bounds, same_verdict};
use crate::backend::{Ask, BackendError, Raw, RawFacts, Told};
use crate::{Capture, Position, Rules};

/// Positions of a game or chain that are audited: it must be decoded from its beginning.
const SAMPLES_A_UNIT: usize = 16;

/// A position and the move played in it, as the CPU decodes them.
type Seen = (Position, Option<Capture>);

impl Evaluator {
    /// What a GPU says of records that it decodes. `None` if none does, or if some of them cannot
    /// be decoded. `replay` decodes a unit here, for the audit.
    #[doc(hidden)]
    pub fn decode(
        &self,
        raw: &Raw<'_>,
        rules: &Rules,
        ask: Ask,
        replay: impl Fn(usize) -> Vec<Seen>,
    ) -> Option<Told> {
        let told = self.live_gpu()?.decode(raw, rules, ask).and_then(|told| {
            let Some(told) = told else {
                return Ok(None);
            };
            let same = |seen: &Seen, record| same(seen, rules, ask, &told, record);
            let audited = self.audit_units(raw, &told, replay, same)?;
            let mut report = self.lock();
            report.audited += audited;
            report.decoded += told.answers.len() as u64;
            drop(report);
            Ok(Some(told))
        });
        told.inspect_err(|error| self.fall_back(error)).ok()?
    }

    /// Compares some positions each of some units; returns their number.
    fn audit_units(
        &self,
        raw: &Raw<'_>,
        told: &Told,
        replay: impl Fn(usize) -> Vec<Seen>,
        same: impl Fn(&Seen, usize) -> Result<u64, BackendError>,
    ) -> Result<u64, BackendError> {
        let a_unit = if raw.coding.record_bytes().is_some() {
            1
        } else {
            SAMPLES_A_UNIT
        };
        assert_eq!(told.answers.len(), raw.records(), "one answer a record");
        audit(self.audit.div_ceil(a_unit), raw.units(), |unit| {
            let (first, seen) = (raw.unit(unit).first as usize, replay(unit));
            let records = raw.unit(unit + 1).first as usize - first;
            if seen.len() != records {
                let cpu = seen.len();
                let what = format!("{records} records were decoded, on the CPU {cpu}");
                return Err(BackendError::Wrong(what));
            }
            audit(a_unit, seen.len(), |i| same(&seen[i], first + i))
        })
    }
}

/// The number of answers audited, unless the CPU's are others.
fn same(
    (position, played): &Seen,
    rules: &Rules,
    ask: Ask,
    told: &Told,
    record: usize,
) -> Result<u64, BackendError> {
    let answer = told.answers[record];
    match ask {
        Ask::Bounds(bounds) => same_bounds(position, rules, bounds, answer.exceeds(bounds)),
        Ask::Facts(bounds) => {
            let (gpu, mut cpu) = (told.facts[record], RawFacts::new(position, *played, rules));
            cpu.raw = answer;
            if gpu != cpu {
                let what = format!("the facts on '{position}' are {gpu:x?}, on the CPU {cpu:x?}");
                return Err(BackendError::Wrong(what));
            }
            same_bounds(position, rules, bounds, answer.exceeds(bounds))
        }
        Ask::Verdicts => {
            let (cpu, gpu) = (position.occupied().count(), answer.pieces());
            if gpu != cpu {
                let what = format!("'{position}' has {gpu} pieces, on the CPU {cpu}");
                return Err(BackendError::Wrong(what));
            }
            same_verdict(position, rules, false, &told.verdicts[record])
        }
    }
}
