//! Work on records of a file that the device decodes.

use super::answers;
use super::chunks::Chunk;
use super::layout::{Capacity, WORD, ZEROS};
use super::shader::Kernel;
use super::workload::Workload;
use crate::backend::{BackendError, Coding, Raw, RawAnswer, Unit};
use crate::{Bounds, Position};

/// The most records of a unit that a device decodes: some drivers end loops after 65,535 turns.
pub(super) const MAX_RECORDS: u32 = 1 << 15;

/// The words that describe a unit.
pub(super) const UNIT_WORDS: usize = 4;

/// The bounds that records exceed.
#[derive(Clone, Copy, Debug)]
pub struct Decoding<'a> {
    raw: Raw<'a>,
    bounds: Bounds,
}

impl<'a> Decoding<'a> {
    /// `None` if a unit exceeds a chunk, or [`MAX_RECORDS`].
    #[must_use]
    pub fn new(raw: Raw<'a>, bounds: Bounds, capacity: Capacity) -> Option<Decoding<'a>> {
        let decoding = Decoding { raw, bounds };
        let fits = |unit| {
            let records = raw.unit(unit + 1).first - raw.unit(unit).first;
            records <= MAX_RECORDS && decoding.fits(unit..unit + 1, capacity)
        };
        (0..raw.units()).all(fits).then_some(decoding)
    }

    /// Whether these units fit in a chunk.
    fn fits(&self, units: core::ops::Range<usize>, capacity: Capacity) -> bool {
        let [begin, end] = [units.start, units.end].map(|unit| self.raw.unit(unit));
        let bytes = (end.start - aligned(begin.start)) as usize + ZEROS + WORD as usize;
        (end.first - begin.first) as usize <= capacity.verdicts
            && bytes as u64 <= capacity.raw_size()
            && self.words(units.len()) <= capacity.captures
    }

    /// The words that list so many units; none for records of the same size.
    fn words(&self, units: usize) -> usize {
        let is_listed = self.raw.coding.record_bytes().is_none();
        if is_listed { UNIT_WORDS * units } else { 0 }
    }

    /// The first of a chunk's bytes, and the number of its first record.
    fn begin(&self, chunk: &Chunk) -> Unit {
        let Unit { start, first } = self.raw.unit(chunk.captures.start);
        let start = aligned(start);
        Unit { start, first }
    }
}

/// The word that holds a byte.
const fn aligned(byte: u32) -> u32 {
    byte & !3
}

impl Workload for Decoding<'_> {
    type Answer = RawAnswer;

    /// A chunk's captures are its units, its positions their records.
    fn chunk_after(&self, last: Option<&Chunk>, capacity: Capacity) -> Option<Chunk> {
        let start = last.map_or(0, |last| last.captures.end);
        let all = self.raw.units();
        if start >= all {
            return None;
        }
        // The most that fit, by bisection.
        let (mut fit, mut beyond) = (start + 1, all + 1);
        while beyond - fit > 1 {
            let middle = fit.midpoint(beyond);
            if self.fits(start..middle, capacity) {
                fit = middle;
            } else {
                beyond = middle;
            }
        }
        let record = |unit| self.raw.unit(unit).first as usize;
        Some(Chunk {
            positions: record(start)..record(fit),
            captures: start..fit,
        })
    }

    fn kernel(&self) -> Kernel {
        Kernel::Exceed {
            with_threat: self.bounds.asks_threat(),
        }
    }

    fn positions(&self) -> &[Position] {
        &[]
    }

    fn bounds(&self) -> Bounds {
        self.bounds
    }

    fn decoder(&self) -> Option<Coding> {
        Some(self.raw.coding)
    }

    fn upload(&self, chunk: &Chunk) -> &[u8] {
        let end = self.raw.unit(chunk.captures.end).start;
        let bytes = self.begin(chunk).start as usize..end as usize;
        &self.raw.bytes[bytes]
    }

    /// The chunk's units: their bytes from start to end, their first record and the number of
    /// records. By falling number, so that invocations side by side end together: in the file's
    /// order most of them wait for the longest one.
    fn requests<'b>(&'b self, chunk: &'b Chunk) -> impl Iterator<Item = [u8; 4]> + 'b {
        let begin = self.begin(chunk);
        let listed = self.request_words(chunk) / UNIT_WORDS;
        let units = chunk.captures.clone().take(listed);
        let mut units: Vec<[u32; UNIT_WORDS]> = units
            .map(|unit| {
                let [here, next] = [unit, unit + 1].map(|unit| self.raw.unit(unit));
                let bytes = [here.start - begin.start, next.start - begin.start];
                let records = [here.first - begin.first, next.first - here.first];
                [bytes[0], bytes[1], records[0], records[1]]
            })
            .collect();
        units.sort_unstable_by_key(|&[.., records]| core::cmp::Reverse(records));
        units.into_iter().flatten().map(u32::to_le_bytes)
    }

    fn request_words(&self, chunk: &Chunk) -> usize {
        self.words(chunk.captures.len())
    }

    fn size(&self, answers: usize) -> u64 {
        answers as u64 * WORD
    }

    fn read(&self, bytes: &[u8], answers: &mut [RawAnswer]) -> Result<(), BackendError> {
        answers::read_raw(bytes, answers)
    }
}
