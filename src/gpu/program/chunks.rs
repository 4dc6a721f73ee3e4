//! Cuts batches into chunks that fit the buffers.
//!
//! A batch has the positions A, B, C, D with 2, 0, 3 and 1 moves, numbered 0 to 5, and there is
//! room for 4 moves. Chunk 1 is the moves `0..4` with the positions A to C: of C's moves, the first
//! two. Chunk 2 is the moves `4..6` with the positions C and D: C is uploaded again. B is uploaded
//! although it has no moves, since positions go up as one range.

use core::ops::Range;

use super::layout::{Capacity, request};
use crate::Batch;

/// What one dispatch works on. For scores: successive moves of a batch, and the positions from the
/// first move's to the last move's. For verdicts and bounds: positions, and the empty range `0..0`
/// of moves (`work.rs`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chunk {
    /// The range of its positions in the batch.
    pub positions: Range<usize>,
    /// The range of its moves in the batch, among [`Batch::captures`].
    pub captures: Range<usize>,
}

impl Chunk {
    /// The longest chunk that begins with the move `first_move`; `None` after the last move. There
    /// must be room for one position and one move. `hint` is the number of a position at or before
    /// that of the move: the search begins there.
    pub(super) fn beginning_at(
        batch: &Batch,
        first_move: usize,
        hint: usize,
        capacity: Capacity,
    ) -> Option<Chunk> {
        if first_move >= batch.len() {
            return None;
        }
        let all = batch.positions().len();
        let first = position_of(batch, first_move, hint);
        let last_that_fits = first.saturating_add(capacity.positions).min(all) - 1;
        let end = batch
            .range(last_that_fits)
            .end
            .min(first_move.saturating_add(capacity.captures));
        // `end` is above `first_move`: the range of `first` alone ends after that move.
        let last = position_of(batch, end - 1, first);
        Some(Chunk {
            positions: first..last + 1,
            captures: first_move..end,
        })
    }

    /// A request for each move of this chunk, in little-endian bytes: the move, and the index in
    /// the chunk of its position. (`Capacity` sees to it that the index fits.)
    pub(super) fn requests<'a>(&'a self, batch: &'a Batch) -> impl Iterator<Item = [u8; 4]> + 'a {
        self.positions.clone().flat_map(move |position| {
            let moves = batch.range(position);
            // Of the first and last position, some moves may be in other chunks.
            let in_chunk = moves.start.max(self.captures.start)..moves.end.min(self.captures.end);
            let index = position - self.positions.start;
            batch.captures()[in_chunk]
                .iter()
                .map(move |&played| request(played, index).to_le_bytes())
        })
    }
}

/// The number of the position that a move belongs to. `ends` has the number of moves up to and with
/// each position. The search is a bisection, from the position `hint` on.
fn position_of(batch: &Batch, number: usize, hint: usize) -> usize {
    hint + batch.ends[hint..].partition_point(|&end| end <= number)
}
