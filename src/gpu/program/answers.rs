//! Answers as the shader writes them: about bounds a word each; verdicts four words
//! each; scores a word each, or half a word if every score fits, with the sign bit flipped.

use bytemuck::{AnyBitPattern, Zeroable as _};

use crate::backend::BackendError;
use crate::{Bounds, BoundsExceeded, Capture, Rules, Verdict};

/// Reads the answers on positions; fails if one was not written or is impossible.
pub(super) fn read(
    bytes: &[u8],
    bounds: Bounds,
    exceeds: &mut [BoundsExceeded],
) -> Result<(), BackendError> {
    let asked = if bounds.double_threat {
        BoundsExceeded::from_bits(BoundsExceeded::ALL)
    } else {
        BoundsExceeded::from_bits(BoundsExceeded::ALL).with_double_threat(false)
    };
    let (asked, answers) = (asked.to_bits(), words::<u32>(bytes, exceeds.len())?);
    // What all answers have in common, and what any has: tested once, not for each.
    let mut all = u32::MAX;
    let mut any = 0;
    for (exceeds, &answer) in exceeds.iter_mut().zip(answers) {
        all &= answer;
        any |= answer;
        *exceeds = BoundsExceeded::from_bits(answer as u8 & asked);
    }
    let known = Verdict::WRITTEN | u32::from(BoundsExceeded::ALL);
    if all & Verdict::WRITTEN == 0 {
        Err(wrong("an answer was not written"))
    } else if any & !known != 0 {
        Err(wrong("an answer is impossible"))
    } else {
        Ok(())
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

fn wrong(what: &str) -> BackendError {
    BackendError::Wrong(what.to_owned())
}

/// Reads verdicts; fails if one was not written or is impossible.
///
/// # Errors
///
/// A [`BackendError`] if the bytes are too few, or a verdict was not written or is impossible.
pub fn read_verdicts(bytes: &[u8], verdicts: &mut [Verdict]) -> Result<(), BackendError> {
    let records = words(bytes, verdicts.len())?;
    let mut found = Found::default();
    for (verdict, &record) in verdicts.iter_mut().zip(records) {
        *verdict = found.add(record);
    }
    found.check(verdicts)
}

/// What is found in verdicts: in each word, a bit that is set, or one that is cleared where all
/// must be set, tells of an impossible verdict.
///
/// Tested once for many, in arithmetic without comparisons, and read field by field: so the compiler
/// tests four at once. One by one they take three times as long.
struct Found {
    /// What all flags have in common.
    all_flags: u32,
    /// What any flags have.
    any_flags: u32,
    /// The flags of those with a threat.
    any_threatened: u32,
    any_moves: u32,
    /// SEEs, moved so that no possible one is negative.
    any_see: u32,
    /// Fields that do not apply.
    any_unused: u32,
    /// Cleared where two fields contradict each other.
    all_agree: u32,
}

impl Default for Found {
    fn default() -> Found {
        Found {
            all_flags: u32::MAX,
            any_flags: 0,
            any_threatened: 0,
            any_moves: 0,
            any_see: 0,
            any_unused: 0,
            all_agree: u32::MAX,
        }
    }
}

impl Found {
    /// Adds a verdict, and returns it.
    #[inline(always)]
    fn add(&mut self, [flags, best_see, moves, threat_see]: [u32; 4]) -> Verdict {
        let has_best = mask(flags << Verdict::HAS_BEST.leading_zeros());
        let has_threat = mask(flags << Verdict::HAS_THREAT.leading_zeros());
        self.all_flags &= flags;
        self.any_flags |= flags;
        self.any_threatened |= flags & has_threat;
        self.any_moves |= moves;
        self.any_see |= best_see.wrapping_add(NO_SCORE) | threat_see.wrapping_add(NO_SCORE);
        self.any_unused |= !has_best & (best_see | moves & 0xffff);
        self.any_unused |= !has_threat & (threat_see | moves >> 16);
        // Below zero: no moves, a winning threat, no square where one wins.
        let is_silent = mask((flags & Verdict::NOISY).wrapping_sub(1));
        let wins = mask(threat_see.wrapping_neg());
        let is_safe = mask((flags & Verdict::THREATS).wrapping_sub(1));
        self.all_agree &= (has_best ^ is_silent) & (wins ^ is_safe);
        Verdict {
            flags,
            best_see: best_see.cast_signed(),
            moves,
            threat_see: threat_see.cast_signed(),
        }
    }

    /// Fails unless all these verdicts, which were added, are possible.
    #[inline(always)]
    fn check(self, verdicts: &[Verdict]) -> Result<(), BackendError> {
        const NO_MOVE: u32 = !0 << Capture::BITS & 0xffff;
        let are_possible = self.all_flags & Verdict::WRITTEN != 0
            && self.any_flags & Verdict::RESERVED == 0
            && self.any_threatened & Verdict::IN_CHECK == 0
            && self.any_moves & (NO_MOVE | NO_MOVE << 16) == 0
            && self.any_see < 2 * NO_SCORE
            && self.any_unused == 0
            && self.all_agree == u32::MAX;
        if are_possible {
            Ok(())
        } else if verdicts.contains(&Verdict::zeroed()) {
            Err(wrong("a verdict was not written"))
        } else {
            Err(wrong("a verdict is impossible"))
        }
    }
}

/// All bits if a number is negative, or none.
#[inline(always)]
fn mask(number: u32) -> u32 {
    (number.cast_signed() >> 31).cast_unsigned()
}

/// Flipped in every score, so that a cleared word is not a score.
const POISON: u32 = 1 << 31;

/// Above all scores, and its negative below all: 64 captures of the largest value with a promotion
/// each stay between.
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
