//! Files of chess training data: read, filtered for quiet positions by exact SEE, converted, mixed,
//! counted and checked.
// The library never prints: messages go to callbacks.
#![warn(clippy::print_stdout, clippy::print_stderr)]

pub mod check;
pub mod device;
pub mod explain;
pub mod filter;
pub mod formats;
pub mod jobs;
pub mod mix;
mod notation;
pub mod suite;
