//! The rules of filters, one entry each, and the parts of a rule.
//!
//! Everything else follows from a rule's entry and its fields of `Settings`: flags and their
//! help, keys of files, `--explain`, the reasons in summaries, and required fields. A new rule
//! is a new entry in [`RULES`].
//!
//! # Rules and devices
//!
//! A rule without [`.keeping(…)`](Test::keeping) is right everywhere, and the CPU filters whole
//! files with it. If the rule compares a number, a device can do it too. It needs:
//!
//! - a [`Quantity`], and `.keeping(…)` with it in the rule;
//! - in `files/shaders/encode.wgsl` its `QUANTITY_` constant, and a `case` in the function
//!   `quantity`;
//! - if the number depends on the board, bits in the first word of facts (`shaders/facts.wgsl`; the
//!   table of a record's words in `files/shaders/README.md` says which are free), the same bits in
//!   `tests/common/facts.rs`, and its name in [`Quantity::is_fact`];
//! - if the decoder of a device knows it, a bit of the answer that the decoder sets, as `capture_bit`
//!   in `files/shaders/decode.wgsl` does, and the same bit in `files/tests/common/coded.rs`;
//! - in `files/tests/device/on_gpu`, a line in `filtering.rs`, which asks for one for every rule, and
//!   a filter with the rule in `mutants.rs`;
//! - a mutant of the new `case` in `encoding.diff` there, and one of the new bits in
//!   `tests/mutants/facts.diff`;
//! - a word in `docs/gpu.md`, in the list of numbers that the device compares.

use core::fmt;
use core::num::NonZeroU8;
use core::ops::RangeInclusive;

use super::Settings;
use crate::formats::{Field, RecordFields};
use swaplist::{BoundsExceeded, CaptureKind, Choice, Position, Rules};

mod board;
mod game;
mod played;

pub use played::PlayedRule;

/// All rules, in the order of their application: cheap ones first. Those after the bounds see
/// only records that these keep.
pub(super) const RULES: &[Rule] = &[
    board::PLY,
    board::PIECES,
    board::UNSCORED,
    board::SCORE,
    game::OPENING_SCORE,
    game::DECIDED_ZERO,
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
    played::PLACEHOLDER,
    board::QUIESCENCE,
];

/// A rule of the table: its names, the fields it needs, and its test as settings ask for it.
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
    /// Whether an answer about bounds drops the record; `None` if such an answer does not decide
    /// this rule.
    pub exceeded: Option<fn(&BoundsExceeded) -> bool>,
    /// Drops records without a reason for which the rule holds; `None` if only an answer about
    /// bounds can decide.
    pub drops: Option<Drops>,
    /// The same rule as data, for a device; `None` if it is not a comparison.
    pub comparison: Option<Comparison>,
}

/// A rule as data: it drops records of which a quantity is below `low` or above `high`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Comparison {
    /// The quantity that is compared.
    pub quantity: Quantity,
    /// The lowest number that is kept.
    pub low: i32,
    /// The highest number that is kept.
    pub high: i32,
}

/// A quantity of a record that rules compare. What is true or false is 1 or 0. The shader has the
/// same numbers: `QUANTITY_PLY` and so on in `files/shaders/encode.wgsl`, which a test compares.
/// Add a new one at the end, so that the others keep their numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Quantity {
    /// Half-moves since the start of the game.
    Ply,
    /// The number of pieces on the board, kings and pawns included.
    Pieces,
    /// Whether there is no score, or 32002.
    Unscored,
    /// The score's distance from 0.
    ScoreSize,
    /// Whether the side to move is in check.
    InCheck,
    /// 2 if the played move captures a piece on its target square, 1 if en passant.
    Capture,
    /// Whether the played move promotes.
    Promotion,
    /// Whether the played move castles.
    Castling,
    /// Whether the played move captures a piece on its target square, and its SEE is at least 0 or
    /// the score is 0.
    SoundCapture,
    /// The SEE of the played move.
    PlayedSee,
    /// By how much the score is wrong about the game's result.
    Incorrectness,
    /// Whether the bound on the SEE of the side to move is exceeded.
    See,
    /// Whether the bound on the opponent's SEE is exceeded.
    Threat,
    /// Whether the opponent wins something on two squares.
    DoubleThreat,
    /// Whether the score is 0, and the played move captures or the side to move is in check.
    Placeholder,
    /// Whether the score is a 0 that [`DecidedZeros`](super::decided::DecidedZeros) finds.
    DecidedZero,
    /// The distance from 0 of the score of the first record of the game or chain.
    OpeningScore,
}

impl Quantity {
    /// Whether it is a quantity of the played move or the board that an answer about bounds does
    /// not hold.
    pub const fn is_fact(self) -> bool {
        matches!(
            self,
            Quantity::Pieces
                | Quantity::Capture
                | Quantity::Promotion
                | Quantity::Castling
                | Quantity::SoundCapture
                | Quantity::PlayedSee
        )
    }
}

/// What a rule looks at when it drops records, from cheap to dear.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum LooksAt {
    /// The fields of the record, not its position.
    Record,
    /// The fields and the position.
    Board,
    /// The answer about bounds on the SEE, which it sets.
    Bounds,
}

