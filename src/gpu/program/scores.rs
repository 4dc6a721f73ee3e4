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
