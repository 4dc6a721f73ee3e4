//! A filter applied to records.

use super::Filter;
use super::rules::{Comparison, Reason, Screen, Test};
use crate::backend::{Cpu, Question};
use crate::formats::{Fault, Field, Invalid, Place, RecordError, RecordFields};
use crate::{Bounds, BoundsExceeded, ParseError, Position};

/// Records in judgement, and buffers that serve the next ones too.
#[derive(Clone, Debug, Default)]
pub struct Judgement {
    /// Why each record is dropped; `None` if it is kept.
    pub reasons: Vec<Option<Reason>>,
    /// Whether all positions are asked about; else the records that no cheap rule drops, and
    /// their positions.
    asks_all: bool,
    open: Vec<u32>,
    positions: Vec<Position>,
}

impl Judgement {
    fn begin(&mut self, records: usize) {
        self.reasons.clear();
        self.reasons.resize(records, None);
        self.open.clear();
        self.positions.clear();
    }

    /// The positions that are still open, of all.
    pub fn asked<'a>(&'a self, all: &'a [Position]) -> &'a [Position] {
        if self.asks_all { all } else { &self.positions }
    }
}

impl Filter {
    /// Why a record is dropped; `None` if it is kept.
    ///
    /// # Errors
    ///
    /// A [`RecordError`] if the record lacks a field that a rule needs.
    pub fn judge(
        &self,
        position: &Position,
        record: &RecordFields,
    ) -> Result<Option<Reason>, RecordError> {
        let exceeds = |position: &Position| self.see_rules.exceeds(position, self.bounds);
        let ask = |positions: &[Position]| positions.iter().map(exceeds).collect();
        let (position, record) = (
            core::slice::from_ref(position),
            core::slice::from_ref(record),
        );
        Ok(self.judge_all(position, record, ask)?[0])
    }

    /// Whether each position is kept, on all cores of the CPU. Random rules draw by its place
    /// in the slice.
    ///
    /// # Errors
    ///
    /// If a rule [needs](Filter::needs) a field that records have and positions have not, such
    /// as the played move; also if there are no positions.
    pub fn is_quiet(&self, positions: &[Position]) -> Result<Vec<bool>, ParseError> {
        if let Some(field) = self.needs().next() {
            return Err(ParseError::new(format!(
                "the filter asks for the {}, which positions do not have",
                name_of(field)
            )));
        }
        let records = (1..).map(|line| RecordFields::new(Place::Line(line), 0..0));
        let records: Vec<RecordFields> = records.take(positions.len()).collect();
        let bounds = self.bounds;
        let ask = |positions: &[Position]| {
            let question = Question::Bounds { positions, bounds };
            Cpu::new().ask(&question, &self.see_rules).exceeds
        };
        let reasons = self.judge_all(positions, &records, ask);
        let reasons = reasons.unwrap_or_default(); // no field is missing
        Ok(reasons.iter().map(Option::is_none).collect())
    }

    /// Why each of many records is dropped, as [`Filter::judge`] would tell each. `exceeds` is
    /// called at most once, with the positions that no cheap rule drops, and must return which of
    /// [`Filter::bounds`] each exceeds.
    ///
    /// # Errors
    ///
    /// A [`RecordError`] for the first record that lacks a field that a rule needs.
    pub fn judge_all(
        &self,
        positions: &[Position],
        records: &[RecordFields],
        exceeds: impl FnOnce(&[Position]) -> Vec<BoundsExceeded>,
    ) -> Result<Vec<Option<Reason>>, RecordError> {
        let mut judged = Judgement::default();
        self.begin(positions, records, &mut judged)?;
        let asked = judged.asked(positions);
        let found = if asked.is_empty() {
            Vec::new()
        } else {
            exceeds(asked)
        };
        self.finish(positions, records, &mut judged, |_, nth| found[nth]);
        Ok(judged.reasons)
    }

    /// Applies the rules before those about the position's SEE. [`Judgement::asked`] tells which
    /// positions are still open.
    pub(crate) fn begin(
        &self,
        positions: &[Position],
        records: &[RecordFields],
        judged: &mut Judgement,
    ) -> Result<(), RecordError> {
        self.miss(records)?;
        judged.begin(records.len());
        let asks = self.bounds != Bounds::default();
        let cheap = &self.tests[..self.first_bound];
        let is_screened = self.screen(cheap, positions, records, judged, asks);
        if asks && is_screened {
            if let Some(in_check) = self.in_check() {
                for (reason, position) in judged.reasons.iter_mut().zip(positions) {
                    if reason.is_some_and(|reason| reason > in_check) && position.in_check() {
                        *reason = Some(in_check);
                    }
                }
            }
            let left = judged.reasons.iter().zip(0..);
            let left = left.filter(|(reason, _)| reason.is_none());
            judged.open.extend(left.map(|(_, i)| i));
            let open = judged.open.iter().map(|&i| positions[i as usize]);
            judged.positions.extend(open);
        }
        judged.asks_all = asks && !is_screened;
        Ok(())
    }

