//! Errors of backends.

use crate::CpuPath;

/// Why a backend failed or could not be opened.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BackendError {
    /// No suitable adapter.
    #[error("no GPU adapter: {0}")]
    NoAdapter(String),
    /// The CPU lacks the instructions of a path.
    #[error("this CPU has no {0}")]
    NoCpuPath(CpuPath),
    /// Threads could not be started.
    #[error("cannot start threads: {0}")]
    Threads(String),
    /// The device refused something.
    #[error("GPU error: {0}")]
    Device(String),
    /// The device ran out of memory.
    #[error("GPU out of memory: {0}")]
    OutOfMemory(String),
    /// The device was lost.
    #[error("GPU device lost: {0}")]
    Lost(String),
    /// The device did not answer in time.
    #[error("the GPU did not answer in time")]
    Timeout,
    /// Results were not written, or differ from the CPU's.
    #[error("wrong results from the GPU: {0}")]
    Wrong(String),
}
