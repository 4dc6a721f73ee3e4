//! Records that lack what the other format must hold.

use super::super::{Decoded, Reason, Record, RecordError};
use super::{Conversion, Part};

impl Conversion {
    /// Which of what the other format has no way to leave out a record does not have.
    fn lacks(&self, needed: &[Part], record: &Record) -> Option<Part> {
        let is_known = |part| match part {
            Part::Score => record.score().or(self.unscored).is_some(),
            Part::Result => record.outcome().is_some(),
            Part::Played => record.played().is_some(),
            _ => true,
        };
        needed.iter().copied().find(|&part| !is_known(part))
    }

    /// Makes records that cannot be written invalid: games as a whole, since what is
    /// left of one would not be what its bytes hold.
    pub(super) fn set_aside(&self, into: &mut Decoded) {
        let needed = Part::ALL.into_iter().filter(|part| part.is_needed(self.to));
        let needed: Vec<Part> = needed.collect();
        let mut errors: Vec<RecordError> = Vec::new();
        for record in &into.records {
            let span = record.span();
            let is_known = errors.last().is_some_and(|error| error.span == span);
            if !is_known && let Some(lacks) = self.lacks(&needed, record) {
                let format = self.to.name();
                errors.push(RecordError {
                    place: record.place(),
                    span,
                    reason: Reason::Incomplete { format, lacks },
                });
            }
        }
        if errors.is_empty() {
            return;
        }
        let mut aside = errors.iter().peekable();
        let is_left: Vec<bool> = into
            .records
            .iter()
            .map(|record| {
                let start = record.span().start;
                while aside.next_if(|error| error.span.start < start).is_some() {}
                aside.peek().is_none_or(|error| error.span.start != start)
            })
            .collect();
        retain(&mut into.records, &is_left);
        retain(&mut into.positions, &is_left);
        retain(&mut into.fens, &is_left);
        retain(&mut into.scores, &is_left);
        // No format has them but that of lines, which needs nothing.
        into.named.clear();
        into.invalid.extend(errors);
        into.invalid.sort_by_key(|error| error.span.start);
    }
}

/// Leaves a list without elements alone.
fn retain<T>(list: &mut Vec<T>, is_left: &[bool]) {
    let mut is_left = is_left.iter();
    list.retain(|_| is_left.next() == Some(&true));
}
