//! Answers about records that the GPU decodes itself.

use super::Evaluator;
use super::request::{audit, same_bounds, same_verdict};
use crate::backend::{Backend, BackendError, Raw, RawAnswer, RawFacts, RawVerdict};
use crate::{Bounds, Capture, Position, Rules};

/// Positions of a game or chain that are audited: it must be decoded from its beginning.
const SAMPLES_A_UNIT: usize = 16;

/// A position and the move played in it, as the CPU decodes them.
type Seen = (Position, Option<Capture>);

impl Evaluator {
    /// Which bounds records of a file exceed that a GPU decodes. `None` if none does, or if some of
    /// them cannot be decoded. `decode` gives a unit's positions and moves for the audit.
    #[doc(hidden)]
    pub fn exceeds_in(
        &self,
        raw: &Raw<'_>,
        rules: &Rules,
        bounds: Bounds,
        decode: impl Fn(usize) -> Vec<Seen>,
    ) -> Option<Vec<RawAnswer>> {
        let ask = |gpu: &dyn Backend| gpu.exceeds_in(raw, rules, bounds);
        self.decoded(raw, ask, decode, |(position, _), answer| {
            same_bounds(position, rules, bounds, answer.exceeds(bounds))
        })
    }

    /// The same with facts.
    #[doc(hidden)]
    pub fn facts_in(
        &self,
        raw: &Raw<'_>,
        rules: &Rules,
        bounds: Bounds,
        decode: impl Fn(usize) -> Vec<Seen>,
    ) -> Option<Vec<RawFacts>> {
        let ask = |gpu: &dyn Backend| gpu.facts_in(raw, rules, bounds);
        self.decoded(raw, ask, decode, |(position, played), gpu| {
            let mut cpu = RawFacts::new(position, *played, rules);
            cpu.raw = gpu.raw;
            if *gpu != cpu {
                let what = format!("the facts on '{position}' are {gpu:x?}, on the CPU {cpu:x?}");
                return Err(BackendError::Wrong(what));
            }
            same_bounds(position, rules, bounds, gpu.raw.exceeds(bounds))
        })
    }

    /// Verdicts on such records, without threats.
    #[doc(hidden)]
    pub fn verdicts_in(
        &self,
        raw: &Raw<'_>,
        rules: &Rules,
        decode: impl Fn(usize) -> Vec<Seen>,
    ) -> Option<Vec<RawVerdict>> {
        let ask = |gpu: &dyn Backend| gpu.verdicts_in(raw, rules);
        self.decoded(raw, ask, decode, |(position, _), answer| {
            let (cpu, gpu) = (position.occupied().count(), answer.raw.pieces());
            if gpu != cpu {
                let what = format!("'{position}' has {gpu} pieces, on the CPU {cpu}");
                return Err(BackendError::Wrong(what));
            }
            same_verdict(position, rules, false, &answer.verdict)
        })
    }

    /// Asks a GPU, and compares its answers on a sample of positions.
    fn decoded<A>(
        &self,
        raw: &Raw<'_>,
        ask: impl FnOnce(&dyn Backend) -> Result<Option<Vec<A>>, BackendError>,
        decode: impl Fn(usize) -> Vec<Seen>,
        same: impl Fn(&Seen, &A) -> Result<u64, BackendError>,
    ) -> Option<Vec<A>> {
        let answered = ask(self.live_gpu()?).and_then(|answers| {
            let Some(answers) = answers else {
                return Ok(None);
            };
            let audited = self.audit_units(raw, &answers, decode, same)?;
            let mut report = self.lock();
            report.audited += audited;
            report.decoded += answers.len() as u64;
            Ok(Some(answers))
        });
        answered
            .inspect_err(|error| self.fall_back(error))
            .ok()
            .flatten()
    }

    /// Compares some positions each of some units; returns their number.
    fn audit_units<A>(
        &self,
        raw: &Raw<'_>,
        answers: &[A],
        decode: impl Fn(usize) -> Vec<Seen>,
        same: impl Fn(&Seen, &A) -> Result<u64, BackendError>,
    ) -> Result<u64, BackendError> {
        let a_unit = if raw.coding.record_bytes().is_some() {
            1
        } else {
            SAMPLES_A_UNIT
        };
        audit(self.audit.div_ceil(a_unit), raw.units(), |unit| {
            let seen = decode(unit);
            let first = raw.unit(unit).first as usize;
            let answers = &answers[first..raw.unit(unit + 1).first as usize];
            if seen.len() != answers.len() {
                let (gpu, cpu) = (answers.len(), seen.len());
                let what = format!("{gpu} records were decoded, on the CPU {cpu}");
                return Err(BackendError::Wrong(what));
            }
            audit(a_unit, seen.len(), |i| same(&seen[i], &answers[i]))
        })
    }
}
