//! The parts of a rule.

use core::num::NonZeroU8;

use super::Field;
use super::keys::Key;
use super::value::Value;
use crate::formats::Record;
use crate::{Position, Rules};

/// A rule: its name, texts and test.
pub(super) struct Rule {
    /// The name in JSON and `--explain`.
    pub name: &'static str,
    /// Describes the dropped records in a summary.
    pub label: &'static str,
    /// The fields that a record must have.
    pub needs: &'static [Field],
    /// The flags and TOML keys that set it.
    pub keys: &'static [Key],
    /// Says when it drops a record; the number is the seed.
    pub words: fn(&Value, u64) -> String,
    /// Drops records; `None` if the verdict on the position decides.
    pub screen: Option<fn(&Value, &mut Screening<'_>)>,
}

/// Records passing through the rules.
pub(super) struct Screening<'a> {
    pub see_rules: &'a Rules,
    pub seed: u64,
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
