//! Scores as the shader writes them: one word each, its sign bit flipped.

use crate::backend::BackendError;

/// Flipped in every score, so that a cleared word that nothing wrote is no score.
pub(super) const POISON: u32 = 1 << 31;

/// No score reaches this magnitude: 64 captures of the largest value, and each a
/// promotion, stay below.
pub(super) const NO_SCORE: u32 = 1 << 24;

/// Undoes the flipped sign bit and looks whether every word is a score.
pub(super) fn read(bytes: &[u8], scores: &mut [i32]) -> Result<(), BackendError> {
    let wrong = |what: &str| BackendError::Wrong(what.to_owned());
    let words: &[u32] =
        bytemuck::try_cast_slice(bytes).map_err(|_| wrong("readback is not aligned"))?;
    let mut largest = 0;
    for (score, word) in scores.iter_mut().zip(words) {
        *score = (word ^ POISON).cast_signed();
        largest = largest.max(score.unsigned_abs());
    }
    if largest < NO_SCORE {
        Ok(())
    } else if largest == POISON {
        Err(wrong("a score was not written"))
    } else {
        Err(wrong("a score is beyond all possible ones"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
