//! The GPU, on the adapter at hand: the CPU's answers, bit for bit, and an error where
//! it cannot give them.

#![allow(missing_docs)]

#[path = "../common/mod.rs"]
mod common;

mod auto;
mod browsers;
mod failures;
mod garbage;
mod placed;
mod program;
mod real_data;
mod shapes;
mod sizes;
mod verdicts;
