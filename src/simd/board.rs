//! Boards in lanes, attacks on squares, and Stockfish's pins: `position.rs`, `attacks.rs` and
//! `exchange/pins.rs` for several positions at a time.

use super::lanes::{MAX_LANES, Mask, MaskOf, PerLane, Simd, Stages, Values, Word, each};
use crate::attacks::{INNER, Inner};
use crate::{Pins, Position};

/// The planes of one position per lane.
#[derive(Clone, Copy)]
pub(crate) struct Board<W> {
    pub bit0: W,
    pub bit1: W,
    pub bit2: W,
    pub black: W,
}

impl<W: Word> Board<W> {
    #[inline(always)]
    pub(crate) fn new([bit0, bit1, bit2, black]: [W; 4]) -> Board<W> {
        Board {
            bit0,
            bit1,
            bit2,
            black,
        }
    }

    #[inline(always)]
    pub(crate) fn occupied(&self) -> W {
        self.bit0 | self.bit1 | self.bit2
    }

    #[inline(always)]
    pub(crate) fn pawns(&self) -> W {
        self.bit0 & !self.bit1 & !self.bit2
    }

    #[inline(always)]
    pub(crate) fn knights(&self) -> W {
        self.bit1 & !self.bit0 & !self.bit2
    }

    #[inline(always)]
    pub(crate) fn kings(&self) -> W {
        self.bit1 & self.bit2
    }

    #[inline(always)]
    pub(crate) fn diagonal_sliders(&self) -> W {
        self.bit0 & (self.bit1 ^ self.bit2)
    }

    #[inline(always)]
    pub(crate) fn straight_sliders(&self) -> W {
        self.bit2 & !self.bit1
    }

    /// Pawns, knights and kings that attack a square, given its masks.
    #[inline(always)]
    pub(crate) fn steps(&self, [.., knight, king, white_pawns, black_pawns]: [W; 8]) -> W {
        let pawns = black_pawns & self.black | white_pawns & !self.black;
        self.pawns() & pawns | self.knights() & knight | self.kings() & king
    }

    /// Which of one side's attackers may recapture: a king only if the other side has no guard.
    /// The only place for this rule in lanes.
    #[inline(always)]
    pub(crate) fn may_recapture(&self, attackers: W, guards: W) -> W {
        attackers & !guards.meets(guards).keep(self.kings())
    }

    /// The piece code on each lane's square, given as a bit.
    #[inline(always)]
    pub(crate) fn code_at<S: Simd<Word = W>>(&self, simd: S, square: W) -> W {
        self.bit0.meets(square).keep(simd.splat(1))
            | self.bit1.meets(square).keep(simd.splat(2))
            | self.bit2.meets(square).keep(simd.splat(4))
    }
}

/// The pieces of two sides, one of which captures.
#[derive(Clone, Copy)]
pub(crate) struct Pieces<S: Simd> {
    pub board: Board<S::Word>,
    pub occupied: S::Word,
    pub us: S::Word,
    pub them: S::Word,
    pub black_moves: MaskOf<S>,
    /// Our pawns that are about to promote.
    pub promoting: S::Word,
    /// These pawns and the en-passant target.
    pub rare: S::Word,
}

impl<S: Simd> Pieces<S> {
    /// For the side to move, or its opponent as if it were to move.
    #[inline(always)]
    pub(crate) fn new(simd: S, positions: [&Position; MAX_LANES], opponent: bool) -> Pieces<S> {
        let board = Board::new(simd.planes(positions));
        let occupied = board.occupied();
        let king_to_move = board.bit0 & board.bit1 & board.bit2;
        let black_to_move = king_to_move.meets(board.black);
        let black_moves = if opponent {
            !black_to_move
        } else {
            black_to_move
        };
        let side = black_moves.select(board.black, !board.black);
        let us = occupied & side;
        let them = occupied & !side;
        let seventh = black_moves.select(simd.splat(0xff00), simd.splat(0x00ff_0000_0000_0000));
        let promoting = board.pawns() & us & seventh;
        let ep = if opponent {
            simd.splat(0)
        } else {
            board.black & !occupied
        };
        Pieces {
            board,
            occupied,
            us,
            them,
            black_moves,
            promoting,
            rare: promoting | ep,
        }
    }
}

