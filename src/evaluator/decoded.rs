//! Bounds that records exceed which the GPU decodes itself.

use super::Evaluator;
use super::request::{audit, same_bounds};
use crate::backend::{BackendError, Raw, RawAnswer};
use crate::{Bounds, Position, Rules};

/// Positions of a game or chain that are audited: it must be decoded from its beginning.
const SAMPLES_A_UNIT: usize = 16;

impl Evaluator {
    /// Which bounds records of a file exceed that a GPU decodes. `None` if none does, or if some of
    /// them cannot be decoded. `decode` gives the positions of a unit for the audit.
    #[doc(hidden)]
    pub fn exceeds_in(
        &self,
        raw: &Raw<'_>,
        rules: &Rules,
        bounds: Bounds,
        decode: impl Fn(usize) -> Vec<Position>,
    ) -> Option<Vec<RawAnswer>> {
        let gpu = self.live_gpu()?;
        let answered = gpu.exceeds_in(raw, rules, bounds).and_then(|answers| {
            let Some(answers) = answers else {
                return Ok(None);
            };
            let audited = self.audit_units(raw, &answers, rules, bounds, decode)?;
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
    fn audit_units(
        &self,
        raw: &Raw<'_>,
        answers: &[RawAnswer],
        rules: &Rules,
        bounds: Bounds,
        decode: impl Fn(usize) -> Vec<Position>,
    ) -> Result<u64, BackendError> {
        let a_unit = if raw.coding.record_bytes().is_some() {
            1
        } else {
            SAMPLES_A_UNIT
        };
        audit(self.audit.div_ceil(a_unit), raw.units(), |unit| {
            let positions = decode(unit);
            let first = raw.unit(unit).first as usize;
            let answers = &answers[first..raw.unit(unit + 1).first as usize];
            if positions.len() != answers.len() {
                let (gpu, cpu) = (answers.len(), positions.len());
                let what = format!("{gpu} records were decoded, on the CPU {cpu}");
                return Err(BackendError::Wrong(what));
            }
            audit(a_unit, positions.len(), |i| {
                same_bounds(&positions[i], rules, bounds, answers[i].exceeds(bounds))
            })
        })
    }
}
