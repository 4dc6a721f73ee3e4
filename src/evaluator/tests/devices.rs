//! Fake devices that fail, lie, or have a given speed; positions for them.

use core::time::Duration;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::backend::{Ask, Backend, BackendError, Cpu, Raw, Told};
use crate::{Batch, Bounds, Exceeds, Position, Rules, Verdict, noisy_moves};

/// A device that fails, or lies about one score.
pub struct Broken(pub Option<BackendError>);

impl Backend for Broken {
    fn name(&self) -> String {
        "broken".to_owned()
    }

    fn score(&self, batch: &Batch, rules: &Rules, scores: &mut [i32]) -> Result<(), BackendError> {
        if let Some(error) = &self.0 {
            scores.fill(7);
            return Err(error.clone());
        }
        Cpu::new().score(batch, rules, scores)?;
        *scores.last_mut().unwrap() += 1;
        Ok(())
    }

    fn judge(
        &self,
        positions: &[Position],
        rules: &Rules,
        with_threat: bool,
        verdicts: &mut [Verdict],
    ) -> Result<(), BackendError> {
        if let Some(error) = &self.0 {
            verdicts.fill(Verdict::default());
            return Err(error.clone());
        }
        Cpu::new().judge(positions, rules, with_threat, verdicts)?;
        verdicts.last_mut().unwrap().noisy += 1;
        Ok(())
    }

    fn exceeds(
        &self,
        positions: &[Position],
        rules: &Rules,
        bounds: Bounds,
        exceeds: &mut [Exceeds],
    ) -> Result<(), BackendError> {
        Cpu::new().exceeds(positions, rules, bounds, exceeds)?;
        exceeds.last_mut().unwrap().see ^= true;
        Ok(())
    }
}

/// A device that always tells this of a file.
pub struct Decoder(pub Told);

impl Backend for Decoder {
    fn name(&self) -> String {
        "decoder".to_owned()
    }

    fn score(&self, _: &Batch, _: &Rules, _: &mut [i32]) -> Result<(), BackendError> {
        unreachable!("nothing is scored")
    }

    fn decode(&self, _: &Raw<'_>, _: &Rules, _: Ask) -> Result<Option<Told>, BackendError> {
        Ok(Some(self.0.clone()))
    }
}

pub fn batch() -> Batch {
    let mut batch = Batch::new();
    for fen in [
        "1k1r4/1pp4p/p7/4p3/8/P5P1/1PP4P/2K1R3 w - - 0 1",
        "4k3/8/8/8/8/8/8/4K3 w - - 0 1",
        "1k1r3q/1ppn3p/p4b2/4p3/8/P2N2P1/1PP1R1BP/2K1Q3 w - - 0 1",
    ] {
        let position = fen.parse().unwrap();
        batch.push(position, noisy_moves(&position));
    }
    batch
}

/// A correct device of a given speed, which fails after `lasts` calls.
pub struct Fake {
    pub known: Vec<Position>,
    pub delay: Duration,
    pub asked: Arc<AtomicUsize>,
    /// The most positions asked about at a time.
    pub most: Arc<AtomicUsize>,
    pub lasts: usize,
}

impl Fake {
    pub fn new(delay: Duration) -> Fake {
        Fake {
            known: batch().positions().to_vec(),
            delay,
            asked: Arc::default(),
            most: Arc::default(),
            lasts: usize::MAX,
        }
    }

    fn ask(&self) -> Result<(), BackendError> {
        std::thread::sleep(self.delay);
        if self.asked.fetch_add(1, Ordering::Relaxed) < self.lasts {
            Ok(())
        } else {
            Err(BackendError::Lost("worn out".to_owned()))
        }
    }
}

impl Backend for Fake {
    fn name(&self) -> String {
        "fake (driver)".to_owned()
    }

    fn score(&self, batch: &Batch, rules: &Rules, scores: &mut [i32]) -> Result<(), BackendError> {
        self.ask()?;
        Cpu::new().score(batch, rules, scores)
    }

    /// Expects the known positions in turn.
    fn judge(
        &self,
        positions: &[Position],
        rules: &Rules,
        with_threat: bool,
        verdicts: &mut [Verdict],
    ) -> Result<(), BackendError> {
        self.ask()?;
        self.most.fetch_max(positions.len(), Ordering::Relaxed);
        let turn = self.known.iter().position(|known| *known == positions[0]);
        let verdict = |known: &Position| rules.verdict(known, with_threat);
        let known: Vec<_> = self.known.iter().map(verdict).collect();
        let mut turns = known.iter().cycle().skip(turn.unwrap());
        verdicts.fill_with(|| *turns.next().unwrap());
        Ok(())
    }
}

/// The known positions in turn, `positions` in all.
pub fn many(positions: usize) -> Vec<Position> {
    let known = batch().positions().to_vec();
    known.into_iter().cycle().take(positions).collect()
}
