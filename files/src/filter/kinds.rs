//! The kinds of records that a filter counts: by its reason, by White's result, and by whether
//! there is a score. The CPU (`jobs/tally.rs`) and a device (`files/shaders/encode.wgsl`) count the
//! same kinds, so a summary is made in one way of either one's numbers.
//!
//! A kind is a number: `((has no score) * RESULTS + result) * REASONS + reason`. A record with a
//! score that White won (2) and that is kept (31) is of the kind 2 * 32 + 31 = 95.

/// The reasons by which records are counted, with [`KEPT`]: a power of two, which saves bounds
/// checks.
pub(crate) const REASONS: usize = 32;
/// In place of a reason: the record is kept.
pub(crate) const KEPT: usize = REASONS - 1;
/// White's results by which records are counted: lost, drawn, won, and no result.
pub(crate) const RESULTS: usize = 4;
/// The number of kinds. `files/shaders/encode.wgsl` has the same numbers.
pub(crate) const KINDS_OF_RECORDS: usize = 2 * RESULTS * REASONS;
