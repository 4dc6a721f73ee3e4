//! Codecs of formats with record groups: games and chains.
//!
//! Each record's span is that of its whole game or chain, so records with the same span are
//! written together.

use core::ops::Range;

use super::block::slice;
use super::{Action, Actions, Block, Decoded, Record, State};

/// How a format writes a game or chain.
pub(crate) trait Group {
    /// Writes it without the dropped positions.
    fn drop_positions(&self, bytes: &[u8], kept: impl Fn(usize) -> bool, out: &mut Vec<u8>);

    /// Writes it with the others marked.
    fn mark_positions(&self, bytes: &[u8], kept: impl Fn(usize) -> bool, out: &mut Vec<u8>);

    /// Calls `found` with each position up to a fault.
    fn states(&self, bytes: &[u8], found: impl FnMut(&State));
}

/// The states of all records.
pub(crate) fn states(
    codec: &impl Group,
    block: &Block,
    decoded: &Decoded,
    found: &mut dyn FnMut(usize, &State),
) {
    let mut rest = decoded.records.as_slice();
    let mut record = 0;
    while let Some(first) = rest.first() {
        let in_unit = |other: &&Record| other.span().start == first.span().start;
        let end = record + rest.iter().take_while(in_unit).count();
        rest = &decoded.records[end..];
        codec.states(slice(block, &first.span()), |state| {
            if record < end {
                found(record, state);
                record += 1;
            }
        });
        record = end;
    }
}

/// Writes the games or chains that begin within `span`.
pub(crate) fn encode(
    codec: &impl Group,
    block: &Block,
    decoded: &Decoded,
    actions: &Actions<'_>,
    span: Range<u32>,
    out: &mut Vec<u8>,
) {
    let records = &decoded.records;
    let first = records.partition_point(|record| record.span().start < span.start);
    let mut rest = first..records.partition_point(|record| record.span().start < span.end);
    while let Some(record) = records.get(rest.start).filter(|_| !rest.is_empty()) {
        let count = records[rest.clone()]
            .iter()
            .take_while(|other| other.span().start == record.span().start)
            .count();
        let actions = actions.records.get(rest.start..).unwrap_or_default();
        write(
            codec,
            slice(block, &record.span()),
            &actions[..count.min(actions.len())],
            out,
        );
        rest.start += count;
    }
}

/// Positions after a fault have no action and are not written.
pub(crate) fn write(codec: &impl Group, bytes: &[u8], actions: &[Action], out: &mut Vec<u8>) {
    let action = |i: usize| actions.get(i).copied().unwrap_or_default();
    if actions.iter().all(|&action| action == Action::Drop) {
        return;
    }
    if !actions.contains(&Action::Mark) {
        return codec.drop_positions(bytes, |i| action(i) != Action::Drop, out);
    }
    if !actions.contains(&Action::Drop) {
        return codec.mark_positions(bytes, |i| action(i) != Action::Mark, out);
    }
    let mut marked = Vec::new();
    codec.mark_positions(bytes, |i| action(i) != Action::Mark, &mut marked);
    codec.drop_positions(&marked, |i| action(i) != Action::Drop, out);
}

/// The FEN of one record, replaying its game or chain up to it.
pub(crate) fn fen(codec: &impl Group, block: &Block, decoded: &Decoded, record: usize) -> String {
    let mut left = index_in_unit(decoded, record) + 1;
    let mut fen = None;
    codec.states(slice(block, &decoded.records[record].span()), |state| {
        left = left.wrapping_sub(1);
        if left == 0 {
            fen = Some(state.board().fen());
        }
    });
    fen.unwrap_or_else(|| decoded.positions[record].to_string())
}

/// A record's index in its game or chain.
pub(crate) fn index_in_unit(decoded: &Decoded, record: usize) -> usize {
    let start = decoded.records[record].span().start;
    let first = decoded
        .records
        .partition_point(|other| other.span().start < start);
    record - first
}
