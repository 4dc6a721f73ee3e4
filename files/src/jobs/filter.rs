//! Filtering: keeps some records, drops or marks the others.

use std::path::Path;

use super::conversion::Conversion;
use super::counts::Counts;
use super::error::{Error, ErrorKind, Result};
use super::input::Input;
use super::job::Job;
use super::kind::JobKind;
use super::options::{Options, thread_count};
use super::plan::Plan;
use super::step::Step;
use super::summary::{Mode, Summary};
use super::tally::Tally;
use super::task::{Task, TaskSpec};
use crate::device::{Recipe, UnitDecisions};
use crate::filter::{BoundsAnswers, Filter, Reason, name_of};
use crate::formats::{
    Action, Actions, Block, Codec, DecodedPart, Field, Format, OpenChunk, RecordError, Required,
};
use swaplist::backend::Question;
use swaplist::{Choice, Evaluator};

/// Filters a file into another. Either may be compressed, `.zst` or `.gz`, and `-` for standard
/// input or output. The output is written atomically; its records are byte for byte those of the
/// input. [`Job`] has all that the command can do, also to hear notes, such as that loaders do not
/// skip the marks that [`Options::mode`] asks for: [`Job::watch`].
///
/// ```
/// use swaplist_files::filter::Preset;
/// use swaplist_files::jobs::{self, Options};
///
/// # let folder = tempfile::tempdir()?;
/// # let quiet = folder.path().join("quiet.binpack");
/// let filter = Preset::Calm.filter();
/// let summary = jobs::filter("../data/sample.binpack", quiet, &filter, &Options::default())?;
/// println!("{} of {} are kept", summary.tally.kept, summary.tally.records);
/// # assert!(summary.tally.kept > 0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// As for [`Job::new`], [`Job::write_to`] and [`Job::filter`].
pub fn filter(
    input: impl AsRef<Path>,
    output: impl AsRef<Path>,
    filter: &Filter,
    options: &Options,
) -> Result<Summary> {
    let input = Input::open(Some(input.as_ref()))?;
    let job = Job::new(input, options.clone())?.write_to(Some(output.as_ref()))?;
    let evaluator = Evaluator::new(&options.backend).callers(thread_count(options.threads));
    job.filter(filter, &evaluator)
}

impl Job<'_> {
    /// Writes the records that a filter keeps, byte for byte as they were read.
    ///
    /// # Errors
    ///
    /// An [`Error`] of any kind; then no output file is left, unless only a [side
    /// file](Job::beside) cannot be written, as the message says.
    pub fn filter(mut self, filter: &Filter, evaluator: &Evaluator) -> Result<Summary> {
        let task = FilterTask::new(&mut self, filter)?;
        self.run(task, &[], Some(evaluator))
    }

    /// Settles how records are written; refuses what cannot be filtered so.
    fn prepare_filter(&mut self, filter: &Filter) -> Result<Mode> {
        refuse(filter, self.converting, &self.input.name)?;
        self.converting.scale = self.options.scale;
        if filter.drops_unscored() {
            self.converting.drops_unscored = true;
        }
        self.converting.checks_moves = filter.needs().any(|field| field == Field::Played);
        self.choose_output_format(self.options.to)?;
        let to = self.converting.to;
        let suited = if to.prefers_mark() {
            Mode::Mark
        } else {
            Mode::Drop
        };
        let mode = self.options.mode.unwrap_or(suited);
        if mode == Mode::Mark && !to.can_mark() {
            return Err(Error::refused(format!(
                "records of the format {} cannot be marked, only dropped",
                to.name()
            )));
        }
        self.converting.writes_dropped = mode == Mode::Mark || self.rejects.is_some();
        self.check_unscored_output(filter, mode)?;
        Ok(mode)
    }

    /// Refuses rejects, and warns of marks, in formats whose loaders would train on records without
    /// a score.
    fn check_unscored_output(&mut self, filter: &Filter, mode: Mode) -> Result<()> {
        let to = self.converting.to;
        if to.skips_unscored() || to.is_text() {
            return Ok(());
        }
        let name = to.name();
        if self.rejects.is_some() && !self.converting.copies() && filter.drops_unscored() {
            return Err(Error::refused(format!(
                "rejects in {name} cannot hold records without a score; do without them, or \
                 filter in the input's own format first"
            )));
        }
        if mode == Mode::Mark {
            self.caller.teller.note(&format!(
                "loaders of {name} do not skip marked records: drop them instead, or leave out \
                 what has no score before training"
            ));
        }
        Ok(())
    }
}

