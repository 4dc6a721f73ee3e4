//! Selects the records to train on, of those that a [`Reader`](super::reader::Reader) gives.
//!
//! It takes longer than decoding, and no part needs another, so several threads select at once.
//! A record goes if it is of another shard, if `skipping` says so, if nothing can be trained on it,
//! and at last if the filter says so, which costs the most.

use std::fmt::Display;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use swaplist::Position;
use swaplist::backend::{Cpu, Question};
use swaplist_files::filter::DecidedZeros;
use swaplist_files::formats::{DecodedPart, RecordFields};

use super::entry::{Counts, Entry};
use super::files::File;
use super::plan::{Piece, Share};
use super::random::draw;
use super::reader::{PART, PassRules, ReaderState, Records, SpareParts, Unit};
use super::skipping::{Purpose, Skipping};
use super::source::Source;
use crate::errors::skip_hint;

/// Positions of a part or of a block, and what became of its records.
pub struct Part {
    /// `None` at the end of a pass.
    pub entries: Option<Vec<Entry>>,
    /// A number from 0 to 1 for each position, by which the curve of pieces takes it or not; empty
    /// without a curve.
    pub draws: Vec<f64>,
    pub counts: Counts,
    /// How far the reader is after it.
    pub state: ReaderState,
}

/// Selects records, on one thread.
pub struct Selector {
    source: Source,
    cpu: Cpu,
    /// What blocks of text are decoded into.
    decoded: DecodedPart,
    spare_parts: SpareParts,
}

/// What becomes of a record before the filter is asked.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fate {
    Stays,
    /// It is of another shard.
    Elsewhere,
    Skipped,
    Unscored,
    WithoutResult,
}

/// Decoded records and where they are.
struct Place<'a> {
    rules: &'a PassRules,
    file: &'a File,
    piece: Piece,
    /// The number of the first of them in its block.
    first: u64,
}

impl Place<'_> {
    /// A number in `0.0..1.0` for a record by its number in the block.
    fn draw(&self, number: u64, purpose: Purpose) -> f64 {
        let block = (self.piece.file as u64) << 40 | self.piece.block as u64;
        draw(self.rules.skipping_seed, block, number, purpose as u64)
    }

    fn wrong(&self, error: impl Display) -> PyErr {
        PyValueError::new_err(format!("{}, {error}", self.file.name()))
    }
}

impl Selector {
    /// A selector that gives the memory of parts back to `spare_parts`.
    pub fn new(source: Source, spare_parts: SpareParts) -> Selector {
        Selector {
            source,
            cpu: Cpu::new().on_calling_thread(),
            decoded: DecodedPart::default(),
            spare_parts,
        }
    }

    /// Selects the records of a unit.
    pub fn select(&mut self, unit: Unit) -> PyResult<Part> {
        let mut part = Part {
            entries: None,
            draws: Vec::new(),
            counts: Counts::default(),
            state: unit.state,
        };
        let Some(content) = unit.content else {
            return Ok(part);
        };
        let mut entries = Vec::new();
        let files = self.source.files.clone();
        let mut place = Place {
            rules: &unit.rules,
            file: &files[content.piece.file],
            piece: content.piece,
            first: content.first,
        };
        match content.records {
            Records::Decoded(mut decoded) => {
                self.keep(&place, &mut decoded, &mut entries, &mut part)?;
                self.spare_parts.lock().push(decoded);
            }
            Records::Text(mut text) => {
                let mut decoded = std::mem::take(&mut self.decoded);
                while text.decode(PART, &mut decoded) {
                    let records = decoded.records.len() as u64;
                    self.keep(&place, &mut decoded, &mut entries, &mut part)?;
                    place.first += records;
                }
                self.decoded = decoded;
            }
        }
        part.entries = Some(entries);
        Ok(part)
    }