/// The squares on which steps may end, in every lane.
#[inline(always)]
pub(crate) fn inner<S: Simd>(simd: S) -> Inner<S::Word> {
    Inner {
        all: simd.splat(INNER.all),
        b_to_h: simd.splat(INNER.b_to_h),
        a_to_g: simd.splat(INNER.a_to_g),
        c_to_h: simd.splat(INNER.c_to_h),
        a_to_f: simd.splat(INNER.a_to_f),
    }
}

/// The lines through one square per lane.
#[derive(Clone, Copy)]
pub(crate) struct Lines<W> {
    /// File, rank, diagonal, antidiagonal, without the square itself.
    pub lines: [W; 4],
    /// The square's bit.
    pub square: W,
}

impl<W: Word> Lines<W> {
    /// The lines of squares, given their masks in the order of `SquareMasks`.
    #[inline(always)]
    pub(crate) fn new([file, rank, diagonal, antidiagonal, ..]: [W; 8], square: W) -> Lines<W> {
        let lines = [file, rank, diagonal, antidiagonal];
        Lines { lines, square }
    }

    /// The lines through one square per lane, looked up.
    #[inline(always)]
    pub(crate) fn from_squares<S: Simd<Word = W>>(simd: S, squares: &PerLane) -> Lines<W> {
        Lines {
            lines: simd.lines(squares),
            square: simd.load(squares).bit(),
        }
    }

    /// Queen attacks: `o ^ (o - 2r)` on all lines. Each difference is masked to its line before
    /// they are joined, so that the board is reversed back only once.
    #[inline(always)]
    pub(crate) fn queen_attacks(&self, occupied: W) -> W {
        let [file, rank, diagonal, antidiagonal] = self.lines;
        let twice_square = self.square << 1;
        let ahead = difference(file, occupied, twice_square)
            | difference(rank, occupied, twice_square)
            | difference(diagonal, occupied, twice_square)
            | difference(antidiagonal, occupied, twice_square);
        let reversed = occupied.reversed();
        let twice_reversed = self.square.reversed() << 1;
        let behind = difference(file.reversed(), reversed, twice_reversed)
            | difference(rank.reversed(), reversed, twice_reversed)
            | difference(diagonal.reversed(), reversed, twice_reversed)
            | difference(antidiagonal.reversed(), reversed, twice_reversed);
        ahead ^ behind.reversed()
    }

    /// The line on which a piece stands, or nothing.
    #[inline(always)]
    pub(crate) fn line_of(&self, piece: W) -> W {
        let [file, rank, diagonal, antidiagonal] = self.lines;
        file.meets(piece).keep(file)
            | rank.meets(piece).keep(rank)
            | diagonal.meets(piece).keep(diagonal)
            | antidiagonal.meets(piece).keep(antidiagonal)
    }

    /// Which of `pieces` have one of `others` behind them in the same direction.
    #[inline(always)]
    pub(crate) fn before<S: Simd<Word = W>>(&self, simd: S, pieces: W, others: W) -> W {
        let below = self.square - simd.splat(1);
        let mut before = simd.splat(0);
        for side in [below, !below] {
            let pieces_of_side = pieces & side;
            let others_of_side = others & side;
            for line in self.lines {
                before = before | others_of_side.meets(line).keep(pieces_of_side & line);
            }
        }
        before
    }

    /// Sliders on these lines that move along them.
    #[inline(always)]
    pub(crate) fn aligned(&self, board: &Board<W>) -> W {
        let [file, rank, diagonal, antidiagonal] = self.lines;
        board.straight_sliders() & (file | rank)
            | board.diagonal_sliders() & (diagonal | antidiagonal)
    }
}

