//! The two kinds of work: what they send, and what comes back.

use super::chunks::Chunk;
use super::layout::{Capacity, Params, RECORD_SIZE};
use super::limits::Grid;
use super::shader::Kernel;
use super::{scores, verdicts};
use crate::backend::BackendError;
use crate::{Batch, Position, Rules, Verdict};

/// Work that is cut into chunks, uploaded, dispatched and read back.
pub trait Workload: Sync {
    /// What comes back, one by one.
    type Answer: Send;

    /// The chunk behind the last one; `None` at the end.
    fn chunk_after(&self, last: Option<&Chunk>, capacity: Capacity) -> Option<Chunk>;

    /// The kernel that does it.
    fn kernel(&self) -> Kernel;

    /// All positions; a chunk holds a range of them.
    fn positions(&self) -> &[Position];

    /// Requests of a chunk, in little-endian bytes.
    fn requests<'b>(&'b self, chunk: &'b Chunk) -> impl Iterator<Item = [u8; 4]> + 'b;

    /// How many answers a chunk brings.
    fn answers(chunk: &Chunk) -> usize;

    /// How many bytes the device writes for so many answers.
    fn size(&self, answers: usize) -> u64;

    /// Takes answers as the device wrote them.
    ///
    /// # Errors
    ///
    /// [`BackendError::Wrong`] if one of them was not written, or cannot be one.
    fn read(&self, bytes: &[u8], answers: &mut [Self::Answer]) -> Result<(), BackendError>;

    /// The parameters of a chunk, and the workgroups to dispatch.
    fn params(
        &self,
        chunk: &Chunk,
        rules: &Rules,
        grid: Grid,
        serial: u64,
    ) -> (Params, (u32, u32)) {
        let count = Self::answers(chunk) as u32;
        let groups = grid.of(self.kernel(), count);
        let params = Params {
            count,
            groups_x: groups.0,
            serial: bytemuck::cast(serial.to_le_bytes()),
            values: rules.values,
        };
        (params, groups)
    }
}

/// Scores for moves.
#[derive(Clone, Copy, Debug)]
pub struct Scoring<'a> {
    batch: &'a Batch,
    /// Whether every score fits half a word.
    narrow: bool,
}

impl<'a> Scoring<'a> {
    /// Of every move of a batch.
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

    fn answers(chunk: &Chunk) -> usize {
        chunk.captures.len()
    }

    fn size(&self, answers: usize) -> u64 {
        scores::size(answers, self.narrow)
    }

    fn read(&self, bytes: &[u8], answers: &mut [i32]) -> Result<(), BackendError> {
        if self.narrow {
            return scores::read_narrow(bytes, answers);
        }
        scores::read(bytes, answers)
    }
}

/// Verdicts on positions.
#[derive(Clone, Copy, Debug)]
pub struct Judging<'a> {
    /// The positions.
    pub positions: &'a [Position],
    /// Whether the opponent's threat is looked for too.
    pub with_threat: bool,
}

impl Workload for Judging<'_> {
    type Answer = Verdict;

    fn chunk_after(&self, last: Option<&Chunk>, capacity: Capacity) -> Option<Chunk> {
        let start = last.map_or(0, |last| last.positions.end);
        let end = self.positions.len().min(start + capacity.verdicts);
        (start < end).then_some(Chunk {
            positions: start..end,
            captures: 0..0,
        })
    }

    fn kernel(&self) -> Kernel {
        Kernel::Judge {
            with_threat: self.with_threat,
        }
    }

    fn positions(&self) -> &[Position] {
        self.positions
    }

    fn requests<'b>(&'b self, _: &'b Chunk) -> impl Iterator<Item = [u8; 4]> + 'b {
        core::iter::empty()
    }

    fn answers(chunk: &Chunk) -> usize {
        chunk.positions.len()
    }

    fn size(&self, answers: usize) -> u64 {
        answers as u64 * RECORD_SIZE
    }

    fn read(&self, bytes: &[u8], answers: &mut [Verdict]) -> Result<(), BackendError> {
        verdicts::read(bytes, answers)
    }
}
