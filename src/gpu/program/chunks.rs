//! Cuts questions into chunks that fit the buffers: batches, and records of a file that the device
//! decodes.

use core::cmp::Reverse;
use core::ops::Range;

use super::layout::{Capacity, WORD, ZEROS, request};
use crate::Batch;
use crate::backend::{Raw, Unit};

/// Successive moves of a batch with their positions, or positions alone.
///
/// The positions are uploaded as a contiguous range, including those without moves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chunk {
    /// The range of its positions in the batch.
    pub positions: Range<usize>,
    /// The range of its moves in the batch.
    pub captures: Range<usize>,
}

impl Chunk {
    /// The longest chunk from move `capture` on; `None` after the last. `hint` is a position at
    /// or before the move's.
    pub(super) fn at(
        batch: &Batch,
        capture: usize,
        hint: usize,
        capacity: Capacity,
    ) -> Option<Chunk> {
        if capture >= batch.len() {
            return None;
        }
        let all = batch.positions().len();
        let first = position_of(batch, capture, hint);
        let last = first.saturating_add(capacity.positions).min(all) - 1;
        let end = batch
            .range(last)
            .end
            .min(capture.saturating_add(capacity.captures));
        let positions = first..position_of(batch, end - 1, first) + 1;
        Some(Chunk {
            positions,
            captures: capture..end,
        })
    }

    /// The requests of this chunk, in little-endian bytes.
    pub(super) fn requests<'a>(&'a self, batch: &'a Batch) -> impl Iterator<Item = [u8; 4]> + 'a {
        self.positions.clone().flat_map(move |position| {
            let range = batch.range(position);
            let own = range.start.max(self.captures.start)..range.end.min(self.captures.end);
            let index = position - self.positions.start;
            batch.captures()[own]
                .iter()
                .map(move |&capture| request(capture, index).to_le_bytes())
        })
    }
}

/// The position of a move, found by bisection from `hint` on.
fn position_of(batch: &Batch, capture: usize, hint: usize) -> usize {
    hint + batch.ends[hint..].partition_point(|&end| end <= capture)
}

/// The most records of a unit that a device decodes: some drivers end loops after 65,535 turns.
const MAX_RECORDS: u32 = 1 << 15;

/// The words that describe a unit.
const UNIT_WORDS: usize = 4;

/// Whether each unit fits in a chunk and has no more than [`MAX_RECORDS`].
pub(super) fn fits(raw: &Raw<'_>, capacity: Capacity) -> bool {
    (0..raw.units()).all(|unit| {
        let records = raw.unit(unit + 1).first - raw.unit(unit).first;
        records <= MAX_RECORDS && fit(raw, unit..unit + 1, capacity)
    })
}

/// Whether these units fit in a chunk.
fn fit(raw: &Raw<'_>, units: Range<usize>, capacity: Capacity) -> bool {
    let [begin, end] = [units.start, units.end].map(|unit| raw.unit(unit));
    let bytes = (end.start - aligned(begin.start)) as usize + ZEROS + WORD as usize;
    (end.first - begin.first) as usize <= capacity.verdicts
        && bytes as u64 <= capacity.raw_size()
        && words(raw, units.len()) <= capacity.captures
}

/// The words that list so many units; none for records of the same size.
pub(super) fn words(raw: &Raw<'_>, units: usize) -> usize {
    let is_listed = raw.coding.record_bytes().is_none();
    if is_listed { UNIT_WORDS * units } else { 0 }
}

/// The longest chunk from unit `start` on: its captures are its units, its positions their
/// records.
pub(super) fn chunk(raw: &Raw<'_>, start: usize, capacity: Capacity) -> Option<Chunk> {
    let all = raw.units();
    if start >= all {
        return None;
    }
    // By bisection.
    let (mut most, mut beyond) = (start + 1, all + 1);
    while beyond - most > 1 {
        let middle = most.midpoint(beyond);
        if fit(raw, start..middle, capacity) {
            most = middle;
        } else {
            beyond = middle;
        }
    }
    let record = |unit| raw.unit(unit).first as usize;
    Some(Chunk {
        positions: record(start)..record(most),
        captures: start..most,
    })
}

/// The first of a chunk's bytes, and the number of its first record.
fn begin(raw: &Raw<'_>, chunk: &Chunk) -> Unit {
    let Unit { start, first } = raw.unit(chunk.captures.start);
    let start = aligned(start);
    Unit { start, first }
}

/// The word that holds a byte.
const fn aligned(byte: u32) -> u32 {
    byte & !3
}

pub(super) fn bytes<'a>(raw: &Raw<'a>, chunk: &Chunk) -> &'a [u8] {
    let end = raw.unit(chunk.captures.end).start;
    &raw.bytes[begin(raw, chunk).start as usize..end as usize]
}

/// The chunk's units: their bytes from start to end, their first record and the number of
/// records. The longest first, so that neighbours end together: in the file's order most of
/// them wait for the longest one.
pub(super) fn units(raw: &Raw<'_>, chunk: &Chunk) -> Vec<[u32; UNIT_WORDS]> {
    let begin = begin(raw, chunk);
    let listed = words(raw, chunk.captures.len()) / UNIT_WORDS;
    let units = chunk.captures.clone().take(listed);
    let mut units: Vec<[u32; UNIT_WORDS]> = units
        .map(|unit| {
            let [here, next] = [unit, unit + 1].map(|unit| raw.unit(unit));
            let bytes = [here.start - begin.start, next.start - begin.start];
            let records = [here.first - begin.first, next.first - here.first];
            [bytes[0], bytes[1], records[0], records[1]]
        })
        .collect();
    units.sort_unstable_by_key(|&[.., records]| Reverse(records));
    units
}
