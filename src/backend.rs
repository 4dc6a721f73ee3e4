//! What can score a batch: one trait, a CPU and a GPU behind it.

use core::fmt;

use crate::{Batch, Rules};

mod cpu;
#[cfg(feature = "gpu")]
pub mod gpu;

pub use cpu::Cpu;

/// Something that scores batches, exactly and in full.
pub trait Backend: Send + Sync {
    /// What it is, for people: `CPU, 2 threads`, or an adapter and its driver.
    fn name(&self) -> String;

    /// The exact SEE of every move of a batch under the rules, into `scores`,
    /// one a move in the batch's order.
    ///
    /// # Errors
    ///
    /// A [`BackendError`] if the device cannot go on. Then nothing in `scores`
    /// may be used.
    ///
    /// # Panics
    ///
    /// If `scores` and the batch differ in length.
    fn score(&self, batch: &Batch, rules: &Rules, scores: &mut [i32]) -> Result<(), BackendError>;
}

/// Why a backend could not score a batch, or could not be had.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum BackendError {
    /// No adapter of the kind asked for.
    NoAdapter(String),
    /// The device was refused, or refused something.
    Device(String),
    /// The device ran out of memory.
    OutOfMemory(String),
    /// The device was lost.
    Lost(String),
    /// The device did not answer in time.
    Timeout,
    /// Results were not written, or differ from the CPU's.
    Wrong(String),
}

impl fmt::Display for BackendError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BackendError::NoAdapter(what) => write!(f, "no GPU adapter: {what}"),
            BackendError::Device(what) => write!(f, "GPU error: {what}"),
            BackendError::OutOfMemory(what) => write!(f, "GPU out of memory: {what}"),
            BackendError::Lost(what) => write!(f, "GPU device lost: {what}"),
            BackendError::Timeout => f.write_str("the GPU did not answer in time"),
            BackendError::Wrong(what) => write!(f, "wrong results from the GPU: {what}"),
        }
    }
}

impl core::error::Error for BackendError {}

impl<B: Backend + ?Sized> Backend for std::sync::Arc<B> {
    fn name(&self) -> String {
        (**self).name()
    }

    fn score(&self, batch: &Batch, rules: &Rules, scores: &mut [i32]) -> Result<(), BackendError> {
        (**self).score(batch, rules, scores)
    }

    fn judge(
        &self,
        positions: &[Position],
        rules: &Rules,
        with_threat: bool,
        verdicts: &mut [Verdict],
    ) -> Result<(), BackendError> {
        (**self).judge(positions, rules, with_threat, verdicts)
    }
}
