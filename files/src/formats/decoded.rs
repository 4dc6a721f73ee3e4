//! The decoded records of a part of a block, and what decoding and converting noted about them.

use core::ops::Range;

use shakmaty::Bitboard;

use super::board::Kind;
use super::notes::{ConversionNotes, FormatNotes, retain};
use super::spec::FormatCode;
use super::{Action, Actions, Block, Fault, Invalid, Place, Record, RecordError, RecordFields};
use swaplist::Position;

/// The records of a part of a block, in order.
#[derive(Clone, Debug, Default)]
pub struct DecodedPart {
    /// Each record's position, ready for a backend.
    pub positions: Vec<Position>,
    /// The other fields of each record.
    pub records: Vec<RecordFields>,
    /// The whole records, with castling rights and clocks; empty until they are asked for. A
    /// decoder that adds them sets no other fields.
    pub(super) states: Vec<Record>,
    /// Records that failed to decode, in the order of the block.
    pub invalid: Vec<RecordError>,
    /// What the format noted about the records.
    pub(crate) notes: FormatNotes,
    /// What a conversion to another format loses.
    pub(crate) losses: ConversionNotes,
}

/// Why records of a game or chain cannot be written in another format.
pub(super) struct Refusal {
    /// The error of the first such record, with the bytes of the whole game or chain.
    pub error: RecordError,
    /// Whether all its records are taken out.
    pub takes_unit: bool,
}

impl DecodedPart {
    /// The number of records, valid or not, for which it has memory.
    pub(crate) fn capacity(&self) -> usize {
        self.records.capacity().max(self.invalid.capacity())
    }

    /// Empties all lists and keeps their memory.
    pub(crate) fn clear(&mut self) {
        self.positions.clear();
        self.records.clear();
        self.states.clear();
        self.invalid.clear();
        self.notes.fens.clear();
        for list in self.notes.games.lists() {
            list.clear();
        }
        self.notes.chains.clear();
        self.losses.taken_out.clear();
        self.losses.left_out.clear();
        self.losses.lost_rights.clear();
        self.losses.are_rights_dropped = false;
        self.losses.unheld_rights.clear();
        self.losses.clamped_clocks.clear();
        self.losses.lost_plies.clear();
        self.losses.clipped_scores.clear();
    }

    /// Adds bytes that failed to decode, of a record, game or chain that begins at `start`: there
    /// truncated data is reported.
    pub(super) fn refuse(&mut self, block: &Block, start: u32, span: Range<u32>, fault: Invalid) {
        let at = match fault.kind() {
            Fault::CutOff => start,
            _ => span.start,
        };
        self.invalid.push(fault.at(block.start.plus(at), span));
    }

    /// Leaves only the records whose flag is set, one flag each, and renumbers the notes on them.
    /// Lists that are not filled stay empty.
    pub(super) fn retain(&mut self, is_left: &[bool]) {
        retain(&mut self.records, is_left);
        retain(&mut self.positions, is_left);
        retain(&mut self.states, is_left);
        self.notes.fens.retain(is_left);
        self.notes.chains.retain(is_left);
        self.losses.renumber(is_left);
    }

    /// Forgets notes on the bytes of the block from `end` on, and on the records from the number
    /// `records` on, where a limit ends the run. The records themselves stay.
    pub(crate) fn forget_after(&mut self, records: usize, end: u32) {
        self.invalid.retain(|error| error.span.start < end);
        for list in self.notes.games.lists() {
            list.retain(|&start| start < end);
        }
        self.notes
            .fens
            .unread
            .retain(|unread| unread.record < records);
        self.losses.taken_out.retain(|&start| start < end);
        self.losses.left_out.retain(|&start| start < end);
        self.losses.truncate(records);
    }

    /// Leaves only the first records, and the notes on them about conversions.
    pub(crate) fn truncate(&mut self, records: usize) {
        self.records.truncate(records);
        self.positions.truncate(records);
        self.losses.truncate(records);
    }

    /// A record, with castling rights and clocks if they were asked for.
    #[inline]
    pub(crate) fn record(&self, i: usize) -> Record {
        match self.states.get(i) {
            Some(state) => *state,
            None => Record {
                fields: self.records[i],
                ..Record::new(self.positions[i])
            },
        }
    }

    /// Drops castling rights whose rook or king is not in place from the states, and notes them.
    pub(super) fn drop_lost_rights(&mut self) {
        if core::mem::replace(&mut self.losses.are_rights_dropped, true) {
            return;
        }
        for (number, record) in self.states.iter_mut().enumerate() {
            let lost = record.drop_lost_rights();
            if lost.any() {
                self.losses.lost_rights.push((number, lost));
            }
        }
    }

