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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::Place;

    fn record(line: u64) -> RecordFields {
        RecordFields::new(Place::Line(line), 0..0)
    }

    fn count(probability: f64, seed: u64, purpose: Purpose) -> usize {
        let position: Position = "4k3/8/8/8/8/8/8/4K3 w - -".parse().unwrap();
        let drawn = |&line: &u64| happens(probability, seed, purpose, &position, &record(line));
        (1..=100_000).filter(drawn).count()
    }

    #[test]
    fn draws_happen_as_often_as_they_should() {
        for (probability, expected) in [(0.0, 0), (0.01, 1_000), (0.5, 50_000), (0.9, 90_000)] {
            let count = count(probability, 7, Purpose::KeepFraction);
            // Five standard deviations of 100,000 draws are at most 791.
            assert!(
                count.abs_diff(expected) < 791.min(8 * expected + 1),
                "{count}"
            );
        }
        assert_eq!(count(1.0, 7, Purpose::KeepFraction), 100_000);
    }

    #[test]
    fn seeds_purposes_and_records_are_independent() {
        let position: Position = "4k3/8/8/8/8/8/8/4K3 w - -".parse().unwrap();
        let draw =
            |seed, purpose, record: &RecordFields| happens(0.5, seed, purpose, &position, record);
        let mut both = [0; 4];
        for line in 0..40_000 {
            let at = record(line);
            let later = at.with_ply(Some(3));
            let moved = at.with_played(Some(Capture::from_bits(99)));
            let first = draw(1, Purpose::Wdl, &at);
            let others = [
                draw(2, Purpose::Wdl, &at),
                draw(1, Purpose::RandomSkip, &at),
                draw(1, Purpose::Wdl, &later),
                draw(1, Purpose::Wdl, &moved),
            ];
            for (both, other) in both.iter_mut().zip(others) {
                *both += i32::from(first && other);
            }
        }
        for both in both {
            assert!((both - 10_000).abs() < 5 * 87, "{both}");
        }
    }
}
