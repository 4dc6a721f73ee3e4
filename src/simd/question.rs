//! Questions about positions, for any vector unit or none.

use super::lanes::Simd;
use crate::exchange::{NO_PINS, SF_PINS, SF8_PINS};
use crate::{Pins, Rules};

/// A question about each of several positions.
///
/// Answers go to an argument of their own: behind a reference in a struct, the compiler must
/// assume that they alias other memory.
#[cfg_attr(not(feature = "rayon"), allow(dead_code))] // without rayon nothing is split
pub(crate) trait Question: Copy + Send + Sync {
    type Answer: Send;

    fn positions(&self) -> usize;

    /// The number of answers: one per position, unless said otherwise.
    fn answers(&self) -> usize {
        self.positions()
    }

    /// The first `positions`, and the others.
    fn split_at(&self, positions: usize) -> (Self, Self);

    fn one_by_one(self, rules: &Rules, answers: &mut [Self::Answer]);

    /// Answers in lanes, for a pin rule other than `Pins::Legal`. Must be `#[inline(always)]`,
    /// so that it is compiled for the unit.
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
        // `Instructions::answer` handles the last one.
        Pins::None | Pins::Legal => question.in_lanes::<S, NO_PINS>(simd, rules, answers),
        Pins::Sf8 => question.in_lanes::<S, SF8_PINS>(simd, rules, answers),
        Pins::Sf => question.in_lanes::<S, SF_PINS>(simd, rules, answers),
    }
}
