//! A move by its number: which of our pieces, which of its targets.

use shakmaty::Color;

use super::super::Fault;
use super::super::board::{Board, Kind};
use super::super::isa::Isa;
use super::bits::{Window, bits_for};
use crate::Capture;
use crate::attacks::{self, MASKS};
use crate::exchange::{BISHOP, KNIGHT, PAWN, ROOK};
use crate::position::KING_TO_MOVE;

const THIRD_RANK: u64 = 0x00ff_0000;
const SIXTH_RANK: u64 = 0x0000_ff00_0000_0000;
pub(super) const LAST_RANKS: u64 = 0xff00_0000_0000_00ff;

/// Reads the move played on a board. `ep` is the en-passant target that the
/// writer counted as one, or 0.
#[inline(always)]
pub(crate) fn read<I: Isa>(
    isa: I,
    board: &Board,
    ep: u64,
    window: &mut Window,
) -> Result<(Capture, Kind), Fault> {
    let ours = board.ours();
    let from = isa.nth(ours, number(ours.count_ones(), window)?) & 63;
    match board.code_at(from) {
        PAWN => pawn(isa, board, ep, from, window),
        KING_TO_MOVE => king(isa, board, from, window),
        code => {
            let targets = piece_attacks(code, from, board.occupied()) & !ours;
            let to = target(isa, targets, window)?;
            Ok((Capture::from_parts(from, to, 0), Kind::Normal))
        }
    }
}

/// The number of one of so many choices.
#[inline(always)]
fn number(choices: u32, window: &mut Window) -> Result<u32, Fault> {
    let number = window.take(bits_for(choices));
    if number < choices {
        Ok(number)
    } else {
        Err(Fault::MoveNumber { number, choices })
    }
}

/// One of the squares, by its number.
#[inline(always)]
fn target<I: Isa>(isa: I, targets: u64, window: &mut Window) -> Result<u32, Fault> {
    Ok(isa.nth(targets, number(targets.count_ones(), window)?) & 63)
}

#[inline(always)]
fn piece_attacks(code: u32, from: u32, occupied: u64) -> u64 {
    match code {
        KNIGHT => MASKS[from as usize & 63].knight,
        BISHOP => attacks::diagonal_attacks(from, occupied),
        ROOK => attacks::straight_attacks(from, occupied),
        _ => attacks::diagonal_attacks(from, occupied) | attacks::straight_attacks(from, occupied),
    }
}

#[inline(always)]
fn pawn<I: Isa>(
    isa: I,
    board: &Board,
    ep: u64,
    from: u32,
    window: &mut Window,
) -> Result<(Capture, Kind), Fault> {
    let targets = pawn_targets(board, ep, from);
    // One step from promotion all its targets are on the last rank.
    if targets & LAST_RANKS != 0 {
        let number = number(targets.count_ones() * 4, window)?;
        let to = isa.nth(targets, number / 4) & 63;
        let m = Capture::from_parts(from, to, number % 4 + 2);
        return Ok((m, Kind::Promotion));
    }
    let to = target(isa, targets, window)?;
    let kind = if ep >> to & 1 == 1 {
        Kind::EnPassant
    } else {
        Kind::Normal
    };
    Ok((Capture::from_parts(from, to, 0), kind))
}

#[inline(always)]
fn pawn_targets(board: &Board, ep: u64, from: u32) -> u64 {
    let occupied = board.occupied();
    let victims = occupied & !board.ours() | ep;
    pawn_sees(board.turn(), from, occupied, victims)
}

/// Where a pawn goes that may capture so many.
#[inline(always)]
pub(crate) fn pawn_sees(turn: Color, from: u32, occupied: u64, victims: u64) -> u64 {
    // A pawn attacks the squares from which one of the other colour attacks it.
    let captures = attacks::pawns_attacking(from, !turn) & victims;
    let origin = 1_u64 << from;
    let pushes = match turn {
        Color::White => {
            let one = origin << 8 & !occupied;
            one | (one & THIRD_RANK) << 8 & !occupied
        }
        Color::Black => {
            let one = origin >> 8 & !occupied;
            one | (one & SIXTH_RANK) >> 8 & !occupied
        }
    };
    captures | pushes
}

/// The king's steps come first, then castling, with the a-file's rook first.
#[inline(always)]
fn king<I: Isa>(
    isa: I,
    board: &Board,
    from: u32,
    window: &mut Window,
) -> Result<(Capture, Kind), Fault> {
    let targets = MASKS[from as usize & 63].king & !board.ours();
    let rooks = board.castling() & board.ours();
    let steps = targets.count_ones();
    let number = number(steps + rooks.count_ones(), window)?;
    let (to, kind) = if number < steps {
        (isa.nth(targets, number), Kind::Normal)
    } else {
        (isa.nth(rooks, number - steps), Kind::Castling)
    };
    Ok((Capture::from_parts(from, to & 63, 0), kind))
}

/// The numbers of a move, with their bits: what [`read`] takes for it. `None` if
/// it is not among the moves that have a number.
pub(crate) fn write(board: &Board, ep: u64, m: Capture, kind: Kind) -> Option<[(u32, u32); 2]> {
    let (from, to) = (m.from_index(), m.to_index());
    let ours = board.ours();
    let piece = (nth_of(ours, from)?, bits_for(ours.count_ones()));
    let (number, choices) = match board.code_at(from) {
        PAWN => {
            let targets = pawn_targets(board, ep, from);
            let number = nth_of(targets, to)?;
            if kind == Kind::EnPassant && ep >> to & 1 == 0 {
                return None;
            }
            match (targets & LAST_RANKS != 0, kind) {
                (true, Kind::Promotion) => (
                    number * 4 + m.promotion_code() - 2,
                    targets.count_ones() * 4,
                ),
                (false, Kind::Normal | Kind::EnPassant) => (number, targets.count_ones()),
                _ => return None,
            }
        }
        KING_TO_MOVE => {
            let targets = MASKS[from as usize & 63].king & !ours;
            let rooks = board.castling() & ours;
            let number = match kind {
                Kind::Castling => targets.count_ones() + nth_of(rooks, to)?,
                _ => nth_of(targets, to)?,
            };
            (number, targets.count_ones() + rooks.count_ones())
        }
        code => {
            let targets = piece_attacks(code, from, board.occupied()) & !ours;
            (nth_of(targets, to)?, targets.count_ones())
        }
    };
    Some([piece, (number, bits_for(choices))])
}

/// Whether a move has a number; a king may be left in check, and castling is not looked at.
#[inline]
pub(crate) fn is_possible(board: &Board, ep: u64, m: Capture, kind: Kind) -> bool {
    let (from, to) = (m.from_index(), m.to_index());
    let promotes = 1_u64 << to & LAST_RANKS != 0;
    let (targets, is_sort) = match board.code_at(from) {
        PAWN => (
            pawn_targets(board, ep, from),
            promotes == (kind == Kind::Promotion)
                && (kind == Kind::EnPassant) == (ep >> to & 1 == 1),
        ),
        code => {
            let targets = match code {
                KING_TO_MOVE => MASKS[from as usize & 63].king,
                code => piece_attacks(code, from, board.occupied()),
            };
            (targets & !board.ours(), kind == Kind::Normal)
        }
    };
    is_sort && board.ours() >> from & 1 == 1 && targets >> to & 1 == 1
}

/// The number of a square among others.
fn nth_of(squares: u64, square: u32) -> Option<u32> {
    let bit = 1_u64 << square;
    (squares & bit != 0).then(|| (squares & (bit - 1)).count_ones())
}
