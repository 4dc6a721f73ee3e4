//! The CPU backend's vector kernels and the choice of instructions.
//!
//! A kernel is written once, for any `lanes::Simd`: one move or position per 64-bit lane. It is
//! inlined into one function per unit, compiled for that unit's features and chosen at run
//! time; for WebAssembly, which cannot choose, when it is compiled. All give the scalar exchange's results, bit for bit.

// Without a vector unit nobody calls the kernels, and WebAssembly's does not need all.
#![cfg_attr(not(target_arch = "x86_64"), allow(dead_code))]

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod board;
mod bounds;
mod exchange;
mod lanes;
mod path;
mod records;
mod score;
#[cfg(simd128)]
mod simd128;
mod stages;

#[cfg(target_arch = "x86_64")]
pub(crate) use avx2::Avx2;
pub(crate) use bounds::Compare;
pub use path::CpuPath;
pub(crate) use path::{Instructions, Kernel};
pub(crate) use records::{Codes, GROUP, Scheme, codes};
pub(crate) use score::Score;
pub(crate) use stages::Judge;
