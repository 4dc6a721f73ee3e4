//! SEE on every path: the oracle, the CPU's scalar and vector code, and the shader.

#![allow(missing_docs)]

#[path = "../common/mod.rs"]
mod common;

mod backend_suite;
mod bounds;
mod fen;
mod floors;
mod laws;
mod names;
mod notation;
mod position;
mod program;
mod quiescence;
mod reasons;
mod scalar;
#[cfg(feature = "gpu")]
mod shaders;
mod shared;
mod simd;
mod simd_verdicts;
mod threats;
mod twins;
