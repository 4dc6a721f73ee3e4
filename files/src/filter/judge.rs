//! Applies a filter to many records at once, and finds for each why it is dropped, if it is.
//!
//! [`Filter::judge_all`] does everything in one call: it asks a closure of its caller which bounds
//! are exceeded. [`Filter::are_quiet`] calls `judge_all` for positions without records. Jobs
//! (`jobs/filter.rs`) call the two halves of `judge_all`, [`begin`] and [`finish`], and in between
//! have the question about bounds answered by an evaluator, on the CPU or a GPU.
//!
//! [`Filter::judge`] and [`Filter::is_quiet`] take the same steps for one record, without
//! allocating (`Filter::reason_alone`): a loader calls them for each record that it reads. If the
//! filter has nothing but rules on bounds and that about placeholders, as `quiet` has, the answer
//! alone decides unless the score is 0, by a table.
//!
//! [`begin`]: Filter::begin
//! [`finish`]: Filter::finish
//!
//! # The steps
//!
//! ```text
//! begin    fail if a record lacks a field that a rule needs
//!          for each rule before those on bounds, except "in check" if bounds are asked about
//!                  (their answer says who is in check):
//!              each record that it drops, and that has no reason yet, gets it as its reason
//!          if bounds are asked about:
//!              a record in check whose reason is a rule after "in check" gets "in check" instead
//!              undecided = the records without a reason
//! caller   finds which bounds on the SEE each undecided position exceeds,
//!              and whether it is in check
//! finish   for each undecided record:
//!              its reason is the first rule that the answer says drops it
//!          for each rule after those on bounds: as above
//!          if the filter is inverted: what was dropped is kept, and what was kept is dropped
//! ```
//!
//! # Worked example
//!
//! `--preset quiet --played quiet --min-ply 16` has the rules *ply*, *in check*, *played capture*,
//! *played promotion* and *see*, in this order; the last one is a bound, 0.
//!
//! | record | after the cheap rules | corrected | answer | reason |
//! |---|---|---|---|---|
//! | ply 3, in check | ply | ply | | ply |
//! | ply 40, in check, a capture was played | played capture | in check | | in check |
//! | ply 40, a capture was played | played capture | played capture | | played capture |
//! | ply 40, a pawn hangs | | | exceeds 0 | see |
//! | ply 40, in check | | | in check | in check |
//! | ply 40, nothing hangs | | | nothing | kept |
//!
//! Only the last three positions are asked about.
//!
//! # What comes from other files
//!
//! - `rules.rs` has the table of rules. A rule that is on is a `Test`. Its function `drops` gives
//!   the rule as the reason to each record that it drops and that has none yet. Its function
//!   `exceeded` says whether an answer about bounds drops a record.
//! - The rules on bounds are *see*, *threat* and *double threat* (`rules/board.rs`): they have only
//!   `exceeded`. "In check" has both functions, all others only `drops`.
//! - `filter.rs` makes the fields of a [`Filter`]: `tests`, `bounds_at`, `bounds`, `reasons`.
//!
//! # Why this way
//!
//! To ask about bounds costs more than all rules before them together. So they are asked about
//! after these rules, only for the records that are left, and all at once. Whoever answers also
//! says whether the side to move is in check, so then the rule "in check" does not run by itself.
//! But rules after it in the table, such as those on the played move, do run before the answer, and
//! the records that they drop are not asked about. If such a record is in check, its reason must be
//! "in check", the earlier rule: `begin` tests these records for check and corrects the reason.
//!
//! # What must hold
//!
//! - A record's reason is the first rule in the order of the table ([`RULES`](super::rules::RULES))
//!   that drops it, whatever was tested first. So the summary of a filter does not depend on
//!   whether the CPU or a GPU answers. Nor does it depend on the question: about bounds, on the
//!   undecided records only, or about verdicts, on all records. (A job with `Options::counts` asks
//!   for verdicts.)
//! - `finish` gets the same positions and records as the `begin` before it, and the [`Judgement`]
//!   that this filled.

use super::rules::{Comparison, Reason, RuleInput, Test};
use super::{ANSWERS, Filter};
use crate::formats::{Fault, Field, Invalid, Place, RecordError, RecordFields};
use swaplist::backend::{Cpu, Question};
use swaplist::{BoundsExceeded, ParseError, Position, Verdict};

