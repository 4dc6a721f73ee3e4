//! The parts of a rule.

use core::num::NonZeroU8;

use super::Settings;
use crate::capture_kind::CaptureKind;
use crate::device::RawFacts;
use crate::formats::{Field, RecordFields};
use crate::{Bounds, BoundsExceeded, Capture, Position, Rules};

/// A rule: its name, needs, and its test with words.
pub(super) struct Rule {
    /// The name in JSON and `--explain`.
    pub name: &'static str,
    /// Describes the dropped records in a summary.
    pub label: &'static str,
    /// The fields that a record must have.
    pub needs: &'static [Field],
    /// The test that settings ask for, and the rules of its SEE; `None` if the rule is off.
    pub of: fn(&Settings, &Rules) -> Option<Test>,
}

/// A rule that is on.
pub(super) struct Test {
    /// Says when it drops a record.
    pub words: String,
    pub looks_at: LooksAt,
    /// Whether it needs a SEE.
    pub asks_see: bool,
    /// The answer about bounds that decides the same.
    pub exceeded: Option<fn(&BoundsExceeded) -> bool>,
}

/// What a rule looks at when it drops records.
pub(super) enum LooksAt {
    /// Not at the position.
    Record(Drops),
    /// At facts that a device can tell.
    Facts(Drops),
    /// At the position too.
    Board(Drops),
    /// At a bound that it sets.
    Bounds(Box<dyn Fn(&mut Bounds) + Send + Sync>),
}

type Drops = Box<dyn Fn(&mut Screening<'_>) + Send + Sync>;

impl Test {
    fn new(words: impl Into<String>, looks_at: LooksAt) -> Test {
        Test {
            words: words.into(),
            looks_at,
            asks_see: false,
            exceeded: None,
        }
    }

    pub fn record(
        words: impl Into<String>,
        test: impl Fn(&RecordFields) -> bool + Send + Sync + 'static,
    ) -> Test {
        let drops = move |screening: &mut Screening<'_>| {
            screening.drop_with(screening.records, |record, _| test(record));
        };
        Test::new(words, LooksAt::Record(Box::new(drops)))
    }

    pub fn facts(
        words: impl Into<String>,
        test: impl Fn(&Facts<'_>, &RecordFields) -> bool + Send + Sync + 'static,
    ) -> Test {
        let drops = move |screening: &mut Screening<'_>| {
            let rules = screening.see_rules;
            if screening.facts.is_empty() {
                screening.drop_with(screening.positions, |position, record| {
                    test(&Facts::Here(rules, position, record.played()), record)
                });
            } else {
                screening.drop_with(screening.facts, |facts, record| {
                    test(&Facts::Told(facts), record)
                });
            }
        };
        Test::new(words, LooksAt::Facts(Box::new(drops)))
    }

    pub fn board(
        words: impl Into<String>,
        test: impl Fn(&Position, &RecordFields) -> bool + Send + Sync + 'static,
    ) -> Test {
        let drops = move |screening: &mut Screening<'_>| {
            screening.drop_with(screening.positions, &test);
        };
        Test::new(words, LooksAt::Board(Box::new(drops)))
    }

    /// Sets a bound, which drops where it is exceeded.
    pub fn bounds(
        words: impl Into<String>,
        set: impl Fn(&mut Bounds) + Send + Sync + 'static,
        exceeded: fn(&BoundsExceeded) -> bool,
    ) -> Test {
        let test = Test::new(words, LooksAt::Bounds(Box::new(set)));
        test.asks_see().or_if(exceeded)
    }

    pub fn asks_see(self) -> Test {
        Test {
            asks_see: true,
            ..self
        }
    }

    /// Where bounds are asked about, this answer decides.
    pub fn or_if(self, exceeded: fn(&BoundsExceeded) -> bool) -> Test {
        Test {
            exceeded: Some(exceeded),
            ..self
        }
    }

    /// The test, unless bounds decide.
    pub fn drops(&self) -> Option<&Drops> {
        match &self.looks_at {
            LooksAt::Record(drops) | LooksAt::Facts(drops) | LooksAt::Board(drops) => Some(drops),
            LooksAt::Bounds(_) => None,
        }
    }
}

/// Records passing through the rules.
pub(super) struct Screening<'a> {
    pub see_rules: &'a Rules,
    /// None if a device decoded them.
    pub positions: &'a [Position],
    /// What it tells then, if a rule asks.
    pub facts: &'a [RawFacts],
    pub records: &'a [RecordFields],
    /// Why each record is dropped so far.
    pub reasons: &'a mut [Option<Reason>],
    /// The rule being applied.
    pub reason: Reason,
}

impl Screening<'_> {
    /// Drops the remaining records for which the test holds.
    #[inline]
    fn drop_with<T>(&mut self, each: &[T], test: impl Fn(&T, &RecordFields) -> bool) {
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
    pub fn takes(&self) -> CaptureKind {
        match *self {
            Facts::Here(_, position, Some(played)) => CaptureKind::by(played, position),
            Facts::Here(..) => CaptureKind::Nothing,
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
