//! The parts of a rule.

use core::num::NonZeroU8;

use super::keys::Key;
use super::value::Value;
use crate::backend::RawFacts;
use crate::formats::{Part, Record};
use crate::takes::Takes;
use crate::{Capture, Position, Rules};

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
    /// At facts that a device can tell: [`Screening::drop_by_facts`].
    Facts(fn(&Value, &mut Screening<'_>)),
    /// At the position too: [`Screening::drop_where`].
    Board(fn(&Value, &mut Screening<'_>)),
    /// At the bounds that the position exceeds.
    Bounds,
}

impl Screen {
    /// The test, unless bounds decide.
    pub fn test(self) -> Option<fn(&Value, &mut Screening<'_>)> {
        match self {
            Screen::Record(test) | Screen::Facts(test) | Screen::Board(test) => Some(test),
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
    /// What it tells then, if a rule asks.
    pub facts: &'a [RawFacts],
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
        self.drop_with(self.records, |record, _| test(record));
    }

    /// Drops the remaining records for which the test holds.
    #[inline]
    pub fn drop_by_facts(&mut self, test: impl Fn(&Facts<'_>, &Record) -> bool) {
        let rules = self.see_rules;
        if self.facts.is_empty() {
            self.drop_where(|position, record| {
                test(&Facts::Here(rules, position, record.played()), record)
            });
        } else {
            self.drop_with(self.facts, |facts, record| {
                test(&Facts::Told(facts), record)
            });
        }
    }

    /// Drops the remaining records for which the test holds.
    #[inline]
    pub fn drop_where(&mut self, test: impl Fn(&Position, &Record) -> bool) {
        self.drop_with(self.positions, test);
    }

    /// The same with something else of each record.
    #[inline]
    fn drop_with<T>(&mut self, each: &[T], test: impl Fn(&T, &Record) -> bool) {
        let records = each.iter().zip(self.records);
        for (reason, (each, record)) in self.reasons.iter_mut().zip(records) {
            if reason.is_none() && test(each, record) {
                *reason = Some(self.reason);
            }
        }
    }
}

/// What rules ask about a record's position and played move.
pub(super) enum Facts<'a> {
    /// To be found here.
    Here(&'a Rules, &'a Position, Option<Capture>),
    /// Found by a device.
    Told(&'a RawFacts),
}

impl Facts<'_> {
    /// The number of pieces.
    #[inline]
    pub fn pieces(&self) -> u32 {
        match self {
            Facts::Here(_, position, _) => pieces(position),
            Facts::Told(facts) => facts.pieces(),
        }
    }

    /// What the played move takes.
    #[inline]
    pub fn takes(&self) -> Takes {
        match *self {
            Facts::Here(_, position, Some(played)) => Takes::by(played, position),
            Facts::Here(..) => Takes::Nothing,
            Facts::Told(facts) => facts.takes(),
        }
    }

    /// Whether the played move's SEE is at least so much, if there is a move.
    #[inline]
    pub fn see_ge(&self, least: i32) -> bool {
        match *self {
            Facts::Here(rules, position, Some(played)) => rules.see_ge(position, played, least),
            Facts::Here(..) => false,
            Facts::Told(facts) => facts.see >= least,
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
