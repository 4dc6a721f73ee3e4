//! Which records are valid: the tests of `Position::is_sound` and of a format's own
//! bytes, one record a lane.

use crate::attacks::LAST_RANKS;
use crate::captures::fill::Shift as _;
use crate::simd::board::Board;
use crate::simd::lanes::{Mask as _, MaskOf, Simd, Word};
use crate::simd::scheme::Scheme;

/// What the test asks of a unit besides `Simd`.
pub(super) trait Unit: Simd {
    /// What the unit wants to know of one square a lane.
    type Spot: Copy;

    /// Of the lowest bit of each lane; anything where there is none.
    fn spot(self, square: Self::Word) -> Self::Spot;

    /// File, rank, diagonal and antidiagonal; the square may or may not be on them.
    fn lines(self, spot: Self::Spot) -> [Self::Word; 4];

    /// Anything but 0 where one of these attacks the square. If the format tells
    /// who moves, the pawns are black where the mask says so, else they are white.
    fn steps<S: Scheme>(self, spot: Self::Spot, us: Steppers<Self>) -> Self::Word;
}

/// One side's pieces that go one step.
pub(super) struct Steppers<S: Simd> {
    pub pawns: S::Word,
    pub knights: S::Word,
    pub king: S::Word,
    pub black: MaskOf<S>,
}

/// The records in lanes.
pub(super) struct Lanes<W> {
    pub board: Board<W>,
    /// What the records tell to be occupied: their first eight bytes.
    pub occupied: W,
    /// Their last eight bytes.
    pub rest: W,
}

/// Lanes whose records are valid.
#[inline(always)]
pub(super) fn valid<U: Unit, S: Scheme>(unit: U, lanes: &Lanes<U::Word>) -> MaskOf<U> {
    let board = &lanes.board;
    let one = unit.splat(1);
    let mover = board.kings() & board.bit0;
    let their_king = board.kings() & !board.bit0;
    let us = us::<U, S>(unit, board, mover);
    let (straight, diagonal) = (board.straight_sliders() & us, board.diagonal_sliders() & us);
    let spot = unit.spot(their_king);
    let rays = Unit::lines(unit, spot);
    let steppers = Steppers {
        pawns: board.pawns() & us,
        knights: board.knights() & us,
        king: mover,
        black: mover.meets(board.black),
    };

    // A nibble that is no piece, or one beyond the 32nd, left its square empty.
    let holes = board.occupied() ^ lanes.occupied;
    let (before_mover, below) = (mover - one, their_king - one);
    let several = their_king & below | mover & before_mover;
    let pawns = board.pawns() & unit.splat(LAST_RANKS);
    let attackers = unit.steps::<S>(spot, steppers);
    let ahead = board.occupied() & !(their_king | below);
    let ahead = nearest_ahead(&rays, ahead, straight, diagonal);
    let wrong = holes | several | pawns | attackers | ahead | their_king & us;
    let wrong = wrong | own_bytes::<U, S>(unit, lanes.rest);
    // Where one is taken from 0, too: no king.
    let negative = attacked_behind(board, &rays, below, straight, diagonal) | before_mover | below;
    let wrong = wrong | negative & unit.splat(1 << 63);
    wrong.misses(wrong)
}

/// The pieces of the side to move.
#[inline(always)]
fn us<U: Unit, S: Scheme>(unit: U, board: &Board<U::Word>, mover: U::Word) -> U::Word {
    if S::TURN == 0 {
        return board.occupied() & !board.black;
    }
    let white = mover.misses(board.black).keep(unit.splat(!0));
    board.occupied() & (board.black ^ white)
}

/// Bits that are not as the format wants them.
#[inline(always)]
fn own_bytes<U: Unit, S: Scheme>(unit: U, rest: U::Word) -> U::Word {
    let rest = rest ^ unit.splat(S::FLIP);
    let no_result = rest & rest.shr::<1>() & unit.splat(S::RESULT);
    rest & unit.splat(S::ZERO) | no_result
}

/// Our sliders that are the nearest piece on a line, towards h8: the lowest bit.
#[inline(always)]
fn nearest_ahead<W: Word>(
    [file, rank, one, other]: &[W; 4],
    ahead: W,
    straight: W,
    diagonal: W,
) -> W {
    ((*file & ahead).lowest() | (*rank & ahead).lowest()) & straight
        | ((*one & ahead).lowest() | (*other & ahead).lowest()) & diagonal
}

/// Bit 63 is set where one of our sliders is the nearest piece towards a1. It is the
/// highest bit of what stands there, so that our sliders are a larger number than all
/// other pieces together. `below` are the squares there, never bit 63 where a king is.
#[inline(always)]
fn attacked_behind<W: Word>(
    board: &Board<W>,
    [file, rank, one, other]: &[W; 4],
    below: W,
    straight: W,
    diagonal: W,
) -> W {
    let not_straight = board.occupied() & !straight;
    let not_diagonal = board.occupied() & !diagonal;
    let [file, rank, one, other] = [*file & below, *rank & below, *one & below, *other & below];
    less(file, straight, not_straight)
        | less(rank, straight, not_straight)
        | less(one, diagonal, not_diagonal)
        | less(other, diagonal, not_diagonal)
}

/// Negative where ours are the larger number.
#[inline(always)]
fn less<W: Word>(ray: W, ours: W, others: W) -> W {
    (ray & others) - (ray & ours)
}
