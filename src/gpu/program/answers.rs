//! Answers as the shader writes them: about bounds a word each, see [`RawAnswer`]; verdicts four words
//! each; scores a word each, or half a word if every score fits, with the sign bit flipped.

use bytemuck::AnyBitPattern;

use crate::backend::{BackendError, RawAnswer, RawFacts};
use crate::{Best, Bounds, BoundsExceeded, Capture, Rules, Verdict};

/// Reads the answers on positions; fails if one was not written or is impossible.
pub(super) fn read(
    bytes: &[u8],
    bounds: Bounds,
    exceeds: &mut [BoundsExceeded],
) -> Result<(), BackendError> {
    let known = RawAnswer::ANSWERED | (BoundsExceeded::SETS - 1);
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
fn is_broken(answers: impl Iterator<Item = RawAnswer>) -> Result<bool, BackendError> {
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
fn words<A: AnyBitPattern>(bytes: &[u8], many: usize) -> Result<&[A], BackendError> {
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

fn wrong(what: &str) -> BackendError {
    BackendError::Wrong(what.to_owned())
}

/// Set in every written record.
const WRITTEN: u32 = 1 << 31;
const IN_CHECK: u32 = 1 << 30;
const HAS_BEST: u32 = 1 << 29;
const HAS_THREAT: u32 = 1 << 28;
const RESERVED: u32 = 0x0f80_0000;

/// A verdict as stored on the device: see `Gpu::judge_buffer`.
fn verdict([flags, best_see, moves, threat_see]: [u32; 4]) -> Result<Verdict, BackendError> {
    let best = |flag, see: u32, bits: u32| {
        let capture = Capture::from_bits(bits as u16);
        let see = see.cast_signed();
        (flags & flag != 0).then_some(Best { see, capture })
    };
    let verdict = Verdict {
        in_check: flags & IN_CHECK != 0,
        noisy: flags & 0xffff,
        best: best(HAS_BEST, best_see, moves),
        threat: best(HAS_THREAT, threat_see, moves >> 16),
        threats: (flags >> 16 & 0x7f) as u8,
    };
    let wins = verdict.threat.is_some_and(|threat| threat.see > 0);
    let possible = |best: Option<Best>| best.is_none_or(|b| b.see.unsigned_abs() < NO_SCORE);
    let sound = flags & (WRITTEN | RESERVED) == WRITTEN
        && (verdict.noisy > 0) == verdict.best.is_some()
        && possible(verdict.best)
        && possible(verdict.threat)
        && (verdict.threats > 0) == wins;
    match flags {
        _ if sound => Ok(verdict),
        0 => Err(wrong("a verdict was not written")),
        _ => Err(wrong("a verdict is impossible")),
    }
}

/// Reads verdicts; fails if one was not written or is impossible.
pub fn read_verdicts(bytes: &[u8], verdicts: &mut [Verdict]) -> Result<(), BackendError> {
    let all = verdicts.len();
    for (verdict, record) in verdicts.iter_mut().zip(words(bytes, all)?) {
        *verdict = self::verdict(*record)?;
    }
    Ok(())
}

/// Reads verdicts on decoded records, whose last words are the decoder's. If one is broken, they
/// say nothing. Fails as [`read_verdicts`], or if a record was not decoded.
pub(super) fn read_raw_verdicts(
    bytes: &[u8],
    answers: &mut [RawAnswer],
    verdicts: &mut [Verdict],
) -> Result<(), BackendError> {
    let records = words::<[u32; 4]>(bytes, answers.len())?.iter();
    const { assert!(WRITTEN == RawAnswer::ANSWERED) };
    let raw = |record: &[u32; 4]| RawAnswer(record[3] | record[0] & WRITTEN);
    let broken = is_broken(records.clone().map(raw))?;
    for ((answer, verdict), record) in answers.iter_mut().zip(verdicts).zip(records) {
        *answer = raw(record);
        if !broken {
            let [flags, best_see, moves, _] = *record;
            *verdict = self::verdict([flags, best_see, moves, 0])?;
        }
    }
    Ok(())
}

/// Flipped in every score, so that a cleared word is not a score.
const POISON: u32 = 1 << 31;

/// Above all scores: 64 captures of the largest value with a promotion each stay below.
const NO_SCORE: u32 = 1 << 24;

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
pub(super) fn read_narrow_scores(bytes: &[u8], scores: &mut [i32]) -> Result<(), BackendError> {
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
pub(super) fn read_scores(bytes: &[u8], scores: &mut [i32]) -> Result<(), BackendError> {
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