type Drops = Box<dyn Fn(&mut RuleInput<'_>, Reason) + Send + Sync>;

impl Test {
    /// Drops records for which the test holds.
    pub fn new(
        words: impl Into<String>,
        looks_at: LooksAt,
        test: impl Fn(&View<'_>) -> bool + Send + Sync + 'static,
    ) -> Test {
        let drops: Drops = Box::new(move |input, reason| input.drop_where(reason, &test));
        Test {
            words: words.into(),
            looks_at,
            asks_see: false,
            exceeded: None,
            drops: Some(drops),
            comparison: None,
        }
    }

    /// The function that drops records, if this rule runs by itself. With `asks_bounds`, an answer
    /// about bounds decides the rule "in check", so that it does not run.
    pub fn drops_if(&self, asks_bounds: bool) -> Option<&Drops> {
        let is_answered = asks_bounds && self.exceeded.is_some();
        self.drops.as_ref().filter(|_| !is_answered)
    }

    /// Drops records by a function that sees all of them in order: for a rule that one record alone
    /// does not decide, or whose loop has to be short.
    pub fn over_all(
        words: impl Into<String>,
        looks_at: LooksAt,
        drops: impl Fn(&mut RuleInput<'_>, Reason) + Send + Sync + 'static,
    ) -> Test {
        Test {
            drops: Some(Box::new(drops)),
            ..Test::new(words, looks_at, |_| false)
        }
    }

    /// Drops where one of [`Settings::bounds`] is exceeded.
    pub fn bounds(
        words: impl Into<String>,
        quantity: Quantity,
        exceeded: fn(&BoundsExceeded) -> bool,
    ) -> Test {
        let test = Test {
            words: words.into(),
            looks_at: LooksAt::Bounds,
            asks_see: true,
            exceeded: Some(exceeded),
            drops: None,
            comparison: None,
        };
        test.keeping(quantity, 0..=0)
    }

    /// Says the same as data: records are kept whose quantity is in this range.
    pub fn keeping(self, quantity: Quantity, kept: RangeInclusive<i64>) -> Test {
        let bound = |bound: i64| bound.clamp(i32::MIN.into(), i32::MAX.into()) as i32;
        let comparison = Comparison {
            quantity,
            low: bound(*kept.start()),
            high: bound(*kept.end()),
        };
        Test {
            comparison: Some(comparison),
            ..self
        }
    }

    pub fn asks_see(self) -> Test {
        Test {
            asks_see: true,
            ..self
        }
    }
}

/// The records that rules look at, and what they decided so far.
pub(super) struct RuleInput<'a> {
    pub see_rules: &'a Rules,
    pub positions: &'a [Position],
    pub records: &'a [RecordFields],
    /// Why each record is dropped so far.
    pub reasons: &'a mut [Option<Reason>],
}

impl RuleInput<'_> {
    /// Drops the remaining records for which the test holds.
    #[inline]
    fn drop_where(&mut self, why: Reason, test: impl Fn(&View<'_>) -> bool) {
        for (i, (reason, record)) in self.reasons.iter_mut().zip(self.records).enumerate() {
            let view = View {
                record,
                position: self.positions.get(i),
                see_rules: self.see_rules,
            };
            if reason.is_none() && test(&view) {
                *reason = Some(why);
            }
        }
    }

    /// Drops the remaining records of the games and chains for whose first record the test holds.
    pub fn drop_units(&mut self, why: Reason, test: impl Fn(&RecordFields) -> bool) {
        let mut reasons = self.reasons.iter_mut();
        for unit in self.records.chunk_by(RecordFields::is_in_unit_of) {
            let drops = test(&unit[0]);
            for reason in reasons.by_ref().take(unit.len()) {
                if drops {
                    reason.get_or_insert(why);
                }
            }
        }
    }
}

/// A record and its position.
pub(super) struct View<'a> {
    pub record: &'a RecordFields,
    pub position: Option<&'a Position>,
    see_rules: &'a Rules,
}

impl View<'_> {
    /// The number of pieces, including kings and pawns.
    #[inline]
    pub fn pieces(&self) -> u32 {
        self.position.map_or(0, |at| at.occupied().count() as u32)
    }

    /// The kind of capture that the played move is.
    #[inline]
    pub fn takes(&self) -> CaptureKind {
        match self.record.played().zip(self.position) {
            Some((played, position)) => position.takes(played),
            None => CaptureKind::Nothing,
        }
    }

    /// Whether the played move's SEE is at least `least`, if there is a move.
    #[inline]
    pub fn see_ge(&self, least: i32) -> bool {
        let played = self.record.played().zip(self.position);
        played.is_some_and(|(played, position)| self.see_rules.see_ge(position, played, least))
    }
}

/// Why a record is not kept: the rule that dropped it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Reason(NonZeroU8);

impl Reason {
    /// Its index in [`Reason::ALL`], from 0 up to [`Reason::COUNT`] less one.
    pub(crate) const fn index(self) -> usize {
        self.0.get() as usize - 1
    }

    pub(super) const fn at(index: usize) -> Reason {
        match NonZeroU8::new(index as u8 + 1) {
            Some(number) => Reason(number),
            None => panic!("more than 255 rules"),
        }
    }

    /// The number of reasons: one for each rule, and [`Reason::QUIET`].
    pub(crate) const COUNT: usize = RULES.len() + 1;

    /// The filter is inverted, and no rule drops the record.
    pub(crate) const QUIET: Reason = Reason::at(RULES.len());

    /// Whether its rule is about a field that a record may lack.
    pub fn needs(self, field: Field) -> bool {
        RULES
            .get(self.index())
            .is_some_and(|rule| rule.needs.contains(&field))
    }
}

/// The reasons are in the order of their rules, with the names in JSON and `--explain`.
impl Choice for Reason {
    const ALL: &'static [Reason] = &{
        let mut all = [Reason::QUIET; Reason::COUNT];
        let mut index = 0;
        while index < Reason::COUNT {
            all[index] = Reason::at(index);
            index += 1;
        }
        all
    };

    fn name(self) -> &'static str {
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
