//! The built command.

#![allow(missing_docs)]
// Some tests are for one system.
#![cfg_attr(windows, allow(unused_imports))]

#[cfg(feature = "gpu")]
#[path = "../common/adapter.rs"]
mod adapter;

#[path = "../common/boards.rs"]
#[allow(dead_code)]
mod boards;

#[path = "../common/data.rs"]
#[allow(dead_code)]
mod data;

mod answers;
mod backends;
mod bench;
mod cases;
mod convert;
mod filter;
mod games;
mod interrupt;
mod memory;
mod mix;
mod names;
mod on_gpu;
mod pages;
mod places;
mod real_data;
mod run;
mod shared_folder;
mod streams;
mod suite;
mod trainers;
mod windows;
