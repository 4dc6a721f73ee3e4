//! Work on positions: scoring, judging, comparing with bounds.

use super::chunks::Chunk;
use super::layout::{Capacity, Params, asked, raw_words};
use super::limits::Grid;
use super::shader::{Decoder, Kernel};
use super::{answers, scores, verdicts};
use crate::backend::BackendError;
use crate::simd::{Compare, Judge};
use crate::{Batch, Bounds, Exceeds, Position, Rules, Verdict};

/// Work in chunks: what is uploaded, dispatched and read back.
pub trait Workload: Sync {
    /// One answer.
    type Answer: Send;

    /// Its kernel.
    fn kernel(&self) -> Kernel;

    /// All positions; a chunk holds a range of them. None if the device decodes them.
    fn positions(&self) -> &[Position];

    /// The chunk after `last`; `None` at the end.
    fn chunk_after(&self, last: Option<&Chunk>, capacity: Capacity) -> Option<Chunk> {
        let start = last.map_or(0, |last| last.positions.end);
        let end = self.positions().len().min(start + capacity.verdicts);
        (start < end).then_some(Chunk {
            positions: start..end,
            captures: 0..0,
        })
    }

    /// The bounds asked about, if any.
    fn bounds(&self) -> Bounds {
        Bounds::default()
    }

    /// What decodes a chunk's positions, if the device does.
    fn decoder(&self) -> Option<Decoder> {
        None
    }

    /// A chunk's positions, or its bytes of a file.
    fn upload(&self, chunk: &Chunk) -> &[u8] {
        bytemuck::cast_slice(&self.positions()[chunk.positions.clone()])
    }

    /// The requests of a chunk, or the units of its bytes, in little-endian words.
    fn requests<'b>(&'b self, _chunk: &'b Chunk) -> impl Iterator<Item = [u8; 4]> + 'b {
        core::iter::empty()
    }

    /// Their number.
    fn request_words(&self, _chunk: &Chunk) -> usize {
        0
    }

    /// The number of answers to a chunk.
    #[must_use]
    fn answers(chunk: &Chunk) -> usize {
        chunk.positions.len()
    }

    /// Reads answers from the device's bytes.
    ///
    /// # Errors
    ///
    /// [`BackendError::Wrong`] if one was not written or is impossible.
    fn read(&self, bytes: &[u8], answers: &mut [Self::Answer]) -> Result<(), BackendError>;

    /// The parameters and workgroups of a chunk.
    fn params(
        &self,
        chunk: &Chunk,
        rules: &Rules,
        grid: Grid,
        serial: u64,
    ) -> (Params, (u32, u32)) {
        let count = Self::answers(chunk) as u32;
        let groups = grid.of(self.kernel(), count);
        let units = self.decoder().map_or(0, |_| chunk.captures.len() as u32);
        let params = Params {
            count,
            groups_x: groups.0,
            serial: bytemuck::cast(serial.to_le_bytes()),
            values: rules.values,
            bounds: asked(self.bounds()),
            units,
            units_x: grid.of_units(units).0,
            units_at: raw_words(self.upload(chunk).len()) as u32,
            padding: 0,
        };
        (params, groups)
    }
}

/// Scores for moves.
#[derive(Clone, Copy, Debug)]
pub struct Scoring<'a> {
    batch: &'a Batch,
    /// Whether each score fits in half a word.
    narrow: bool,
}

impl<'a> Scoring<'a> {
    /// For all moves of a batch.
    #[must_use]
    pub fn new(batch: &'a Batch, rules: &Rules) -> Scoring<'a> {
        let narrow = scores::fit_half_a_word(rules);
        Scoring { batch, narrow }
    }
}

impl Workload for Scoring<'_> {
    type Answer = i32;

    fn chunk_after(&self, last: Option<&Chunk>, capacity: Capacity) -> Option<Chunk> {
        let next = |last: &Chunk| (last.captures.end, last.positions.start);
        let (capture, hint) = last.map_or((0, 0), next);
        Chunk::at(self.batch, capture, hint, capacity)
    }

    fn kernel(&self) -> Kernel {
        Kernel::Score {
            narrow: self.narrow,
        }
    }

    fn positions(&self) -> &[Position] {
        self.batch.positions()
    }

    fn requests<'b>(&'b self, chunk: &'b Chunk) -> impl Iterator<Item = [u8; 4]> + 'b {
        chunk.requests(self.batch)
    }

    fn request_words(&self, chunk: &Chunk) -> usize {
        chunk.captures.len()
    }

    fn answers(chunk: &Chunk) -> usize {
        chunk.captures.len()
    }

    fn read(&self, bytes: &[u8], answers: &mut [i32]) -> Result<(), BackendError> {
        if self.narrow {
            return scores::read_narrow(bytes, answers);
        }
        scores::read(bytes, answers)
    }
}

/// Verdicts on positions.
impl Workload for Judge<'_> {
    type Answer = Verdict;

    fn kernel(&self) -> Kernel {
        Kernel::Judge {
            with_threat: self.with_threat,
        }
    }

    fn positions(&self) -> &[Position] {
        self.positions
    }

    fn read(&self, bytes: &[u8], answers: &mut [Verdict]) -> Result<(), BackendError> {
        verdicts::read(bytes, answers)
    }
}

/// Bounds that positions exceed.
impl Workload for Compare<'_> {
    type Answer = Exceeds;

    fn bounds(&self) -> Bounds {
        self.bounds
    }

    fn kernel(&self) -> Kernel {
        Kernel::Exceed {
            with_threat: self.bounds.asks_threat(),
            with_facts: false,
        }
    }

    fn positions(&self) -> &[Position] {
        self.positions
    }

    fn read(&self, bytes: &[u8], exceeds: &mut [Exceeds]) -> Result<(), BackendError> {
        answers::read(bytes, self.bounds, exceeds)
    }
}
