//! Reads answers as the shader writes them, and checks each one.
//!
//! | question | an answer | 0 says |
//! |---|---|---|
//! | scores | a word, the SEE with its sign bit flipped | not written: `i32::MIN` is never a SEE |
//! | scores, if all fit | half a word, likewise | not written: `i16::MIN` |
//! | verdicts | four words, the memory of a [`Verdict`] | not written: `WRITTEN` is missing |
//! | bounds | a word: the bits of [`BoundsExceeded`], and `WRITTEN` | not written, likewise |
//!
//! The host clears the results before each dispatch, so what the device did not write reads as 0.
//!
//! # How millions of answers are checked
//!
//! A test of each answer would cost more than reading it: one by one, verdicts take three times as
//! long. So the loops have no branches: they only collect, in one word for all answers, bits that
//! must not be there (by `|`) and bits that must be in all (by `&`). After the loop, these words
//! are tested once. The first bad answer is not named, but the device is dropped anyway.

use bytemuck::{AnyBitPattern, Zeroable as _};

use crate::backend::BackendError;
use crate::{Bounds, BoundsExceeded, PackedMove, Rules, Verdict};

/// Reads the bounds that positions exceed; fails if an answer was not written or is impossible.
pub(super) fn read_bounds(
    bytes: &[u8],
    bounds: Bounds,
    exceeds: &mut [BoundsExceeded],
) -> Result<(), BackendError> {
    let all_bounds = BoundsExceeded::from_bits(BoundsExceeded::ALL);
    // The shader looks for a double threat whenever it looks for a threat.
    let wanted = if bounds.double_threat {
        all_bounds
    } else {
        all_bounds.with_double_threat(false)
    };
    let wanted_bits = wanted.to_bits();
    let answers = words::<u32>(bytes, exceeds.len())?;
    let mut common_bits = u32::MAX;
    let mut any_bits = 0;
    for (exceeds, &answer) in exceeds.iter_mut().zip(answers) {
        common_bits &= answer;
        any_bits |= answer;
        *exceeds = BoundsExceeded::from_bits(answer as u8 & wanted_bits);
    }
    let possible_bits = Verdict::WRITTEN | u32::from(BoundsExceeded::ALL);
    if common_bits & Verdict::WRITTEN == 0 {
        Err(wrong("an answer was not written"))
    } else if any_bits & !possible_bits != 0 {
        Err(wrong("an answer is impossible"))
    } else {
        Ok(())
    }
}

/// The first `count` answers in the device's bytes: words, halves of words or records of words.
fn words<A: AnyBitPattern>(bytes: &[u8], count: usize) -> Result<&[A], BackendError> {
    let all: &[A] =
        bytemuck::try_cast_slice(bytes).map_err(|_| wrong("readback is not aligned"))?;
    all.get(..count).ok_or_else(|| wrong("answers are missing"))
}

fn wrong(what: &str) -> BackendError {
    BackendError::Wrong(what.to_owned())
}

/// Reads verdicts; fails if one was not written or is impossible.
pub(in crate::gpu) fn read_verdicts(
    bytes: &[u8],
    verdicts: &mut [Verdict],
) -> Result<(), BackendError> {
    let records = words(bytes, verdicts.len())?;
    let mut checks = VerdictChecks::default();
    for (verdict, &record) in verdicts.iter_mut().zip(records) {
        *verdict = checks.add(record);
    }
    checks.finish(verdicts)
}

/// What many verdicts have in common, and what any of them has: a bit that is set in an `any_`, or
/// cleared in an `all_`, tells of an impossible verdict.
///
/// Verdicts are added in arithmetic without comparisons, and read field by field: so the compiler
/// adds four at once.
struct VerdictChecks {
    /// Flags that all verdicts have.
    all_flags: u32,
    /// Flags that any verdict has.
    any_flags: u32,
    /// Flags that any verdict with a threat has.
    any_threatened: u32,
    /// The bits of all moves.
    any_moves: u32,
    /// The bits of all SEEs, each plus [`NO_SCORE`], so that no possible one is negative.
    any_see: u32,
    /// The bits of fields that do not apply: of a best move or threat that there is none of.
    any_unused: u32,
    /// Bits are cleared where two fields of a verdict contradict each other.
    all_agree: u32,
}

