//! What is compiled for each vector unit: kernels, and tasks of other modules.
//!
//! A function that uses the features of a unit must be compiled for them, with all that it calls.
//! So each unit has one function for each trait of this file, `answer` and `run_task`, and whatever
//! implements the trait is inlined there as a whole.

use core::ops::Range;

use super::lanes::{Simd, Stages};
use crate::Rules;

/// Answers about each of several positions.
///
/// Answers go to an argument of their own: behind a reference in a struct, the compiler must
/// assume that they alias other memory.
#[cfg_attr(not(feature = "rayon"), allow(dead_code))] // without rayon nothing is split
pub(crate) trait LaneKernel: Copy + Send + Sync {
    type Answer: Send;

    /// The fewest positions for which lanes are faster than scalar code. Lanes work on hundreds of
    /// positions at a time, and setting that up costs as much as some 20 positions.
    const FEWEST: usize = 20;

    /// The number of answers about some of the positions: one each, unless said otherwise.
    fn answers(&self, positions: Range<usize>) -> usize {
        positions.len()
    }

    fn one_by_one(self, positions: Range<usize>, rules: &Rules, answers: &mut [Self::Answer]);

    /// Answers in lanes, for a pin rule other than `Pins::Legal`. Must be `#[inline(always)]`,
    /// so that it is compiled for the unit.
    fn in_lanes<S: Stages>(
        self,
        simd: S,
        positions: Range<usize>,
        rules: &Rules,
        answers: &mut [Self::Answer],
    );

    /// Answers for a unit with too few lanes for more than a screen.
    #[cfg_attr(not(simd128), allow(dead_code))]
    fn by_screen<S: Simd>(
        self,
        _simd: S,
        positions: Range<usize>,
        rules: &Rules,
        answers: &mut [Self::Answer],
    ) {
        self.one_by_one(positions, rules, answers);
    }
}

/// Work of another module that is done in lanes where the machine has them.
pub(crate) trait LaneTask {
    type Output;

    /// Does it in lanes. Must be `#[inline(always)]`, so that it is compiled for the unit.
    fn in_lanes<S: Simd>(self, simd: S) -> Self::Output;

    /// Does it without lanes.
    fn one_by_one(self) -> Self::Output;
}

/// Defines a vector unit: a type that proves features of this machine, with what is compiled for
/// them.
#[cfg(target_arch = "x86_64")]
macro_rules! unit {
    ($unit:ident, $($feature:tt),+) => {
        /// Proof that this machine has the features of `detect`.
        #[derive(Clone, Copy, Debug)]
        pub(crate) struct $unit(());

        impl $unit {
            pub(crate) fn detect() -> Option<$unit> {
                let has = true $(&& is_x86_feature_detected!($feature))+;
                has.then_some($unit(()))
            }

            #[target_feature($(enable = $feature),+)]
            pub(super) fn answer<K: LaneKernel>(
                self,
                kernel: K,
                positions: Range<usize>,
                rules: &Rules,
                answers: &mut [K::Answer],
            ) {
                kernel.in_lanes(self, positions, rules, answers);
            }

            #[target_feature($(enable = $feature),+)]
            pub(super) fn run_task<T: LaneTask>(self, task: T) -> T::Output {
                task.in_lanes(self)
            }
        }
    };
}

#[cfg(target_arch = "x86_64")]
pub(super) use unit;
