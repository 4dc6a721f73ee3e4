//! Answers of other engines: which rules they follow, and which fault they have.

#![allow(missing_docs)]

#[path = "../common/mod.rs"]
mod common;

mod check;
mod explain;
mod pasted;
mod see_suite;
mod suites;
