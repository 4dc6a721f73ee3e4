//! The two kinds of work: what they send, and what comes back.

use super::chunks::{Capacity, Chunk};
use super::shader::Kernel;
use super::verdicts::VerdictRecord;
use super::{scores, verdicts};
use crate::backend::BackendError;
use crate::{Batch, Position, Verdict};

/// Work that is cut into chunks, uploaded, dispatched and read back.
pub(super) trait Task: Sync {
    /// What comes back, one by one.
    type Output: Send;

    /// How many bytes of a result the device writes.
    const RESULT_SIZE: u64;

    /// The chunk behind the last one; `None` at the end.
    fn chunk_after(&self, last: Option<&Chunk>, capacity: Capacity) -> Option<Chunk>;

    /// The kernel that does it.
    fn kernel(&self) -> Kernel;

    /// All positions; a chunk holds a range of them.
    fn positions(&self) -> &[Position];

    /// Requests of a chunk, in little-endian bytes.
    fn requests<'b>(&'b self, chunk: &'b Chunk) -> impl Iterator<Item = [u8; 4]> + 'b;

    /// How many results a chunk brings.
    fn results(chunk: &Chunk) -> usize;

    /// Takes results as the device wrote them.
    fn read(bytes: &[u8], outputs: &mut [Self::Output]) -> Result<(), BackendError>;
}

/// Scores for moves.
pub(super) struct Scoring<'a> {
    pub batch: &'a Batch,
}

impl Task for Scoring<'_> {
    type Output = i32;
    const RESULT_SIZE: u64 = size_of::<i32>() as u64;

    fn chunk_after(&self, last: Option<&Chunk>, capacity: Capacity) -> Option<Chunk> {
        let next = |last: &Chunk| (last.captures.end, last.positions.start);
        let (capture, hint) = last.map_or((0, 0), next);
        Chunk::at(self.batch, capture, hint, capacity)
    }

    fn kernel(&self) -> Kernel {
        Kernel::Score
    }

    fn positions(&self) -> &[Position] {
        self.batch.positions()
    }

    fn requests<'b>(&'b self, chunk: &'b Chunk) -> impl Iterator<Item = [u8; 4]> + 'b {
        chunk.requests(self.batch)
    }

    fn results(chunk: &Chunk) -> usize {
        chunk.captures.len()
    }

    fn read(bytes: &[u8], outputs: &mut [i32]) -> Result<(), BackendError> {
        scores::read(bytes, outputs)
    }
}

/// Verdicts on positions.
pub(super) struct Judging<'a> {
    pub positions: &'a [Position],
    pub with_threat: bool,
}

impl Task for Judging<'_> {
    type Output = Verdict;
    const RESULT_SIZE: u64 = size_of::<VerdictRecord>() as u64;

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

    fn results(chunk: &Chunk) -> usize {
        chunk.positions.len()
    }

    fn read(bytes: &[u8], outputs: &mut [Verdict]) -> Result<(), BackendError> {
        verdicts::read(bytes, outputs)
    }
}
