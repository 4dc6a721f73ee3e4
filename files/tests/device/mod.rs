//! Devices that filter files: GPUs, and devices of the tests' own. Nothing of them is public, so
//! these are tests of the library itself.

#![allow(missing_docs, clippy::print_stdout, clippy::print_stderr)]

mod feeding;
#[cfg(feature = "gpu")]
mod on_gpu {
    mod audit;
    mod counting;
    mod filtering;
    mod host_share;
    mod in_batches;
    mod mutants;
}
#[cfg(feature = "gpu")]
mod shaders;
mod slow;
mod timeline;
mod with_filter;

pub use with_filter::{WithFileFilter, file_filter};
