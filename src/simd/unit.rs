//! Vector units with the kernels compiled for them.

use super::kernel::Kernel;
use super::lanes::Simd;
use crate::Rules;

pub(super) trait Unit: Simd {
    fn detect() -> Option<Self>;

    fn answer<K: Kernel>(self, kernel: K, rules: &Rules, answers: &mut [K::Answer]);
}

/// Defines a type that proves features of this machine.
#[cfg(target_arch = "x86_64")]
macro_rules! unit {
    ($unit:ident, $($feature:tt),+) => {
        /// Proof that this machine has the features of `Unit::detect`.
        #[derive(Clone, Copy, Debug)]
        pub(crate) struct $unit(());

        impl Unit for $unit {
            fn detect() -> Option<$unit> {
                let has = true $(&& is_x86_feature_detected!($feature))+;
                has.then_some($unit(()))
            }

            fn answer<K: Kernel>(self, kernel: K, rules: &Rules, answers: &mut [K::Answer]) {
                #[target_feature($(enable = $feature),+)]
                fn compiled<K: Kernel>(
                    unit: $unit,
                    kernel: K,
                    rules: &Rules,
                    answers: &mut [K::Answer],
                ) {
                    kernel.in_lanes(unit, rules, answers);
                }
                unsafe { compiled(self, kernel, rules, answers) }
            }
        }
    };
}

#[cfg(target_arch = "x86_64")]
pub(super) use unit;
