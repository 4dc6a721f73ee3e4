//! Errors of backends.

use core::fmt;

use crate::CpuPath;

/// Why a backend failed or could not be opened.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum BackendError {
    /// No suitable adapter.
    NoAdapter(String),
    /// The CPU lacks the instructions of a path.
    NoCpuPath(CpuPath),
    /// Threads could not be started.
    Threads(String),
    /// The device refused something.
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
            BackendError::NoCpuPath(path) => write!(f, "this CPU has no {path}"),
            BackendError::Threads(what) => write!(f, "cannot start threads: {what}"),
            BackendError::Device(what) => write!(f, "GPU error: {what}"),
            BackendError::OutOfMemory(what) => write!(f, "GPU out of memory: {what}"),
            BackendError::Lost(what) => write!(f, "GPU device lost: {what}"),
            BackendError::Timeout => f.write_str("the GPU did not answer in time"),
            BackendError::Wrong(what) => write!(f, "wrong results from the GPU: {what}"),
        }
    }
}

impl core::error::Error for BackendError {}
