//! One level further in, as the file is that is tested.

#[allow(dead_code)] // other parts are tested by whole files
#[path = "../../../src/formats/binpack/bits.rs"]
pub mod bits;
