//! What a kernel is run on: a unit that this machine has, with the functions that
//! are compiled for it.

use super::lanes::Simd;
use super::{Moves, score, verdict};
use crate::{Beyond, Bounds, Position, Rules, Verdict};

/// A unit that may or may not be there, and the kernels on it.
///
/// Answers are written through an argument of their own: behind a reference in a
/// struct, the compiler takes them for memory that may be anybody's.
pub(super) trait Unit: Simd {
    fn detect() -> Option<Self>;

    fn score(self, rules: &Rules, moves: Moves<'_>, scores: &mut [i32]) {
        score::score(self, rules, moves, scores);
    }

    fn verdicts(
        self,
        rules: &Rules,
        positions: &[Position],
        with_threat: bool,
        verdicts: &mut [Verdict],
    ) {
        verdict::verdicts(self, rules, positions, with_threat, verdicts);
    }

    fn beyond(self, rules: &Rules, positions: &[Position], bounds: Bounds, beyond: &mut [Beyond]) {
        verdict::beyond(self, rules, positions, bounds, beyond);
    }
}

/// A type that is proof of features of this machine, and the kernels compiled for
/// them: nowhere else are they used.
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

            unit!(@compiled [$($feature),+] score::score:
                fn score(rules: &Rules, moves: Moves<'_>, scores: &mut [i32]));
            unit!(@compiled [$($feature),+] verdict::verdicts:
                fn verdicts(
                    rules: &Rules,
                    positions: &[Position],
                    with_threat: bool,
                    verdicts: &mut [Verdict]
                ));
            unit!(@compiled [$($feature),+] verdict::beyond:
                fn beyond(
                    rules: &Rules,
                    positions: &[Position],
                    bounds: Bounds,
                    beyond: &mut [Beyond]
                ));
        }
    };
    (@compiled [$($feature:tt),+] $kernel:path:
        fn $name:ident($($arg:ident: $type:ty),+)) => {
        fn $name(self, $($arg: $type),+) {
            #[target_feature($(enable = $feature),+)]
            fn compiled(simd: impl Simd, $($arg: $type),+) {
                $kernel(simd, $($arg),+);
            }
            unsafe { compiled(self, $($arg),+) }
        }
    };
}

#[cfg(target_arch = "x86_64")]
pub(super) use unit;
