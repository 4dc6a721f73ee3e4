//! What another format cannot hold of records.

use super::legal::{Proof, is_legal, was_legal};
use super::output::OutputRecords;
use super::{
    Action, Block, Codec, DecodedPart, Fault, Field, Format, Invalid, OpenEnd, Record, RecordError,
    RecordFields, VALUE_NONE,
};
use crate::Capture;

/// How records are written.
#[derive(Clone, Copy)]
pub(super) struct Target {
    pub format: Format,
    /// Records are written as they were read.
    pub copies: bool,
    /// The score of records without one, if they are allowed.
    pub unscored: Option<i32>,
    /// Records without a score are left out later.
    pub omits_unscored: bool,
    /// Illegal played moves are faults.
    pub checks_moves: bool,
}

impl Target {
    /// Writes any records in a format.
    pub fn new(format: Format) -> Target {
        Target {
            format,
            copies: false,
            unscored: format.skips_unscored().then_some(VALUE_NONE.into()),
            omits_unscored: false,
            checks_moves: format.replays_moves(),
        }
    }

    /// The score that is written for a record.
    pub fn score_of(&self, record: &RecordFields) -> Option<i32> {
        let needs_one = || self.unscored.is_some() || self.format.needs(Field::Score);
        if record.is_unscored() && needs_one() {
            self.unscored
        } else {
            record.score()
        }
    }

    /// Appends the records that are not dropped.
    pub fn write(
        &self,
        decoded: &DecodedPart,
        actions: &[Action],
        out: &mut Vec<u8>,
        open: &mut OpenEnd,
    ) {
        let records = OutputRecords {
            target: self,
            decoded,
            actions: actions.iter().enumerate(),
        };
        if let Some(write) = self.format.row().write {
            write(records, out, open);
        }
    }

    /// Why a record cannot be written, if it cannot.
    pub fn fault(&self, record: &Record, proved: Proof) -> Option<Invalid> {
        if !self.copies
            && let Some(fault) = self.lacks(&record.fields).or_else(|| self.no_place(record))
        {
            return Some(fault);
        }
        let played = record.fields.played().filter(|_| self.checks_moves)?;
        (!is_legal(record, played, proved)).then(|| unplayable(played, &record.to_fen()))
    }

    fn lacks(&self, record: &RecordFields) -> Option<Invalid> {
        let is_known = |part| match part {
            Field::Score => self.omits_unscored || self.score_of(record).is_some(),
            Field::Clocks => true,
            part => record.has(part),
        };
        let mut needed = self.format.row().needs.iter().copied();
        let field = needed.find(|&part| !is_known(part))?;
        let hint = match field {
            Field::Score => format!(" ({VALUE_NONE} means no score)"),
            _ => String::new(),
        };
        let name = self.format.name();
        let message = format!("{name} needs a {field}, which this record lacks{hint}");
        Some(Invalid::new(Fault::Lacks(field), message))
    }

    fn no_place(&self, record: &Record) -> Option<Invalid> {
        let row = self.format.row();
        let ply = record.ply();
        let too_high = || (ply > row.max_ply).then(|| format!("the ply {ply}"));
        let what = (row.no_place)(self.score_of(&record.fields), record).or_else(too_high)?;
        let message = format!("{} cannot hold {what}", row.name);
        Some(Invalid::new(Fault::NoPlace, message))
    }
}

impl Codec {
    /// Makes records invalid that cannot be written; games as a whole, since the rest of a game
    /// depends on every move. Of copied games only the moves are checked.
    pub(super) fn set_aside(&self, is_copied_game: bool, block: &Block, into: &mut DecodedPart) {
        let mut errors: Vec<RecordError> = Vec::new();
        for i in 0..into.records.len() {
            let record = &into.records[i];
            let span = record.span();
            let is_known = errors.last().is_some_and(|error| error.span == span);
            if is_known {
                continue;
            }
            let proved = proved(self.format, &into.records, i);
            let reason = if is_copied_game {
                let Some(played) = record.played() else {
                    continue;
                };
                if was_legal(&into.positions[i], played, proved) {
                    continue;
                }
                self.complete(block, into);
                Some(unplayable(played, &into.record(i).to_fen()))
            } else {
                self.target.fault(&into.record(i), proved)
            };
            if let Some(reason) = reason {
                errors.push(reason.at(into.records[i].place(), span));
            }
        }
        if errors.is_empty() {
            return;
        }
        let is_left = |record: &RecordFields| {
            let start = record.span().start;
            let found = errors.binary_search_by_key(&start, |error| error.span.start);
            found.is_err()
        };
        let is_left: Vec<bool> = into.records.iter().map(is_left).collect();
        into.taken_out = is_left.iter().filter(|&&is_left| !is_left).count() as u64;
        retain(&mut into.records, &is_left);
        retain(&mut into.positions, &is_left);
        retain(&mut into.full, &is_left);
        retain(&mut into.fens, &is_left);
        retain(&mut into.notes, &is_left);
        // Only text holds them, which needs nothing.
        into.named.clear();
        into.invalid.extend(errors);
        into.invalid.sort_by_key(|error| error.span.start);
    }
}

/// What decoding has proved about a record's played move.
fn proved(from: Format, records: &[RecordFields], i: usize) -> Proof {
    let start = records[i].span().start;
    let in_game = |i: usize| {
        let other = records.get(i);
        other.is_some_and(|other| other.span().start == start)
    };
    if !in_game(i + 1) {
        Proof::Nothing
    // After a chain's first, a move is stored by number and so pseudo-legal.
    } else if from.row().numbers_moves && in_game(i.wrapping_sub(1)) {
        Proof::All
    } else {
        Proof::KingIsSafe
    }
}

fn unplayable(played: Capture, fen: &str) -> Invalid {
    let message = format!("illegal move '{played}' in the position '{fen}'");
    Invalid::new(Fault::Unplayable, message)
}

/// Leaves an empty list untouched.
fn retain<T>(list: &mut Vec<T>, is_left: &[bool]) {
    let mut is_left = is_left.iter();
    list.retain(|_| is_left.next() == Some(&true));
}
