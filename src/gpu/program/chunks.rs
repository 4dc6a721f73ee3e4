//! Cuts batches into chunks that fit the buffers.

use core::ops::Range;

use super::layout::{Capacity, request};
use crate::Batch;

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
