//! Filters: which records are kept, and why the others are not.
//!
//! A [`Filter`] is a list of rules; a record is kept if none of them drops it. The rules are
//! entries of a table, in `rules.rs`. A filter begins as a [`Preset`] and is changed by
//! [`Settings`], from the command line or TOML files. If a record lacks a [`Part`] that a rule
//! needs, that is an error.

use core::fmt;

use crate::formats::{Part, VALUE_NONE};
use crate::{Bounds, Exceeds, Position};

mod draw;
mod fields;
mod judge;
mod keys;
mod preset;
mod rule;
mod rules;
mod settings;
#[cfg(feature = "toml")]
mod toml;
mod value;
mod wdl;

use fields::FIELDS;
pub use fields::Missing;
#[doc(hidden)] // for this repository's front ends
pub use fields::name_of;
#[doc(hidden)] // for the flags of this repository's front ends
pub use keys::Key;
pub use keys::Setting;
pub use preset::Preset;
pub use rule::Reason;
use rule::Rule;
use rules::RULES;
pub use settings::Settings;
use value::Value;
#[doc(hidden)] // for this repository's tests
pub use wdl::{WdlModel, material};

/// The result of [`Filter::judge_all`], with its buffers for reuse.
#[doc(hidden)] // for jobs
#[derive(Clone, Debug, Default)]
pub struct Judged {
    /// Why each record is dropped; `None` if it is kept.
    pub reasons: Vec<Option<Reason>>,
    /// The records that no cheap rule drops, their positions, and the bounds that they exceed.
    asked: Vec<u32>,
    positions: Vec<Position>,
    exceeds: Vec<Exceeds>,
}

/// Rules for keeping records, built once and applied to many.
///
/// ```
/// use swaplist::filter::Filter;
/// use swaplist::formats::{Place, Record};
/// use swaplist::{Position, Rules};
///
/// let position: Position = "4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1".parse()?;
/// let record = Record::new(Place::Line(1), 0..29);
/// let reason = Filter::default().judge(&Rules::SWAP, &position, &record)?;
/// assert_eq!(reason.unwrap().name(), "see"); // exd5 wins a pawn
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Filter {
    /// The value of each of [`RULES`]; `None` if it is off.
    values: [Option<Value>; RULES.len()],
    /// The seed of random rules.
    seed: u64,
    /// Whether exactly the dropped records are kept.
    invert: bool,
}

impl Filter {
    /// Drops nothing.
    #[must_use]
    pub fn none() -> Filter {
        Filter {
            values: [const { None }; RULES.len()],
            seed: 0,
            invert: false,
        }
    }

    /// The value of the rule of this name.
    fn value_of(&mut self, rule: &str) -> &mut Option<Value> {
        let at = RULES.iter().position(|other| other.name == rule);
        &mut self.values[at.expect("keys name rules that there are")]
    }

    fn value(&self, rule: Reason) -> Option<&Value> {
        self.values[rule.index()].as_ref()
    }

    /// The rules that are on, in order.
    fn rules(&self) -> impl Iterator<Item = (Reason, &'static Rule, &Value)> {
        let all = RULES.iter().zip(&self.values).enumerate();
        all.filter_map(|(i, (rule, value))| Some((Reason::at(i), rule, value.as_ref()?)))
    }

    /// The fields that every record must have for these rules.
    pub fn needs(&self) -> impl Iterator<Item = Part> {
        FIELDS.into_iter().filter(|field| {
            // A record without a score is dropped before any rule needs it.
            let is_spared = *field == Part::Score && self.value(Reason::UNSCORED).is_some();
            !is_spared && self.rules().any(|(_, rule, _)| rule.needs.contains(field))
        })
    }

    /// Whether all records without a score, or with [`VALUE_NONE`], are dropped.
    #[must_use]
    pub fn keeps_no_unscored(&self) -> bool {
        let score = self
            .value(Reason::SCORE)
            .map_or(i64::MAX, |value| value.range().1);
        let drops = self.value(Reason::UNSCORED).is_some() || score < VALUE_NONE.into();
        drops && !self.invert
    }

    /// Whether any rule needs a SEE.
    #[must_use]
    #[doc(hidden)] // for our command and tests
    pub fn needs_see(&self) -> bool {
        self.rules().any(|(reason, ..)| reason.is_about_see())
    }

    /// Whether it keeps exactly what its rules drop.
    #[must_use]
    #[doc(hidden)] // for our command and tests
    pub const fn is_inverted(&self) -> bool {
        self.invert
    }

    /// viriformat's WDL model, if a rule uses it.
    #[doc(hidden)] // for this repository's tests
    #[must_use]
    pub fn wdl_model(&self) -> Option<WdlModel> {
        self.rules().find_map(|(_, _, value)| match value {
            Value::Model(model) => Some(*model),
            _ => None,
        })
    }

    /// The bounds on the SEE of positions.
    #[must_use]
    pub fn bounds(&self) -> Bounds {
        let max = |rule| Some(self.value(rule)?.range().1 as i32);
        Bounds {
            see: max(Reason::SEE),
            threat: max(Reason::THREAT),
            double_threat: self.value(Reason::DOUBLE_THREAT).is_some(),
        }
    }

    /// The rules that are on: the reason, and when it drops a record.
    #[must_use]
    pub fn clauses(&self) -> Vec<(Reason, String)> {
        let rules = self.rules();
        rules
            .map(|(reason, rule, value)| (reason, (rule.words)(value, self.seed)))
            .collect()
    }
}

/// Writes the rules in one line.
impl fmt::Display for Filter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let clauses: Vec<String> = self.clauses().into_iter().map(|(_, words)| words).collect();
        match (clauses.as_slice(), self.invert) {
            ([], false) => f.write_str("drops nothing"),
            ([], true) => f.write_str("drops everything"),
            (clauses, invert) => {
                f.write_str(if invert {
                    "keeps where "
                } else {
                    "drops where "
                })?;
                f.write_str(&clauses.join("; or "))
            }
        }
    }
}
