//! What can be asked about positions, of any vector unit or none.

use super::lanes::Simd;
use crate::exchange::{NO_PINS, SF_PINS, SF8_PINS};
use crate::{Pins, Rules};

/// One question about each of some positions.
///
/// Answers are written through an argument of their own: behind a reference in a
/// struct, the compiler takes them for memory that may be anybody's.
#[cfg_attr(not(feature = "rayon"), allow(dead_code))] // one thread takes all positions
pub(crate) trait Question: Copy + Send + Sync {
    type Answer: Send;

    fn positions(&self) -> usize;

    /// How many answers there are: one or several a position.
    fn answers(&self) -> usize;

    /// The first `positions`, and the others.
    fn split_at(&self, positions: usize) -> (Self, Self);

    fn one_by_one(self, rules: &Rules, answers: &mut [Self::Answer]);

    /// In lanes, by a pin rule other than `Pins::Legal`. To be `#[inline(always)]`, so
    /// that it is compiled for the unit.
    fn in_lanes<S: Simd, const PINS: u8>(
        self,
        simd: S,
        rules: &Rules,
        answers: &mut [Self::Answer],
    );
}

/// The kernel for the pin rule.
#[inline(always)]
pub(super) fn in_lanes<S: Simd, Q: Question>(
    simd: S,
    question: Q,
    rules: &Rules,
    answers: &mut [Q::Answer],
) {
    match rules.pins {
        // `Instructions::answer` keeps the last one away.
        Pins::None | Pins::Legal => question.in_lanes::<S, NO_PINS>(simd, rules, answers),
        Pins::Sf8 => question.in_lanes::<S, SF8_PINS>(simd, rules, answers),
        Pins::Sf => question.in_lanes::<S, SF_PINS>(simd, rules, answers),
    }
}
