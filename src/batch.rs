//! Positions with the moves to score.

use crate::{PackedMove, Position};

/// Positions, each with its moves to score: the input of a backend.
///
/// The scores of a batch are one `i32` per move, in the order in which the moves were pushed.
///
/// ```
/// use swaplist::{Batch, Position, noisy_moves};
///
/// let position: Position = "4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1".parse()?;
/// let mut batch = Batch::new();
/// batch.push(position, noisy_moves(&position));
/// assert_eq!((batch.positions().len(), batch.len()), (1, 1));
/// # Ok::<(), swaplist::PositionError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Batch {
    positions: Vec<Position>,
    /// For each position, the end of its moves in `captures`.
    pub(crate) ends: Vec<usize>,
    captures: Vec<PackedMove>,
}

impl Batch {
    /// A batch without positions and moves, to which [`Batch::push`] adds.
    pub const fn new() -> Batch {
        Batch {
            positions: Vec::new(),
            ends: Vec::new(),
            captures: Vec::new(),
        }
    }

    /// Adds a position and its moves, in the order in which they will be scored. There may be none.
    pub fn push(&mut self, position: Position, captures: impl IntoIterator<Item = PackedMove>) {
        self.captures.extend(captures);
        self.positions.push(position);
        self.ends.push(self.captures.len());
    }

    /// Empties the batch, keeping its memory.
    pub fn clear(&mut self) {
        self.positions.clear();
        self.ends.clear();
        self.captures.clear();
    }

    /// The number of moves, which is the number of scores.
    pub fn len(&self) -> usize {
        self.captures.len()
    }

    /// Whether there is no move to score.
    pub fn is_empty(&self) -> bool {
        self.captures.is_empty()
    }

    /// The positions, in the order in which they were pushed.
    pub fn positions(&self) -> &[Position] {
        &self.positions
    }

    /// All moves, position by position.
    pub fn captures(&self) -> &[PackedMove] {
        &self.captures
    }

    /// The range in [`Batch::captures`] of a position's moves, and so of its scores.
    ///
    /// # Panics
    ///
    /// If there is no such position.
    #[inline]
    pub fn range(&self, position: usize) -> core::ops::Range<usize> {
        let before = position.checked_sub(1);
        before.map_or(0, |before| self.ends[before])..self.ends[position]
    }

    /// Each position with its moves.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&Position, &[PackedMove])> {
        self.positions
            .iter()
            .enumerate()
            .map(|(i, position)| (position, &self.captures[self.range(i)]))
    }
}
