//! A wrong backend, to test that comparisons detect it.

use swaplist::backend::{Backend, BackendError, Cpu};
use swaplist::{Batch, Rules};

/// Every n-th score is wrong, or nothing is written.
pub struct Liar(pub Option<usize>);

impl Backend for Liar {
    fn name(&self) -> String {
        "liar".to_owned()
    }

    fn score(&self, batch: &Batch, rules: &Rules, scores: &mut [i32]) -> Result<(), BackendError> {
        if let Some(every) = self.0 {
            Cpu::new().score_all(batch, rules, scores);
            let wrong = scores.iter_mut().step_by(every);
            wrong.for_each(|score| *score += 1);
        }
        Ok(())
    }
}
