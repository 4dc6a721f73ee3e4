//! Where games of independent records begin, so that no conversion cuts one.

use super::legal::is_same;
use super::{Block, Codec, Decoded, Place, Record};

/// Bytes decoded at the end of a block to find where its last game begins, and the factor for
/// further attempts.
const TAIL: usize = 1 << 14;
const MORE: usize = 8;

/// The start of the last game in whole records; 0 if there is only one.
pub(super) fn last_one(codec: &Codec, records: &[u8], place: Place) -> usize {
    let mut tail = TAIL;
    loop {
        let before = records.len().saturating_sub(tail);
        let start = (codec.format().row().whole_records)(&records[..before]);
        let found = last_one_after(codec, records, start, place);
        if found > start || start == 0 {
            return found;
        }
        tail *= MORE;
    }
}

/// The same, searched after some byte, or else that byte.
fn last_one_after(codec: &Codec, records: &[u8], start: usize, place: Place) -> usize {
    let place = match place {
        Place::Line(line) if start > 0 => Place::Line(line + 1),
        at => at,
    };
    let tail = Block::new(records[start..].to_vec(), place);
    let mut decoded = Decoded::default();
    codec.decode(&tail, &mut decoded);
    let mut last = start;
    let mut before: Option<Record> = None;
    codec.states(&tail, &decoded, &mut |i, state| {
        let record = state.with(decoded.records[i]);
        if before.is_some_and(|before| !goes_on(&before, &record)) {
            last = start + record.fields.span().start as usize;
        }
        before = Some(record);
    });
    last
}

/// Whether a record is the position after the played move of the one before.
pub(super) fn goes_on(before: &Record, record: &Record) -> bool {
    let mut board = before.board();
    before.fields.played().is_some_and(|played| {
        let kind = board.kind(played);
        board.advance(played, kind).is_ok() && is_same(&board, &record.board())
    })
}
