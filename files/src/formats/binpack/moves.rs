//! Moves by number: the piece, then its target.

use super::super::board::{Board, Kind};
use super::super::isa::Isa;
use super::super::legal::targets;
use super::super::{Fault, Invalid};
use super::bits::{BitCode, Window, bits_for};
use super::stem::castles_in_movetext;
use crate::packed::{KING_TO_MOVE, LAST_RANKS, PAWN, packed_move, promotion_code};
use swaplist::PackedMove;

/// The moves of a piece, in the order of their numbers.
struct Choices {
    /// Targets, in ascending order; each four times, for the pieces that a pawn can become, if
    /// they are on the last rank.
    targets: u64,
    promotes: bool,
    /// After them, the rooks that its king may castle with, the a-file's first.
    rooks: u64,
}

impl Choices {
    /// `ep` is the en-passant target as the writer counts it, or 0.
    #[inline(always)]
    fn new(board: &Board, ep: u64, from: u32) -> Choices {
        let targets = targets(board, ep, from);
        let code = board.code_at(from);
        let is_king = u64::from(code == KING_TO_MOVE).wrapping_neg();
        Choices {
            targets,
            // One step before promotion, all targets of a pawn are on the last rank.
            promotes: code == PAWN && targets & LAST_RANKS != 0,
            rooks: board.castling & board.ours() & is_king,
        }
    }

    #[inline(always)]
    const fn count(&self) -> u32 {
        let targets = self.targets.count_ones();
        if self.promotes {
            targets * 4
        } else {
            targets + self.rooks.count_ones()
        }
    }
}

/// Reads the move played on a board.
#[inline(always)]
pub(crate) fn read<I: Isa>(
    isa: I,
    board: &Board,
    ep: u64,
    window: &mut Window,
) -> Result<(PackedMove, Kind), Invalid> {
    let ours = board.ours();
    let from = isa.nth(ours, number(ours.count_ones(), window)?) & 63;
    let choices = Choices::new(board, ep, from);
    let number = number(choices.count(), window)?;
    let steps = choices.targets.count_ones();
    let (to, promotion, kind) = if choices.promotes {
        let to = isa.nth(choices.targets, number / 4);
        (to, number % 4 + 2, Kind::Promotion)
    } else if number >= steps {
        let rook = isa.nth(choices.rooks, number - steps);
        if !castles_in_movetext(from) {
            return Err(unnamed_castling(from, rook));
        }
        (rook, 0, Kind::Castling)
    } else {
        let to = isa.nth(choices.targets, number);
        let takes_ep = ep >> (to & 63) & 1 == 1 && board.code_at(from) == PAWN;
        let kind = if takes_ep {
            Kind::EnPassant
        } else {
            Kind::Normal
        };
        (to, 0, kind)
    };
    Ok((packed_move(from, to & 63, promotion), kind))
}

/// The number of a choice; a fault if there are not so many choices.
#[inline(always)]
fn number(choices: u32, window: &mut Window) -> Result<u32, Invalid> {
    if choices == 0 {
        return Err(beyond(0, 0));
    }
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

/// Castling that the movetext cannot say: other readers take it for that of a king on e1 or e8.
#[cold]
#[inline(never)]
fn unnamed_castling(king: u32, rook: u32) -> Invalid {
    let played = packed_move(king, rook & 63, 0);
    let message = format!(
        "castling {played} in movetext, which can castle only with a king on e1 or e8: other readers \
         take it for a move of a king that is not there"
    );
    Invalid::new(Fault::Castling, message)
}

/// The code of a move, as [`read`] takes it: the number of its piece, then of its target. `None` if
/// the move is not pseudo-legal, or is castling that the movetext cannot say.
pub(crate) fn write(board: &Board, ep: u64, m: PackedMove, kind: Kind) -> Option<BitCode> {
    let from = m.from() as u32;
    let to = m.to() as u32;
    let ours = board.ours();
    let piece = BitCode {
        bits: nth_of(ours, from)?,
        count: bits_for(ours.count_ones()),
    };
    let choices = Choices::new(board, ep, from);
    let is_sort = choices.promotes == (kind == Kind::Promotion)
        && (kind != Kind::EnPassant || ep >> to & 1 == 1 && board.code_at(from) == PAWN);
    let number = match kind {
        Kind::Castling if !castles_in_movetext(from) => return None,
        Kind::Castling => choices.targets.count_ones() + nth_of(choices.rooks, to)?,
        Kind::Promotion => nth_of(choices.targets, to)? * 4 + promotion_code(m) - 2,
        _ => nth_of(choices.targets, to)?,
    };
    let target = BitCode {
        bits: number,
        count: bits_for(choices.count()),
    };
    is_sort.then_some(piece.followed_by(target))
}

/// The index of a square in a set.
fn nth_of(squares: u64, square: u32) -> Option<u32> {
    let bit = 1_u64 << square;
    (squares & bit != 0).then(|| (squares & (bit - 1)).count_ones())
}
