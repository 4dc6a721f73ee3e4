//! Records with FENs: those of text, `plain`, CSV and JSON lines.

use std::borrow::Cow;

use super::notes::Unread;
use super::{Block, DecodedPart, Field, Invalid, MAX_LINE, Record, RecordFields};
use swaplist::{PackedMove, Position};

/// Which parts of records must be readable: fields, and the moves that lines name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Required {
    /// A bit for each [`Field`].
    fields: u32,
    moves: bool,
}

impl Required {
    /// Only the positions must be readable.
    pub const NOTHING: Required = Required {
        fields: 0,
        moves: false,
    };
    /// All that records hold must be readable.
    pub const ALL: Required = Required {
        fields: u32::MAX,
        moves: true,
    };
    /// The positions, and the moves that lines name.
    pub const MOVES: Required = Required {
        fields: 0,
        moves: true,
    };

    /// Requires these fields too: a record is invalid if one of them cannot be read.
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

impl DecodedPart {
    /// Lets `decode` add a record of text, and notes why it is invalid if it is.
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
        self.notes.fens.spans.push(start..start + fen.len() as u32);
        self.positions.push(position);
        self.records.push(record);
    }

    /// Adds a record whose FEN is written otherwise in its bytes: it is noted as if it followed the
    /// `block_length` bytes of the block.
    pub(super) fn add_rewritten(
        &mut self,
        block_length: usize,
        fen: &[u8],
        position: Position,
        record: RecordFields,
    ) {
        let notes = &mut self.notes.fens;
        let start = block_length + notes.rewritten.len();
        notes.rewritten.extend_from_slice(fen);
        notes.spans.push(start as u32..(start + fen.len()) as u32);
        self.positions.push(position);
        self.records.push(record);
    }

    /// Makes records invalid if something that is required of them cannot be read.
    #[cold]
    pub(super) fn refuse_unread(&mut self, required: Required) {
        let unread = core::mem::take(&mut self.notes.fens.unread);
        let (lacking, allowed): (Vec<Unread>, Vec<Unread>) = unread
            .into_iter()
            .partition(|unread| required.has(unread.field));
        self.notes.fens.unread = allowed;
        let mut refused = lacking.into_iter().peekable();
        let mut is_left = vec![true; self.records.len()];
        while let Some(Unread { record, fault, .. }) = refused.next() {
            is_left[record] = false;
            let fields = self.records[record];
            self.invalid.push(fault.at(fields.place(), fields.span()));
            // Only the first fault of a record is reported.
            while refused.next_if(|next| next.record == record).is_some() {}
        }
        if is_left.iter().all(|&is_left| is_left) {
            return;
        }
        self.invalid.sort_by_key(|error| error.span.start);
        self.retain(&is_left);
    }

    /// A record's FEN as it is in the file, possibly not normalised; `None` in formats without
    /// FENs.
    pub(crate) fn fen<'a>(&'a self, block: &'a Block, record: usize) -> Option<Cow<'a, str>> {
        let fen = self.fen_bytes(block, record)?;
        // Usually ASCII: `from_utf8_lossy` alone would check each byte.
        let text = core::str::from_utf8(fen).map(Cow::Borrowed);
        Some(text.unwrap_or_else(|_| String::from_utf8_lossy(fen)))
    }

    /// A record's FEN as it is in the file, in bytes.
    pub(super) fn fen_bytes<'a>(&'a self, block: &'a Block, record: usize) -> Option<&'a [u8]> {
        let notes = &self.notes.fens;
        let span = notes.spans.get(record)?;
        let block_length = block.bytes.len();
        Some(match (span.start as usize).checked_sub(block_length) {
            None => block.slice(span),
            Some(start) => &notes.rewritten[start..span.end as usize - block_length],
        })
    }

    /// Appends the whole records by their FENs. Castling rights and clocks that a FEN does not have
    /// are as in [`Record::new`].
    pub(super) fn states_of_fens(&self, block: &Block, states: &mut Vec<Record>) {
        for (record, position) in self.positions.iter().enumerate() {
            let fen = self.fen_bytes(block, record).unwrap_or_default();
            let state = Record::from_ascii(fen, *position);
            states.push(state.map_or(Record::new(*position), |(state, _)| state));
        }
    }

    /// The moves that a record names, if any.
    pub fn named_moves(&self, record: usize) -> Option<&[PackedMove]> {
        let named = &self.notes.fens.named_moves;
        let index = named.binary_search_by_key(&record, |(record, _)| *record);
        Some(&named[index.ok()?].1)
    }
}
