//! Blocks of whole records, and their records.

use core::ops::Range;
use std::borrow::Cow;

use shakmaty::Bitboard;

use super::{Fault, Field, Invalid, MAX_LINE, Place, Record, RecordError, RecordFields};
use crate::{Capture, Position};

/// Bytes of whole records.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// The bytes, exactly as read.
    pub bytes: Vec<u8>,
    /// The place of the first byte.
    pub start: Place,
    /// What the header of the file says, if the format has one; 0 otherwise.
    pub columns: u32,
}

impl Block {
    /// A block of whole records.
    pub const fn new(bytes: Vec<u8>, start: Place) -> Block {
        Block {
            bytes,
            start,
            columns: 0,
        }
    }

    /// These bytes; none if they are not there.
    pub(crate) fn slice(&self, span: &Range<u32>) -> &[u8] {
        let span = span.start as usize..span.end as usize;
        self.bytes.get(span).unwrap_or_default()
    }
}

/// The records of a block, in order.
#[derive(Clone, Debug, Default)]
pub struct DecodedPart {
    /// Each record's position, ready for a backend.
    pub positions: Vec<Position>,
    /// The other fields of each record.
    pub records: Vec<RecordFields>,
    /// The bytes of each record's FEN in the block, or after its end in `unescaped`; empty in
    /// formats without FENs.
    pub(super) fens: Vec<Range<u32>>,
    /// FENs that are escaped in the block.
    pub(super) unescaped: Vec<u8>,
    /// Records that failed to decode.
    pub invalid: Vec<RecordError>,
    /// Records that decoded, but were taken out with an invalid one: of its game or chain, or itself
    /// one that the output format cannot hold.
    pub(crate) taken_out: u64,
    /// The offsets of games whose result tag contradicts the end of the movetext, which counts.
    pub contradicted: Vec<u32>,
    /// The offsets of games without a result after the moves, but with a tag of one.
    pub unended: Vec<u32>,
    /// The offsets of games, one for each score in a comment that was clamped below mates.
    pub clamped: Vec<u32>,
    /// The records with castling rights without a rook, in order, and these rights, which were
    /// dropped. Filled with the records' castling rights.
    pub(crate) lost_rights: Vec<(usize, Bitboard)>,
    /// Whether rights without a rook were dropped.
    are_rights_dropped: bool,
    /// The records with clocks that a conversion lowers to the highest that it can write.
    pub(crate) clamped_clocks: Vec<usize>,
    /// The records whose ply and move number contradict each other, where a conversion writes one.
    pub(crate) lost_plies: Vec<usize>,
    /// The records that name moves, in order, with their moves.
    pub(super) named: Vec<(usize, Vec<Capture>)>,
    /// What of a line cannot be read, in order. The other parts of such records were read.
    pub(crate) unread: Vec<Unread>,
    /// The number of bytes decoded, in formats with parts.
    pub(crate) part: Range<u32>,
    /// The records with castling rights and clocks, if asked for; a decoder that adds them sets no other
    /// fields.
    pub(super) full: Vec<Record>,
    /// What a format notes of each record to select it later, or nothing.
    pub(super) notes: Vec<u32>,
}