/// What is known so far about the records that a filter judges. `begin` fills it, `finish`
/// completes it. Its buffers serve the next ones too.
#[derive(Clone, Debug, Default)]
pub(crate) struct Judgement {
    /// Why each record is dropped; `None` if it is kept, or not decided yet.
    pub reasons: Vec<Option<Reason>>,
    /// Which records wait for the answers about bounds.
    undecided: Undecided,
    /// The numbers of the undecided records, if they are [listed](Undecided::Listed).
    records: Vec<u32>,
    /// The positions of these records, one after another, so that they can be asked about as a
    /// slice.
    positions: Vec<Position>,
}

/// Which records [`Filter::begin`] has left undecided, for the answers about bounds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Undecided {
    /// No record: there is no rule on bounds.
    #[default]
    Nothing,
    /// All records: no rule ran before those on bounds. The caller's slice of positions is asked
    /// about as it is, so nothing is copied.
    All,
    /// The records whose numbers and positions are listed.
    Listed,
}

/// A part of a filter's tests, which run together.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    /// Those before the rules on bounds. Without a rule on bounds, all tests.
    BeforeBounds,
    /// Those after the rules on bounds. Only two rules can be here: *placeholder*, which would cost
    /// more before the bounds, as these could not be asked about all records then, and *quiescence*,
    /// which searches for each record and takes longest.
    AfterBounds,
}

