//! Draws for records.

use swaplist_files::random::{fraction, mixed};

/// Draws a number in `0.0..1.0` for a record and a purpose.
#[inline]
pub const fn draw(seed: u64, block: u64, record: u64, purpose: u64) -> f64 {
    fraction(mixed(mixed(seed ^ mixed(block)) ^ record << 8 ^ purpose))
}
