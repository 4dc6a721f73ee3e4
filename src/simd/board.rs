//! Positions in lanes, and what squares on them see: `position.rs` and
//! `attacks.rs` eight or four at a time.

use super::lanes::{Mask, PerLane, Simd, Word};

/// The planes of one position a lane.
#[derive(Clone, Copy)]
pub(super) struct Board<W> {
    pub bit0: W,
    pub bit1: W,
    pub bit2: W,
    pub black: W,
}

impl<W: Word> Board<W> {
    #[inline(always)]
    pub(super) fn new([bit0, bit1, bit2, black]: [W; 4]) -> Board<W> {
        Board {
            bit0,
            bit1,
            bit2,
            black,
        }
    }

    #[inline(always)]
    pub(super) fn occupied(&self) -> W {
        self.bit0 | self.bit1 | self.bit2
    }

    #[inline(always)]
    pub(super) fn pawns(&self) -> W {
        self.bit0 & !self.bit1 & !self.bit2
    }

    #[inline(always)]
    pub(super) fn knights(&self) -> W {
        self.bit1 & !self.bit0 & !self.bit2
    }

    #[inline(always)]
    pub(super) fn bishops(&self) -> W {
        self.bit0 & self.bit1 & !self.bit2
    }

    #[inline(always)]
    pub(super) fn rooks(&self) -> W {
        self.bit2 & !self.bit0 & !self.bit1
    }

    #[inline(always)]
    pub(super) fn queens(&self) -> W {
        self.bit0 & self.bit2 & !self.bit1
    }

    #[inline(always)]
    pub(super) fn kings(&self) -> W {
        self.bit1 & self.bit2
    }

    #[inline(always)]
    pub(super) fn diagonal_sliders(&self) -> W {
        self.bit0 & (self.bit1 ^ self.bit2)
    }

    #[inline(always)]
    pub(super) fn straight_sliders(&self) -> W {
        self.bit2 & !self.bit1
    }

    /// The piece code on each lane's square, given as a bit.
    #[inline(always)]
    pub(super) fn code_at<S: Simd<Word = W>>(&self, simd: S, square: W) -> W {
        self.bit0.meets(square).keep(simd.splat(1))
            | self.bit1.meets(square).keep(simd.splat(2))
            | self.bit2.meets(square).keep(simd.splat(4))
    }
}

/// The lines through one square a lane, and what `o ^ (o - 2r)` needs.
#[derive(Clone, Copy)]
pub(super) struct Lines<W> {
    /// File, rank, diagonal, antidiagonal, the square itself left out.
    pub lines: [W; 4],
    /// The square's bit.
    pub square: W,
    /// Twice the bit of the square, and of its place on the turned board.
    twice: W,
    twice_turned: W,
}

impl<W: Word> Lines<W> {
    #[inline(always)]
    pub(super) fn new(lines: [W; 4], square: W) -> Lines<W> {
        Lines {
            lines,
            square,
            twice: square.shl::<1>(),
            twice_turned: square.reversed().shl::<1>(),
        }
    }

    /// Of one square a lane.
    #[inline(always)]
    pub(super) fn of<S: Simd<Word = W>>(simd: S, squares: &PerLane) -> Lines<W> {
        Lines::new(simd.lines(squares), simd.load(squares).bit())
    }

    /// What a queen sees. Each line's differences are cut to the line before
    /// they are joined, so that the board is turned back but once.
    #[inline(always)]
    pub(super) fn queen_attacks(&self, occupied: W) -> W {
        let turned = occupied.reversed();
        let (twice, twice_turned) = (self.twice, self.twice_turned);
        let [file, rank, diagonal, antidiagonal] = self.lines;
        let ahead = difference(file, occupied, twice)
            | difference(rank, occupied, twice)
            | difference(diagonal, occupied, twice)
            | difference(antidiagonal, occupied, twice);
        let behind = difference(file.reversed(), turned, twice_turned)
            | difference(rank.reversed(), turned, twice_turned)
            | difference(diagonal.reversed(), turned, twice_turned)
            | difference(antidiagonal.reversed(), turned, twice_turned);
        ahead ^ behind.reversed()
    }

    /// What is seen along one line.
    #[inline(always)]
    pub(super) fn line_attacks(&self, line: W, occupied: W) -> W {
        let blockers = occupied & line;
        let ahead = blockers - self.twice;
        let behind = blockers.reversed() - self.twice_turned;
        (ahead ^ behind.reversed()) & line
    }

    /// The line on which a piece stands; nothing if it stands on none.
    #[inline(always)]
    pub(super) fn line_of(&self, piece: W) -> W {
        let [file, rank, diagonal, antidiagonal] = self.lines;
        let on_file = file.meets(piece).keep(file);
        let straight = rank.meets(piece).select(rank, on_file);
        let sloping = diagonal.meets(piece).select(diagonal, straight);
        antidiagonal.meets(piece).select(antidiagonal, sloping)
    }

    /// The sliders on these lines that move along them.
    #[inline(always)]
    pub(super) fn aligned(&self, board: &Board<W>) -> W {
        let [file, rank, diagonal, antidiagonal] = self.lines;
        board.straight_sliders() & (file | rank)
            | board.diagonal_sliders() & (diagonal | antidiagonal)
    }
}

/// `o - 2r` on a line, o being what stands on it.
#[inline(always)]
fn difference<W: Word>(line: W, occupied: W, twice: W) -> W {
    line & ((occupied & line) - twice)
}
