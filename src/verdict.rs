//! What a position as a whole is worth: its best noisy move, and the opponent's.

use crate::{Capture, Position, Rules, captures};

/// A move and its exact SEE.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Best {
    /// The SEE, from the side of the one who moves.
    pub see: i32,
    /// The move; of several with the same SEE the numerically smallest.
    pub capture: Capture,
}

impl Best {
    /// The better of what was best so far and one more move.
    #[must_use]
    pub fn or_better(best: Option<Best>, see: i32, capture: Capture) -> Option<Best> {
        match best {
            Some(old)
                if (old.see, core::cmp::Reverse(old.capture))
                    >= (see, core::cmp::Reverse(capture)) =>
            {
                best
            }
            _ => Some(Best { see, capture }),
        }
    }
}

/// What a position's noisy moves (captures, en passant, promotions; legal ones)
/// come to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Verdict {
    /// Whether the side to move is in check.
    pub in_check: bool,
    /// How many noisy moves it has.
    pub noisy: u32,
    /// The noisy move with the highest SEE, if there is one.
    pub best: Option<Best>,
    /// The same for the opponent if it were to move. `None` in check, where it
    /// is not defined, and where it was not asked for.
    pub threat: Option<Best>,
}

/// The highest SEE that noisy moves may have, the side to move's and the opponent's;
/// any, if there is none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Bounds {
    /// For [`Verdict::best`].
    pub see: Option<i32>,
    /// For [`Verdict::threat`].
    pub threat: Option<i32>,
}

/// What in a position is beyond some [`Bounds`]: less than a verdict tells, and
/// sooner known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Beyond {
    /// As [`Verdict::in_check`].
    pub in_check: bool,
    /// Whether a noisy move's SEE is higher than allowed.
    pub see: bool,
    /// Whether one of the opponent's is, if it were to move.
    pub threat: bool,
}

impl Bounds {
    /// What a verdict, with the threat if there is a bound for it, tells.
    #[must_use]
    pub fn beyond(self, verdict: &Verdict) -> Beyond {
        let above = |best: Option<Best>, bound: Option<i32>| {
            best.zip(bound)
                .is_some_and(|(best, bound)| best.see > bound)
        };
        Beyond {
            in_check: verdict.in_check,
            see: above(verdict.best, self.see),
            threat: above(verdict.threat, self.threat),
        }
    }
}

impl Rules {
    /// What in a position is beyond the bounds: as the verdict tells, without the
    /// exact values.
    ///
    /// ```
    /// use swaplist::{Bounds, Position, Rules};
    ///
    /// let position: Position = "4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1".parse()?;
    /// let quiet = Bounds { see: Some(0), threat: None };
    /// assert!(Rules::SWAP.beyond(&position, quiet).see); // exd5 wins a pawn
    /// # Ok::<(), swaplist::PositionError>(())
    /// ```
    #[must_use]
    pub fn beyond(&self, position: &Position, bounds: Bounds) -> Beyond {
        let mut beyond = Beyond::default();
        let above = |capture, bound: Option<i32>| {
            let least = bound.and_then(|bound| bound.checked_add(1));
            least.is_some_and(|least| self.see_ge(position, capture, least))
        };
        beyond.in_check = captures::for_each_noisy_and_check(position, |capture| {
            beyond.see = beyond.see || above(capture, bounds.see);
        });
        if bounds.threat.is_some() {
            captures::for_each_threat(position, |capture| {
                beyond.threat = beyond.threat || above(capture, bounds.threat);
            });
        }
        beyond
    }

    /// The verdict on a position under these rules, with the opponent's threat if
    /// asked for.
    ///
    /// ```
    /// use swaplist::{Position, Rules};
    ///
    /// let position: Position = "4k3/8/8/3p4/4P3/8/8/4K2r w - - 0 1".parse()?;
    /// let verdict = Rules::SWAP.verdict(&position, true);
    /// assert!(verdict.in_check);
    /// assert_eq!(verdict.noisy, 0); // exd5 would leave the king in check
    /// # Ok::<(), swaplist::PositionError>(())
    /// ```
    #[must_use]
    pub fn verdict(&self, position: &Position, with_threat: bool) -> Verdict {
        let mut verdict = Verdict::default();
        verdict.in_check = captures::for_each_noisy_and_check(position, |capture| {
            verdict.noisy += 1;
            verdict.best = Best::or_better(verdict.best, self.see(position, capture), capture);
        });
        if with_threat {
            captures::for_each_threat(position, |capture| {
                verdict.threat =
                    Best::or_better(verdict.threat, self.see(position, capture), capture);
            });
        }
        verdict
    }
}
