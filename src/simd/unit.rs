//! Vector units with the kernels compiled for them.

use super::lanes::Simd;
use super::question::Question;
use crate::Rules;

pub(super) trait Unit: Simd {
    fn detect() -> Option<Self>;

    fn answer<Q: Question>(self, question: Q, rules: &Rules, answers: &mut [Q::Answer]);
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

            fn answer<Q: Question>(self, question: Q, rules: &Rules, answers: &mut [Q::Answer]) {
                #[target_feature($(enable = $feature),+)]
                fn compiled<Q: Question>(
                    unit: $unit,
                    question: Q,
                    rules: &Rules,
                    answers: &mut [Q::Answer],
                ) {
                    question.in_lanes(unit, rules, answers);
                }
                unsafe { compiled(self, question, rules, answers) }
            }
        }
    };
}

#[cfg(target_arch = "x86_64")]
pub(super) use unit;
