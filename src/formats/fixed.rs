//! Formats of records of equal size.

use core::marker::PhantomData;
use core::ops::Range;

use bytemuck::Zeroable as _;
use shakmaty::Square;

use super::convert::{OutputRecord, OutputRecords};
use super::isa::Features;
use super::spec::{FormatCode, FormatSpec, WholeRecords};
use super::{
    Action, Actions, Block, DecodedPart, Fault, Invalid, OpenEnd, Place, Record, RecordFields,
    VALUE_NONE,
};
use crate::Position;
use crate::simd::{GROUP, Instructions};

/// A format of records of `N` bytes, for the codec.
pub(crate) trait Layout<const N: usize>: Sized + Send + Sync + 'static {
    /// The place of the score.
    const SCORE: usize;

    /// Unpacks groups of records at once, if vectors can; see [`Instructions::unpack`].
    const IN_GROUPS: Option<InGroups<N>> = None;

    /// A record's position, or its fault.
    fn unpack(raw: &[u8; N]) -> Result<Position, Invalid>;

    /// Adds the other fields of a record.
    fn describe(raw: &[u8; N], record: RecordFields) -> RecordFields;

    /// The state of a valid record, with castling rights and clocks.
    fn state(raw: &[u8; N], position: &Position) -> Record;

    /// The record of another format's.
    fn pack(record: &OutputRecord<'_>) -> [u8; N];

    /// As [`FormatCode::cannot_hold`].
    fn cannot_hold(score: Option<i32>, record: &Record) -> Option<String>;

    /// As [`FormatCode::makes_sense`].
    fn makes_sense(_bytes: &[u8], _positions: &[Position]) -> bool {
        true
    }
}

/// Given the records, their positions, and a bit for each valid one.
pub(crate) type InGroups<const N: usize> = fn(Instructions, &[[u8; N]], &mut [Position], &mut [u8]);

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
        _ => Err(Invalid::code(Fault::EnPassant, square)),
    }
}

fn mark<L: Layout<N>, const N: usize>(raw: &mut [u8; N]) {
    put_word(raw, L::SCORE, VALUE_NONE.cast_unsigned());
}

/// The common properties of such formats.
pub(crate) const fn spec<L: Layout<N>, const N: usize>(name: &'static str) -> FormatSpec {
    FormatSpec {
        record_bytes: Some(N),
        tenths_of_a_record: 10 * N,
        is_convertible_to: true,
        ..FormatSpec::new(name, FixedRecords::<L, N>::CODE)
    }
}

/// The code of such a format.
struct FixedRecords<L, const N: usize>(PhantomData<L>);

impl<L: Layout<N>, const N: usize> FixedRecords<L, N> {
    const CODE: &'static dyn FormatCode = &FixedRecords::<L, N>(PhantomData);
}

impl<L: Layout<N>, const N: usize> FormatCode for FixedRecords<L, N> {
    fn makes_sense(&self, bytes: &[u8], positions: &[Position]) -> bool {
        L::makes_sense(bytes, positions)
    }

    fn whole_records(&self, bytes: &[u8]) -> WholeRecords {
        WholeRecords::of_length(bytes.len() / N * N)
    }

    fn decode(
        &self,
        features: Features,
        block: &Block,
        _: usize,
        _: usize,
        part: &mut DecodedPart,
    ) -> Option<usize> {
        decode::<L, N>(features.lanes, block, part);
        None
    }

    fn states(&self, _: Features, block: &Block, part: &DecodedPart, states: &mut Vec<Record>) {
        for (record, position) in part.records.iter().zip(&part.positions) {
            let raw = block.slice(&record.span()).first_chunk();
            let state = raw.map(|raw| L::state(raw, position));
            states.push(state.unwrap_or(Record::new(*position)));
        }
    }

    fn select(
        &self,
        _: Features,
        block: &Block,
        part: &DecodedPart,
        actions: &Actions<'_>,
        out: &mut Vec<u8>,
        _: &mut OpenEnd,
    ) {
        let (raw, _) = block.bytes.as_chunks::<N>();
        if part.invalid.is_empty() && actions.records.len() == raw.len() {
            return put_all::<L, N>(raw, actions.records, out);
        }
        part.select(block, actions, out, |record, out| {
            out.extend_from_slice(record);
            if let Some(raw) = out.last_chunk_mut() {
                mark::<L, N>(raw);
            }
        });
    }

