//! The blocks of a file for hosts that schedule them themselves: a page hands them to its workers,
//! and a loader reads them in an order of its own.

pub use crate::jobs::blocks::{AnsweredBy, Blocks};
pub use crate::jobs::index::{BlockIndex, BlockReader, TextBlock};
