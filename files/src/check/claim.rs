//! What an engine claims about a move.

use core::fmt;

/// An engine's claim about a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Claim {
    /// The SEE is this value.
    Value(i32),
    /// Whether the SEE is at least a threshold.
    AtLeast {
        /// The value that the SEE is compared with, in the unit of the piece values.
        threshold: i32,
        /// Whether it is, according to the engine.
        holds: bool,
    },
}

impl Claim {
    /// Whether the claim is true of this SEE.
    pub(super) fn is(self, see: i32) -> bool {
        match self {
            Claim::Value(value) => see == value,
            Claim::AtLeast { threshold, holds } => (see >= threshold) == holds,
        }
    }
}

/// What a claim means if its engine has a fault that shows in all answers: fitting piece values to
/// claims as they are would hide it.
impl Claim {
    /// The claim if the engine has every sign wrong.
    pub(super) const fn negated(self) -> Claim {
        match self {
            Claim::Value(value) => Claim::Value(value.saturating_neg()),
            Claim::AtLeast { threshold, holds } => Claim::AtLeast {
                threshold: 1_i32.saturating_sub(threshold),
                holds: !holds,
            },
        }
    }

    /// The claim if the engine compares by `>` for `>=`.
    pub(super) const fn with_strict_threshold(self) -> Claim {
        match self {
            Claim::Value(_) => self,
            Claim::AtLeast { threshold, holds } => Claim::AtLeast {
                threshold: threshold.saturating_add(1),
                holds,
            },
        }
    }
}

/// Writes `-225`, `at least 100` or `less than 100`.
impl fmt::Display for Claim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Claim::Value(value) => write!(f, "{value}"),
            Claim::AtLeast { threshold, holds } => {
                let what = if *holds { "at least" } else { "less than" };
                write!(f, "{what} {threshold}")
            }
        }
    }
}
