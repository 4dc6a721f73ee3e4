//! Records of one game or chain: their spans are those of the whole group.

use super::block::slice;
use super::{Block, Codec, Decoded, Record, State};

/// The records of each game or chain.
pub(super) fn units(records: &[Record]) -> impl Iterator<Item = &[Record]> {
    records.chunk_by(|a, b| a.span().start == b.span().start)
}

/// The states of all records.
pub(super) fn states(
    codec: &(impl Codec + ?Sized),
    block: &Block,
    decoded: &Decoded,
    found: &mut dyn FnMut(usize, &State),
) {
    let mut end = 0;
    for unit in units(&decoded.records) {
        let mut record = end;
        end += unit.len();
        codec.replay(slice(block, &unit[0].span()), &mut |state| {
            if record < end {
                found(record, state);
                record += 1;
            }
        });
    }
}

/// The FEN of one record, replaying its game or chain up to it.
pub(super) fn fen(
    codec: &(impl Codec + ?Sized),
    block: &Block,
    decoded: &Decoded,
    record: usize,
) -> String {
    let mut left = index_in_unit(decoded, record) + 1;
    let mut fen = None;
    codec.replay(
        slice(block, &decoded.records[record].span()),
        &mut |state| {
            left = left.wrapping_sub(1);
            if left == 0 {
                fen = Some(state.to_xfen());
            }
        },
    );
    fen.unwrap_or_else(|| decoded.positions[record].to_string())
}

/// A record's index in its game or chain.
pub(super) fn index_in_unit(decoded: &Decoded, record: usize) -> usize {
    let start = decoded.records[record].span().start;
    let in_unit = |other: &Record| other.span().start < start;
    record - decoded.records.partition_point(in_unit)
}
