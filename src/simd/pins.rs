//! Stockfish's pin rules in lanes: `exchange/pins.rs`.

use super::board::{Board, Lines, king_squares};
use super::lanes::{Mask, MaskOf, Simd, Stages, Word};
use crate::Pins;

/// One side's pinned pieces with their pinners.
#[derive(Clone, Copy)]
pub(super) struct SidePins<W> {
    pub blockers: W,
    pub pinners: W,
}

impl<W: Word> SidePins<W> {
    /// Own pieces that alone stand between the king and a sniper, and those snipers, by the pin
    /// rules of Stockfish.
    #[inline(always)]
    pub(super) fn new<S: Simd<Word = W>>(simd: S, pins: Pins, board: &Board<W>, own: W) -> Self {
        let king = Lines::of(simd, &king_squares::<S>(board.kings() & own));
        let snipers = king.aligned(board) & !own;
        let mut occupied = board.occupied();
        if pins == Pins::Sf {
            occupied = occupied & !snipers;
        }
        let seen = king.queen_attacks(occupied);
        let first = seen & own & occupied;
        let through = king.queen_attacks(occupied ^ first);
        let pinners = through & !seen & snipers;
        let blockers = king.before(simd, first, pinners);
        SidePins { blockers, pinners }
    }
}

/// Own pieces that alone stand between the king and an enemy slider; `nearest` are the pieces
/// that the king sees.
#[inline(always)]
pub(super) fn shields<S: Stages>(
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

/// Which pieces may not recapture, for both sides.
pub(super) struct BarredPieces<W> {
    pins: Pins,
    /// The first mover's opponent's pieces, then its own.
    pinned: [SidePins<W>; 2],
}

impl<W: Word> BarredPieces<W> {
    #[inline(always)]
    pub(super) fn new<S: Simd<Word = W>>(
        simd: S,
        pins: Pins,
        board: &Board<W>,
        opponent: W,
    ) -> BarredPieces<W> {
        let zero = simd.splat(0);
        let none = SidePins {
            blockers: zero,
            pinners: zero,
        };
        let mut pinned = [none; 2];
        if pins != Pins::None {
            pinned = [
                SidePins::new(simd, pins, board, opponent),
                SidePins::new(simd, pins, board, !opponent),
            ];
        }
        BarredPieces { pins, pinned }
    }

    /// The barred pieces of the first mover's opponent, or of the first mover.
    #[inline(always)]
    pub(super) fn of<S: Simd<Word = W>>(&self, simd: S, opponent: bool, occupied: W) -> W {
        let SidePins { blockers, pinners } = self.pinned[usize::from(!opponent)];
        match self.pins {
            Pins::None | Pins::Legal => simd.splat(0),
            Pins::Sf => pinners.meets(occupied).keep(blockers),
            Pins::Sf8 => pinners.misses(!occupied).keep(blockers),
        }
    }
}

/// Lanes where a pin may bar one of a side's attackers: it is on a line with its king and an enemy
/// slider.
#[inline(always)]
pub(super) fn may_bar<S: Simd>(
    simd: S,
    board: &Board<S::Word>,
    side: S::Word,
    attackers: S::Word,
) -> MaskOf<S> {
    let pieces = attackers & side;
    let king = king_squares::<S>(board.kings() & side);
    let [file, rank, diagonal, antidiagonal] = simd.lines(&king);
    let (straight, diagonal) = (file | rank, diagonal | antidiagonal);
    pieces.meets(straight) & straight.meets(board.straight_sliders() & !side)
        | pieces.meets(diagonal) & diagonal.meets(board.diagonal_sliders() & !side)
}
