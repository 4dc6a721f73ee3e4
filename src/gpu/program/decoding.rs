//! Work on records of a file that the device decodes.

use super::chunks::Chunk;
use super::layout::{Capacity, WORD, ZEROS};
use super::shader::{Decoder, Kernel};
use super::verdicts::RawVerdict;
use super::workload::Workload;
use super::{answers, verdicts};
use crate::backend::{BackendError, Raw, RawAnswer, RawFacts, Told, Unit};
use crate::{Bounds, Position};

/// The most records of a unit that a device decodes: some drivers end loops after 65,535 turns.
pub(super) const MAX_RECORDS: u32 = 1 << 15;

/// The words that describe a unit.
pub(super) const UNIT_WORDS: usize = 4;

/// What is asked about decoded records.
pub trait Asked: Copy + Sync {
    /// The answer on a record.
    type Answer: Clone + Default + Send;

    /// What judges the positions.
    fn kernel(self) -> Kernel;

    /// The bounds asked about, if any.
    fn bounds(self) -> Bounds;

    /// Reads the answers on a chunk.
    ///
    /// # Errors
    ///
    /// [`BackendError::Wrong`] if one was not written or is impossible.
    fn read(bytes: &[u8], answers: &mut [Self::Answer]) -> Result<(), BackendError>;

    /// What they tell.
    fn told(answers: Vec<Self::Answer>) -> Told;
}

/// The bounds that records exceed.
impl Asked for Bounds {
    type Answer = RawAnswer;

    fn kernel(self) -> Kernel {
        Kernel::Exceed {
            with_threat: self.asks_threat(),
            with_facts: false,
        }
    }

    fn bounds(self) -> Bounds {
        self
    }

    fn read(bytes: &[u8], answers: &mut [RawAnswer]) -> Result<(), BackendError> {
        answers::read_raw(bytes, answers, |&answer| answer)
    }

    fn told(answers: Vec<RawAnswer>) -> Told {
        Told {
            answers,
            ..Told::default()
        }
    }
}

/// The bounds that records exceed, and facts on them.
#[derive(Clone, Copy, Debug)]
pub struct Facts(pub Bounds);

impl Asked for Facts {
    type Answer = RawFacts;

    fn kernel(self) -> Kernel {
        Kernel::Exceed {
            with_threat: self.0.asks_threat(),
            with_facts: true,
        }
    }

    fn bounds(self) -> Bounds {
        self.0
    }

    fn read(bytes: &[u8], answers: &mut [RawFacts]) -> Result<(), BackendError> {
        answers::read_raw(bytes, answers, |facts| facts.raw)
    }

    fn told(facts: Vec<RawFacts>) -> Told {
        Told {
            answers: facts.iter().map(|facts| facts.raw).collect(),
            facts,
            ..Told::default()
        }
    }
}

/// Verdicts on records, without threats.
#[derive(Clone, Copy, Debug)]
pub struct Verdicts;

impl Asked for Verdicts {
    type Answer = RawVerdict;

    fn kernel(self) -> Kernel {
        Kernel::Judge { with_threat: false }
    }

    fn bounds(self) -> Bounds {
        Bounds::default()
    }

    fn read(bytes: &[u8], answers: &mut [RawVerdict]) -> Result<(), BackendError> {
        verdicts::read_raw(bytes, answers)
    }

    fn told(judged: Vec<RawVerdict>) -> Told {
        Told {
            answers: judged.iter().map(|judged| judged.raw).collect(),
            verdicts: judged.into_iter().map(|judged| judged.verdict).collect(),
            ..Told::default()
        }
    }
}

/// Records that the device decodes, and what is asked about them.
#[derive(Clone, Copy, Debug)]
pub struct Decoding<'a, A> {
    raw: Raw<'a>,
    asked: A,
}

impl<'a, A: Asked> Decoding<'a, A> {
    /// `None` if a unit exceeds a chunk, or [`MAX_RECORDS`].
    #[must_use]
    pub fn new(raw: Raw<'a>, asked: A, capacity: Capacity) -> Option<Decoding<'a, A>> {
        let decoding = Decoding { raw, asked };
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

impl<A: Asked> Workload for Decoding<'_, A> {
    type Answer = A::Answer;

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
        self.asked.kernel()
    }

    fn positions(&self) -> &[Position] {
        &[]
    }

    fn bounds(&self) -> Bounds {
        self.asked.bounds()
    }

    fn decoder(&self) -> Option<Decoder> {
        Some(Decoder {
            coding: self.raw.coding,
            kernel: self.kernel(),
        })
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

    fn read(&self, bytes: &[u8], answers: &mut [A::Answer]) -> Result<(), BackendError> {
        A::read(bytes, answers)
    }
}
