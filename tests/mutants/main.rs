//! Shaders with one thing broken: each must be detected, or the comparisons of the other tests
//! could not fail.

#![allow(missing_docs)]

#[path = "../common/mod.rs"]
mod common;

mod bounds;
mod decoding;
mod facts;
mod scores;
mod verdicts;
