//! Codecs of formats whose records hang together: games and chains.
//!
//! Each record's span is that of the whole game or chain it belongs to, so
//! records with one span are a unit that is written anew as a whole.

use core::ops::Range;

use super::block::slice;
use super::{Block, Decoded, Fate, Fates, Record, State};

/// How a format writes a unit.
pub(crate) trait Group {
    /// Without the positions that are not kept.
    fn drop_positions(&self, bytes: &[u8], kept: impl Fn(usize) -> bool, out: &mut Vec<u8>);

    /// With those marked that are not kept.
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

/// Writes the units that begin within `span`.
pub(crate) fn encode(
    codec: &impl Group,
    block: &Block,
    decoded: &Decoded,
    fates: &Fates<'_>,
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
        let fates = fates.records.get(rest.start..).unwrap_or_default();
        write(
            codec,
            slice(block, &record.span()),
            &fates[..count.min(fates.len())],
            out,
        );
        rest.start += count;
    }
}

/// Positions without a fate, behind a fault, are not written.
pub(crate) fn write(codec: &impl Group, bytes: &[u8], fates: &[Fate], out: &mut Vec<u8>) {
    let fate = |i: usize| fates.get(i).copied().unwrap_or_default();
    if fates.iter().all(|&fate| fate == Fate::Drop) {
        return;
    }
    if !fates.contains(&Fate::Mark) {
        return codec.drop_positions(bytes, |i| fate(i) != Fate::Drop, out);
    }
    if !fates.contains(&Fate::Drop) {
        return codec.mark_positions(bytes, |i| fate(i) != Fate::Mark, out);
    }
    let mut marked = Vec::new();
    codec.mark_positions(bytes, |i| fate(i) != Fate::Mark, &mut marked);
    codec.drop_positions(&marked, |i| fate(i) != Fate::Drop, out);
}

/// The FEN of one record, for which its unit is gone through up to it.
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

/// Where a record stands in its unit.
pub(crate) fn index_in_unit(decoded: &Decoded, record: usize) -> usize {
    let start = decoded.records[record].span().start;
    let first = decoded
        .records
        .partition_point(|other| other.span().start < start);
    record - first
}