/// The fields that the filter needs.
fn asked(filter: &Filter) -> impl Iterator<Item = Field> {
    let unscored = filter.sets_drop_unscored().then_some(Field::Score);
    filter.needs().chain(unscored)
}

/// An error if no record of this format holds a field that the filter needs.
pub(crate) fn refuse(filter: &Filter, converting: Conversion, input: &str) -> Result<()> {
    let format = converting.from;
    let asked: Vec<Field> = asked(filter).collect();
    let lacking: Vec<&Field> = asked
        .iter()
        .filter(|field| !converting.holds(**field))
        .collect();
    let Some(&&first) = lacking.first() else {
        return refuse_units(filter, format, input);
    };
    let names: Vec<String> = lacking
        .iter()
        .map(|field| format!("the {}", name_of(**field)))
        .collect();
    // `named` has the fields that records of the format have only if the user names their columns.
    if lacking
        .iter()
        .all(|field| format.spec().named.contains(*field))
    {
        let message = format!(
            "the filter asks for {}, which {} holds only in a column that is named for it",
            names.join(" and "),
            format.name()
        );
        return Err(Error::new(ErrorKind::Missing(first), message).about(input));
    }
    let others: Vec<&str> = Format::ALL
        .iter()
        .filter(|format| asked.iter().all(|field| format.holds(*field)))
        .map(|format| format.name())
        .collect();
    let message = format!(
        "the filter asks for {}, which {} never holds; filter data in a format that \
         does ({})",
        names.join(" and "),
        format.name(),
        others.join(", ")
    );
    Err(Error::new(ErrorKind::Missing(first), message).about(input))
}

/// An error if the filter asks for the first record of games or chains, and this format has none.
fn refuse_units(filter: &Filter, format: Format, input: &str) -> Result<()> {
    if !filter.needs_units() || format.units().is_some() {
        return Ok(());
    }
    let others: Vec<&str> = Format::ALL
        .iter()
        .filter(|format| format.units().is_some() && format.holds(Field::Score))
        .map(|format| format.name())
        .collect();
    let message = format!(
        "max_opening_eval asks for the first score of a game, and {} has single records; \
         filter data in a format that has games or chains ({})",
        format.name(),
        others.join(", ")
    );
    Err(Error::refused(message).about(input))
}

/// The block size for formats with independent records: small enough that the output stays in
/// the L2 cache until it is written.
pub(crate) const SMALL: usize = 1 << 18;

pub(crate) struct FilterTask {
    filter: Filter,
    mode: Mode,
    spec: TaskSpec,
    counts: bool,
    rejects: bool,
    /// Whether placeholders are counted, because the output does not tell them from scores.
    loses_placeholders: bool,
    /// How a device does it, if it can.
    recipe: Option<Recipe>,
}

impl Task for FilterTask {
    fn spec(&self) -> TaskSpec {
        self.spec
    }