impl<W: Values> Lines<W> {
    /// The nearest piece in each of the eight directions.
    #[inline(always)]
    pub(crate) fn nearest<S: Simd<Word = W>>(&self, simd: S, occupied: W) -> W {
        let [file, rank, diagonal, antidiagonal] = self.lines;
        let below = self.square - simd.splat(1);
        let above = occupied & !below;
        let under = occupied & below;
        (above & file).lowest()
            | (above & rank).lowest()
            | (above & diagonal).lowest()
            | (above & antidiagonal).lowest()
            | W::highest_of_each([
                under & file,
                under & rank,
                under & diagonal,
                under & antidiagonal,
            ])
    }

    /// The nearest pieces on a line in both directions.
    #[inline(always)]
    pub(crate) fn nearest_on<S: Simd<Word = W>>(&self, simd: S, line: W, occupied: W) -> W {
        let pieces = line & occupied;
        let below = self.square - simd.splat(1);
        let [_, rank, ..] = self.lines;
        (pieces & !below).lowest() | (pieces & below).highest_of_line(rank)
    }
}

/// One side's pinned pieces with their pinners.
#[derive(Clone, Copy)]
pub(crate) struct SidePins<W> {
    pub blockers: W,
    pub pinners: W,
}

impl<W: Word> SidePins<W> {
    /// Own pieces that alone stand between the king and a sniper, and those snipers, by the pin
    /// rules of Stockfish.
    #[inline(always)]
    pub(crate) fn new<S: Simd<Word = W>>(simd: S, pins: Pins, board: &Board<W>, own: W) -> Self {
        let king = Lines::from_squares(simd, &king_squares::<S>(board.kings() & own));
        let snipers = king.aligned(board) & !own;
        let mut occupied = board.occupied();
        if pins == Pins::Sf {
            occupied = occupied & !snipers;
        }
        let attacked = king.queen_attacks(occupied);
        let first = attacked & own & occupied;
        let through = king.queen_attacks(occupied ^ first);
        let pinners = through & !attacked & snipers;
        let blockers = king.before(simd, first, pinners);
        SidePins { blockers, pinners }
    }
}

/// Own pieces that alone stand between the king and an enemy slider; `nearest` are the pieces
/// that the king sees.
#[inline(always)]
pub(crate) fn shields<S: Stages>(
    simd: S,
    king: &Lines<S::Word>,
    nearest: S::Word,
    own: S::Word,
    snipers: S::Word,
    occupied: S::Word,
) -> S::Word {
    let first = nearest & own;
    let behind = king.nearest(simd, occupied ^ first) & !nearest;
    king.before(simd, first, behind & snipers)
}

/// Lanes where a pin may bar one of a side's attackers, by the quick test of `may_bar` in
/// `exchange/pins.rs`, which says yes too often.
#[inline(always)]
pub(crate) fn may_bar<S: Simd>(
    simd: S,
    board: &Board<S::Word>,
    side: S::Word,
    attackers: S::Word,
) -> MaskOf<S> {
    let pieces = attackers & side;
    let king = king_squares::<S>(board.kings() & side);
    let [file, rank, diagonal, antidiagonal] = simd.lines(&king);
    let straights = file | rank;
    let diagonals = diagonal | antidiagonal;
    pieces.meets(straights) & straights.meets(board.straight_sliders() & !side)
        | pieces.meets(diagonals) & diagonals.meets(board.diagonal_sliders() & !side)
}

/// The square of the first king in each lane, or a1.
#[inline(always)]
pub(crate) fn king_squares<S: Simd>(kings: S::Word) -> PerLane {
    let mut lanes = [0; MAX_LANES];
    kings.store(&mut lanes);
    each(lanes, |kings| kings.trailing_zeros() & 63)
}

/// `o - 2r` on a line, where o are the pieces on it, and r is the square that the sliders look
/// from.
#[inline(always)]
fn difference<W: Word>(line: W, occupied: W, twice_square: W) -> W {
    line & ((occupied & line) - twice_square)
}
