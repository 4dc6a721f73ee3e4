//! Stockfish's pin rules in lanes: `exchange/pins.rs`.

use super::board::{Board, Lines};
use super::exchange::Exchange;
use super::first_move::Group;
use super::lanes::{MAX_LANES, Mask, MaskOf, PerLane, Simd, Word};
use crate::exchange::{NO_PINS, SF_PINS};

/// One side's pinned pieces with their pinners.
#[derive(Clone, Copy)]
pub(super) struct Pinned<W> {
    pub blockers: W,
    pub pinners: W,
}

impl<W: Word> Pinned<W> {
    /// Own pieces that alone stand between the king and a sniper, and those snipers. `occupied`
    /// are the pieces that block a sniper.
    #[inline(always)]
    pub(super) fn new<S: Simd<Word = W>>(
        simd: S,
        king: &Lines<W>,
        own: W,
        snipers: W,
        occupied: W,
    ) -> Pinned<W> {
        let seen = king.queen_attacks(occupied);
        let first = seen & own & occupied;
        let through = king.queen_attacks(occupied ^ first);
        let pinners = through & !seen & snipers;
        let blockers = king.before(simd, first, pinners);
        Pinned { blockers, pinners }
    }
}

/// Own pieces that alone stand between the king and an enemy slider; `nearest` are the pieces
/// that the king sees.
#[inline(always)]
pub(super) fn shields<S: Simd>(
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
pub(super) struct Barred<W> {
    /// The first mover's opponent's pieces, then its own.
    pinned: [Pinned<W>; 2],
}

impl<W: Word> Barred<W> {
    #[inline(always)]
    pub(super) fn new<S: Simd<Word = W>, const PINS: u8>(
        simd: S,
        board: &Board<W>,
        opponent: W,
        group: &Group,
    ) -> Barred<W> {
        let zero = simd.splat(0);
        let none = Pinned {
            blockers: zero,
            pinners: zero,
        };
        let mut pinned = [none; 2];
        if PINS != NO_PINS {
            for (i, pinned) in pinned.iter_mut().enumerate() {
                let own = if i == 0 { opponent } else { !opponent };
                let king = Lines::of(simd, &kings(group, i == 0));
                let snipers = king.aligned(board) & !own;
                let mut occupied = board.occupied();
                if PINS == SF_PINS {
                    occupied = occupied & !snipers;
                }
                *pinned = Pinned::new(simd, &king, own, snipers, occupied);
            }
        }
        Barred { pinned }
    }

    /// The barred pieces of the first mover's opponent, or of the first mover.
    #[inline(always)]
    pub(super) fn of<S: Simd<Word = W>, const PINS: u8>(
        &self,
        simd: S,
        opponent: bool,
        occupied: W,
    ) -> W {
        if PINS == NO_PINS {
            return simd.splat(0);
        }
        let Pinned { blockers, pinners } = self.pinned[usize::from(!opponent)];
        if PINS == SF_PINS {
            pinners.meets(occupied).keep(blockers)
        } else {
            pinners.misses(!occupied).keep(blockers)
        }
    }
}

/// Lanes where a pin may bar one of the attackers: it is on a line with its king and an enemy
/// slider.
#[inline(always)]
pub(super) fn may_bar<S: Simd>(
    simd: S,
    exchange: &Exchange<'_, S, NO_PINS>,
    group: &Group,
) -> MaskOf<S> {
    may_bar_side(simd, exchange, group, true) | may_bar_side(simd, exchange, group, false)
}

#[inline(always)]
fn may_bar_side<S: Simd>(
    simd: S,
    exchange: &Exchange<'_, S, NO_PINS>,
    group: &Group,
    opponents: bool,
) -> MaskOf<S> {
    let Exchange {
        board, opponent, ..
    } = exchange;
    let side = if opponents { *opponent } else { !*opponent };
    let [file, rank, diagonal, antidiagonal] = simd.lines(&kings(group, opponents));
    let (straight, diagonal) = (file | rank, diagonal | antidiagonal);
    let own = exchange.attackers & side;
    own.meets(straight) & straight.meets(board.straight_sliders() & !side)
        | own.meets(diagonal) & diagonal.meets(board.diagonal_sliders() & !side)
}

/// The king square of each lane's opponent or first mover.
#[inline(always)]
fn kings(group: &Group, opponents: bool) -> PerLane {
    let mut squares = [0; MAX_LANES];
    for (i, square) in squares.iter_mut().enumerate() {
        let position = group.positions[i];
        let black = position.black_bits();
        let mover_is_black = black >> group.captures[i].from_index() & 1 != 0;
        let side = if mover_is_black == opponents {
            !black
        } else {
            black
        };
        *square = (position.kings() & side).trailing_zeros() & 63;
    }
    squares
}
