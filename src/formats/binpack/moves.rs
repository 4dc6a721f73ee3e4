//! Moves by number: the piece, then its target.

use super::super::board::{Board, Kind};
use super::super::isa::Isa;
use super::super::legal::{pawn_targets, piece_attacks};
use super::super::{Fault, Invalid};
use super::bits::{Window, bits_for};
use crate::Capture;
use crate::attacks::{LAST_RANKS, MASKS};
use crate::exchange::PAWN;
use crate::position::KING_TO_MOVE;

/// Reads the move played on a board. `ep` is the en-passant target as the writer counts it, or
/// 0.
#[inline(always)]
pub(crate) fn read<I: Isa>(
    isa: I,
    board: &Board,
    ep: u64,
    window: &mut Window,
) -> Result<(Capture, Kind), Invalid> {
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

/// The number of a choice.
#[inline(always)]
fn number(choices: u32, window: &mut Window) -> Result<u32, Invalid> {
    let number = window.number(choices) as u32;
    if number < choices {
        Ok(number)
    } else {
        Err(beyond(number, choices))
    }
}

#[cold]
#[inline(never)]
fn beyond(number: u32, choices: u32) -> Invalid {
    let message = format!("move or piece number {number} of only {choices}");
    Invalid::new(Fault::PlayedMove, message)
}

/// One of the squares, by number.
#[inline(always)]
fn target<I: Isa>(isa: I, targets: u64, window: &mut Window) -> Result<u32, Invalid> {
    Ok(isa.nth(targets, number(targets.count_ones(), window)?) & 63)
}

#[inline(always)]
fn pawn<I: Isa>(
    isa: I,
    board: &Board,
    ep: u64,
    from: u32,
    window: &mut Window,
) -> Result<(Capture, Kind), Invalid> {
    let targets = pawn_targets(board, ep, from);
    // One step before promotion, all its targets are on the last rank.
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

/// King steps come first, then castling, with the a-file's rook first.
#[inline(always)]
fn king<I: Isa>(
    isa: I,
    board: &Board,
    from: u32,
    window: &mut Window,
) -> Result<(Capture, Kind), Invalid> {
    let targets = MASKS[from as usize & 63].king & !board.ours();
    let rooks = board.castling & board.ours();
    let steps = targets.count_ones();
    let number = number(steps + rooks.count_ones(), window)?;
    let (to, kind) = if number < steps {
        (isa.nth(targets, number), Kind::Normal)
    } else {
        (isa.nth(rooks, number - steps), Kind::Castling)
    };
    Ok((Capture::from_parts(from, to & 63, 0), kind))
}

/// The numbers of a move with their bits, as [`read`] takes them; `None` if the move is not
/// pseudo-legal.
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
            let rooks = board.castling & ours;
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

/// The index of a square in a set.
fn nth_of(squares: u64, square: u32) -> Option<u32> {
    let bit = 1_u64 << square;
    (squares & bit != 0).then(|| (squares & (bit - 1)).count_ones())
}