    /// Adds the positions of those records that are kept.
    fn keep(
        &self,
        place: &Place<'_>,
        decoded: &mut DecodedPart,
        entries: &mut Vec<Entry>,
        part: &mut Part,
    ) -> PyResult<()> {
        let counts = &mut part.counts;
        if let (Some(error), false) = (decoded.invalid.first(), self.source.skips) {
            let hint = skip_hint(place.file.units());
            return Err(place.wrong(format_args!("{error}{hint}")));
        }
        if place.piece.share.is_first() {
            counts.invalid += decoded.invalid.len() as u64;
        }
        if place.rules.keeps_all && place.piece.share == Share::WHOLE {
            keep_all(decoded, entries, counts);
            return Ok(());
        }
        let mut stays = Vec::new();
        if self.may_leave_out(place, decoded) {
            stays = self.before_the_filter(place, decoded, counts)?;
            retain(&mut decoded.positions, &stays);
            retain(&mut decoded.records, &stays);
        } else {
            counts.records += decoded.records.len() as u64;
        }
        let filter = &place.rules.filter;
        let reasons = filter
            .judge_all(&decoded.positions, &decoded.records, |positions| {
                let bounds = filter.bounds();
                let question = Question::Bounds { positions, bounds };
                self.cpu.ask(&question, filter.see_rules()).exceeds
            })
            .map_err(|missing| {
                let at = place.file.place(missing.place);
                place.wrong(format_args!("{at}: {}", missing.message))
            })?;
        let passed = reasons.iter().filter(|reason| reason.is_none()).count();
        counts.filtered += (reasons.len() - passed) as u64;
        counts.kept += passed as u64;
        entries.reserve(passed);
        let records = decoded.positions.iter().zip(&decoded.records);
        entries.extend(
            records
                .zip(&reasons)
                .filter(|(_, reason)| reason.is_none())
                .map(|((position, record), _)| Entry::new(position, record)),
        );
        // A curve is a kind of skipping, so there is a flag in `stays` for each record.
        if self.source.has_curve() {
            let numbers = (place.first..).zip(&stays).filter(|(_, stays)| **stays);
            part.draws.extend(
                numbers
                    .zip(&reasons)
                    .filter(|(_, reason)| reason.is_none())
                    .map(|((number, _), _)| place.draw(number, Purpose::Pieces)),
            );
        }
        Ok(())
    }

    /// Whether a record may go before the filter is asked, which is rare: most data is usable.
    fn may_leave_out(&self, place: &Place<'_>, decoded: &DecodedPart) -> bool {
        self.source.skipping.is_some()
            || place.piece.share != Share::WHOLE
            || decoded.records.iter().any(is_unusable)
    }

    /// Which of the records the filter is asked about. Counts the others.
    fn before_the_filter(
        &self,
        place: &Place<'_>,
        decoded: &DecodedPart,
        counts: &mut Counts,
    ) -> PyResult<Vec<bool>> {
        let skipping = self.source.skipping.as_deref();
        // Whether a zero is in a decided game depends on the records before it, of all shards.
        let mut zeros = skipping
            .filter(|skipping| skipping.is_on())
            .map(|_| DecidedZeros::default());
        let mut stays = Vec::with_capacity(decoded.records.len());
        let records = decoded.positions.iter().zip(&decoded.records);
        for (number, (position, record)) in (place.first..).zip(records) {
            let is_zero = zeros.as_mut().is_some_and(|zeros| zeros.has_next(record));
            let fate = if !place.piece.has(number) {
                Fate::Elsewhere
            } else if is_zero {
                Fate::Skipped
            } else {
                fate(skipping, position, record, |purpose| {
                    place.draw(number, purpose)
                })
                .map_err(|needs| {
                    let at = place.file.place(record.place());
                    place.wrong(format_args!("{needs}, which {at} lacks"))
                })?
            };
            counts.records += u64::from(fate != Fate::Elsewhere);
            counts.skipped += u64::from(fate == Fate::Skipped);
            counts.unscored += u64::from(fate == Fate::Unscored);
            counts.without_result += u64::from(fate == Fate::WithoutResult);
            stays.push(fate == Fate::Stays);
        }
        Ok(stays)
    }
}

/// Whether nothing can be trained on a record, as it has no score or no result.
fn is_unusable(record: &RecordFields) -> bool {
    record.is_unscored() || record.outcome().is_none()
}

/// What becomes of a record of this shard; or what an option of `skipping` needs that it lacks.
#[inline]
fn fate(
    skipping: Option<&Skipping>,
    position: &Position,
    record: &RecordFields,
    draw: impl Fn(Purpose) -> f64,
) -> Result<Fate, String> {
    if record.is_unscored() {
        return Ok(Fate::Unscored);
    }
    if record.outcome().is_none() {
        return Ok(Fate::WithoutResult);
    }
    match skipping {
        Some(skipping) if skipping.skips(position, record, draw)? => Ok(Fate::Skipped),
        _ => Ok(Fate::Stays),
    }
}

/// Keeps all records that have a score and a result, as there is nothing else to decide.
fn keep_all(decoded: &DecodedPart, entries: &mut Vec<Entry>, counts: &mut Counts) {
    let before = entries.len();
    entries.reserve(decoded.records.len());
    for (position, record) in decoded.positions.iter().zip(&decoded.records) {
        if record.is_unscored() {
            counts.unscored += 1;
        } else if record.outcome().is_none() {
            counts.without_result += 1;
        } else {
            entries.push(Entry::new(position, record));
        }
    }
    counts.records += decoded.records.len() as u64;
    counts.kept += (entries.len() - before) as u64;
}

/// Leaves the items that stay.
fn retain<T>(list: &mut Vec<T>, stays: &[bool]) {
    if stays.iter().all(|stays| *stays) {
        return;
    }
    let mut stays = stays.iter();
    list.retain(|_| stays.next() == Some(&true));
}
