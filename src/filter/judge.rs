//! A filter applied to records.

use super::fields::Missing;
#[cfg(feature = "jobs")]
use super::rule::Screen;
use super::rule::{Reason, Rule, Screening};
use super::value::Value;
use super::{Filter, Judged};
use crate::backend::RawFacts;
#[cfg(feature = "jobs")]
use crate::backend::{Ask, Told};
use crate::formats::{Part, Record};
use crate::{Bounds, Exceeds, Position, Rules};

type Given<'a> = (&'a Rules, &'a [Position], &'a [RawFacts], &'a [Record]);

impl Filter {
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
        let given = (rules, positions, &[][..], records);
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

    /// What to ask a device that decodes the records; `None` if it cannot tell all that rules ask
    /// about the board, or they ask nothing.
    #[cfg(feature = "jobs")]
    pub(crate) fn of_device(&self) -> Option<Ask> {
        let (mut ask, bounds) = (None, self.bounds());
        if bounds != Bounds::default() {
            ask = Some(Ask::Bounds(bounds));
        }
        for (reason, rule, _) in self.rules() {
            match rule.screen {
                Screen::Facts(_) => ask = Some(Ask::Facts(bounds)),
                Screen::Board(_) if reason != Reason::IN_CHECK => return None,
                Screen::Board(_) | Screen::Record(_) | Screen::Bounds => {}
            }
        }
        ask
    }

    /// Judges records like [`Filter::judge_all`], by what a device was
    /// [asked](Filter::of_device) and told.
    ///
    /// # Errors
    ///
    /// As for [`Filter::judge_all`].
    #[cfg(feature = "jobs")]
    pub(crate) fn judge_answered(
        &self,
        rules: &Rules,
        records: &[Record],
        told: &Told,
        judged: &mut Judged,
    ) -> Result<(), Missing> {
        self.miss(records)?;
        judged.reasons.clear();
        judged.reasons.resize(records.len(), None);
        self.screen(
            self.screening((rules, &[], &told.facts, records), &mut judged.reasons),
            true,
        );
        let drops_checks = self.value(Reason::IN_CHECK).is_some();
        let reason_for = by_exceeds(drops_checks);
        let bounds = self.bounds();
        for (reason, answer) in judged.reasons.iter_mut().zip(&told.answers) {
            let exceeds = answer.exceeds(bounds);
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
        (see_rules, positions, facts, records): Given<'a>,
        reasons: &'a mut [Option<Reason>],
    ) -> Screening<'a> {
        Screening {
            see_rules,
            seed: self.seed,
            positions,
            facts,
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
