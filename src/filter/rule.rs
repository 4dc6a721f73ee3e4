//! The parts of a rule.

use core::num::NonZeroU8;

use super::keys::Key;
use super::value::Value;
use crate::formats::{Part, Record};
use crate::{Position, Rules};

/// A rule: its name, texts and test.
pub(super) struct Rule {
    /// The name in JSON and `--explain`.
    pub name: &'static str,
    /// Describes the dropped records in a summary.
    pub label: &'static str,
    /// The fields that a record must have.
    pub needs: &'static [Part],
    /// The flags and TOML keys that set it.
    pub keys: &'static [Key],
    /// Says when it drops a record; the number is the seed.
    pub words: fn(&Value, u64) -> String,
    /// Drops records.
    pub screen: Screen,
}

/// What a rule looks at when it drops records.
#[derive(Clone, Copy)]
pub(super) enum Screen {
    /// Not at the position: [`Screening::drop_records`].
    Record(fn(&Value, &mut Screening<'_>)),
    /// At the position too: [`Screening::drop_where`].
    Board(fn(&Value, &mut Screening<'_>)),
    /// At the bounds that the position exceeds.
    Bounds,
}

impl Screen {
    #[cfg(feature = "jobs")]
    pub const fn reads_board(self) -> bool {
        matches!(self, Screen::Board(_))
    }

    /// The test, unless bounds decide.
    pub fn test(self) -> Option<fn(&Value, &mut Screening<'_>)> {
        match self {
            Screen::Record(test) | Screen::Board(test) => Some(test),
            Screen::Bounds => None,
        }
    }
}

/// Records passing through the rules.
pub(super) struct Screening<'a> {
    pub see_rules: &'a Rules,
    pub seed: u64,
    /// None if a device decoded them.
    pub positions: &'a [Position],
    pub records: &'a [Record],
    /// Why each record is dropped so far.
    pub reasons: &'a mut [Option<Reason>],
    /// The rule being applied.
    pub reason: Reason,
}

impl Screening<'_> {
    /// Drops the remaining records for which the test holds.
    #[inline]
    pub fn drop_records(&mut self, test: impl Fn(&Record) -> bool) {
        for (reason, record) in self.reasons.iter_mut().zip(self.records) {
            if reason.is_none() && test(record) {
                *reason = Some(self.reason);
            }
        }
    }

    /// Drops the remaining records for which the test holds.
    #[inline]
    pub fn drop_where(&mut self, test: impl Fn(&Position, &Record) -> bool) {
        let records = self.positions.iter().zip(self.records);
        for (reason, (position, record)) in self.reasons.iter_mut().zip(records) {
            if reason.is_none() && test(position, record) {
                *reason = Some(self.reason);
            }
        }
    }
}

/// Why a record is not kept: the rule that dropped it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Reason(NonZeroU8);

impl Reason {
    /// Its index in [`Reason::all`].
    #[must_use]
    pub const fn index(self) -> usize {
        self.0.get() as usize - 1
    }

    pub(super) const fn at(index: usize) -> Reason {
        match NonZeroU8::new(index as u8 + 1) {
            Some(number) => Reason(number),
            None => panic!("more than 255 rules"),
        }
    }
}

/// The number of pieces, including kings and pawns.
pub(super) fn pieces(position: &Position) -> u32 {
    position.occupied().count() as u32
}
