//! Filters: which records are kept, and why the others are not.
//!
//! A [`Filter`] is a list of rules, with the rules of their SEE; a record is kept if none of
//! them drops it. The rules are entries of a table, in `rules.rs`. A filter begins as a
//! [`Preset`] and is changed by [`Settings`]. If a record lacks a [`Field`] that a rule needs,
//! that is an error.

use core::fmt;
use core::ops::Range;
use std::sync::Arc;

use crate::formats::{Field, MATE, RecordFields, VALUE_NONE};
use swaplist::{Bounds, BoundsExceeded, ParseError, Rules};

mod decided;
mod judge;
mod kinds;
mod preset;
mod rules;
pub(crate) mod settings;
pub(crate) mod text;
mod wdl;

pub use decided::DecidedZeros;
use judge::FIELDS;
pub use judge::name_of;
pub(crate) use judge::{BoundsAnswers, Judgement};
pub(crate) use kinds::{KEPT, KINDS_OF_RECORDS, REASONS, RESULTS};
pub use preset::Preset;
pub(crate) use rules::Comparison;
use rules::{LooksAt, Quantity, RULES, Test};
pub use rules::{PlayedRule, Reason};
pub use settings::{FLAGS, Flag, Settings};
pub use text::{Probability, SettingError, parse_number};
use wdl::{WdlModel, material};

/// The number of answers about bounds: combinations of the flags of a [`BoundsExceeded`].
const ANSWERS: usize = 16;

/// Rules for keeping records, with the rules of their SEE: built once and applied to many.
///
/// The answers of these methods agree. But those that get no records do not see what only records
/// tell, such as the placeholders that [`Preset::Quiet`] drops:
///
/// | to ask about | call |
/// |---|---|
/// | one position, as in a loader's loop | [`Filter::is_quiet`] |
/// | one position with its record (score, played move, ply) | [`Filter::judge`] |
/// | many positions, on all cores with the feature `rayon` | [`Filter::are_quiet`] |
/// | many positions with their records, with a backend of your own | [`Filter::judge_all`] |
///
/// ```
/// use swaplist_files::filter::Preset;
/// use swaplist::Position;
///
/// let filter = Preset::Quiet.filter(); // built once
/// let winning: Position = "4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1".parse()?; // exd5 wins a pawn
/// let even: Position = "4k3/8/4p3/3p4/4P3/8/8/4K3 w - - 0 1".parse()?;
/// assert!(!filter.is_quiet(&winning));
/// assert_eq!(filter.are_quiet(&[winning, even])?, [false, true]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
#[must_use]
pub struct Filter {
    settings: Settings,
    see_rules: Rules,
    /// The tests of the rules that are on, in the order of the rules.
    tests: Arc<[(Reason, Test)]>,
    /// The fields that every record must have, in the order of [`FIELDS`].
    needed: Arc<[Field]>,
    /// Where in `tests` the rules on bounds are; an empty range after the last test if none is.
    bounds_at: Range<usize>,
    /// Whether a rule before those on bounds has to run. (The rule "in check" has not, if bounds
    /// are asked about: their answer decides it.)
    runs_before_bounds: bool,
    /// The rules after those on bounds.
    after_bounds: AfterBounds,
    bounds: Bounds,
    /// Whether there is a bound.
    asks_bounds: bool,
    /// The reason for each combination of exceeded bounds, by its bits.
    reasons: [Option<Reason>; ANSWERS],
    /// A short cut for common filters: the final reason for each combination, with the filter's
    /// inversion. `None` if other rules may decide, too, except for the one about placeholders.
    reasons_alone: Option<[Option<Reason>; ANSWERS]>,
}

/// The rules after those on bounds.
#[derive(Clone, Copy, PartialEq, Eq)]
enum AfterBounds {
    /// None.
    Nothing,
    /// That about placeholders alone, which drops records of score 0 only.
    Placeholders,
    /// Others.
    Rules,
}