/// The answers that [`Filter::finish`] gets: which of [`Filter::bounds`] are exceeded.
pub(crate) enum BoundsAnswers<'a> {
    /// One answer for each position of [`Judgement::asked`].
    OfAsked(&'a [BoundsExceeded]),
    /// The verdict on every record, also on those that have a reason already. A job that counts
    /// needs these anyway, and the bounds follow from them, so it asks for nothing else.
    Verdicts(&'a [Verdict]),
}

impl Judgement {
    /// Empties it for this number of records.
    fn begin(&mut self, records: usize) {
        self.reasons.clear();
        self.reasons.resize(records, None);
        self.undecided = Undecided::Nothing;
        self.records.clear();
        self.positions.clear();
    }

    /// Makes the records without a reason the undecided ones, and copies their positions.
    fn list_undecided(&mut self, positions: &[Position]) {
        self.undecided = Undecided::Listed;
        let numbered = self.reasons.iter().zip(0..);
        let undecided = numbered.filter(|(reason, _)| reason.is_none());
        self.records.extend(undecided.map(|(_, record)| record));
        let of_records = self.records.iter().map(|&i| positions[i as usize]);
        self.positions.extend(of_records);
    }

    /// The positions of the undecided records, in order: those to ask about. `positions` are those
    /// of all records.
    pub fn asked<'a>(&'a self, positions: &'a [Position]) -> &'a [Position] {
        match self.undecided {
            Undecided::All => positions,
            Undecided::Listed | Undecided::Nothing => &self.positions,
        }
    }
}

impl Filter {
    /// Why a record is dropped; `None` if it is kept. For a loader's loop: it allocates nothing and
    /// uses the calling thread alone. Rules that look at the records before it in its game see none:
    /// to them it is the first of its game.
    ///
    /// # Errors
    ///
    /// A [`RecordError`] if the record lacks a field that a rule needs.
    pub fn judge(
        &self,
        position: &Position,
        record: &RecordFields,
    ) -> Result<Option<Reason>, RecordError> {
        if let Some(reasons) = &self.reasons_alone
            && !self.after_bounds.may_drop(record)
        {
            return Ok(reasons[self.bounds_exceeded(position)]);
        }
        self.check_fields(core::slice::from_ref(record))?;
        Ok(self.reason_alone(position, record))
    }

    /// Whether a position is kept. For a loader's loop: it allocates nothing and uses the calling
    /// thread alone. Random rules draw by the position, so equal ones are all kept or all dropped.
    ///
    /// # Panics
    ///
    /// If a rule [needs](Filter::needs) a field that records have and positions have not, such as
    /// the played move. That is an error of the filter, so it shows at the first call, whatever the
    /// position. Use [`Filter::judge`] for such filters.
    pub fn is_quiet(&self, position: &Position) -> bool {
        if let Some(reasons) = &self.reasons_alone {
            return reasons[self.bounds_exceeded(position)].is_none();
        }
        if let Some(error) = self.asks_for_records() {
            panic!("{error}");
        }
        self.reason_alone(position, &WITHOUT_FIELDS).is_none()
    }

    /// Whether each position is kept, on all cores of the CPU with the feature `rayon`. Random rules
    /// draw by its place in the slice, as if it were the line of a file.
    ///
    /// # Errors
    ///
    /// If a rule [needs](Filter::needs) a field that records have and positions have not, such as
    /// the played move. That is an error of the filter, so it is returned even if `positions` is
    /// empty.
    pub fn are_quiet(&self, positions: &[Position]) -> Result<Vec<bool>, ParseError> {
        if let Some(error) = self.asks_for_records() {
            return Err(error);
        }
        // Rules take records. These have nothing but a place, by which random rules draw.
        let numbered = (1..).map(|line| RecordFields::new(Place::Line(line), 0..0));
        let records: Vec<RecordFields> = numbered.take(positions.len()).collect();
        let bounds = self.bounds;
        let judged = self.judge_all(positions, &records, |positions| {
            let question = Question::Bounds { positions, bounds };
            // `Cpu` works on all cores.
            Cpu::new().ask(&question, &self.see_rules).exceeds
        });
        let reasons = judged.unwrap_or_default(); // no field is missing
        Ok(reasons.iter().map(Option::is_none).collect())
    }

    /// The error of a filter that is asked about positions without records, if a rule needs one.
    fn asks_for_records(&self) -> Option<ParseError> {
        let field = self.needs().next()?;
        Some(ParseError::new(format!(
            "the filter asks for the {}, which positions do not have",
            name_of(field)
        )))
    }

    /// Which bounds a position exceeds, as the place of the reason in a table.
    #[inline]
    fn bounds_exceeded(&self, position: &Position) -> usize {
        let exceeded = self.see_rules.exceeds(position, self.bounds);
        usize::from(exceeded.to_bits()) & (ANSWERS - 1)
    }

    /// Why one record is dropped, by the steps of [`Filter::judge_all`]; `None` if it is kept. The
    /// record has the fields that the rules need. The SEE is found by scalar code. Not inlined, so
    /// that the way past it is short.
    #[inline(never)]
    fn reason_alone(&self, position: &Position, record: &RecordFields) -> Option<Reason> {
        let mut reason = None;
        if self.runs_before_bounds {
            reason = self.first_reason(Part::BeforeBounds, position, record);
        }
        if self.asks_bounds && reason.is_none() {
            reason = self.reason_for(self.see_rules.exceeds(position, self.bounds));
        }
        if reason.is_none() && self.after_bounds.may_drop(record) {
            reason = self.first_reason(Part::AfterBounds, position, record);
        }
        if self.is_inverted() {
            self.invert(core::slice::from_mut(&mut reason));
        }
        reason
    }

    /// Why the rules of one part drop a record; `None` if none of them does.
    #[inline]
    fn first_reason(
        &self,
        part: Part,
        position: &Position,
        record: &RecordFields,
    ) -> Option<Reason> {
        let positions = core::slice::from_ref(position);
        let records = core::slice::from_ref(record);
        let mut reason = None;
        let reasons = core::slice::from_mut(&mut reason);
        self.apply(self.tests_of(part), positions, records, reasons);
        if part == Part::BeforeBounds {
            self.put_check_first(positions, reasons);
        }
        reason
    }

    /// Why each of many records is dropped, as [`Filter::judge`] would say of it alone. But here
    /// records one after another whose [spans](RecordFields::span) begin at one place are a game or
    /// chain, for rules that look at records before. `exceeds` is called at most once, with the
    /// positions that no cheap rule drops, and must return which of [`Filter::bounds`] each exceeds.
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
        let mut judgement = Judgement::default();
        self.begin(positions, records, &mut judgement)?;
        let undecided = judgement.asked(positions);
        let exceeded = if undecided.is_empty() {
            Vec::new()
        } else {
            exceeds(undecided)
        };
        let answers = BoundsAnswers::OfAsked(&exceeded);
        self.finish(positions, records, &mut judgement, &answers);
        Ok(judgement.reasons)
    }

    /// The first half: applies the rules before those on bounds. After it, [`Judgement::asked`] has
    /// the positions to ask about.
    ///
    /// # Errors
    ///
    /// As for [`Filter::judge_all`].
    pub(crate) fn begin(
        &self,
        positions: &[Position],
        records: &[RecordFields],
        judgement: &mut Judgement,
    ) -> Result<(), RecordError> {
        self.check_fields(records)?;
        judgement.begin(records.len());
        let tests = self.tests_of(Part::BeforeBounds);
        self.apply(tests, positions, records, &mut judgement.reasons);
        // If the filter sets no bound, "in check" is a rule like any other, and nothing is left
        // undecided.
        if self.asks_bounds && self.runs_before_bounds {
            self.put_check_first(positions, &mut judgement.reasons);
            judgement.list_undecided(positions);
        } else if self.asks_bounds {
            judgement.undecided = Undecided::All;
        }
        Ok(())
    }

    /// The second half: takes the answers about the undecided positions, applies the rules after
    /// those on bounds, and inverts the result if the filter is inverted.
    pub(crate) fn finish(
        &self,
        positions: &[Position],
        records: &[RecordFields],
        judgement: &mut Judgement,
        answers: &BoundsAnswers<'_>,
    ) {
        self.decide(judgement, answers);
        let tests = self.tests_of(Part::AfterBounds);
        let reasons = &mut judgement.reasons;
        self.apply(tests, positions, records, reasons);
        self.invert(reasons);
    }

    /// The tests of a part. The rules on bounds are in neither, as the answer decides them.
    fn tests_of(&self, part: Part) -> &[(Reason, Test)] {
        match part {
            Part::BeforeBounds => &self.tests[..self.bounds_at.start],
            Part::AfterBounds => &self.tests[self.bounds_at.end..],
        }
    }

    /// Corrects the reasons of records in check, where bounds are asked about. The rule about
    /// checks did not run, as the answer about bounds decides it. But records that a rule after it
    /// in the table dropped are not asked about: if they are in check, that is their reason.
    /// Reasons compare in the order of the table. Without a question about bounds the rule has run,
    /// and nothing changes.
    fn put_check_first(&self, positions: &[Position], reasons: &mut [Option<Reason>]) {
        let Some(in_check) = self.reason_in_check() else {
            return;
        };
        for (reason, position) in reasons.iter_mut().zip(positions) {
            if reason.is_some_and(|reason| reason > in_check) && position.in_check() {
                *reason = Some(in_check);
            }
        }
    }

    /// Gives the undecided records their reasons, from the answers about them.
    fn decide(&self, judgement: &mut Judgement, answers: &BoundsAnswers<'_>) {
        let reasons = &mut judgement.reasons;
        match (judgement.undecided, answers) {
            (Undecided::Nothing, _) => {}
            (Undecided::All, BoundsAnswers::OfAsked(exceeded)) => {
                let exceeded = &exceeded[..reasons.len()];
                for (reason, exceeded) in reasons.iter_mut().zip(exceeded) {
                    *reason = self.reason_for(*exceeded);
                }
            }
            (Undecided::All, BoundsAnswers::Verdicts(verdicts)) => {
                let verdicts = &verdicts[..reasons.len()];
                for (reason, verdict) in reasons.iter_mut().zip(verdicts) {
                    *reason = self.reason_for(self.bounds.exceeds(verdict));
                }
            }
            (Undecided::Listed, BoundsAnswers::OfAsked(exceeded)) => {
                for (nth, &record) in judgement.records.iter().enumerate() {
                    reasons[record as usize] = self.reason_for(exceeded[nth]);
                }
            }
            (Undecided::Listed, BoundsAnswers::Verdicts(verdicts)) => {
                for &record in &judgement.records {
                    let exceeded = self.bounds.exceeds(&verdicts[record as usize]);
                    reasons[record as usize] = self.reason_for(exceeded);
                }
            }
        }
    }

    /// The rules as data, in their order, for a device that decides by itself (`device/recipe.rs`).
    /// Whether the filter is inverted is not in them: the recipe has that as a field of its own.
    /// `None` if one of the rules is not a comparison (*wdl*, *material count*, *random skip*,
    /// *thinned*, *quiescence*), or if the device would have nothing to compute: the filter sets no
    /// bounds, and no rule compares what needs the board (a *fact*, `Quantity::is_fact` in
    /// `rules.rs`): the number of pieces, the kind of the played move, or its SEE.
    pub(crate) fn comparisons(&self) -> Option<Vec<(Comparison, Reason)>> {
        let rules: Option<Vec<_>> = self
            .tests
            .iter()
            .map(|(reason, test)| Some((test.comparison?, *reason)))
            .collect();
        rules.filter(|rules| {
            self.asks_bounds || rules.iter().any(|(rule, _)| rule.quantity.is_fact())
        })
    }

    /// Exchanges what is kept and what is dropped, if the filter is inverted.
    fn invert(&self, reasons: &mut [Option<Reason>]) {
        if self.is_inverted() {
            for reason in reasons {
                // An inverted filter drops the records that no rule drops. Their reason is `QUIET`.
                *reason = reason.is_none().then_some(Reason::QUIET);
            }
        }
    }

    /// Applies rules: each gives its reason to the records that it drops and that have none yet
    /// (`drops` itself tests that: `drop_where` in `rules.rs`). "In check" is left out if bounds are
    /// asked about, as the answer will decide it (`Test::drops_if` in `rules.rs`).
    fn apply(
        &self,
        tests: &[(Reason, Test)],
        positions: &[Position],
        records: &[RecordFields],
        reasons: &mut [Option<Reason>],
    ) {
        let mut input = RuleInput {
            see_rules: &self.see_rules,
            positions,
            records,
            reasons,
        };
        for (reason, test) in tests {
            if let Some(drops) = test.drops_if(self.asks_bounds) {
                drops(&mut input, *reason);
            }
        }
    }

    /// The reason of a record whose position is in check and exceeds no bound: the rule "in check".
    /// `None` if the filter has no such rule; then a check drops nothing.
    fn reason_in_check(&self) -> Option<Reason> {
        self.reason_for(BoundsExceeded::IN_CHECK)
    }

    /// The reason that an answer about bounds gives a record: the first rule in the table's order
    /// that drops a record with this answer, or `None` if no rule does. `Filter::reasons`
    /// (`filter.rs`; not those of a [`Judgement`]) is a table made with the filter. It has an entry
    /// for each of the 16 combinations of the answer's four flags: the compiler makes slow code of
    /// so many conditions. An answer has no other bits; the mask spares a test of the index.
    #[inline]
    fn reason_for(&self, exceeded: BoundsExceeded) -> Option<Reason> {
        self.reasons[usize::from(exceeded.to_bits()) & (ANSWERS - 1)]
    }

    /// An error about the first record that lacks a field that a rule needs; it names the first of
    /// these fields.
    #[inline]
    fn check_fields(&self, records: &[RecordFields]) -> Result<(), RecordError> {
        if self.needed.is_empty() {
            Ok(())
        } else {
            self.check_needed(records)
        }
    }

    /// Looks for a record without a field that a rule needs.
    fn check_needed(&self, records: &[RecordFields]) -> Result<(), RecordError> {
        let lacking = records.iter().find_map(|record| {
            let field = self.needed.iter().find(|field| !record.has(**field))?;
            Some((record, *field))
        });
        let Some((record, field)) = lacking else {
            return Ok(());
        };
        let name = name_of(field);
        let message = format!("the filter asks for the {name}, which this record does not have");
        Err(Invalid::new(Fault::Lacks(field), message).at(record.place(), record.span()))
    }
}

/// The record of a position that has none.
const WITHOUT_FIELDS: RecordFields = RecordFields::new(Place::Line(1), 0..0);

/// The fields that rules may need, in the order in which [`Filter::needs`] names them: of several
/// that a record lacks, the first one is reported.
pub(super) const FIELDS: [Field; 4] = [Field::Played, Field::Score, Field::Result, Field::Clocks];

/// A field's name in messages about filters. The clocks are the move number and the half-move
/// clock; filters need only the move number, for the ply, so only that is named.
pub fn name_of(field: Field) -> String {
    match field {
        Field::Clocks => "move number".to_owned(),
        field => field.to_string(),
    }
}
