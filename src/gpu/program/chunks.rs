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
    hint + batch.ends()[hint..].partition_point(|&end| end <= capture)
}

#[cfg(test)]
mod tests {
    use super::super::layout::MAX_POSITIONS;
    use super::*;
    use crate::{Capture, Position};

    fn batch(counts: &[usize]) -> Batch {
        let mut batch = Batch::new();
        let mut bits = 0;
        for &count in counts {
            let captures = (0..count).map(|_| {
                bits += 1;
                Capture::from_bits(bits)
            });
            batch.push(bytemuck::Zeroable::zeroed(), captures);
        }
        batch
    }

    /// Checks that chunks hold every move once, in order, with its position, within the
    /// capacity.
    fn check(counts: &[usize], capacity: Capacity) -> usize {
        let batch = batch(counts);
        let (mut next, mut hint, mut chunks) = (0, 0, 0);
        while let Some(chunk) = Chunk::at(&batch, next, hint, capacity) {
            assert!(chunk.positions.len() <= capacity.positions);
            assert!((1..=capacity.captures).contains(&chunk.captures.len()));
            let requests: Vec<_> = chunk.requests(&batch).map(u32::from_le_bytes).collect();
            assert_eq!(requests.len(), chunk.captures.len());
            for (request, capture) in requests.into_iter().zip(chunk.captures.clone()) {
                let position = chunk.positions.start + (request >> Capture::BITS) as usize;
                assert!(batch.range(position).contains(&capture));
                let bits = request as u16 & ((1 << Capture::BITS) - 1);
                assert_eq!(bits, batch.captures()[capture].to_bits());
            }
            assert_eq!(chunk.captures.start, next);
            (next, hint, chunks) = (chunk.captures.end, chunk.positions.start, chunks + 1);
        }
        assert_eq!(next, batch.len());
        chunks
    }

    #[test]
    fn chunks_cover_a_batch_once() {
        let counts = [0, 0, 3, 1, 0, 40, 0, 0, 2, 7, 0];
        for positions in 1..13 {
            for captures in 1..60 {
                check(
                    &counts,
                    Capacity {
                        positions,
                        captures,
                        verdicts: 1,
                    },
                );
            }
        }
    }

    #[test]
    fn positions_without_moves_make_no_chunk() {
        let capacity = Capacity {
            positions: 2,
            captures: 2,
            verdicts: 1,
        };
        assert_eq!(check(&[], capacity), 0);
        assert_eq!(check(&[0; 9], capacity), 0);
        assert_eq!(check(&[0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0], capacity), 2);
        assert_eq!(check(&[5], capacity), 3, "one position in three chunks");
    }

    #[test]
    fn a_request_holds_every_move_and_index() {
        let all_ones = Capture::from_bits(u16::MAX);
        assert_eq!(request(all_ones, MAX_POSITIONS - 1), u32::MAX);
        assert_eq!(size_of::<Position>(), 32);
    }
}
