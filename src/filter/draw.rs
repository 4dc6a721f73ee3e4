//! Random numbers that depend only on a seed and a record.
//!
//! The result must not depend on the number of threads or the size of blocks. So each draw is a
//! hash of the seed and the record. The record's place in the file is included, so that equal
//! positions are drawn independently.

use crate::formats::RecordFields;
use crate::{Capture, Position};

/// The use of a draw; draws for one record must be independent.
#[derive(Clone, Copy)]
pub enum Purpose {
    Wdl = 1,
    MaterialCount,
    RandomSkip,
    KeepFraction,
}

/// True with the given probability: always for 1, never for 0.
pub fn happens(
    probability: f64,
    seed: u64,
    purpose: Purpose,
    position: &Position,
    record: &RecordFields,
) -> bool {
    let place = record.place().number();
    // All positions of a chain or game have the same place.
    let ply = record.ply().map_or(u64::MAX, u64::from);
    let played = record
        .played()
        .map_or(u64::MAX, |played: Capture| played.to_bits().into());
    let [a, b, c, d] = position.planes();
    let hash = [purpose as u64, place, a, b, c, d, played, ply]
        .into_iter()
        .fold(mix(seed), |hash, word| mix(hash ^ word));
    unit(hash) < probability
}

/// The finaliser of `SplitMix64` (Steele, Lea, Flood 2014) after its increment.
const fn mix(state: u64) -> u64 {
    let z = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let z = (z ^ z >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ z >> 31
}

/// The upper 53 bits as a number in `0.0..1.0`.
#[allow(clippy::cast_precision_loss)] // 53 bits fit
fn unit(hash: u64) -> f64 {
    (hash >> 11) as f64 / (1_u64 << 53) as f64
}
