//! A backend of verdicts that are known already.

use swaplist::backend::{Backend, BackendError};
use swaplist::gpu::VerdictRecord;
use swaplist::{Batch, Best, Position, Rules, Verdict};

/// Positions and their verdicts. Questions are about some of the positions, in order.
pub struct Known {
    pub name: String,
    pub positions: Vec<Position>,
    pub verdicts: Vec<Verdict>,
}

impl Backend for Known {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn score(&self, _: &Batch, _: &Rules, _: &mut [i32]) -> Result<(), BackendError> {
        Err(BackendError::Wrong("no scores are known".to_owned()))
    }

    fn judge(
        &self,
        positions: &[Position],
        _: &Rules,
        with_threat: bool,
        verdicts: &mut [Verdict],
    ) -> Result<(), BackendError> {
        let mut known = self.positions.iter().zip(&self.verdicts);
        for (position, verdict) in positions.iter().zip(verdicts) {
            let found = known.find(|(other, _)| *other == position);
            let unknown = || BackendError::Wrong("a position was not judged".to_owned());
            *verdict = *found.ok_or_else(unknown)?.1;
            if !with_threat {
                (verdict.threat, verdict.threats) = (None, 0);
            }
        }
        Ok(())
    }
}

/// A verdict as the shader writes it.
pub fn record(verdict: &Verdict) -> VerdictRecord {
    let mut words = [
        1 << 31
            | u32::from(verdict.in_check) << 30
            | u32::from(verdict.threats) << 16
            | verdict.noisy,
        0,
        0,
        0,
    ];
    if let Some(Best { see, capture }) = verdict.best {
        words[0] |= 1 << 29;
        words[1] = see.cast_unsigned();
        words[2] |= u32::from(capture.to_bits());
    }
    if let Some(Best { see, capture }) = verdict.threat {
        words[0] |= 1 << 28;
        words[2] |= u32::from(capture.to_bits()) << 16;
        words[3] = see.cast_unsigned();
    }
    VerdictRecord { words }
}
