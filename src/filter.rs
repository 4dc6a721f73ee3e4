//! Filters: which records are kept, and why the others are not.
//!
//! A [`Filter`] is a list of rules; a record is kept if none of them drops it. The rules are
//! entries of a table, in `rules.rs`. A filter begins as a [`Preset`] and is changed by
//! [`Settings`], from the command line or TOML files. If a record lacks a [`Part`] that a rule
//! needs, that is an error.

use core::fmt;

use crate::formats::{Part, Record};
use crate::{Bounds, Exceeds, Position, Rules};

mod draw;
mod fields;
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
#[cfg(feature = "jobs")]
pub(crate) use fields::name_of;
#[doc(hidden)] // for the flags of this repository's front ends
pub use keys::Key;
pub use keys::Setting;
pub use preset::Preset;
pub use rule::Reason;
use rule::{Rule, Screening};
use rules::RULES;
pub use settings::Settings;
use value::Value;
#[doc(hidden)] // for this repository's tests
pub use wdl::{WdlModel, material};

/// The score that means no score: Stockfish's `VALUE_NONE`, which trainers skip. In files with
/// White's score it is -32002 for Black.
pub const NO_SCORE: u32 = 32002;

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

    /// Whether all records without a score, or with [`NO_SCORE`], are dropped.
    #[must_use]
    pub fn keeps_no_unscored(&self) -> bool {
        let score = self
            .value(Reason::SCORE)
            .map_or(i64::MAX, |value| value.range().1);
        let drops = self.value(Reason::UNSCORED).is_some() || score < NO_SCORE.into();
        drops && !self.invert
    }

    /// Whether any rule needs a SEE.
    #[must_use]
    pub fn needs_see(&self) -> bool {
        self.rules().any(|(reason, ..)| reason.is_about_see())
    }

    /// Whether it keeps exactly what its rules drop.
    #[must_use]
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

    /// Why a record is dropped; `None` if it is kept.
    ///
    /// # Errors
    ///
    /// [`Missing`] if the record lacks a field that a rule needs.
    pub fn judge(
        &self,
        rules: &Rules,
        position: &Position,
        record: &Record,
    ) -> Result<Option<Reason>, Missing> {
        let mut judged = Judged::default();
        let ask = |positions: &[Position], exceeds: &mut [Exceeds]| {
            for (position, exceeds) in positions.iter().zip(exceeds) {
                *exceeds = rules.exceeds(position, self.bounds());
            }
        };
        let (position, record) = (
            core::slice::from_ref(position),
            core::slice::from_ref(record),
        );
        self.judge_all(rules, position, record, &mut judged, ask)?;
        Ok(judged.reasons[0])
    }

    /// Judges many records, as [`Filter::judge`] would each. `exceeds` is called at most once,
    /// with the positions that no cheap rule drops, and must fill in which of
    /// [`Filter::bounds`] each exceeds. The buffers of `judged` are reused.
    ///
    /// # Errors
    ///
    /// [`Missing`] for the first record that lacks a field that a rule needs.
    #[doc(hidden)] // for jobs
    pub fn judge_all(
        &self,
        rules: &Rules,
        positions: &[Position],
        records: &[Record],
        judged: &mut Judged,
        exceeds: impl FnOnce(&[Position], &mut [Exceeds]),
    ) -> Result<(), Missing> {
        self.miss(records)?;
        judged.reasons.clear();
        judged.reasons.resize(records.len(), None);
        let asks = self.bounds() != Bounds::default();
        let given = (rules, positions, records);
        let has_screens = self.screen(self.screening(given, &mut judged.reasons), asks);
        match (asks, has_screens) {
            (true, true) => self.ask_the_rest(positions, judged, exceeds),
            (true, false) => self.ask_all(positions, judged, exceeds),
            (false, _) => {}
        }
        self.screen_last(self.screening(given, &mut judged.reasons));
        self.turn_around(judged);
        Ok(())
    }

    /// Whether bounds are asked about and no rule looks at the board otherwise, so that a device
    /// may decode the records.
    #[cfg(feature = "jobs")]
    pub(crate) fn asks_only_bounds(&self) -> bool {
        let reads_board = |(reason, rule, _): (Reason, &Rule, &Value)| {
            rule.screen.reads_board() && reason != Reason::IN_CHECK
        };
        self.bounds() != Bounds::default() && !self.rules().any(reads_board)
    }

    /// Judges records like [`Filter::judge_all`], if the filter
    /// [asks only for bounds](Filter::asks_only_bounds), and what their positions exceed is known.
    ///
    /// # Errors
    ///
    /// As for [`Filter::judge_all`].
    #[cfg(feature = "jobs")]
    pub(crate) fn judge_answered(
        &self,
        rules: &Rules,
        records: &[Record],
        exceeds: &[Exceeds],
        judged: &mut Judged,
    ) -> Result<(), Missing> {
        self.miss(records)?;
        judged.reasons.clear();
        judged.reasons.resize(records.len(), None);
        self.screen(
            self.screening((rules, &[], records), &mut judged.reasons),
            true,
        );
        let drops_checks = self.value(Reason::IN_CHECK).is_some();
        let reason_for = by_exceeds(drops_checks);
        for (reason, &exceeds) in judged.reasons.iter_mut().zip(exceeds) {
            let later = reason.is_none_or(|reason| reason > Reason::IN_CHECK);
            if reason.is_none() || later && drops_checks && exceeds.in_check {
                *reason = reason_for(exceeds);
            }
        }
        self.turn_around(judged);
        Ok(())
    }

    /// Drops exactly what was kept, if the filter is inverted.
    fn turn_around(&self, judged: &mut Judged) {
        if self.invert {
            for reason in &mut judged.reasons {
                *reason = reason.is_none().then_some(Reason::QUIET);
            }
        }
    }

    fn screening<'a>(
        &self,
        (see_rules, positions, records): (&'a Rules, &'a [Position], &'a [Record]),
        reasons: &'a mut [Option<Reason>],
    ) -> Screening<'a> {
        Screening {
            see_rules,
            seed: self.seed,
            positions,
            records,
            reasons,
            reason: Reason::QUIET,
        }
    }

    /// Applies the rules before those about the position's SEE; returns whether there was any.
    fn screen(&self, mut screening: Screening<'_>, asks: bool) -> bool {
        let mut has_screens = false;
        let cheap = |&(reason, ..): &(Reason, &Rule, &Value)| reason < Reason::SEE;
        for (reason, rule, value) in self.rules().take_while(cheap) {
            // The SEE question also tells check.
            let screen = rule.screen.test();
            let Some(screen) = screen.filter(|_| !asks || reason != Reason::IN_CHECK) else {
                continue;
            };
            screening.reason = reason;
            screen(value, &mut screening);
            has_screens = true;
        }
        if asks && has_screens && self.value(Reason::IN_CHECK).is_some() {
            let later = screening.reasons.iter_mut().zip(screening.positions);
            for (reason, position) in later {
                if reason.is_some_and(|reason| reason > Reason::IN_CHECK) && position.in_check() {
                    *reason = Some(Reason::IN_CHECK);
                }
            }
        }
        has_screens
    }

    /// Applies the rules behind them, to what is left.
    fn screen_last(&self, mut screening: Screening<'_>) {
        for (reason, rule, value) in self.rules().filter(|&(reason, ..)| reason > Reason::SEE) {
            if let Some(screen) = rule.screen.test() {
                screening.reason = reason;
                screen(value, &mut screening);
            }
        }
    }

    fn ask_all(
        &self,
        positions: &[Position],
        judged: &mut Judged,
        exceeds: impl FnOnce(&[Position], &mut [Exceeds]),
    ) {
        let all = &mut judged.exceeds;
        all.resize(positions.len(), Exceeds::default());
        exceeds(positions, all);
        let reason_for = by_exceeds(self.value(Reason::IN_CHECK).is_some());
        for (reason, &exceeds) in judged.reasons.iter_mut().zip(&*all) {
            *reason = reason_for(exceeds);
        }
    }

    /// Asks only about records that no other rule drops.
    fn ask_the_rest(
        &self,
        positions: &[Position],
        judged: &mut Judged,
        exceeds: impl FnOnce(&[Position], &mut [Exceeds]),
    ) {
        judged.asked.clear();
        let left = judged
            .reasons
            .iter()
            .zip(0..)
            .filter(|(reason, _)| reason.is_none());
        judged.asked.extend(left.map(|(_, i)| i));
        let asked = judged.asked.iter().map(|&i| i as usize);
        judged.positions.clear();
        judged.positions.extend(asked.clone().map(|i| positions[i]));
        judged
            .exceeds
            .resize(judged.positions.len(), Exceeds::default());
        exceeds(&judged.positions, &mut judged.exceeds);
        let reason_for = by_exceeds(self.value(Reason::IN_CHECK).is_some());
        for (i, &exceeds) in asked.zip(&judged.exceeds) {
            judged.reasons[i] = reason_for(exceeds);
        }
    }

    /// An error if a record lacks a field that a rule needs.
    fn miss(&self, records: &[Record]) -> Result<(), Missing> {
        let needed: Vec<Part> = self.needs().collect();
        let lacking = records.iter().find_map(|record| {
            let field = needed.iter().find(|field| !record.has(**field))?;
            Some((*field, record.place()))
        });
        match lacking {
            Some((field, place)) => Err(Missing { field, place }),
            None => Ok(()),
        }
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

/// The reason for each set of answers, from a table: the compiler makes slow code of so many
/// conditions.
fn by_exceeds(drops_checks: bool) -> impl Fn(Exceeds) -> Option<Reason> {
    let reasons = [
        Reason::IN_CHECK,
        Reason::SEE,
        Reason::THREAT,
        Reason::DOUBLE_THREAT,
    ];
    let counts = if drops_checks { !0 } else { !1 };
    let table: [Option<Reason>; 16] = core::array::from_fn(|set| {
        let first = (set & counts).trailing_zeros() as usize;
        reasons.get(first).copied()
    });
    move |exceeds| {
        let set = usize::from(exceeds.in_check)
            | usize::from(exceeds.see) << 1
            | usize::from(exceeds.threat) << 2
            | usize::from(exceeds.double_threat) << 3;
        table[set]
    }
}
