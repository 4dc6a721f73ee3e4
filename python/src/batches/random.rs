//! Random numbers that are hashes of what they are drawn for, so that no generator has a state.

/// Mixes bits: the finaliser of `SplitMix64` (Steele, Lea, Flood 2014) after its increment.
#[inline]
pub const fn mixed(number: u64) -> u64 {
    let mut z = number.wrapping_add(0x9E37_79B9_7F4A_7C15);
    z = (z ^ z >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ z >> 31
}

/// Draws a number in `0.0..1.0` for a record and a purpose.
#[inline]
#[allow(clippy::cast_precision_loss)] // 53 bits fit
pub const fn draw(seed: u64, block: u64, record: u64, purpose: u64) -> f64 {
    let hash = mixed(mixed(seed ^ mixed(block)) ^ record << 8 ^ purpose);
    (hash >> 11) as f64 / (1_u64 << 53) as f64
}
