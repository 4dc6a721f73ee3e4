//! What a format's own file implements to read it.

use core::ops::Range;

use super::{Action, Actions, Block, Cut, Decoded, Open, Record};
use crate::device::RawAnswer;

/// The half of a format that reads: what its own file implements. The other half, which writes
/// records of other formats, is a column of the table.
pub(crate) trait Decode: Send + Sync {
    /// Decodes a part of a block, as [`Codec::decode_part`](super::Codec::decode_part).
    fn decode(
        &self,
        block: &Block,
        from: usize,
        records: usize,
        into: &mut Decoded,
    ) -> Option<usize>;

    /// Calls `found` with each record's number and its position, castling rights and clocks, in
    /// order.
    fn states(&self, block: &Block, decoded: &Decoded, found: &mut dyn FnMut(usize, &Record)) {
        for (record, position) in decoded.positions.iter().enumerate() {
            let fen = decoded.fen_bytes(block, record).unwrap_or_default();
            let state = Record::of_ascii(fen, *position);
            found(
                record,
                &state.map_or(Record::new(*position), |(state, _)| state),
            );
        }
    }

    /// Appends the records that are not dropped, as they were or marked.
    fn select(
        &self,
        block: &Block,
        decoded: &Decoded,
        actions: &Actions<'_>,
        out: &mut Vec<u8>,
        _open: &mut Open,
    ) {
        self.select_in_order(block, decoded, actions, out);
    }

    /// The same for independent records, and the invalid ones between them if asked for.
    fn select_in_order(
        &self,
        block: &Block,
        decoded: &Decoded,
        actions: &Actions<'_>,
        out: &mut Vec<u8>,
    ) {
        if block.continued && actions.invalid {
            out.extend_from_slice(&block.bytes);
        }
        let invalid = decoded.invalid.iter().filter(|_| actions.invalid);
        let mut invalid = invalid.map(|error| &error.span).peekable();
        let copy = |span: &Range<u32>, out: &mut Vec<u8>| out.extend_from_slice(block.slice(span));
        for (record, action) in decoded.records.iter().zip(actions.records) {
            let span = record.span();
            while let Some(invalid) = invalid.next_if(|invalid| invalid.start < span.start) {
                copy(invalid, out);
            }
            match action {
                Action::Drop => {}
                Action::Keep => copy(&span, out),
                Action::Mark => self.mark(block.slice(&span), out),
            }
        }
        invalid.for_each(|span| copy(span, out));
    }

    /// Appends a record so that trainers skip it, in formats that can mark.
    fn mark(&self, _record: &[u8], _out: &mut Vec<u8>) {}

    /// Cuts a part like [`decode`](Decode::decode)'s into games or chains for a device that
    /// decodes them; `None` if it cannot be cut without decoding.
    fn cut(&self, _block: &Block, _from: usize, _records: usize) -> Option<Cut> {
        None
    }

    /// Adds the records of such a part, without positions, to `into`, which is empty. The
    /// device decoded them all.
    fn outline(&self, _block: &Block, _cut: &Cut, _answers: &[RawAnswer], _into: &mut Decoded) {}
}

/// The [`states`](Decode::states) of records in games or chains, each of which `replay` plays
/// through.
pub(super) fn replayed_states(
    block: &Block,
    decoded: &Decoded,
    found: &mut dyn FnMut(usize, &Record),
    replay: impl Fn(&[u8], &mut dyn FnMut(&Record)),
) {
    let mut end = 0;
    for unit in decoded.units() {
        let mut record = end;
        end += unit.len();
        replay(block.slice(&unit[0].span()), &mut |state| {
            if record < end {
                found(record, state);
                record += 1;
            }
        });
    }
}
