//! The rules of filters, one entry each, and the parts of a rule.
//!
//! Everything else follows from a rule's entry and its fields of `Settings`: flags and their
//! help, keys of files, `--explain`, the reasons in summaries, and required fields. A new rule
//! is a new entry in [`RULES`].

use core::fmt;
use core::num::NonZeroU8;

use super::Settings;
use crate::device::RawFacts;
use crate::formats::{Field, RecordFields};
use crate::position::CaptureKind;
use crate::{BoundsExceeded, Position, Rules};

mod board;
mod game;
mod played;

pub use played::Played;

/// All rules, in the order of their application: cheap ones first. Those after the bounds see
/// only records that these keep.
pub(super) const RULES: &[Rule] = &[
    board::PLY,
    board::PIECES,
    board::UNSCORED,
    board::SCORE,
    board::IN_CHECK,
    played::CAPTURE,
    played::PROMOTION,
    played::CASTLING,
    played::SEE_GE0,
    played::SEE,
    game::EVAL_INCORRECTNESS,
    game::WDL,
    game::MATERIAL_COUNT,
    game::RANDOM_SKIP,
    game::THINNED,
    board::SEE,
    board::THREAT,
    board::DOUBLE_THREAT,
    board::QUIESCENCE,
];

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
    /// Drops records; `None` if bounds decide alone.
    pub drops: Option<Drops>,
}

/// What a rule looks at when it drops records.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum LooksAt {
    /// Not at the position.
    Record,
    /// At facts that a device that decodes records can tell.
    Facts,
    /// At the position too.
    Board,
    /// At bounds that it sets.
    Bounds,
}

type Drops = Box<dyn Fn(&mut Screen<'_>, Reason) + Send + Sync>;

impl Test {
    /// Drops records for which the test holds.
    pub fn new(
        words: impl Into<String>,
        looks_at: LooksAt,
        test: impl Fn(&View<'_>) -> bool + Send + Sync + 'static,
    ) -> Test {
        let drops: Drops = Box::new(move |screening, reason| screening.drop_where(reason, &test));
        Test {
            words: words.into(),
            looks_at,
            asks_see: false,
            exceeded: None,
            drops: Some(drops),
        }
    }

    /// Drops where one of [`Settings::bounds`] is exceeded.
    pub fn bounds(words: impl Into<String>, exceeded: fn(&BoundsExceeded) -> bool) -> Test {
        Test {
            words: words.into(),
            looks_at: LooksAt::Bounds,
            asks_see: true,
            exceeded: Some(exceeded),
            drops: None,
        }
    }

    pub fn asks_see(self) -> Test {
        Test {
            asks_see: true,
            ..self
        }
    }
}

/// Records passing through the rules.
pub(super) struct Screen<'a> {
    pub see_rules: &'a Rules,
    /// None if a device decoded them.
    pub positions: &'a [Position],
    /// What it tells then, if a rule asks.
    pub facts: &'a [RawFacts],
    pub records: &'a [RecordFields],
    /// Why each record is dropped so far.
    pub reasons: &'a mut [Option<Reason>],
}

impl Screen<'_> {
    /// Drops the remaining records for which the test holds.
    #[inline]
    fn drop_where(&mut self, why: Reason, test: impl Fn(&View<'_>) -> bool) {
        for (i, (reason, record)) in self.reasons.iter_mut().zip(self.records).enumerate() {
            let seen = View {
                record,
                position: self.positions.get(i),
                facts: self.facts.get(i),
                see_rules: self.see_rules,
            };
            if reason.is_none() && test(&seen) {
                *reason = Some(why);
            }
        }
    }
}

/// A record, and what is known of its position: the position, or a device's facts.
pub(super) struct View<'a> {
    pub record: &'a RecordFields,
    pub position: Option<&'a Position>,
    facts: Option<&'a RawFacts>,
    see_rules: &'a Rules,
}

impl View<'_> {
    /// The number of pieces, including kings and pawns.
    #[inline]
    pub fn pieces(&self) -> u32 {
        match self.facts {
            Some(facts) => facts.pieces(),
            None => self.position.map_or(0, |at| at.occupied().count() as u32),
        }
    }

    /// What the played move takes.
    #[inline]
    pub fn takes(&self) -> CaptureKind {
        match (self.facts, self.record.played().zip(self.position)) {
            (Some(facts), _) => facts.takes(),
            (None, Some((played, position))) => position.takes(played),
            (None, None) => CaptureKind::Nothing,
        }
    }

    /// Whether the played move's SEE is at least so much, if there is a move.
    #[inline]
    pub fn see_ge(&self, least: i32) -> bool {
        match (self.facts, self.record.played().zip(self.position)) {
            (Some(facts), _) => facts.see >= least,
            (None, Some((played, position))) => self.see_rules.see_ge(position, played, least),
            (None, None) => false,
        }
    }
}

/// Why a record is not kept: the rule that dropped it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Reason(NonZeroU8);

impl Reason {
    /// Its index in [`Reason::all`].
    pub const fn index(self) -> usize {
        self.0.get() as usize - 1
    }

    pub(super) const fn at(index: usize) -> Reason {
        match NonZeroU8::new(index as u8 + 1) {
            Some(number) => Reason(number),
            None => panic!("more than 255 rules"),
        }
    }

    /// The number of reasons.
    pub const COUNT: usize = RULES.len() + 1;

    /// The filter is inverted, and no rule drops the record.
    pub const QUIET: Reason = Reason::at(RULES.len());

    /// All reasons, in the order of their rules.
    pub fn all() -> impl Iterator<Item = Reason> {
        (0..Reason::COUNT).map(Reason::at)
    }

    /// The name in JSON.
    pub fn name(self) -> &'static str {
        RULES.get(self.index()).map_or("quiet", |rule| rule.name)
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match RULES.get(self.index()) {
            Some(rule) => rule.label,
            None => "no rule drops it (the filter is inverted)",
        })
    }
}
