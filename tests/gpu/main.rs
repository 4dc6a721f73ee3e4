//! The GPU, on the adapter under test: the CPU's results, bit for bit, or an error.

#![allow(missing_docs)]

#[path = "../common/mod.rs"]
mod common;

mod auto;
#[cfg(feature = "jobs")]
mod counting;
mod decoding;
mod failures;
#[cfg(feature = "jobs")]
mod filtering;
mod garbage;
mod placed;
mod program;
mod real_data;
mod shapes;
mod sizes;
mod verdicts;
