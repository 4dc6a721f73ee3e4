//! Files filtered on the GPU, on the adapter under test: the CPU's bytes, or an error.

#![allow(missing_docs)]

#[path = "../common/mod.rs"]
mod common;

#[path = "."]
mod on_gpu {
    mod audit;
    mod counting;
    mod filtering;
}
