//! The two kinds of work: what they send, and what comes back.

use super::chunks::{Capacity, Chunk};
use super::shader::Kernel;
use super::sizes::RECORD_SIZE;
use super::{scores, verdicts};
use crate::backend::BackendError;
use crate::{Batch, Position, Verdict};

/// Work that is cut into chunks, uploaded, dispatched and read back.
pub(super) trait Task: Sync {
    /// What comes back, one by one.
    type Output: Send;

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

    /// How many bytes the device writes for so many results.
    fn size(&self, results: usize) -> u64;

    /// Takes results as the device wrote them.
    fn read(&self, bytes: &[u8], outputs: &mut [Self::Output]) -> Result<(), BackendError>;
}

/// Scores for moves.
pub(super) struct Scoring<'a> {
    pub batch: &'a Batch,
    /// Whether every score fits half a word.
    pub narrow: bool,
}

impl Task for Scoring<'_> {
    type Output = i32;

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

    fn results(chunk: &Chunk) -> usize {
        chunk.captures.len()
    }

    fn size(&self, results: usize) -> u64 {
        scores::size(results, self.narrow)
    }

    fn read(&self, bytes: &[u8], outputs: &mut [i32]) -> Result<(), BackendError> {
        if self.narrow {
            return scores::read_narrow(bytes, outputs);
        }
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

    fn size(&self, results: usize) -> u64 {
        results as u64 * RECORD_SIZE
    }

    fn read(&self, bytes: &[u8], outputs: &mut [Verdict]) -> Result<(), BackendError> {
        verdicts::read(bytes, outputs)
    }
}
