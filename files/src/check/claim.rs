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
