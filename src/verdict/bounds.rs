//! Bounds on a position's SEEs, and which of them it exceeds.

use super::{Best, Sides, Verdict};

/// The highest SEE allowed for noisy moves of the side to move and of the opponent, in the unit
/// of the piece values (by default centipawns); `None` allows any.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Bounds {
    /// For [`Verdict::best`]: 0 allows no move that wins something.
    pub see: Option<i32>,
    /// For [`Verdict::threat`]: 0 allows no move of the opponent that would win something.
    pub threat: Option<i32>,
    /// Whether positions with two [`Verdict::threats`] or more exceed it.
    pub double_threat: bool,
}

impl Bounds {
    /// The sides whose moves the bounds are about.
    pub const fn sides(self) -> Sides {
        if self.threat.is_some() || self.double_threat {
            Sides::Both
        } else {
            Sides::ToMove
        }
    }

    /// The bounds that a verdict exceeds; it needs the threat if that is bounded.
    pub fn exceeds(self, verdict: &Verdict) -> BoundsExceeded {
        let above = |best: Option<Best>, bound: Option<i32>| {
            best.zip(bound)
                .is_some_and(|(best, bound)| best.see > bound)
        };
        BoundsExceeded::default()
            .with_in_check(verdict.in_check())
            .with_see(above(verdict.best(), self.see))
            .with_threat(above(verdict.threat(), self.threat))
            .with_double_threat(self.double_threat && verdict.threats() > 1)
    }
}

/// Which [`Bounds`] a position exceeds, in a byte. Found faster than a verdict.
///
/// | bit | holds |
/// |---|---|
/// | 0 | [`in_check`](BoundsExceeded::in_check) |
/// | 1 | [`see`](BoundsExceeded::see) |
/// | 2 | [`threat`](BoundsExceeded::threat) |
/// | 3 | [`double_threat`](BoundsExceeded::double_threat) |
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
#[repr(transparent)]
pub struct BoundsExceeded(u8);

impl BoundsExceeded {
    const IN_CHECK_BIT: u8 = 1 << 0;
    const SEE_BIT: u8 = 1 << 1;
    const THREAT_BIT: u8 = 1 << 2;
    const DOUBLE_THREAT_BIT: u8 = 1 << 3;
    /// The answer for a position in check that exceeds no bound.
    pub const IN_CHECK: BoundsExceeded = BoundsExceeded(BoundsExceeded::IN_CHECK_BIT);
    /// All bits that are in use.
    pub(crate) const ALL: u8 = 15;

    /// The bits of the table above, below 16.
    #[inline(always)]
    pub const fn to_bits(self) -> u8 {
        self.0
    }

    /// The answer with these bits; those above the table's are dropped.
    #[inline(always)]
    pub const fn from_bits(bits: u8) -> BoundsExceeded {
        BoundsExceeded(bits & BoundsExceeded::ALL)
    }

    /// Whether the side to move is in check. That is always found, also without bounds.
    #[inline(always)]
    pub const fn in_check(self) -> bool {
        self.0 & BoundsExceeded::IN_CHECK_BIT != 0
    }

    /// Whether the SEE of a noisy move of the side to move exceeds [`Bounds::see`].
    #[inline(always)]
    pub const fn see(self) -> bool {
        self.0 & BoundsExceeded::SEE_BIT != 0
    }

    /// Whether the SEE of a noisy move of the opponent, if it were to move, exceeds
    /// [`Bounds::threat`]. Always false in check.
    #[inline(always)]
    pub const fn threat(self) -> bool {
        self.0 & BoundsExceeded::THREAT_BIT != 0
    }

    /// Whether there are two [`Verdict::threats`] or more, if [`Bounds::double_threat`] asks for
    /// that. Always false in check.
    #[inline(always)]
    pub const fn double_threat(self) -> bool {
        self.0 & BoundsExceeded::DOUBLE_THREAT_BIT != 0
    }

    /// The same answer with [`in_check`](BoundsExceeded::in_check) changed.
    #[must_use]
    #[inline(always)]
    pub(crate) const fn with_in_check(self, in_check: bool) -> BoundsExceeded {
        self.with(BoundsExceeded::IN_CHECK_BIT, in_check)
    }

    /// The same answer with [`see`](BoundsExceeded::see) changed.
    #[must_use]
    #[inline(always)]
    pub(crate) const fn with_see(self, see: bool) -> BoundsExceeded {
        self.with(BoundsExceeded::SEE_BIT, see)
    }

    /// The same answer with [`threat`](BoundsExceeded::threat) changed.
    #[must_use]
    #[inline(always)]
    pub(crate) const fn with_threat(self, threat: bool) -> BoundsExceeded {
        self.with(BoundsExceeded::THREAT_BIT, threat)
    }

    /// The same answer with [`double_threat`](BoundsExceeded::double_threat) changed.
    #[must_use]
    #[inline(always)]
    pub(crate) const fn with_double_threat(self, double_threat: bool) -> BoundsExceeded {
        self.with(BoundsExceeded::DOUBLE_THREAT_BIT, double_threat)
    }

    /// The same answer with a bit set or cleared, without a branch.
    #[inline(always)]
    const fn with(self, bit: u8, is_set: bool) -> BoundsExceeded {
        let set = if is_set { bit } else { 0 };
        BoundsExceeded(self.0 & !bit | set)
    }
}

impl core::fmt::Debug for BoundsExceeded {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("BoundsExceeded")
            .field("in_check", &self.in_check())
            .field("see", &self.see())
            .field("threat", &self.threat())
            .field("double_threat", &self.double_threat())
            .finish()
    }
}
