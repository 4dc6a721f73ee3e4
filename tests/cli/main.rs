//! The built command.

#![allow(missing_docs)]

#[path = "../common/boards.rs"]
#[allow(dead_code)]
mod boards;

#[path = "../common/data.rs"]
#[allow(dead_code)]
mod data;

mod backends;
mod bench;
mod check;
mod convert;
mod count;
mod edges;
mod errors;
mod explain;
mod filter;
mod filter_rules;
mod formats;
mod games;
mod illegal_moves;
mod interrupt;
mod json;
mod many;
mod memory;
mod missing;
mod names;
mod pgn;
mod quiet;
mod real_data;
mod refused;
mod run;
mod score;
mod trainers;
mod validate;
mod verify;
