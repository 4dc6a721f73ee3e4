//! What a kernel is run on: a unit that this machine has, and the function that is
//! compiled for it.

use super::lanes::Simd;
use crate::Rules;

/// What is computed, by a vector unit or without one.
pub(super) trait Task {
    fn rules(&self) -> &Rules;
    /// Inlined into the function that is compiled for the unit.
    fn in_lanes<S: Simd>(self, simd: S);
    fn one_by_one(self);
}

/// A unit that may or may not be there.
pub(super) trait Unit: Simd {
    fn detect() -> Option<Self>;
    /// Compiled for this unit.
    fn run(self, task: impl Task);
}

/// A type that is proof of features of this machine, and the one function per task
/// in which they are used.
#[cfg(target_arch = "x86_64")]
macro_rules! unit {
    ($unit:ident, $($feature:tt),+) => {
        /// Proof that this machine has the features named in `Unit::detect`.
        #[derive(Clone, Copy, Debug)]
        pub(super) struct $unit(());

        impl Unit for $unit {
            fn detect() -> Option<$unit> {
                let has = true $(&& is_x86_feature_detected!($feature))+;
                has.then_some($unit(()))
            }

            fn run(self, task: impl Task) {
                #[target_feature($(enable = $feature),+)]
                fn compiled(simd: $unit, task: impl Task) {
                    task.in_lanes(simd);
                }
                unsafe { compiled(self, task) }
            }
        }
    };
}

#[cfg(target_arch = "x86_64")]
pub(super) use unit;
