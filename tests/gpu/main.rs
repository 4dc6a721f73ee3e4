//! The GPU, on the adapter under test: the CPU's results, bit for bit, or an error.

#![allow(missing_docs)]

#[path = "../common/mod.rs"]
mod common;

#[path = "."]
mod on_gpu {
    mod auto;
    mod facts;
    mod failures;
    mod garbage;
    mod placed;
    mod program;
    mod real_data;
    mod shapes;
    mod sizes;
    mod verdicts;
}