impl DecodedPart {
    /// Empties all lists and keeps their memory.
    pub fn clear(&mut self) {
        self.positions.clear();
        self.records.clear();
        self.named.clear();
        self.unread.clear();
        self.fens.clear();
        self.unescaped.clear();
        self.invalid.clear();
        self.taken_out = 0;
        self.contradicted.clear();
        self.unended.clear();
        self.clamped.clear();
        self.lost_rights.clear();
        self.are_rights_dropped = false;
        self.clamped_clocks.clear();
        self.lost_plies.clear();
        self.part = 0..0;
        self.full.clear();
        self.notes.clear();
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

    /// Lets `decode` add a record of text, and notes why it is invalid if so.
    #[inline]
    pub(super) fn add_text(
        &mut self,
        record: RecordFields,
        decode: impl FnOnce(&mut DecodedPart) -> Result<(), Invalid>,
    ) {
        let decoded = if record.span().len() > MAX_LINE {
            Err(Invalid::too_long())
        } else {
            decode(self)
        };
        if let Err(reason) = decoded {
            self.invalid.push(reason.at(record.place(), record.span()));
        }
    }

    /// Adds a record whose FEN is a part of its bytes.
    #[inline]
    pub(super) fn add(
        &mut self,
        bytes: &[u8],
        fen: &[u8],
        position: Position,
        record: RecordFields,
    ) {
        let start = record.span().start + (fen.as_ptr() as usize - bytes.as_ptr() as usize) as u32;
        self.fens.push(start..start + fen.len() as u32);
        self.positions.push(position);
        self.records.push(record);
    }

    /// Adds a record whose FEN is written otherwise in its bytes: it is noted as after the `length`
    /// bytes of the block.
    pub(super) fn add_rewritten(
        &mut self,
        length: usize,
        fen: &[u8],
        position: Position,
        record: RecordFields,
    ) {
        let start = length + self.unescaped.len();
        self.unescaped.extend_from_slice(fen);
        self.fens.push(start as u32..(start + fen.len()) as u32);
        self.positions.push(position);
        self.records.push(record);
    }

    /// Makes the records invalid of which something required cannot be read.
    #[cold]
    pub(super) fn refuse_unread(&mut self, required: Required) {
        let (refused, passed): (Vec<Unread>, Vec<Unread>) = core::mem::take(&mut self.unread)
            .into_iter()
            .partition(|unread| required.has(unread.field));
        self.unread = passed;
        let mut refused = refused.into_iter().peekable();
        let mut is_left = vec![true; self.records.len()];
        while let Some(Unread { record, fault, .. }) = refused.next() {
            is_left[record] = false;
            let fields = self.records[record];
            self.invalid.push(fault.at(fields.place(), fields.span()));
            // One fault for each record.
            while refused.next_if(|next| next.record == record).is_some() {}
        }
        if is_left.iter().all(|&is_left| is_left) {
            return;
        }
        self.invalid.sort_by_key(|error| error.span.start);
        let left_before: Vec<usize> = is_left
            .iter()
            .scan(0, |left, &is_left| {
                let before = *left;
                *left += usize::from(is_left);
                Some(before)
            })
            .collect();
        self.named.retain(|(record, _)| is_left[*record]);
        self.unread.retain(|unread| is_left[unread.record]);
        for (record, _) in &mut self.named {
            *record = left_before[*record];
        }
        for unread in &mut self.unread {
            unread.record = left_before[unread.record];
        }
        self.retain(&is_left);
    }

    /// Leaves only some records, one flag each. Lists that are not filled stay empty.
    pub(super) fn retain(&mut self, is_left: &[bool]) {
        fn retain<T>(list: &mut Vec<T>, is_left: &[bool]) {
            let mut is_left = is_left.iter();
            list.retain(|_| is_left.next() == Some(&true));
        }
        retain(&mut self.records, is_left);
        retain(&mut self.positions, is_left);
        retain(&mut self.full, is_left);
        retain(&mut self.fens, is_left);
        retain(&mut self.notes, is_left);
    }

    /// A record, with castling rights and clocks if they were asked for.
    #[inline]
    pub(crate) fn record(&self, i: usize) -> Record {
        match self.full.get(i) {
            Some(full) => *full,
            None => Record::new(self.positions[i]).with(self.records[i]),
        }
    }

    /// Drops castling rights without a rook from the records, and notes them.
    pub(super) fn drop_lost_rights(&mut self) {
        if core::mem::replace(&mut self.are_rights_dropped, true) {
            return;
        }
        for (number, record) in self.full.iter_mut().enumerate() {
            let lost = record.drop_lost_rights();
            if lost.any() {
                self.lost_rights.push((number, lost));
            }
        }
    }

    /// Forgets the notes on records that are taken out.
    pub(super) fn renumber_notes(&mut self, is_left: &[bool]) {
        let is_empty = self.lost_rights.is_empty()
            && self.clamped_clocks.is_empty()
            && self.lost_plies.is_empty();
        if is_empty {
            return;
        }
        let mut left = 0;
        let number = |&is_left: &bool| {
            left += usize::from(is_left);
            is_left.then(|| left - 1)
        };
        let numbers: Vec<Option<usize>> = is_left.iter().map(number).collect();
        let lost = core::mem::take(&mut self.lost_rights).into_iter();
        let lost = lost.filter_map(|(number, lost)| Some((numbers[number]?, lost)));
        self.lost_rights = lost.collect();
        for list in [&mut self.clamped_clocks, &mut self.lost_plies] {
            let left = list.iter().filter_map(|&number| numbers[number]);
            *list = left.collect();
        }
    }

    /// Forgets the notes on records after so many.
    pub(crate) fn truncate_notes(&mut self, records: usize) {
        self.lost_rights.retain(|&(number, _)| number < records);
        self.clamped_clocks.retain(|&number| number < records);
        self.lost_plies.retain(|&number| number < records);
    }

    /// A record's FEN as it is in the file, possibly not normalised; `None` in formats without
    /// FENs.
    pub fn fen<'a>(&'a self, block: &'a Block, record: usize) -> Option<Cow<'a, str>> {
        let fen = self.fen_bytes(block, record)?;
        // Usually ASCII: `from_utf8_lossy` alone would check each byte.
        let text = core::str::from_utf8(fen).map(Cow::Borrowed);
        Some(text.unwrap_or_else(|_| String::from_utf8_lossy(fen)))
    }

    pub(super) fn fen_bytes<'a>(&'a self, block: &'a Block, record: usize) -> Option<&'a [u8]> {
        let fen = self.fens.get(record)?;
        let (start, end) = (fen.start as usize, fen.end as usize);
        let after = block.bytes.len();
        Some(match start.checked_sub(after) {
            None => block.slice(fen),
            Some(start) => &self.unescaped[start..end - after],
        })
    }

    /// The records of each game or chain: their spans are those of the whole group.
    pub(crate) fn units(&self) -> impl Iterator<Item = &[RecordFields]> {
        self.records
            .chunk_by(|a, b| a.span().start == b.span().start)
    }

    /// The states of records by their FENs.
    pub(super) fn states_of_fens(&self, block: &Block, states: &mut Vec<Record>) {
        for (record, position) in self.positions.iter().enumerate() {
            let fen = self.fen_bytes(block, record).unwrap_or_default();
            let state = Record::of_ascii(fen, *position);
            states.push(state.map_or(Record::new(*position), |(state, _)| state));
        }
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
        let invalid = self.invalid.iter().filter(|_| actions.invalid);
        let mut invalid = invalid.map(|error| &error.span).peekable();
        let copy = |span: &Range<u32>, out: &mut Vec<u8>| out.extend_from_slice(block.slice(span));
        for (record, action) in self.records.iter().zip(actions.records) {
            let span = record.span();
            while let Some(invalid) = invalid.next_if(|invalid| invalid.start < span.start) {
                copy(invalid, out);
            }
            match action {
                Action::Drop => {}
                Action::Keep => copy(&span, out),
                Action::Mark => mark(block.slice(&span), out),
            }
        }
        invalid.for_each(|span| copy(span, out));
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

    /// The moves that a record names, if any.
    pub fn named_moves(&self, record: usize) -> Option<&[Capture]> {
        let found = self.named.binary_search_by_key(&record, |named| named.0);
        Some(&self.named[found.ok()?].1)
    }
}

/// A part of a line that cannot be read.
#[derive(Clone, Debug)]
pub(crate) struct Unread {
    /// The number of its record.
    pub record: usize,
    /// The field that is missing for it; `None`: the moves that the line names.
    pub field: Option<Field>,
    pub fault: Invalid,
}

/// What of the records must be readable: fields, and the moves that lines name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Required {
    fields: u32,
    moves: bool,
}

impl Required {
    /// The positions alone.
    pub const NOTHING: Required = Required {
        fields: 0,
        moves: false,
    };
    /// All that records hold.
    pub const ALL: Required = Required {
        fields: u32::MAX,
        moves: true,
    };
    /// The moves that lines name.
    pub const MOVES: Required = Required {
        fields: 0,
        moves: true,
    };

    /// These fields, too.
    #[must_use]
    pub fn and(mut self, fields: impl IntoIterator<Item = Field>) -> Required {
        for field in fields {
            self.fields |= 1 << field as u32;
        }
        self
    }

    fn has(self, field: Option<Field>) -> bool {
        field.map_or(self.moves, |field| self.fields >> field as u32 & 1 != 0)
    }
}

/// The state between the written parts of a block: a chunk whose size is known only after its
/// last part.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OpenEnd {
    /// The offset of the original chunk in the block, and of its header in the output, which is
    /// valid if the chunk ends here.
    pub(super) chunk: Option<(usize, usize)>,
}

/// An action on a record.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Action {
    /// Leave it out.
    #[default]
    Drop,
    /// Write it as read.
    Keep,
    /// Write it so that trainers skip it.
    Mark,
}

/// The actions on a block's records.
#[derive(Clone, Copy, Debug)]
pub struct Actions<'a> {
    /// One per record.
    pub records: &'a [Action],
    /// Whether to write the bytes of invalid records, too.
    pub invalid: bool,
}