    /// For counts, asks for verdicts on all positions. Otherwise asks about the bounds of those that
    /// no rule before the bounds has dropped. The rules after the bounds run in `finish`.
    fn question<'a>(&self, codec: &Codec, step: &'a mut Step) -> Result<Option<Question<'a>>> {
        let all = &step.decoded.positions;
        let records = &step.decoded.records;
        let begun = self.filter.begin(all, records, &mut step.judgement);
        begun.map_err(|error| explained(error, codec.format()))?;
        let bounds = self.filter.bounds();
        let positions = step.judgement.asked(all);
        Ok(if self.counts {
            Some(Question::Verdicts {
                positions: all,
                sides: bounds.sides(),
            })
        } else if positions.is_empty() {
            None
        } else {
            Some(Question::Bounds { positions, bounds })
        })
    }

    fn write(&self, codec: &Codec, step: &mut Step) -> Result<()> {
        let answers = &step.answers;
        let decoded = &mut step.decoded;
        let judgement = &mut step.judgement;
        let bounds_answers = if self.counts {
            BoundsAnswers::Verdicts(&answers.verdicts)
        } else {
            BoundsAnswers::OfAsked(&answers.exceeds)
        };
        self.filter.finish(
            &decoded.positions,
            &decoded.records,
            judgement,
            &bounds_answers,
        );
        // At most `left` more records may be kept. The reasons end after the last of them. The
        // records after it stay in `decoded`: `encode` drops those without an entry in `reasons`.
        if let Some(left) = step.left {
            let numbered = (0..).zip(&judgement.reasons);
            let mut kept = numbered.filter(|(_, reason)| reason.is_none());
            if let Some((last, _)) = kept.nth((left as usize).saturating_sub(1)) {
                judgement.reasons.truncate(last + 1);
                let end = decoded.records[last].span().end;
                decoded.forget_after(last + 1, end);
                step.done.end = Some(end);
            }
        }
        self.count(step);
        self.encode(codec, step);
        Ok(())
    }

    fn recipe(&self) -> Option<&Recipe> {
        self.recipe.as_ref()
    }

    fn audit_unit(&self, codec: &Codec, block: &Block) -> Option<(Vec<u8>, UnitDecisions)> {
        let mut decoded = DecodedPart::default();
        codec.decode(block, &mut decoded);
        if !decoded.invalid.is_empty() || decoded.units().count() != 1 {
            return None;
        }
        let rules = self.filter.see_rules();
        let bounds = self.filter.bounds();
        let reasons = self
            .filter
            .judge_all(&decoded.positions, &decoded.records, |positions| {
                positions
                    .iter()
                    .map(|position| rules.exceeds(position, bounds))
                    .collect()
            })
            .ok()?;
        let of_records: Vec<Action> = reasons.iter().map(|reason| self.action(*reason)).collect();
        let actions = Actions {
            records: &of_records,
            writes_invalid: false,
        };
        let mut out = Vec::new();
        let mut open = OpenChunk::default();
        codec.encode_part(block, &decoded, &actions, &mut out, &mut open);
        Some((codec.unframed(out), UnitDecisions::from_reasons(&reasons)))
    }

    fn complete_tally(&self, tally: &mut Tally) {
        tally.records_written = self.records_written(tally);
    }

    fn sum_up(&self, summary: &mut Summary) {
        summary.filter = Some(self.filter.clone());
        summary.mode = Some(self.mode);
        // The summary would warn of these scores, but no kept record has one.
        if self.filter.drops_odd_scores() {
            summary.tally.odd_scores.clear();
        }
    }
}

impl FilterTask {
    pub fn new(job: &mut Job<'_>, filter: &Filter) -> Result<FilterTask> {
        let mode = job.prepare_filter(filter)?;
        let from = job.converting.from;
        let copies = job.converting.copies();
        let Options { counts, limit, .. } = job.options;
        // A device cannot do these things.
        let is_plain = copies && !counts && limit.is_none() && job.rejects.is_none();
        let recipe = match mode {
            Mode::Drop => Recipe::new(from, Action::Drop, filter),
            Mode::Mark => Recipe::new(from, Action::Mark, filter),
        };
        Ok(FilterTask {
            recipe: recipe.filter(|_| is_plain),
            mode,
            spec: TaskSpec {
                bytes_a_record: 16,
                most_bytes: match from.units() {
                    None => SMALL,
                    Some(_) => Plan::MOST,
                },
                rules: Some(*filter.see_rules()),
                limit,
                required: Required::NOTHING.and(asked(filter)),
                ..TaskSpec::for_job(JobKind::Filter)
            },
            counts,
            rejects: job.rejects.is_some(),
            loses_placeholders: from.hides_placeholders_in(job.converting.to),
            filter: filter.clone(),
        })
    }

