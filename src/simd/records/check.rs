//! Which records are valid: `Position::is_sound` and the format's own bytes, one record per
//! lane.

use super::{Positions, Rows};
use crate::attacks::LAST_RANKS;
use crate::captures::fill::Shift as _;
use crate::simd::board::{Board, king_squares};
use crate::simd::lanes::{Mask as _, MaskOf, Simd, Word};
use crate::simd::scheme::{GROUP, Raw, Scheme};

/// What unpacking and testing need from a unit besides `Simd`.
pub(super) trait Unpack: Simd {
    /// The planes of a group's records, unchecked.
    fn unpack<S: Scheme>(self, records: &Rows, positions: &mut Positions);

    /// The first and the last eight bytes of records, one per lane.
    fn ends(self, records: &[Raw]) -> (Self::Word, Self::Word);
}

/// One bit for each valid record of a group, given its planes; or for each sound position, if there
/// are no records.
#[inline(always)]
pub(super) fn valid<U: Unpack, S: Scheme>(
    unit: U,
    records: Option<&Rows>,
    positions: &Positions,
) -> u8 {
    let mut valid = 0;
    for start in (0..GROUP).step_by(U::LANES) {
        let lanes = core::array::from_fn(|i| &positions[(start + i) % GROUP]);
        let board = Board::new(unit.planes(lanes));
        let (occupied, rest) = match records {
            Some(records) => unit.ends(&records[start..start + U::LANES]),
            None => (board.occupied(), unit.splat(0)),
        };
        valid |= valid_lanes::<U, S>(unit, &board, occupied, rest).bits() << start;
    }
    valid as u8
}

/// The lanes whose records are valid: `occupied` are the squares that the records give in their
/// first eight bytes, `rest` their last eight bytes.
#[inline(always)]
fn valid_lanes<U: Unpack, S: Scheme>(
    unit: U,
    board: &Board<U::Word>,
    occupied: U::Word,
    rest: U::Word,
) -> MaskOf<U> {
    let one = unit.splat(1);
    let mover = board.kings() & board.bit0;
    let their_king = board.kings() & !board.bit0;
    let us = us::<U, S>(unit, board, mover);
    let (straight, diagonal) = (board.straight_sliders() & us, board.diagonal_sliders() & us);
    let masks = unit.masks(&king_squares::<U>(their_king));
    let [file, rank, one_diagonal, other_diagonal, ..] = masks;
    let rays = [file, rank, one_diagonal, other_diagonal];

    // An invalid nibble, or one beyond the 32nd, leaves a hole.
    let holes = board.occupied() ^ occupied;
    let (before_mover, below) = (mover - one, their_king - one);
    let several = their_king & below | mover & before_mover;
    let pawns = board.pawns() & unit.splat(LAST_RANKS);
    let attackers = board.steps(masks) & us;
    let ahead = board.occupied() & !(their_king | below);
    let ahead = nearest_ahead(&rays, ahead, straight, diagonal);
    let wrong = holes | several | pawns | attackers | ahead | their_king & us;
    let wrong = wrong | own_bytes::<U, S>(unit, rest);
    // Subtracting one from 0 makes it negative, too: no king.
    let negative = attacked_behind(board, &rays, below, straight, diagonal) | before_mover | below;
    let wrong = wrong | negative & unit.splat(1 << 63);
    wrong.misses(wrong)
}

#[inline(always)]
fn us<U: Unpack, S: Scheme>(unit: U, board: &Board<U::Word>, mover: U::Word) -> U::Word {
    if S::TURN == 0 {
        return board.occupied() & !board.black;
    }
    let white = mover.misses(board.black).keep(unit.splat(!0));
    board.occupied() & (board.black ^ white)
}

/// Bits that differ from the format's requirements.
#[inline(always)]
fn own_bytes<U: Unpack, S: Scheme>(unit: U, rest: U::Word) -> U::Word {
    let rest = rest ^ unit.splat(S::FLIP);
    let no_result = rest & rest.shr::<1>() & unit.splat(S::RESULT);
    rest & unit.splat(S::ZERO) | no_result
}

/// Our sliders that are the nearest piece towards h8 on a line: the lowest bit.
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

/// Sets bit 63 where one of our sliders is the nearest piece towards a1: it is the highest bit
/// there, so our sliders are a larger number than all other pieces. `below` are those squares,
/// which never include bit 63 if there is a king.
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

/// Negative where ours is the larger number.
#[inline(always)]
fn less<W: Word>(ray: W, ours: W, others: W) -> W {
    (ray & others) - (ray & ours)
}
