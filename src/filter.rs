//! Which records are kept, and why the others are not.

use core::fmt;

use crate::Verdict;
use crate::formats::Record;

/// Why a record is not kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Reason {
    /// The side to move is in check.
    InCheck,
    /// A noisy move wins more than is allowed.
    See,
    /// The opponent threatens to win more than is allowed.
    Threat,
    /// The filter is inverted, and without that the record would be kept.
    Quiet,
}

impl Reason {
    /// All reasons, in the order in which a filter looks for them.
    pub const ALL: [Reason; 4] = [Reason::InCheck, Reason::See, Reason::Threat, Reason::Quiet];

    /// The name in JSON.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Reason::InCheck => "in_check",
            Reason::See => "see",
            Reason::Threat => "threat",
            Reason::Quiet => "quiet",
        }
    }
}

/// For people.
impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Reason::InCheck => "in check",
            Reason::See => "best SEE too high",
            Reason::Threat => "threat too high",
            Reason::Quiet => "quiet (the filter is inverted)",
        })
    }
}

/// What a filter says about a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Judgement {
    /// It is kept.
    Keep,
    /// It is not, for the first reason found.
    Drop(Reason),
}

/// A rule for keeping records, built once and applied to many.
///
/// ```
/// use swaplist::filter::{Filter, Judgement, Reason};
/// use swaplist::formats::{Place, Record};
/// use swaplist::{Position, Rules};
///
/// let position: Position = "4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1".parse()?;
/// let verdict = Rules::SWAP.verdict(&position, false);
/// let record = Record::new(Place::Line(1), 0..29);
/// let judgement = Filter::default().judge(&verdict, &record);
/// assert_eq!(judgement, Judgement::Drop(Reason::See)); // exd5 wins a pawn
/// # Ok::<(), swaplist::PositionError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// The highest SEE that a noisy move may have.
    pub max_see: i32,
    /// The highest SEE that the opponent may threaten, if that matters.
    pub max_threat: Option<i32>,
    /// Whether a side to move that is in check is let pass.
    pub keep_checks: bool,
    /// Whether exactly the other records are kept.
    pub invert: bool,
}

impl Filter {
    /// Whether verdicts must tell the opponent's threat.
    #[must_use]
    pub const fn needs_threat(&self) -> bool {
        self.max_threat.is_some()
    }

    /// Keep or drop.
    #[must_use]
    pub fn judge(&self, verdict: &Verdict, _record: &Record) -> Judgement {
        match (self.reason(verdict), self.invert) {
            (None, true) => Judgement::Drop(Reason::Quiet),
            (Some(reason), false) => Judgement::Drop(reason),
            _ => Judgement::Keep,
        }
    }

    fn reason(&self, verdict: &Verdict) -> Option<Reason> {
        let best = verdict.best.map(|best| best.see);
        let threat = verdict.threat.map(|threat| threat.see);
        if verdict.in_check && !self.keep_checks {
            Some(Reason::InCheck)
        } else if best.is_some_and(|see| see > self.max_see) {
            Some(Reason::See)
        } else if threat.is_some_and(|see| self.max_threat.is_some_and(|max| see > max)) {
            Some(Reason::Threat)
        } else {
            None
        }
    }
}

/// For people: what is kept.
impl fmt::Display for Filter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.invert {
            f.write_str("not: ")?;
        }
        if !self.keep_checks {
            f.write_str("not in check, ")?;
        }
        write!(f, "best SEE at most {}", self.max_see)?;
        match self.max_threat {
            Some(max) => write!(f, ", threat at most {max}"),
            None => Ok(()),
        }
    }
}
