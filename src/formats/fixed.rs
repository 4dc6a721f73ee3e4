//! Formats of records of equal size.

use core::marker::PhantomData;
use core::ops::Range;

use shakmaty::Square;

use super::decode::{Decode, select_in_order};
use super::isa::{self, Features, Isa};
use super::output::{OutputRecord, OutputRecords};
use super::row::{Row, Target};
use super::{
    Action, Actions, Block, Cut, Decoded, Invalid, Open, Place, Record, RecordError, RecordFields,
    VALUE_NONE,
};
use crate::Position;
use crate::device::{Coding, RawAnswer};

/// A format of records of `N` bytes, for the codec.
pub(crate) trait Layout<const N: usize>: Sized + Send + Sync + 'static {
    /// The place of the score.
    const SCORE: usize;
    /// How a device decodes it, if one can.
    const CODING: Option<Coding> = None;

    /// Unpacks many records.
    const UNPACK: Unpack<N> = one_by_one::<Self, N>;

    /// A record's position, or its fault.
    fn unpack<I: Isa>(isa: I, raw: &[u8; N]) -> Result<Position, Invalid>;

    /// Adds the other fields of a record.
    fn describe(raw: &[u8; N], record: RecordFields) -> RecordFields;

    /// The state of a valid record, with castling rights and clocks.
    fn state(raw: &[u8; N], position: &Position) -> Record;

    /// The record of another format's.
    fn pack(record: &OutputRecord<'_>) -> Result<[u8; N], RecordError>;
}

/// Sets the positions to those of the valid records, in order, and calls a function with the
/// index and fault of each other one. The old positions are overwritten.
pub(crate) type Unpack<const N: usize> =
    fn(Features, &[[u8; N]], &mut Vec<Position>, &mut dyn FnMut(usize, Invalid));

fn one_by_one<L: Layout<N>, const N: usize>(
    _: Features,
    records: &[[u8; N]],
    positions: &mut Vec<Position>,
    refused: &mut dyn FnMut(usize, Invalid),
) {
    positions.clear();
    for (number, raw) in records.iter().enumerate() {
        match L::unpack(isa::Portable, raw) {
            Ok(position) => positions.push(position),
            Err(fault) => refused(number, fault),
        }
    }
}

/// 16 bits of a record.
#[inline(always)]
pub(super) const fn word<const N: usize>(raw: &[u8; N], at: usize) -> u16 {
    u16::from_le_bytes([raw[at], raw[at + 1]])
}

#[inline(always)]
pub(super) const fn put_word<const N: usize>(raw: &mut [u8; N], at: usize, word: u16) {
    [raw[at], raw[at + 1]] = word.to_le_bytes();
}

/// A square on which pawns are captured en passant.
pub(super) fn ep_square(square: u8) -> Result<Square, Invalid> {
    match square {
        16..24 | 40..48 => Ok(Square::new(square.into())),
        _ => Err(Invalid::en_passant(square)),
    }
}

fn mark<L: Layout<N>, const N: usize>(raw: &mut [u8; N]) {
    put_word(raw, L::SCORE, VALUE_NONE.cast_unsigned());
}

fn write<L: Layout<N>, const N: usize>(
    records: OutputRecords<'_>,
    out: &mut Vec<u8>,
    _: &mut Open,
) -> Result<(), RecordError> {
    for record in records {
        out.extend_from_slice(&L::pack(&record)?);
    }
    Ok(())
}

/// The common columns of such formats.
pub(crate) const fn row<L: Layout<N>, const N: usize>(
    name: &'static str,
    no_place: fn(Option<i32>, &Record) -> Option<String>,
) -> Row {
    Row {
        target: Some(Target {
            no_place,
            write: write::<L, N>,
        }),
        record_bytes: Some(N),
        tenths_of_a_record: 10 * N,
        coding: L::CODING,
        ..Row::new(
            name,
            |bytes| bytes.len() / N * N,
            |path| Box::new(FixedCodec(Features::of(path), PhantomData::<L>)),
        )
    }
}