    /// Drops castling rights that the other format cannot hold from the states, and notes the
    /// records. Returns the numbers of those that castle by such a right: without it they cannot.
    pub(super) fn drop_unheld_rights(&mut self, code: &dyn FormatCode) -> Vec<usize> {
        let mut castled = Vec::new();
        for (number, record) in self.states.iter_mut().enumerate() {
            let Some(unheld) = code.unheld_rights(record) else {
                continue;
            };
            let needs_it = record.fields.played().is_some_and(|played| {
                let is_by_this_right = unheld.rooks >> played.to() as u32 & 1 == 1;
                is_by_this_right && record.board().kind(played) == Kind::Castling
            });
            record.castling &= !Bitboard(unheld.rooks);
            if needs_it {
                castled.push(number);
            } else {
                self.losses.unheld_rights.push(number);
            }
        }
        castled
    }

    /// Takes out what cannot be written, and adds the errors: records by their numbers, in
    /// ascending order, and whole games or chains. The records `left_out` go, too, without errors.
    pub(super) fn take_out(
        &mut self,
        mut refusals: Vec<Refusal>,
        refused: &[usize],
        left_out: &[usize],
    ) {
        let mut is_left = vec![true; self.records.len()];
        for &record in refused.iter().chain(left_out) {
            is_left[record] = false;
        }
        let mut records = self.records.iter().zip(&mut is_left).peekable();
        for refusal in &mut refusals {
            let start = refusal.error.span.start;
            let mut some_stay = false;
            while let Some((record, is_left)) =
                records.next_if(|(record, _)| record.span().start <= start)
            {
                if record.span().start == start {
                    *is_left &= !refusal.takes_unit;
                    some_stay |= *is_left;
                }
            }
            if some_stay {
                // Its bytes are those of the records that stay, too.
                refusal.error.span.end = start;
            }
        }
        // For the run's summary. The lists were empty: this runs at most once for each part.
        for (number, record) in self.records.iter().enumerate() {
            if is_left[number] {
                continue;
            }
            let list = match left_out.binary_search(&number) {
                Ok(_) => &mut self.losses.left_out,
                Err(_) => &mut self.losses.taken_out,
            };
            list.push(record.span().start);
        }
        self.retain(&is_left);
        let errors = refusals.into_iter().map(|refusal| refusal.error);
        self.invalid.extend(errors);
        self.invalid.sort_by_key(|error| error.span.start);
    }

    /// The records of each game or chain: their spans are those of the whole group.
    pub(crate) fn units(&self) -> impl Iterator<Item = &[RecordFields]> {
        self.records.chunk_by(RecordFields::is_in_unit_of)
    }

    /// Appends independent records that are not dropped, as they were or by `mark`, and the
    /// invalid ones between them if asked for.
    pub(super) fn select(
        &self,
        block: &Block,
        actions: &Actions<'_>,
        out: &mut Vec<u8>,
        mark: impl Fn(&[u8], &mut Vec<u8>),
    ) {
        let copy = |span: &Range<u32>, out: &mut Vec<u8>| out.extend_from_slice(block.slice(span));
        let wanted_invalid = self.invalid.iter().filter(|_| actions.writes_invalid);
        let mut invalid_spans = wanted_invalid.map(|error| &error.span).peekable();
        for (record, action) in self.records.iter().zip(actions.records) {
            let span = record.span();
            while let Some(invalid) = invalid_spans.next_if(|invalid| invalid.start < span.start) {
                copy(invalid, out);
            }
            match action {
                Action::Drop => {}
                Action::Keep => copy(&span, out),
                Action::Mark => mark(block.slice(&span), out),
            }
        }
        invalid_spans.for_each(|span| copy(span, out));
    }

    /// Appends independent records of text or of one size that are not dropped, as they were; a
    /// last line that no newline ends gets one.
    pub(super) fn select_independent(
        &self,
        block: &Block,
        records: Range<usize>,
        actions: &[Action],
        out: &mut Vec<u8>,
    ) {
        for (record, &action) in self.records[records].iter().zip(actions) {
            if action == Action::Drop {
                continue;
            }
            out.extend_from_slice(block.slice(&record.span()));
            if matches!(record.place(), Place::Line(_)) && !out.ends_with(b"\n") {
                out.push(b'\n');
            }
        }
    }
}
