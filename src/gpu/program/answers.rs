//! Answers about bounds as the shader writes them: a word each, see [`RawAnswer`].

use crate::backend::{BackendError, RawAnswer, RawFacts};
use crate::{Bounds, BoundsExceeded};
use bytemuck::AnyBitPattern;

/// Reads the answers on positions; fails if one was not written or is impossible.
pub(super) fn read(
    bytes: &[u8],
    bounds: Bounds,
    exceeds: &mut [BoundsExceeded],
) -> Result<(), BackendError> {
    let [in_check, see, threat, double_threat] = RawAnswer::EXCEEDS;
    let known = RawAnswer::ANSWERED | in_check | see | threat | double_threat;
    let all = exceeds.len();
    for (exceeds, &answer) in exceeds.iter_mut().zip(words::<RawAnswer>(bytes, all)?) {
        if answer.0 & !known != 0 {
            return Err(wrong("an answer is impossible"));
        }
        *exceeds = answered(answer)?.exceeds(bounds);
    }
    Ok(())
}

/// Reads the answers on decoded records.
pub(super) fn read_raw(bytes: &[u8], records: &mut [RawAnswer]) -> Result<(), BackendError> {
    records.copy_from_slice(words(bytes, records.len())?);
    is_broken(records.iter().copied()).map(|_| ())
}

/// Reads facts on decoded records, of which each holds the answer.
pub(super) fn read_facts(
    bytes: &[u8],
    records: &mut [RawAnswer],
    facts: &mut [RawFacts],
) -> Result<(), BackendError> {
    facts.copy_from_slice(words(bytes, facts.len())?);
    for (record, facts) in records.iter_mut().zip(facts) {
        *record = facts.raw;
    }
    is_broken(records.iter().copied()).map(|_| ())
}

/// Whether a record is broken; up to the first one, none is missing. Fails if an answer was not
/// written.
pub(super) fn is_broken(answers: impl Iterator<Item = RawAnswer>) -> Result<bool, BackendError> {
    let (mut decoded, mut broken) = (true, false);
    for answer in answers {
        decoded &= answered(answer)?.0 & RawAnswer::DECODED != 0;
        broken |= answer.is_broken();
    }
    if decoded || broken {
        Ok(broken)
    } else {
        Err(wrong("a record was not decoded"))
    }
}

/// So many words, or records of some words, of a readback.
pub(super) fn words<A: AnyBitPattern>(bytes: &[u8], many: usize) -> Result<&[A], BackendError> {
    let words = bytemuck::try_cast_slice(bytes);
    let words = words.map_err(|_| wrong("readback is not aligned"))?;
    words
        .get(..many)
        .ok_or_else(|| wrong("answers are missing"))
}

fn answered(answer: RawAnswer) -> Result<RawAnswer, BackendError> {
    if answer.0 & RawAnswer::ANSWERED == 0 {
        return Err(wrong("an answer was not written"));
    }
    Ok(answer)
}

pub(super) fn wrong(what: &str) -> BackendError {
    BackendError::Wrong(what.to_owned())
}