    fn cannot_hold(&self, score: Option<i32>, record: &Record) -> Option<String> {
        L::cannot_hold(score, record)
    }

    fn write(&self, records: OutputRecords<'_>, out: &mut Vec<u8>, _: &mut OpenEnd) {
        records.each(|record| out.extend_from_slice(&L::pack(record)));
    }
}

fn decode<L: Layout<N>, const N: usize>(
    lanes: Option<Instructions>,
    block: &Block,
    into: &mut DecodedPart,
) {
    let mut positions = core::mem::take(&mut into.positions);
    into.clear();
    let (raw, rest) = block.bytes.as_chunks::<N>();
    unpack::<L, N>(lanes, raw, &mut positions, |number, fault| {
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
}

/// Records unpacked before they are used: enough for the vector unit, few enough to stay in
/// cache.
const CHUNK: usize = 1024;

/// Sets the positions to those of the valid records, in order, and calls a function with the
/// number and fault of each other one. Overwriting the old positions saves clearing them.
///
/// Records that a vector unit does not find valid are unpacked one by one.
fn unpack<L: Layout<N>, const N: usize>(
    lanes: Option<Instructions>,
    records: &[[u8; N]],
    positions: &mut Vec<Position>,
    mut refused: impl FnMut(usize, Invalid),
) {
    positions.resize(records.len(), Position::zeroed());
    let in_groups = lanes.zip(L::IN_GROUPS);
    let mut kept = 0;
    for (start, chunk) in (0..).step_by(CHUNK).zip(records.chunks(CHUNK)) {
        let mut valid = [0; CHUNK / GROUP];
        let first = kept;
        if let Some((lanes, unpack)) = in_groups {
            unpack(lanes, chunk, &mut positions[first..], &mut valid);
        }
        for (group, records) in chunk.chunks(GROUP).enumerate() {
            let at = group * GROUP;
            if valid[group] == u8::MAX && kept == first + at {
                kept += GROUP;
                continue;
            }
            for (i, record) in (at..).zip(records) {
                let position = match valid[group] >> (i - at) & 1 {
                    1 => Ok(positions[first + i]),
                    _ => L::unpack(record),
                };
                match position {
                    Ok(position) => {
                        positions[kept] = position;
                        kept += 1;
                    }
                    Err(fault) => refused(start + i, fault),
                }
            }
        }
    }
    positions.truncate(kept);
}

/// Records put together before they are appended: few enough to stay in the nearest cache.
const BATCH: usize = 64;

/// Writes the records of a block that are not dropped; none is invalid. Each is written, and
/// the next one overwrites it if it is dropped: the pattern is unpredictable.
fn put_all<L: Layout<N>, const N: usize>(raw: &[[u8; N]], actions: &[Action], out: &mut Vec<u8>) {
    let marks = actions.contains(&Action::Mark);
    let mut slots = [[0; N]; BATCH];
    for (raw, actions) in raw.chunks(BATCH).zip(actions.chunks(BATCH)) {
        let mut put = 0;
        for (raw, &action) in raw.iter().zip(actions) {
            slots[put % BATCH] = *raw;
            if marks && action == Action::Mark {
                mark::<L, N>(&mut slots[put % BATCH]);
            }
            put += usize::from(action != Action::Drop);
        }
        out.extend_from_slice(slots[..put].as_flattened());
    }
}

#[inline(always)]
const fn span<const N: usize>(number: usize) -> Range<u32> {
    let start = (number * N) as u32;
    start..start + N as u32
}

fn describe<L: Layout<N>, const N: usize>(block: &Block, raw: &[[u8; N]], into: &mut DecodedPart) {
    let all = raw.iter().enumerate();
    let start = block.start.number();
    if into.invalid.is_empty() {
        let records = all.map(|(number, raw)| record::<L, N>(start, number, raw));
        return into.records.extend(records);
    }
    let mut invalid = into.invalid.iter().map(|error| error.span.start).peekable();
    let valid = all.filter(|(number, _)| invalid.next_if_eq(&((number * N) as u32)).is_none());
    let records = valid.map(|(number, raw)| record::<L, N>(start, number, raw));
    into.records.extend(records);
}

/// A valid record without its position.
#[inline(always)]
fn record<L: Layout<N>, const N: usize>(start: u64, number: usize, raw: &[u8; N]) -> RecordFields {
    let span = span::<N>(number);
    // No match on the place: this is done for every record.
    let place = Place::Offset(start + u64::from(span.start));
    L::describe(raw, RecordFields::new(place, span))
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
