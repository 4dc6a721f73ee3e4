//! The shaders of files with one thing broken: each must be detected, or the comparisons of the other tests
//! could not fail; see `tests/common/mutant.rs`.

#![allow(missing_docs)]

#[path = "../common/mod.rs"]
mod common;

#[path = "."]
mod on_gpu {
    use crate::common::mutant::mutants;

    mod encoding;
}
