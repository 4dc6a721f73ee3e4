//! Filters of files on a device: bytes in, bytes out.
//!
//! For a binpack and for viriformat a device takes the file's own bytes and gives back the bytes of
//! the filter's output, with the numbers that the summary shows. The host reads, hands over and
//! writes. It never sees a position.
//!
//! # The life of a block
//!
//! 1. The format cuts the block into units, games or chains, without decoding them
//!    ([`Cut`](crate::formats::Cut)). What cannot be cut so goes the CPU's way.
//! 2. A feed copies the bytes into the upload memory of a batch, beside those of other blocks,
//!    with a row for each unit ([`Layout`]). A block of a batch is called a part.
//! 3. A batch that is full is submitted. On the device three kernels follow one another: one
//!    decodes, an invocation a unit, and leaves positions; one judges the positions; one decides
//!    which records are kept, counts them, and encodes, an invocation a unit again.
//! 4. A thread waits for batches in the order of their submission. Its parts are then finished by
//!    whoever is free, who puts the units' bytes in order.
//! 5. If the device found that a unit is broken, or had no room for its output, the whole part is
//!    worked on by the CPU, for the same bytes and the same message at the same byte. If the device
//!    fails, so are all parts in it.
//!
//! A sample of the units of each part is filtered again by the CPU, and bytes and numbers are
//! compared.
//!
//! What a device may decide is data: comparisons of a record's quantities with numbers
//! ([`Recipe`]). A filter with any other rule, such as one that draws at random, goes the CPU's way.
//!
//! # Why batches are large
//!
//! Games and chains are replayed one move after another, so a device with some 270,000 lanes needs
//! tens of thousands of them at once. A chain of a binpack has some hundred records, so a batch
//! holds up to two million records. Two or three batches are in flight: one is filled, one computed,
//! one read.

mod batch;
mod feed;
mod layout;
mod output;
mod recipe;

pub use batch::{DeviceBatch, FileFilter, Region, Room};
pub(crate) use feed::{Feed, FinishedPart, Offer, Part};
#[cfg(feature = "gpu")]
pub(crate) use layout::padded;
pub use layout::{BatchSize, Layout};
pub(crate) use output::{Decided, Rewritten};
pub use recipe::Recipe;
