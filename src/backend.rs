//! The trait of backends, implemented for the CPU.

use crate::{Batch, Best, Bounds, Capture, Exceeds, Position, Rules, Verdict, captures};

mod cpu;
mod error;
mod raw;

pub use cpu::Cpu;
pub use error::BackendError;
#[doc(hidden)] // between the formats and the GPU
pub use raw::{Ask, Coding, Raw, RawAnswer, RawFacts, Told, Unit};

/// Scores batches and judges positions exactly.
pub trait Backend: Send + Sync {
    /// Its name in messages: `CPU, 2 threads`, or an adapter and its driver.
    fn name(&self) -> String;

    /// Writes the exact SEE of every move of a batch to `scores`, in order.
    ///
    /// # Errors
    ///
    /// A [`BackendError`] if the device fails. Then `scores` must not be used.
    ///
    /// # Panics
    ///
    /// If `scores` and the batch differ in length.
    fn score(&self, batch: &Batch, rules: &Rules, scores: &mut [i32]) -> Result<(), BackendError>;

    /// Writes the verdict on every position to `verdicts`, with the opponent's threat if asked
    /// for.
    ///
    /// The default implementation finds the noisy moves on the CPU and calls
    /// [`score`](Backend::score).
    ///
    /// # Errors
    ///
    /// As for [`Backend::score`].
    ///
    /// # Panics
    ///
    /// If `verdicts` and `positions` differ in length.
    fn judge(
        &self,
        positions: &[Position],
        rules: &Rules,
        with_threat: bool,
        verdicts: &mut [Verdict],
    ) -> Result<(), BackendError> {
        assert_eq!(verdicts.len(), positions.len(), "one verdict a position");
        let best = best_of_each(self, positions, rules, |position, found| {
            captures::for_each_noisy(position, found);
        })?;
        for ((verdict, position), SideBest { noisy, best, .. }) in
            verdicts.iter_mut().zip(positions).zip(best)
        {
            *verdict = Verdict {
                in_check: position.in_check(),
                noisy,
                best,
                threat: None,
                threats: 0,
            };
        }
        if with_threat {
            let threats = best_of_each(self, positions, rules, |position, found| {
                captures::for_each_threat(position, found);
            })?;
            for (verdict, threat) in verdicts.iter_mut().zip(threats) {
                verdict.threat = threat.best;
                verdict.threats = threat.won.count_ones() as u8;
            }
        }
        Ok(())
    }

    /// Writes which bounds each position exceeds to `exceeds`.
    ///
    /// The default implementation asks for verdicts.
    ///
    /// # Errors
    ///
    /// As for [`Backend::score`].
    ///
    /// # Panics
    ///
    /// If `exceeds` and `positions` differ in length.
    fn exceeds(
        &self,
        positions: &[Position],
        rules: &Rules,
        bounds: Bounds,
        exceeds: &mut [Exceeds],
    ) -> Result<(), BackendError> {
        assert_eq!(exceeds.len(), positions.len(), "one answer a position");
        let mut verdicts = vec![Verdict::default(); positions.len()];
        self.judge(positions, rules, bounds.asks_threat(), &mut verdicts)?;
        for (exceeds, verdict) in exceeds.iter_mut().zip(&verdicts) {
            *exceeds = bounds.exceeds(verdict);
        }
        Ok(())
    }

    /// Decodes records of a file, and answers about them. `None` if the device does not, or if
    /// some of them cannot be decoded or their moves are illegal: the CPU knows why.
    ///
    /// # Errors
    ///
    /// As for [`Backend::score`].
    #[doc(hidden)]
    fn decode(
        &self,
        _raw: &Raw<'_>,
        _rules: &Rules,
        _ask: Ask,
    ) -> Result<Option<Told>, BackendError> {
        Ok(None)
    }
}

impl Backend for Cpu {
    fn name(&self) -> String {
        match self.threads() {
            1 => format!("CPU, 1 thread, {}", self.path()),
            threads => format!("CPU, {threads} threads, {}", self.path()),
        }
    }

    fn score(&self, batch: &Batch, rules: &Rules, scores: &mut [i32]) -> Result<(), BackendError> {
        self.score_all(batch, rules, scores);
        Ok(())
    }

    fn judge(
        &self,
        positions: &[Position],
        rules: &Rules,
        with_threat: bool,
        verdicts: &mut [Verdict],
    ) -> Result<(), BackendError> {
        self.judge_all(positions, rules, with_threat, verdicts);
        Ok(())
    }

    fn exceeds(
        &self,
        positions: &[Position],
        rules: &Rules,
        bounds: Bounds,
        exceeds: &mut [Exceeds],
    ) -> Result<(), BackendError> {
        self.exceeds_all(positions, rules, bounds, exceeds);
        Ok(())
    }
}

/// A side's moves: their number, the best of them, and the squares where one wins.
#[derive(Default)]
struct SideBest {
    noisy: u32,
    best: Option<Best>,
    won: u64,
}

fn best_of_each<B: Backend + ?Sized>(
    backend: &B,
    positions: &[Position],
    rules: &Rules,
    generate: impl Fn(&Position, &mut dyn FnMut(Capture)),
) -> Result<Vec<SideBest>, BackendError> {
    let mut batch = Batch::new();
    let mut moves = Vec::new();
    for position in positions {
        generate(position, &mut |capture| moves.push(capture));
        batch.push(*position, moves.drain(..));
    }
    let mut scores = vec![0; batch.len()];
    backend.score(&batch, rules, &mut scores)?;
    let mut scores = scores.into_iter();
    let mut side = |captures: &[Capture]| {
        let mut side = SideBest::default();
        for (&capture, see) in captures.iter().zip(&mut scores) {
            side.noisy += 1;
            side.best = Best::or_better(side.best, see, capture);
            side.won |= u64::from(see > 0) << capture.to_index();
        }
        side
    };
    Ok(batch.iter().map(|(_, captures)| side(captures)).collect())
}