    fn count(&self, step: &mut Step) {
        let decoded = &step.decoded;
        let dropped = &step.judgement.reasons;
        let mut tally = Tally::default();
        tally.count(&decoded.records, dropped);
        tally.records_written = self.records_written(&tally);
        if self.loses_placeholders {
            let records = decoded.records.iter().zip(&decoded.positions);
            let kept = records.zip(dropped).filter(|(_, reason)| reason.is_none());
            let placeholders = kept.filter(|((record, at), _)| record.is_placeholder(at));
            tally.placeholders = placeholders.count() as u64;
        }
        if self.counts {
            let counts = tally.counts.insert(Counts::none(self.filter.see_rules()));
            let records = decoded.records.iter().zip(&decoded.positions);
            let judged = records.zip(&step.answers.verdicts).zip(dropped);
            for (((record, position), verdict), reason) in judged {
                let pieces = position.occupied().count();
                counts[0].add(pieces, record, verdict);
                if reason.is_none() {
                    counts[1].add(pieces, record, verdict);
                }
            }
        }
        step.done.tally += tally;
    }

    /// Records in the output.
    fn records_written(&self, tally: &Tally) -> u64 {
        match self.mode {
            Mode::Drop => tally.kept,
            Mode::Mark => tally.records,
        }
    }

    fn action(&self, reason: Option<Reason>) -> Action {
        match (reason, self.mode) {
            (None, _) => Action::Keep,
            (Some(_), Mode::Drop) => Action::Drop,
            (Some(_), Mode::Mark) => Action::Mark,
        }
    }

    fn encode(&self, codec: &Codec, step: &mut Step) {
        let block = &step.block;
        let decoded = &step.decoded;
        let done = &mut step.done;
        let actions = |kept: bool, others: Action| -> Vec<Action> {
            let mut actions = Vec::with_capacity(decoded.records.len());
            for reason in &step.judgement.reasons {
                let is_chosen = reason.is_none() == kept;
                actions.push(if is_chosen { Action::Keep } else { others });
            }
            // The records after the limit have no entry, and are dropped.
            actions.resize(decoded.records.len(), Action::Drop);
            actions
        };
        let others = match self.mode {
            Mode::Drop => Action::Drop,
            Mode::Mark => Action::Mark,
        };
        let [of_data, of_rejects] = &mut done.open;
        let kept = Actions {
            records: &actions(true, others),
            writes_invalid: false,
        };
        codec.encode_part(block, decoded, &kept, &mut done.data, of_data);
        if self.rejects {
            let rejected = Actions {
                records: &actions(false, Action::Drop),
                writes_invalid: true,
            };
            codec.encode_part(block, decoded, &rejected, &mut done.rejects, of_rejects);
        }
    }
}

/// An error that also says where records of the format have the field that this one lacks.
pub(crate) fn explained(error: RecordError, format: Format) -> Error {
    let Some(field) = error.lacks() else {
        return error.into();
    };
    let forms = format.spec().held_as.iter();
    let of_field = forms.filter(|form| form.0 == field);
    let hints: Vec<String> = of_field
        .map(|(_, form)| format!(" (in {}: {form})", format.name()))
        .collect();
    let error = Error::from(error).with_kind(ErrorKind::Missing(field));
    error.and(&hints.concat())
}
