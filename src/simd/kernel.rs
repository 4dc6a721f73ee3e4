//! What is compiled for each vector unit.

use core::ops::Range;

use super::lanes::{Simd, Stages};
use crate::Rules;

/// Answers about each of several positions.
///
/// Answers go to an argument of their own: behind a reference in a struct, the compiler must
/// assume that they alias other memory.
#[cfg_attr(not(feature = "rayon"), allow(dead_code))] // without rayon nothing is split
pub(crate) trait Kernel: Copy + Send + Sync {
    type Answer: Send;

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

/// Other work that is compiled for a unit.
#[cfg_attr(not(target_arch = "x86_64"), allow(dead_code))] // others have no choice of units
pub(crate) trait Task<U> {
    type Output;

    /// Must be `#[inline(always)]`, as [`Kernel::in_lanes`].
    fn run(self, unit: U) -> Self::Output;
}

/// Defines a vector unit: a type that proves features of this machine, with kernels and tasks
/// compiled for them.
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

            pub(super) fn answer<K: Kernel>(
                self,
                kernel: K,
                positions: Range<usize>,
                rules: &Rules,
                answers: &mut [K::Answer],
            ) {
                #[target_feature($(enable = $feature),+)]
                fn compiled<K: Kernel>(
                    unit: $unit,
                    kernel: K,
                    positions: Range<usize>,
                    rules: &Rules,
                    answers: &mut [K::Answer],
                ) {
                    kernel.in_lanes(unit, positions, rules, answers);
                }
                unsafe { compiled(self, kernel, positions, rules, answers) }
            }

            #[inline]
            pub(crate) fn run<T: Task<$unit>>(self, task: T) -> T::Output {
                #[target_feature($(enable = $feature),+)]
                fn compiled<T: Task<$unit>>(unit: $unit, task: T) -> T::Output {
                    task.run(unit)
                }
                unsafe { compiled(self, task) }
            }
        }
    };
}

#[cfg(target_arch = "x86_64")]
pub(super) use unit;
