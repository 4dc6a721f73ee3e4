//! Formats of records of equal size.

use core::marker::PhantomData;
use core::ops::Range;
use std::borrow::Cow;

use super::block::slice;
use super::isa::Features;
use super::row::Row;
use super::{
    Action, Actions, Block, Codec, Decoded, EncodeError, Fault, Format, Invalid, Open, Place,
    Record, RecordError, State, in_order,
};
use crate::{CpuPath, Position};

/// A format of records of `N` bytes, for the codec.
pub(crate) trait Layout<const N: usize>: Send + Sync + 'static {
    const FORMAT: Format;

    /// Sets `positions` to those of the valid records, in order, and calls `refused` with the
    /// index and fault of each other one. The old content of `positions` is overwritten.
    fn unpack_all(
        features: Features,
        records: &[[u8; N]],
        positions: &mut Vec<Position>,
        refused: impl FnMut(usize, Fault),
    );

    /// Adds the other fields of a record.
    fn describe(raw: &[u8; N], position: &Position, record: Record) -> Record;

    /// Writes the score 32002 (no score).
    fn mark(raw: &mut [u8; N]);

    /// The state of a valid record, with castling rights and clocks.
    fn state(raw: &[u8; N], position: &Position) -> State;

    /// A valid record as a FEN.
    fn fen(raw: &[u8; N], position: &Position) -> String {
        Self::state(raw, position).board().fen()
    }
}

/// The common columns of such formats.
pub(crate) const fn row<L: Layout<N>, const N: usize>(name: &'static str) -> Row {
    Row {
        record_bytes: Some(N),
        tenths_of_a_record: 10 * N,
        ..Row::new(
            name,
            |bytes| bytes.len() / N * N,
            |path| Box::new(FixedCodec::<L, N>::new(path)),
        )
    }
}

/// Decodes and encodes records of one [`Layout`] of `N` bytes.
struct FixedCodec<L, const N: usize> {
    features: Features,
    layout: PhantomData<L>,
}

impl<L, const N: usize> FixedCodec<L, N> {
    fn new(path: CpuPath) -> FixedCodec<L, N> {
        FixedCodec {
            features: Features::of(path),
            layout: PhantomData,
        }
    }
}

impl<L: Layout<N>, const N: usize> Codec for FixedCodec<L, N> {
    fn decode_part(&self, block: &Block, _: usize, _: usize, into: &mut Decoded) -> Option<usize> {
        let mut positions = core::mem::take(&mut into.positions);
        into.clear();
        let (raw, rest) = block.bytes.as_chunks::<N>();
        L::unpack_all(self.features, raw, &mut positions, |number, fault| {
            let (place, span) = whereabouts::<N>(block, number);
            into.invalid.push(RecordError::new(place, span, fault));
        });
        into.positions = positions;
        describe::<L, N>(block, raw, into);
        if !rest.is_empty() {
            let (place, span) = whereabouts::<N>(block, raw.len());
            let span = span.start..block.bytes.len() as u32;
            let fault = Fault::Truncated {
                needed: N,
                left: rest.len(),
            };
            into.invalid.push(RecordError::new(place, span, fault));
        }
        None
    }

    fn fen<'a>(&self, block: &'a Block, decoded: &Decoded, record: usize) -> Cow<'a, str> {
        let position = &decoded.positions[record];
        let span = decoded.records[record].span();
        let bytes = block.bytes.get(span.start as usize..).unwrap_or_default();
        match bytes.first_chunk() {
            Some(raw) => L::fen(raw, position).into(),
            None => position.to_string().into(),
        }
    }

    fn encode_part(
        &self,
        block: &Block,
        decoded: &Decoded,
        actions: &Actions<'_>,
        out: &mut Vec<u8>,
        _: &mut Open,
    ) -> Result<(), EncodeError> {
        let (raw, _) = block.bytes.as_chunks::<N>();
        if decoded.invalid.is_empty() && actions.records.len() == raw.len() {
            put_all::<L, N>(raw, actions.records, out);
            return Ok(());
        }
        in_order::encode(self, block, decoded, actions, out)
    }

    fn mark(&self, record: &[u8], out: &mut Vec<u8>) -> Result<(), EncodeError> {
        out.extend_from_slice(record);
        if let Some(raw) = out.last_chunk_mut() {
            L::mark(raw);
        }
        Ok(())
    }

    fn format(&self) -> Format {
        L::FORMAT
    }

    fn states(&self, block: &Block, decoded: &Decoded, found: &mut dyn FnMut(usize, &State)) {
        let records = decoded.records.iter().zip(&decoded.positions);
        for (i, (record, position)) in records.enumerate() {
            let raw = slice(block, &record.span()).first_chunk();
            found(
                i,
                &raw.map_or_else(|| State::bare(*position), |raw| L::state(raw, position)),
            );
        }
    }
}

/// Writes the records of a block that are not dropped; none is invalid. Each is written, and
/// the next one overwrites it if it is dropped: the pattern is unpredictable.
fn put_all<L: Layout<N>, const N: usize>(raw: &[[u8; N]], actions: &[Action], out: &mut Vec<u8>) {
    let start = out.len();
    out.resize(start + raw.len() * N, 0);
    let (slots, _) = out[start..].as_chunks_mut::<N>();
    let marks = actions.contains(&Action::Mark);
    let mut put = 0;
    for (raw, &action) in raw.iter().zip(actions) {
        slots[put] = *raw;
        if marks && action == Action::Mark {
            L::mark(&mut slots[put]);
        }
        put += usize::from(action != Action::Drop);
    }
    out.truncate(start + put * N);
}

/// A record's place in the file, and its range in the block.
#[inline(always)]
fn whereabouts<const N: usize>(block: &Block, number: usize) -> (Place, Range<u32>) {
    let start = (number * N) as u32;
    (block.start.plus(start), start..start + N as u32)
}

/// Fills in the other fields of valid records.
fn describe<L: Layout<N>, const N: usize>(block: &Block, raw: &[[u8; N]], into: &mut Decoded) {
    let record = |(number, position): (usize, &Position)| {
        let (place, span) = whereabouts::<N>(block, number);
        L::describe(&raw[number], position, Record::new(place, span))
    };
    if into.invalid.is_empty() {
        let all = into.positions.iter().enumerate();
        return into.records.extend(all.map(record));
    }
    let mut invalid = into.invalid.iter().map(|error| error.span.start).peekable();
    let valid =
        (0..raw.len()).filter(|number| invalid.next_if_eq(&((number * N) as u32)).is_none());
    into.records.extend(valid.zip(&into.positions).map(record));
}

impl Place {
    /// Adds bytes to an offset; lines stay the same.
    pub(crate) fn plus(self, bytes: u32) -> Place {
        match self {
            Place::Line(line) => Place::Line(line),
            Place::Offset(offset) => Place::Offset(offset + u64::from(bytes)),
        }
    }
}

impl RecordError {
    /// Truncated data is reported at the start of its record, game or chain: this many bytes
    /// before the end.
    pub(crate) fn new(place: Place, span: Range<u32>, fault: Fault) -> RecordError {
        let place = match (&fault, place) {
            (Fault::Truncated { left, .. }, Place::Offset(offset)) => {
                let end = offset + u64::from(span.end - span.start);
                Place::Offset(end.saturating_sub(*left as u64))
            }
            _ => place,
        };
        let reason = match fault {
            Fault::Position(error) => Invalid::Position(error),
            fault => Invalid::Fault(fault),
        };
        RecordError {
            place,
            span,
            reason,
        }
    }
}
