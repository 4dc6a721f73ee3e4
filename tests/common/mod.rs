//! Shared by the test binaries: the oracle, the cases and position makers.

#![allow(dead_code, missing_docs)]

#[cfg(feature = "gpu")]
pub mod adapter;
pub mod answers;
pub mod any;
pub mod boards;
pub mod cases;
pub mod data;
#[cfg(feature = "gpu")]
pub mod facts;
#[cfg(feature = "gpu")]
pub mod gpu;
#[cfg(feature = "gpu")]
pub mod host;
#[cfg(feature = "gpu")]
pub mod mutant;
pub mod oracle;
pub mod real;
pub mod rules;
pub mod verdicts;
#[cfg(feature = "gpu")]
pub mod wgsl;
