//! What a rule is made of.

use core::num::NonZeroU8;

use super::Field;
use super::keys::Key;
use super::value::Value;
use crate::formats::Record;
use crate::{Position, Rules};

/// One rule: its name, its words, and its test.
pub(super) struct Rule {
    /// In JSON and in `--explain`.
    pub name: &'static str,
    /// What a summary says of the records that it dropped.
    pub label: &'static str,
    /// What a record must hold.
    pub needs: &'static [Field],
    /// The flags and TOML keys that set it.
    pub keys: &'static [Key],
    /// When it drops a record; the number is the seed.
    pub words: fn(&Value, u64) -> String,
    /// Drops records; none where the verdict on the position tells.
    pub screen: Option<fn(&Value, &mut Screening<'_>)>,
}

/// Records on their way through the rules.
pub(super) struct Screening<'a> {
    pub see_rules: &'a Rules,
    pub seed: u64,
    pub positions: &'a [Position],
    pub records: &'a [Record],
    /// Why each is dropped so far; as many as records.
    pub reasons: &'a mut [Option<Reason>],
    /// The rule that is asked.
    pub reason: Reason,
}

impl Screening<'_> {
    /// Drops those for which the test holds, of the records that are left.
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
    /// The place in [`Reason::all`], the first being 0.
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

/// How many pieces are on the board, kings and pawns counted.
pub(super) fn pieces(position: &Position) -> u32 {
    position.occupied().count() as u32
}