impl Default for VerdictChecks {
    fn default() -> VerdictChecks {
        VerdictChecks {
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

impl VerdictChecks {
    /// Adds a verdict, and returns it.
    #[inline(always)]
    fn add(&mut self, [flags, best_see, moves, threat_see]: [u32; 4]) -> Verdict {
        // Shifting a flag into the sign bit lets `mask` spread it over all bits.
        let has_best = mask(flags << Verdict::HAS_BEST.leading_zeros());
        let has_threat = mask(flags << Verdict::HAS_THREAT.leading_zeros());
        self.all_flags &= flags;
        self.any_flags |= flags;
        self.any_threatened |= flags & has_threat;
        self.any_moves |= moves;
        self.any_see |= best_see.wrapping_add(NO_SCORE) | threat_see.wrapping_add(NO_SCORE);
        self.any_unused |= !has_best & (best_see | moves & 0xffff);
        self.any_unused |= !has_threat & (threat_see | moves >> 16);
        // Each of these three has all bits set if it is true, else none: the side to move has no
        // noisy move; the opponent's threat has a SEE above 0; the opponent wins on no square. A
        // verdict has a best move exactly if there is a noisy move, and a threat with a SEE above 0
        // exactly if there is a square to win on.
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
    fn finish(self, verdicts: &[Verdict]) -> Result<(), BackendError> {
        // The bit of 16 that a move does not use.
        const UNUSED_BIT: u32 = 1 << PackedMove::BITS;
        let are_possible = self.all_flags & Verdict::WRITTEN != 0
            && self.any_flags & Verdict::RESERVED == 0
            && self.any_threatened & Verdict::IN_CHECK == 0
            && self.any_moves & (UNUSED_BIT | UNUSED_BIT << 16) == 0
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

/// All bits if a number is negative as an `i32`, else none.
#[inline(always)]
fn mask(number: u32) -> u32 {
    (number.cast_signed() >> 31).cast_unsigned()
}

/// Flipped in every score, so that a cleared word is not a score.
const POISON: u32 = 1 << 31;

/// Above all scores, and its negative below all: 64 captures of the largest value, each with a
/// promotion, stay between them, as values are 30,000 at most. It is a power of two: numbers joined
/// by `|` are below such a bound exactly if each of them is.
const NO_SCORE: u32 = 1 << 24;

/// Whether every SEE under the rules fits in 16 bits without the smallest number, which says that a
/// score was not written: so for any values up to 8,191.
///
/// The first move wins a victim, and may gain by promoting. The opponent may stop there, or
/// take the piece on the target and gain by promoting; what follows can only cost the opponent.
/// So the value lies between the first move's gain minus the second's largest gain, and the
/// first move's gain.
pub(super) fn fit_half_a_word(rules: &Rules) -> bool {
    let values = rules.values.to_array();
    // An empty square is worth 0.
    let least = values.iter().fold(0, |least, &value| least.min(value));
    let most = values.iter().fold(0, |most, &value| most.max(value));
    let most_by_promoting = most - least;
    let first_gain = most.max(-least) + most_by_promoting;
    let second_gain = most + most_by_promoting;
    first_gain + second_gain < 1 << 15
}

/// Reads scores of half a word; fails if one is missing. Two of them are in each word, the first in
/// its lower half.
pub(super) fn read_narrow_scores(bytes: &[u8], scores: &mut [i32]) -> Result<(), BackendError> {
    let mut least = i16::MAX;
    let halves = words::<u16>(bytes, scores.len())?;
    for (score, half) in scores.iter_mut().zip(halves) {
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
    let words = words::<u32>(bytes, scores.len())?;
    for (score, word) in scores.iter_mut().zip(words) {
        *score = (word ^ POISON).cast_signed();
        largest = largest.max(score.unsigned_abs());
    }
    if largest < NO_SCORE {
        Ok(())
    } else if largest == i32::MIN.unsigned_abs() {
        // That is how a cleared word reads once its sign bit is flipped.
        Err(wrong("a score was not written"))
    } else {
        Err(wrong("a score is impossible"))
    }
}
