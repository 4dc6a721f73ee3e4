//! Kernels for any vector unit or none.

use super::lanes::Simd;
use crate::Rules;

/// Answers about each of several positions.
///
/// Answers go to an argument of their own: behind a reference in a struct, the compiler must
/// assume that they alias other memory.
#[cfg_attr(not(feature = "rayon"), allow(dead_code))] // without rayon nothing is split
pub(crate) trait Kernel: Copy + Send + Sync {
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
    fn in_lanes<S: Simd>(self, simd: S, rules: &Rules, answers: &mut [Self::Answer]);
}
