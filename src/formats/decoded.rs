//! The decoded records of a part of a block, and what decoding and converting noted about them.

use core::ops::Range;

use shakmaty::Bitboard;

use super::binpack::ChainNotes;
use super::fens::FenNotes;
use super::{Action, Actions, Block, Fault, Invalid, Place, Record, RecordError, RecordFields};
use crate::Position;

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

/// What single formats note about the records of a part. The notes of the other formats stay empty.
#[derive(Clone, Debug, Default)]
pub(crate) struct FormatNotes {
    /// The notes of text, `plain`, CSV and JSON lines.
    pub fens: FenNotes,
    /// The notes of PGN.
    pub games: GameNotes,
    /// The notes of binpacks.
    pub chains: ChainNotes,
}

/// What PGN notes about games. Each is given by the offset of its first byte in the block.
#[derive(Clone, Debug, Default)]
pub(crate) struct GameNotes {
    /// Games whose result tag contradicts the result after the moves, which counts.
    pub contradicted: Vec<u32>,
    /// Games without a result after the moves, but with a result tag.
    pub unended: Vec<u32>,
    /// Games, once for each score in a comment that was clamped below mates.
    pub clamped: Vec<u32>,
}

impl GameNotes {
    fn lists(&mut self) -> [&mut Vec<u32>; 3] {
        [&mut self.contradicted, &mut self.unended, &mut self.clamped]
    }
}

/// What a conversion cannot write of the records of a part. Records are given by their numbers in
/// the part, in ascending order.
#[derive(Clone, Debug, Default)]
pub(crate) struct ConversionNotes {
    /// The number of records that decoded, but were taken out, with their games or chains, because
    /// the other format cannot hold them.
    pub taken_out: u64,
    /// Records with castling rights that belong to no rook, and these rights, which were dropped.
    /// Filled together with [`DecodedPart::states`], also without a conversion.
    pub lost_rights: Vec<(usize, Bitboard)>,
    /// Whether rights whose rook or king is not in place were dropped from the states.
    are_rights_dropped: bool,
    /// Records whose half-move clock or move number is lowered to the highest that can be written.
    pub clamped_clocks: Vec<usize>,
    /// Records whose ply and move number contradict each other, where only one is written.
    pub lost_plies: Vec<usize>,
}

impl DecodedPart {
    /// Empties all lists and keeps their memory.
    pub fn clear(&mut self) {
        self.positions.clear();
        self.records.clear();
        self.states.clear();
        self.invalid.clear();
        self.notes.fens.clear();
        for list in self.notes.games.lists() {
            list.clear();
        }
        self.notes.chains.clear();
        self.losses.taken_out = 0;
        self.losses.lost_rights.clear();
        self.losses.are_rights_dropped = false;
        self.losses.clamped_clocks.clear();
        self.losses.lost_plies.clear();
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
            None => Record::new(self.positions[i]).with(self.records[i]),
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

    /// The offsets in the block of PGN games whose result tag contradicts the result after the
    /// moves, which counts.
    pub fn contradicted_results(&self) -> &[u32] {
        &self.notes.games.contradicted
    }

    /// The offsets in the block of PGN games without a result after the moves, but with a result
    /// tag.
    pub fn missing_results(&self) -> &[u32] {
        &self.notes.games.unended
    }

    /// The records of each game or chain: their spans are those of the whole group.
    pub(crate) fn units(&self) -> impl Iterator<Item = &[RecordFields]> {
        self.records
            .chunk_by(|a, b| a.span().start == b.span().start)
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
        let wanted_invalid = self.invalid.iter().filter(|_| actions.invalid);
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
    pub(super) fn select_lines(
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

impl ConversionNotes {
    /// Forgets the notes on records from this number on.
    fn truncate(&mut self, records: usize) {
        self.lost_rights.retain(|&(number, _)| number < records);
        self.clamped_clocks.retain(|&number| number < records);
        self.lost_plies.retain(|&number| number < records);
    }

    /// Forgets the notes on records whose flag is not set, and renumbers the others.
    fn renumber(&mut self, is_left: &[bool]) {
        let is_empty = self.lost_rights.is_empty()
            && self.clamped_clocks.is_empty()
            && self.lost_plies.is_empty();
        if is_empty {
            return;
        }
        let numbers = new_numbers(is_left);
        self.lost_rights = core::mem::take(&mut self.lost_rights)
            .into_iter()
            .filter_map(|(number, rights)| Some((numbers[number]?, rights)))
            .collect();
        for list in [&mut self.clamped_clocks, &mut self.lost_plies] {
            *list = list.iter().filter_map(|&number| numbers[number]).collect();
        }
    }
}

/// Leaves only the elements whose flag is set.
pub(super) fn retain<T>(list: &mut Vec<T>, is_left: &[bool]) {
    let mut flags = is_left.iter();
    list.retain(|_| flags.next() == Some(&true));
}

/// The number of each record after those whose flag is not set are taken out; `None` for these.
pub(super) fn new_numbers(is_left: &[bool]) -> Vec<Option<usize>> {
    let mut left = 0;
    let number = |&is_left: &bool| {
        left += usize::from(is_left);
        is_left.then(|| left - 1)
    };
    is_left.iter().map(number).collect()
}
