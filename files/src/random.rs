//! Random numbers that are hashes of what they are drawn for, so that no generator has a state.
//!
//! A filter and Python's loader draw by these. A mix draws by XXH3 (`mix/key.rs`), because seeds
//! must go on to mean what they mean.

/// Mixes the bits of a number: the finaliser of `SplitMix64` (Steele, Lea, Flood 2014) after its
/// increment.
///
/// ```
/// use swaplist_files::random::{fraction, mixed};
///
/// assert_eq!(mixed(0), 0xE220_A839_7B1D_CDAF);
/// assert!((fraction(mixed(0)) - 0.883).abs() < 0.001);
/// ```
#[inline]
pub const fn mixed(number: u64) -> u64 {
    let mut z = number.wrapping_add(0x9E37_79B9_7F4A_7C15);
    z = (z ^ z >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ z >> 31
}

/// The upper 53 bits of a hash, as a number in `0.0..1.0`.
#[inline]
#[allow(clippy::cast_precision_loss)] // 53 bits fit
pub const fn fraction(hash: u64) -> f64 {
    (hash >> 11) as f64 / (1_u64 << 53) as f64
}