impl AfterBounds {
    fn from_tests(tests: &[(Reason, Test)]) -> AfterBounds {
        if tests.is_empty() {
            AfterBounds::Nothing
        } else if tests.iter().all(|(_, test)| {
            let comparison = test.comparison;
            comparison.is_some_and(|rule| rule.quantity == Quantity::Placeholder)
        }) {
            AfterBounds::Placeholders
        } else {
            AfterBounds::Rules
        }
    }

    /// Whether one of them may drop a record.
    #[inline]
    const fn may_drop(self, record: &RecordFields) -> bool {
        match self {
            AfterBounds::Nothing => false,
            AfterBounds::Placeholders => record.has_score_0(),
            AfterBounds::Rules => true,
        }
    }
}

impl Filter {
    fn new(settings: Settings, see_rules: Rules) -> Filter {
        let tests: Arc<[(Reason, Test)]> = RULES
            .iter()
            .enumerate()
            .filter_map(|(i, rule)| Some((Reason::at(i), (rule.of)(&settings, &see_rules)?)))
            .collect();
        let bounds = settings.bounds();
        let asks_bounds = bounds != Bounds::default();
        let on_bounds = |(_, test): &(Reason, Test)| test.looks_at == LooksAt::Bounds;
        let first_bound = tests.iter().position(on_bounds).unwrap_or(tests.len());
        let (before_bounds, from_bounds_on) = tests.split_at(first_bound);
        let past_bounds = first_bound + from_bounds_on.iter().take_while(|t| on_bounds(t)).count();
        let mut before_bounds = before_bounds.iter();
        // The first rule that drops a record with this answer.
        let reasons: [Option<Reason>; ANSWERS] = core::array::from_fn(|bits| {
            let answer = BoundsExceeded::from_bits(bits as u8);
            let first = tests
                .iter()
                .find(|(_, test)| test.exceeded.is_some_and(|exceeded| exceeded(&answer)))?;
            Some(first.0)
        });
        let inverts = settings.invert == Some(true);
        let needed = FIELDS.into_iter().filter(|&field| {
            // A record without a score is dropped before any rule needs it.
            let is_spared = field == Field::Score && settings.drop_unscored == Some(true);
            !is_spared
                && tests
                    .iter()
                    .any(|(reason, _)| RULES[reason.index()].needs.contains(&field))
        });
        let needed: Arc<[Field]> = needed.collect();
        let runs_before_bounds =
            before_bounds.any(|(_, test)| test.drops_if(asks_bounds).is_some());
        let after_bounds = AfterBounds::from_tests(&tests[past_bounds..]);
        let decides_alone = asks_bounds
            && needed.is_empty()
            && !runs_before_bounds
            && after_bounds != AfterBounds::Rules;
        Filter {
            reasons_alone: decides_alone.then(|| {
                reasons.map(|reason| match reason {
                    // The reason of an inverted filter: no rule drops the record.
                    None if inverts => Some(Reason::QUIET),
                    Some(_) if inverts => None,
                    reason => reason,
                })
            }),
            needed,
            settings,
            see_rules,
            bounds_at: first_bound..past_bounds,
            runs_before_bounds,
            after_bounds,
            tests,
            bounds,
            asks_bounds,
            reasons,
        }
    }

    /// The same filter with other rules of the SEE.
    pub fn with_see_rules(self, rules: Rules) -> Filter {
        Filter::new(self.settings, rules)
    }

    /// The same filter, which also drops placeholders. Unchanged if a setting has decided about
    /// them, or if the filter is inverted: such a rule would make it keep them.
    pub(crate) fn without_placeholders(self) -> Filter {
        if self.settings.keep_placeholders.is_some() || self.is_inverted() {
            return self;
        }
        let settings = Settings {
            keep_placeholders: Some(false),
            ..self.settings
        };
        Filter::new(settings, self.see_rules)
    }

