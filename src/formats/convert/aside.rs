//! Records that the target format cannot hold.

use super::super::legal::{Proved, was_legal};
use super::super::{Block, Decoded, Invalid, Record, RecordError};
use super::Conversion;

impl Conversion {
    /// Makes such records invalid; games as a whole, since the rest of a game depends on every
    /// move.
    pub(super) fn set_aside(&self, block: &Block, into: &mut Decoded) {
        let mut errors: Vec<RecordError> = Vec::new();
        for (i, record) in into.records.iter().enumerate() {
            let span = record.span();
            let is_known = errors.last().is_some_and(|error| error.span == span);
            if is_known {
                continue;
            }
            let proved = self.proved(&into.records, i);
            let reason = match into.states.get(i) {
                Some(state) => self.to.fault(record, state, proved),
                None => self.replay_fault(block, into, i, proved),
            };
            if let Some(reason) = reason {
                errors.push(RecordError::new(record.place(), span, reason));
            }
        }
        if errors.is_empty() {
            return;
        }
        let is_left = |record: &Record| {
            let start = record.span().start;
            let found = errors.binary_search_by_key(&start, |error| error.span.start);
            found.is_err()
        };
        let is_left: Vec<bool> = into.records.iter().map(is_left).collect();
        into.taken_out = is_left.iter().filter(|&&is_left| !is_left).count() as u64;
        retain(&mut into.records, &is_left);
        retain(&mut into.positions, &is_left);
        retain(&mut into.states, &is_left);
        retain(&mut into.fens, &is_left);
        retain(&mut into.scores, &is_left);
        // Only text holds them, which needs nothing.
        into.named.clear();
        into.invalid.extend(errors);
        into.invalid.sort_by_key(|error| error.span.start);
    }

    /// What decoding has proved about a record's played move.
    fn proved(&self, records: &[Record], i: usize) -> Proved {
        let start = records[i].span().start;
        let in_game = |i: usize| {
            let other = records.get(i);
            other.is_some_and(|other| other.span().start == start)
        };
        if !in_game(i + 1) {
            Proved::Nothing
        // After a chain's first, a move is stored by number and so pseudo-legal.
        } else if self.reads.row().numbers_moves && in_game(i.wrapping_sub(1)) {
            Proved::All
        } else {
            Proved::KingIsSafe
        }
    }

    /// Why a record of a copied game cannot be replayed, if it cannot.
    fn replay_fault(
        &self,
        block: &Block,
        decoded: &Decoded,
        i: usize,
        proved: Proved,
    ) -> Option<Invalid> {
        let played = decoded.records[i].played()?;
        (!was_legal(&decoded.positions[i], played, proved)).then(|| Invalid::IllegalMove {
            text: played.to_string(),
            fen: self.from.fen(block, decoded, i).into_owned(),
        })
    }
}

/// Leaves an empty list untouched.
fn retain<T>(list: &mut Vec<T>, is_left: &[bool]) {
    let mut is_left = is_left.iter();
    list.retain(|_| is_left.next() == Some(&true));
}