    /// Applies the other rules. `exceeds` tells which of [`Filter::bounds`] a record exceeds, by
    /// its number and by that among those asked about.
    pub(crate) fn finish(
        &self,
        positions: &[Position],
        records: &[RecordFields],
        judged: &mut Judgement,
        exceeds: impl Fn(usize, usize) -> BoundsExceeded,
    ) {
        if judged.asks_all {
            for (i, reason) in judged.reasons.iter_mut().enumerate() {
                *reason = self.reason_for(exceeds(i, i));
            }
        }
        for (nth, &i) in judged.open.iter().enumerate() {
            judged.reasons[i as usize] = self.reason_for(exceeds(i as usize, nth));
        }
        let others = &self.tests[self.first_bound..];
        self.screen(others, positions, records, judged, false);
        self.turn_around(judged);
    }

    /// The rules as data, in their order, for a device that decides; `None` if one of them is not a
    /// comparison, or none of them looks at the board.
    pub(crate) fn comparisons(&self) -> Option<Vec<(Comparison, Reason)>> {
        let rules: Option<Vec<_>> = self
            .tests
            .iter()
            .map(|(reason, test)| Some((test.comparison?, *reason)))
            .collect();
        let asks_facts = |rules: &Vec<(Comparison, Reason)>| {
            rules.iter().any(|(rule, _)| rule.quantity.is_fact())
        };
        rules.filter(|rules| self.bounds != Bounds::default() || asks_facts(rules))
    }

    fn turn_around(&self, judged: &mut Judgement) {
        if self.is_inverted() {
            for reason in &mut judged.reasons {
                *reason = reason.is_none().then_some(Reason::QUIET);
            }
        }
    }

    /// Applies rules, but those that the answer about bounds decides, if it is asked for. Returns
    /// whether there was any.
    fn screen(
        &self,
        tests: &[(Reason, Test)],
        positions: &[Position],
        records: &[RecordFields],
        judged: &mut Judgement,
        asks: bool,
    ) -> bool {
        let mut screening = Screen {
            see_rules: &self.see_rules,
            positions,
            records,
            reasons: &mut judged.reasons,
        };
        let mut is_screened = false;
        for (reason, test) in tests {
            let is_answered = asks && test.exceeded.is_some();
            if let Some(drops) = test.drops.as_ref().filter(|_| !is_answered) {
                drops(&mut screening, *reason);
                is_screened = true;
            }
        }
        is_screened
    }

    /// The reason of those in check, if they are dropped.
    fn in_check(&self) -> Option<Reason> {
        self.reason_for(BoundsExceeded::default().with_in_check(true))
    }

    /// The reason for what is exceeded, from a table: the compiler makes slow code of so many
    /// conditions.
    #[inline]
    fn reason_for(&self, exceeds: BoundsExceeded) -> Option<Reason> {
        self.reasons[usize::from(exceeds.to_bits())]
    }

    /// An error if a record lacks a field that a rule needs.
    fn miss(&self, records: &[RecordFields]) -> Result<(), RecordError> {
        let needed: Vec<Field> = self.needs().collect();
        let lacks = |record: &RecordFields| needed.iter().find(|field| !record.has(**field));
        let lacking = records
            .iter()
            .find_map(|record| Some((record, *lacks(record)?)));
        lacking.map_or(Ok(()), |(record, field)| {
            let name = name_of(field);
            let message =
                format!("the filter asks for the {name}, which this record does not have");
            Err(Invalid::new(Fault::Lacks(field), message).at(record.place(), record.span()))
        })
    }
}

/// The fields that rules may need, in the order in which they are missed.
pub(super) const FIELDS: [Field; 4] = [Field::Played, Field::Score, Field::Result, Field::Clocks];

/// A field's name in messages: of the clocks, filters need the move number.
pub fn name_of(field: Field) -> String {
    match field {
        Field::Clocks => "move number".to_owned(),
        field => field.to_string(),
    }
}