/// Decodes and encodes records of one [`Layout`] of `N` bytes.
struct FixedCodec<L, const N: usize>(Features, PhantomData<L>);

impl<L: Layout<N>, const N: usize> Decode for FixedCodec<L, N> {
    fn decode(&self, block: &Block, _: usize, _: usize, into: &mut Decoded) -> Option<usize> {
        let mut positions = core::mem::take(&mut into.positions);
        into.clear();
        let (raw, rest) = block.bytes.as_chunks::<N>();
        L::UNPACK(self.0, raw, &mut positions, &mut |number, fault| {
            let span = span::<N>(number);
            into.refuse(block, span.start, span, fault);
        });
        into.positions = positions;
        describe::<L, N>(block, raw, into);
        if !rest.is_empty() {
            let end = block.bytes.len() as u32;
            let start = end - rest.len() as u32;
            into.refuse(block, start, start..end, Invalid::cut_off(N, rest.len()));
        }
        None
    }

    fn cut(&self, block: &Block, _: usize, _: usize) -> Option<Cut> {
        let whole = block.bytes.len().is_multiple_of(N);
        let coding = L::CODING.filter(|_| whole)?;
        Some(Cut::new(coding, 0..block.bytes.len(), Vec::new(), None))
    }

    fn outline(&self, block: &Block, _: &Cut, _: &[RawAnswer], into: &mut Decoded) {
        describe::<L, N>(block, block.bytes.as_chunks::<N>().0, into);
    }

    fn select(
        &self,
        block: &Block,
        decoded: &Decoded,
        actions: &Actions<'_>,
        out: &mut Vec<u8>,
        _: &mut Open,
    ) {
        let (raw, _) = block.bytes.as_chunks::<N>();
        if decoded.invalid.is_empty() && actions.records.len() == raw.len() {
            return put_all::<L, N>(raw, actions.records, out);
        }
        select_in_order(block, decoded, actions, out, &|record, out| {
            self.mark(record, out);
        });
    }

    fn mark(&self, record: &[u8], out: &mut Vec<u8>) {
        out.extend_from_slice(record);
        if let Some(raw) = out.last_chunk_mut() {
            mark::<L, N>(raw);
        }
    }

    fn states(&self, block: &Block, decoded: &Decoded, found: &mut dyn FnMut(usize, &Record)) {
        let records = decoded.records.iter().zip(&decoded.positions);
        for (i, (record, position)) in records.enumerate() {
            let raw = block.slice(&record.span()).first_chunk();
            let state = raw.map(|raw| L::state(raw, position));
            found(i, &state.unwrap_or(Record::new(*position)));
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
            mark::<L, N>(&mut slots[put]);
        }
        put += usize::from(action != Action::Drop);
    }
    out.truncate(start + put * N);
}

/// A record's range in the block.
#[inline(always)]
const fn span<const N: usize>(number: usize) -> Range<u32> {
    let start = (number * N) as u32;
    start..start + N as u32
}

/// Fills in the other fields of valid records.
fn describe<L: Layout<N>, const N: usize>(block: &Block, raw: &[[u8; N]], into: &mut Decoded) {
    let record = |number: usize| {
        let span = span::<N>(number);
        let place = block.start.plus(span.start);
        L::describe(&raw[number], RecordFields::new(place, span))
    };
    if into.invalid.is_empty() {
        return into.records.extend((0..raw.len()).map(record));
    }
    let mut invalid = into.invalid.iter().map(|error| error.span.start).peekable();
    let valid =
        (0..raw.len()).filter(|number| invalid.next_if_eq(&((number * N) as u32)).is_none());
    into.records.extend(valid.map(record));
}

impl Place {
    /// Adds bytes to an offset; other places stay the same.
    pub(crate) fn plus(self, bytes: u32) -> Place {
        match self {
            Place::Offset(offset) => Place::Offset(offset + u64::from(bytes)),
            other => other,
        }
    }
}