    /// The rules of the SEE.
    pub const fn see_rules(&self) -> &Rules {
        &self.see_rules
    }

    /// The same filter with some settings changed; the setting `preset` is ignored.
    ///
    /// # Errors
    ///
    /// A [`ParseError`] if the changes contradict each other.
    pub fn changed(&self, changes: &Settings) -> Result<Filter, ParseError> {
        let settings = self.settings.changed(changes)?;
        let values = changes.values.unwrap_or(self.see_rules.values);
        let rules = Rules {
            values,
            ..self.see_rules
        };
        Ok(Filter::new(
            settings,
            changes
                .profile
                .map_or(rules, |profile| Rules::new(profile, values)),
        ))
    }

    /// The fields that every record must have for these rules.
    pub fn needs(&self) -> impl Iterator<Item = Field> {
        self.needed.iter().copied()
    }

    /// Whether the setting `drop_unscored` is on: records without a score, or with [`VALUE_NONE`],
    /// are dropped before a rule needs one.
    pub(crate) fn sets_drop_unscored(&self) -> bool {
        self.settings.drop_unscored == Some(true)
    }

    /// Whether all records without a score, or with [`VALUE_NONE`], are dropped.
    pub fn drops_unscored(&self) -> bool {
        let most = self.settings.max_score.flatten();
        let drops = self.sets_drop_unscored() || most.is_some_and(|most| most < VALUE_NONE.into());
        drops && !self.is_inverted()
    }

    /// Whether all records with an [odd score](crate::jobs::Tally::odd_scores) are dropped.
    pub(crate) fn drops_odd_scores(&self) -> bool {
        let most = self.settings.max_score.flatten();
        most.is_some_and(|most| most < MATE.into()) && !self.is_inverted()
    }

    /// Whether any rule asks for the first record of a game or chain.
    pub(crate) fn needs_units(&self) -> bool {
        self.settings
            .max_opening_eval
            .is_some_and(|max| max < u32::MAX)
    }

    /// Whether any rule needs a SEE.
    pub fn needs_see(&self) -> bool {
        self.tests.iter().any(|(_, test)| test.asks_see)
    }

    /// Whether it keeps exactly what its rules drop.
    pub fn is_inverted(&self) -> bool {
        self.settings.invert == Some(true)
    }

    /// The bounds on the SEE of positions.
    pub const fn bounds(&self) -> Bounds {
        self.bounds
    }

    /// The rules that are on: the reason, and when it drops a record.
    pub fn clauses(&self) -> impl Iterator<Item = (Reason, &str)> {
        let tests = self.tests.iter();
        tests.map(|(reason, test)| (*reason, &*test.words))
    }

    /// The rules in one line, with a verb for what becomes of the records that are not kept, such
    /// as `drops` or `marks`.
    pub(crate) fn describe(&self, verb: &str) -> String {
        let clauses: Vec<&str> = self.clauses().map(|(_, words)| words).collect();
        match (clauses.join("; or "), self.is_inverted()) {
            (clauses, false) if clauses.is_empty() => format!("{verb} nothing"),
            (clauses, true) if clauses.is_empty() => format!("{verb} everything"),
            (clauses, false) => format!("{verb} where {clauses}"),
            (clauses, true) => format!("keeps where {clauses}"),
        }
    }
}

impl Default for Filter {
    /// The filter of [`Preset::Quiet`].
    fn default() -> Filter {
        Preset::Quiet.filter()
    }
}

/// Whether both keep the same records.
impl PartialEq for Filter {
    fn eq(&self, other: &Filter) -> bool {
        self.see_rules == other.see_rules
            && self.is_inverted() == other.is_inverted()
            && self.clauses().eq(other.clauses())
    }
}

impl fmt::Debug for Filter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Filter({self}; SEE: {})", self.see_rules)
    }
}

/// Writes the rules in one line.
impl fmt::Display for Filter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.describe("drops"))
    }
}
