//! Scores as the shader writes them, with the sign bit flipped: a word each, or half a word if
//! every score fits.

use super::answers::{words, wrong};
use crate::Rules;
use crate::backend::BackendError;

/// Flipped in every score, so that a cleared word is not a score.
pub(super) const POISON: u32 = 1 << 31;

/// Above all scores: 64 captures of the largest value with a promotion each stay below.
pub(super) const NO_SCORE: u32 = 1 << 24;

/// Whether every SEE under the rules fits in 16 bits, without the smallest number, which marks
/// a score that was not written.
///
/// The first move wins a victim, and may gain by promoting. The opponent may stop there, or
/// take the piece on the target and gain by promoting; what follows can only cost the opponent.
/// So the value lies between the first move's gain minus the second's largest gain, and the
/// first move's gain.
pub(super) fn fit_half_a_word(rules: &Rules) -> bool {
    let values = rules.values.to_array();
    let [least, most] = values.iter().fold([0; 2], |[least, most], &value| {
        [least.min(value), most.max(value)]
    });
    let promoting = most - least;
    let first = most.max(-least) + promoting;
    let second = most + promoting;
    first + second < 1 << 15
}

/// Reads scores of half a word.
pub(super) fn read_narrow(bytes: &[u8], scores: &mut [i32]) -> Result<(), BackendError> {
    let mut least = i16::MAX;
    let all = scores.len();
    for (score, half) in scores.iter_mut().zip(words::<u16>(bytes, all)?) {
        let value = (half ^ (POISON >> 16) as u16).cast_signed();
        least = least.min(value);
        *score = value.into();
    }
    if least == i16::MIN {
        return Err(wrong("a score was not written, or cannot be one"));
    }
    Ok(())
}

/// Reads scores of a word; fails if one is missing or out of range.
pub(super) fn read(bytes: &[u8], scores: &mut [i32]) -> Result<(), BackendError> {
    let mut largest = 0;
    let all = scores.len();
    for (score, word) in scores.iter_mut().zip(words::<u32>(bytes, all)?) {
        *score = (word ^ POISON).cast_signed();
        largest = largest.max(score.unsigned_abs());
    }
    if largest < NO_SCORE {
        Ok(())
    } else if largest == POISON {
        Err(wrong("a score was not written"))
    } else {
        Err(wrong("a score is impossible"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gpu::program::Kernel;
    use crate::{Capture, PieceValues, RecapturePromotion};

    #[test]
    fn unwritten_halves_are_no_scores() {
        let mut scores = [7; 3];
        let half = |score: i16| score.cast_unsigned() ^ 0x8000;
        let mut read = |halves: [u16; 4]| {
            let read = read_narrow(bytemuck::cast_slice(&halves), &mut scores);
            read.map(|()| scores)
        };
        let right = [half(0), half(32_767), half(-32_767), 0];
        assert_eq!(
            read(right),
            Ok([0, 32_767, -32_767]),
            "the last is not a score"
        );
        for unwritten in 0..3 {
            let mut halves = right;
            halves[unwritten] = 0;
            assert!(matches!(read(halves), Err(BackendError::Wrong(_))));
        }
        let size = |narrow, scores| Kernel::Score { narrow }.bytes(scores);
        assert_eq!((size(true, 3), size(true, 4), size(false, 3)), (8, 8, 12));
    }

    /// Tries boards and moves, possible or not: no score exceeds the bound.
    #[test]
    fn what_is_said_to_fit_half_a_word_does() {
        let fits = |values| fit_half_a_word(&Rules::from(PieceValues::new(values).unwrap()));
        for values in [
            [0; 5],
            [8191; 5],
            [100, 325, 325, 500, 1000],
            [208, 781, 825, 1276, 2538],
        ] {
            assert!(fits(values), "{values:?}");
        }
        for values in [[8192; 5], [30_000; 5], [-30_000; 5], [-8000, 0, 0, 0, 8000]] {
            assert!(!fits(values), "{values:?}");
        }
        let mut state = 1_u64;
        let mut random = || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(99);
            state >> 16 ^ state
        };
        let mut largest = 0;
        for round in 0..200_000_u64 {
            let planes = [random(), random(), random(), random()];
            let position: crate::Position = bytemuck::cast(planes);
            let values = match round % 4 {
                0 => [8191; 5],
                1 => [-4095, -4095, 4095, 4095, 4095],
                2 => [1, 8191, 8191, 8191, 8191],
                _ => [-10_922, 0, 0, 0, -1],
            };
            assert!(fits(values), "{values:?}");
            let rules = Rules {
                recapture_promotion: RecapturePromotion::Queen,
                ..Rules::from(PieceValues::new(values).unwrap())
            };
            let see = rules.see(&position, Capture::from_bits(random() as u16));
            assert!(see.abs() < 1 << 15, "{see} under {values:?}");
            largest = largest.max(see.abs());
        }
        assert!(largest > 1 << 13, "{largest} says little");
    }

    #[test]
    fn unwritten_and_impossible_words_are_no_scores() {
        let mut scores = [7; 3];
        let read = |words: [u32; 3], scores: &mut [i32; 3]| {
            super::read(bytemuck::cast_slice(&words), scores)
        };
        let word = |score: i32| score.cast_unsigned() ^ POISON;
        assert_eq!(read([word(0), word(100), word(-5)], &mut scores), Ok(()));
        assert_eq!(scores, [0, 100, -5]);
        for bad in [0, word(i32::MAX), word(1 << 24), word(-1 << 24)] {
            let error = read([word(0), bad, word(1)], &mut scores).unwrap_err();
            assert!(matches!(error, BackendError::Wrong(_)));
        }
    }
}
