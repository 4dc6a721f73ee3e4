//! Filters of files on a device: bytes in, bytes out.
//!
//! For a binpack and for viriformat a device takes the file's own bytes and gives back the bytes of
//! the filter's output, with the numbers that the summary shows. (Marks in viriformat change two
//! bytes of a record and nothing else: there it only says which records are marked.) The host
//! reads, hands over and writes. It never sees a position.
//!
//! # The words used here
//!
//! - A *unit* is a game (viriformat) or a chain (binpack): records that are decoded one after the
//!   other, since each move is played on the board that the moves before it have left.
//! - A *block* is the bytes of whole units that a reader cut off a file.
//! - A *part* is a block in a batch: its bytes, and a row of four words for each unit.
//! - A *batch* is the parts that a device works on at a time, and the buffers for them.
//!
//! # The life of a block
//!
//! 1. The format cuts the block into units without decoding them. A block that cannot be cut so
//!    goes the CPU's way.
//! 2. A feed copies the bytes into the upload memory of a batch, after those of other blocks, with
//!    a row for each unit ([`BatchLayout`]).
//! 3. A batch that is full is submitted. On the device three kernels follow one another: one
//!    decodes, an invocation for each unit, and leaves positions; one judges, an invocation for
//!    each position or its side; one decides which records are kept, counts them and encodes, an
//!    invocation for each unit again.
//! 4. A thread waits for batches in the order of their submission. The parts of a batch that is
//!    done are then finished by any thread that is free, which puts the units' bytes in order, or
//!    marks into the bytes of the block.
//! 5. If the device found that a unit is broken, or had no room for its output, the CPU filters the
//!    whole part, for the same bytes and the same message at the same byte. If the device fails,
//!    the CPU filters all parts that are in it.
//!
//! A sample of the units of each part is filtered again by the CPU, and bytes and numbers are
//! compared.
//!
//! What a device may decide is data: comparisons of a record's quantities with numbers
//! ([`Recipe`]). A filter with any other rule, such as one that draws at random, goes the CPU's
//! way.
//!
//! # Example
//!
//! A megabyte of a binpack has some 400,000 records of 2.6 bytes in some 4,000 chains. The host
//! finds the 4,000 beginnings, copies the megabyte, writes 4,000 rows of 16 bytes, and later reads
//! 4,000 rows of 12 bytes and the chains that have changed. What it does for a record is to copy
//! these bytes.
//!
//! # Why batches are large
//!
//! Games and chains are replayed one move after another, so a device with some 270,000 lanes needs
//! tens of thousands of them at once. A chain of a binpack has some hundred records, so a batch
//! holds up to two million records. Two or three batches are in flight: one is filled, one
//! computed, one read.
//!
//! # The files
//!
//! | file | holds |
//! |---|---|
//! | `recipe.rs` | what the device does: kernels, bounds, and the filter's rules as numbers |
//! | `layout.rs` | where things are in the buffers of a batch |
//! | `feed.rs` | filling, submitting and awaiting batches, by any number of threads; `jobs/rewriting.rs` feeds it |
//! | `output.rs` | from a device's output to the bytes of a part |
//! | `batch.rs` | the traits that a device implements |
//! | `program.rs` | the shaders of files |
//! | `gpu.rs`, `gpu/buffers.rs`, `gpu/kernels.rs`, `gpu/times.rs` | the device that is a GPU, through wgpu |
//! | `backend.rs` | finds what filters files in a backend |

mod backend;
mod batch;
mod feed;
#[cfg(feature = "gpu")]
mod gpu;
mod layout;
mod output;
#[cfg(feature = "gpu")]
mod program;
mod recipe;

pub(crate) use backend::file_filter;
pub use batch::{DeviceBatch, FileFilter, Region, Room};
pub(crate) use feed::{DevicePart, Feed, FinishedPart, ReturnedPart};
#[cfg(feature = "gpu")]
pub use gpu::GpuFilter;
pub use layout::BatchLayout;
pub(crate) use output::{FilteredPart, UnitDecisions};
#[cfg(all(test, feature = "gpu"))]
pub use program::{decoder, encoder};
pub use recipe::Recipe;
