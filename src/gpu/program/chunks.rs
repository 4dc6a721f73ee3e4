//! Cuts batches of moves into chunks that fit a device's buffers, and makes the requests of a
//! chunk: what the shader reads of each move.
//!
//! An example. A [`Batch`] has the positions A, B, C, D with 2, 0, 3 and 1 moves. The moves are
//! numbered 0 to 5, through all positions, and there is room for 4 moves. Chunk 1 is the moves
//! `0..4` with the positions A to C: of C's moves, the first two. Chunk 2 is the moves `4..6` with
//! the positions C and D: C is uploaded again. B is uploaded although it has no moves, since
//! positions go up as one range. (`plan.rs` asks for one chunk after another. Questions about
//! verdicts and bounds have no moves, and `plan.rs` cuts those itself.)

use core::ops::Range;

use super::layout::request;
use crate::{Batch, PackedMove, Position};

/// Successive moves of a batch, and the positions from the first move's to the last move's. Both are
/// empty where no moves are asked about.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Chunk<'a> {
    /// Its positions.
    pub positions: &'a [Position],
    /// Its moves.
    moves: &'a [PackedMove],
    /// For each of its positions the number of the move after its last one, counted in the whole
    /// batch.
    ends: &'a [usize],
    /// The number of its first move in the batch.
    first_move: usize,
}

impl<'a> Chunk<'a> {
    /// The longest chunk that begins with the move `first_move`, with at most so many positions and
    /// moves, each 1 or more; `None` after the last move.
    pub fn beginning_at(
        batch: &'a Batch,
        first_move: usize,
        most_positions: usize,
        most_moves: usize,
    ) -> Option<Chunk<'a>> {
        // The number of moves; that of positions is `all` below.
        if first_move >= batch.len() {
            return None;
        }
        let all = batch.positions().len();
        let first = position_of(batch, first_move, 0);
        // Saturating, so that a capacity of any size is allowed. (A device's is at most 131,072
        // positions, see `requests`.)
        let last_that_fits = first.saturating_add(most_positions).min(all) - 1;
        // Up to the end of the last position that fits, or as many moves as fit.
        let end = batch
            .range(last_that_fits)
            .end
            .min(first_move.saturating_add(most_moves));
        // `end` is the smaller of two numbers, and both are above `first_move`: the range of the
        // position `first` ends after that move, and there is room for at least one move. So each
        // chunk has a move, and cutting comes to an end.
        let last = position_of(batch, end - 1, first);
        let positions: Range<usize> = first..last + 1;
        Some(Chunk {
            positions: &batch.positions()[positions.clone()],
            moves: &batch.captures()[first_move..end],
            ends: &batch.ends[positions],
            first_move,
        })
    }

    /// The number of its moves.
    pub fn len(&self) -> usize {
        self.moves.len()
    }

    /// A request for each move of this chunk, in little-endian bytes: the move in the lower 15
    /// bits, and above them which of the chunk's positions it is played in, from 0 (`request` in
    /// `layout.rs`). A [`Shape`](super::Shape) has no more positions than these 17 bits can count,
    /// 131,072.
    pub fn requests(&self) -> Requests<'a> {
        Requests {
            moves: self.moves,
            ends: self.ends,
            first_move: self.first_move,
            steps: [0; BLOCK],
            written: 0,
            index: 0,
        }
    }
}

/// The requests of a chunk, one after another.
///
/// Positions have few moves each, one here and three there. A loop over the moves of each position
/// would end after a number of turns that the processor cannot predict, once for each position:
/// that took 10 ns a request. So the loop here is over moves. A move's *step* is how many positions
/// end between the move before it and this one: 0 if both are of the same position, else 1 and one
/// more for each position without moves that lies between. Steps are found for a block of moves at
/// once. The sum of all steps so far is the index of the move's position:
///
/// ```text
/// position          A  A  C  C  C  D       B has no moves
/// ends              A 2, B 2, C 5, D 6     one per position
/// steps             0  0  2  0  0  1       two ends at move 2 (A's and B's), one at 5
/// index             0  0  2  2  2  3
/// ```
#[derive(Debug)]
pub(super) struct Requests<'a> {
    /// The moves of the chunk.
    moves: &'a [PackedMove],
    /// For each position of the chunk the number of the move after its last one, counted in the
    /// whole batch. Those that were counted in `steps` are taken off the front. That of the chunk's
    /// last position is always above the number of the chunk's last move, whether its moves go on
    /// in the next chunk or not. So it is in the step of no move of this chunk.
    ends: &'a [usize],
    /// The number in the batch of the chunk's first move: `ends` counts like it.
    first_move: usize,
    /// For each move of the block in work, how many positions end between the move before and it.
    steps: [u32; BLOCK],
    /// How many requests have been returned so far. At each multiple of [`BLOCK`] the next block
    /// begins, and its steps are found.
    written: usize,
    /// The index in the chunk of the position of the last returned request; 0 at first.
    index: u32,
}

/// The number of moves whose steps are noted at once.
const BLOCK: usize = 256;

/// The steps of the block of moves that begins with the move `start` of the batch, and the rest of
/// `ends`: those after the block. No end is below `start`, so `end - start` is never negative: the
/// block before has taken off all ends below `start`, and for the first block, the chunk's first
/// position ends after its first move. (The arguments are values, not `&mut self`, so that the
/// state of [`Requests`] stays in registers.)
fn steps_of(ends: &[usize], start: usize) -> ([u32; BLOCK], &[usize]) {
    let mut steps = [0; BLOCK];
    let mut rest = ends;
    while let [end, others @ ..] = rest
        && let Some(step) = steps.get_mut(end - start)
    {
        *step += 1;
        rest = others;
    }
    (steps, rest)
}

impl Iterator for Requests<'_> {
    type Item = [u8; 4];

    #[inline]
    fn next(&mut self) -> Option<[u8; 4]> {
        let played = *self.moves.get(self.written)?;
        if self.written.is_multiple_of(BLOCK) {
            (self.steps, self.ends) = steps_of(self.ends, self.first_move + self.written);
        }
        self.index += self.steps[self.written % BLOCK];
        self.written += 1;
        Some(request(played, self.index).to_le_bytes())
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.moves.len() - self.written;
        (left, Some(left))
    }
}

impl ExactSizeIterator for Requests<'_> {}

/// The number in the batch of the position that the move `number` belongs to: the first one whose
/// moves end after it. `Batch::ends` has for each position how many moves it and all positions
/// before it have. The search is a bisection, from the position `hint` on.
fn position_of(batch: &Batch, number: usize, hint: usize) -> usize {
    hint + batch.ends[hint..].partition_point(|&end| end <= number)
}
