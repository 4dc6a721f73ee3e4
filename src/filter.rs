//! Which records are kept, and why the others are not.
//!
//! A [`Filter`] is a list of rules; a record is kept if none of them drops it. The rules
//! are entries of one table, in `rules.rs`. A filter begins as a [`Preset`] and is
//! changed by [`Settings`], which the command line and TOML files fill in. A rule that asks
//! for a [`Field`] that a record lacks is an error, never a silent pass.

use crate::formats::Record;
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
mod words;

pub use fields::{Field, Missing};
pub use keys::{Key, Setting};
pub use preset::Preset;
pub use rule::Reason;
use rule::{Rule, Screening};
use rules::RULES;
pub use settings::{Settings, SettingsError};
use value::Value;
pub use wdl::{WdlModel, material};

/// The score by which trainers know that there is none: Stockfish's `VALUE_NONE`.
/// Where the file tells White's score, Black's side of it is -32002.
pub const NO_SCORE: u32 = 32002;

/// What [`Filter::judge_all`] says about many records, with the memory that it needs.
#[derive(Clone, Debug, Default)]
pub struct Judged {
    /// Why each record is dropped; none if it is kept.
    pub reasons: Vec<Option<Reason>>,
    /// The numbers of those that no cheap rule drops, their positions, and the answers.
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
    /// What each of [`RULES`] is set to; none if it is off.
    values: [Option<Value>; RULES.len()],
    /// What draws depend on, besides the record.
    seed: u64,
    /// Whether exactly the other records are kept.
    invert: bool,
}

impl keys::Settable for Filter {
    fn value_of(&mut self, rule: &str) -> &mut Option<Value> {
        let at = RULES.iter().position(|other| other.name == rule);
        &mut self.values[at.expect("keys name rules that there are")]
    }

    fn set_seed(&mut self, seed: u64) {
        self.seed = seed;
    }

    fn set_invert(&mut self, invert: bool) {
        self.invert = invert;
    }
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

    fn value(&self, rule: Reason) -> Option<&Value> {
        self.values[rule.index()].as_ref()
    }

    /// The rules that are on, in order.
    fn rules(&self) -> impl Iterator<Item = (Reason, &'static Rule, &Value)> {
        let all = RULES.iter().zip(&self.values).enumerate();
        all.filter_map(|(i, (rule, value))| Some((Reason::at(i), rule, value.as_ref()?)))
    }

    /// What every record has to hold for these rules.
    pub fn needs(&self) -> impl Iterator<Item = Field> {
        Field::ALL.into_iter().filter(|field| {
            // Dropped without one before any rule asks for it.
            let is_spared = *field == Field::Score && self.value(Reason::UNSCORED).is_some();
            !is_spared && self.rules().any(|(_, rule, _)| rule.needs.contains(field))
        })
    }

    /// Whether every record with [`NO_SCORE`], or without any, is dropped.
    #[must_use]
    pub fn keeps_no_unscored(&self) -> bool {
        let score = self
            .value(Reason::SCORE)
            .map_or(i64::MAX, |value| value.range().1);
        let drops = self.value(Reason::UNSCORED).is_some() || score < NO_SCORE.into();
        drops && !self.invert
    }

    /// Whether any rule asks for a SEE.
    #[must_use]
    pub fn needs_see(&self) -> bool {
        self.rules().any(|(reason, ..)| reason.is_about_see())
    }

    /// Whether it keeps exactly what its rules drop.
    #[must_use]
    pub const fn is_inverted(&self) -> bool {
        self.invert
    }

    /// viriformat's model, if a rule draws by it.
    #[must_use]
    pub fn wdl_model(&self) -> Option<WdlModel> {
        self.rules().find_map(|(_, _, value)| match value {
            Value::Model(model) => Some(*model),
            _ => None,
        })
    }

    /// What is asked about the SEE of positions.
    #[must_use]
    pub fn bounds(&self) -> Bounds {
        let max = |rule| Some(self.value(rule)?.range().1 as i32);
        Bounds {
            see: max(Reason::SEE),
            threat: max(Reason::THREAT),
        }
    }

    /// Why one record is dropped; none if it is kept.
    ///
    /// # Errors
    ///
    /// [`Missing`] if the record lacks what a rule asks for.
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

    /// Keeps or drops many records: the same as [`Filter::judge`] on each, with
    /// what is beyond [`Filter::bounds`] asked at once for all that are left when
    /// everything cheap is done. `beyond` has to fill it in for each position that it
    /// is given. What was in
    /// `judged` before has no meaning, but its memory is used again.
    ///
    /// # Errors
    ///
    /// [`Missing`] for the first record that lacks what a rule asks for.
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
        let has_screens = self.screen(rules, positions, records, &mut judged.reasons, asks);
        match (asks, has_screens) {
            (true, true) => self.ask_the_rest(positions, judged, exceeds),
            (true, false) => self.ask_all(positions, judged, exceeds),
            (false, _) => {}
        }
        if self.invert {
            for reason in &mut judged.reasons {
                *reason = if reason.is_none() {
                    Some(Reason::QUIET)
                } else {
                    None
                };
            }
        }
        Ok(())
    }

    /// Every rule but those about the SEE of the position. Whether there was any.
    fn screen(
        &self,
        see_rules: &Rules,
        positions: &[Position],
        records: &[Record],
        reasons: &mut [Option<Reason>],
        asks: bool,
    ) -> bool {
        let mut screening = Screening {
            see_rules,
            seed: self.seed,
            positions,
            records,
            reasons,
            reason: Reason::QUIET,
        };
        let mut has_screens = false;
        for (reason, rule, value) in self.rules() {
            // What is asked about the SEE tells of check, too.
            let Some(screen) = rule.screen.filter(|_| !asks || reason != Reason::IN_CHECK) else {
                continue;
            };
            screening.reason = reason;
            screen(value, &mut screening);
            has_screens = true;
        }
        if asks && has_screens && self.value(Reason::IN_CHECK).is_some() {
            let later = reasons.iter_mut().zip(positions);
            for (reason, position) in later {
                if reason.is_some_and(|reason| reason > Reason::IN_CHECK) && position.in_check() {
                    *reason = Some(Reason::IN_CHECK);
                }
            }
        }
        has_screens
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
        let drops_checks = self.value(Reason::IN_CHECK).is_some();
        for (reason, &exceeds) in judged.reasons.iter_mut().zip(&*all) {
            *reason = by_exceeds(exceeds, drops_checks);
        }
    }

    /// Asks about those alone that nothing else drops.
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
        let drops_checks = self.value(Reason::IN_CHECK).is_some();
        for (i, &exceeds) in asked.zip(&judged.exceeds) {
            judged.reasons[i] = by_exceeds(exceeds, drops_checks);
        }
    }

    /// An error if a record lacks what a rule asks for.
    fn miss(&self, records: &[Record]) -> Result<(), Missing> {
        let needed: Vec<Field> = self.needs().collect();
        let lacking = records.iter().find_map(|record| {
            let field = needed.iter().find(|field| !field.is_in(record))?;
            Some((*field, record.place()))
        });
        match lacking {
            Some((field, place)) => Err(Missing { field, place }),
            None => Ok(()),
        }
    }
}

const fn by_exceeds(exceeds: Exceeds, drops_checks: bool) -> Option<Reason> {
    if exceeds.in_check && drops_checks {
        Some(Reason::IN_CHECK)
    } else if exceeds.see {
        Some(Reason::SEE)
    } else if exceeds.threat {
        Some(Reason::THREAT)
    } else {
        None
    }
}
