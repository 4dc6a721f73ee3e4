//! One level further in, as the file is that is tested.

#[allow(dead_code)] // other parts are tested by whole files
#[allow(clippy::duplicate_mod)] // with stand-ins for what it uses
#[path = "../../../src/formats/binpack/bits.rs"]
pub mod bits;
