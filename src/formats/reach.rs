//! Where pieces can move: pseudo-legal moves.

use shakmaty::Color;

use super::board::{Board, Kind};
use crate::attacks::{self, LAST_RANKS, MASKS};
use crate::exchange::{BISHOP, KNIGHT, PAWN, ROOK};
use crate::position::KING_TO_MOVE;
use crate::{Capture, Position};

const THIRD_RANK: u64 = 0x00ff_0000;
const SIXTH_RANK: u64 = 0x0000_ff00_0000_0000;

#[inline(always)]
pub(crate) fn piece_attacks(code: u32, from: u32, occupied: u64) -> u64 {
    match code {
        KNIGHT => MASKS[from as usize & 63].knight,
        BISHOP => attacks::diagonal_attacks(from, occupied),
        ROOK => attacks::straight_attacks(from, occupied),
        _ => attacks::diagonal_attacks(from, occupied) | attacks::straight_attacks(from, occupied),
    }
}

#[inline(always)]
pub(crate) fn pawn_targets(board: &Board, ep: u64, from: u32) -> u64 {
    let occupied = board.occupied();
    let victims = occupied & !board.ours() | ep;
    pawn_sees(board.turn, from, occupied, victims)
}

/// The squares where a pawn can move, given the squares it may capture on.
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

/// Whether a move is pseudo-legal, castling excepted.
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

/// The en-passant target as it is written, given the board's position: only if a capture on it
/// is legal. The packed position keeps it if a pawn attacks it.
#[inline(always)]
pub(crate) fn counted_ep(position: &Position, board: &Board) -> u64 {
    match board.ep_square() {
        None => 0,
        Some(ep) => legal_ep(position, ep as u32),
    }
}

/// Whether two boards are equal, but for an en-passant target on which no capture is legal: most
/// files do not name it.
#[inline]
pub(crate) fn is_same(a: &Board, b: &Board) -> bool {
    a == b
        || a.ep != b.ep
            && Board { ep: 0, ..*a } == Board { ep: 0, ..*b }
            && a.legal_ep() == b.legal_ep()
}

impl Board {
    /// The en-passant target as it is written: only if a capture on it is legal.
    #[inline]
    pub(crate) fn legal_ep(&self) -> u64 {
        if self.ep == 0 {
            return 0;
        }
        let position = self.position();
        position.map_or(self.ep, |position| counted_ep(&position, self))
    }
}

#[cold]
fn legal_ep(position: &Position, ep: u32) -> u64 {
    let turn = position.turn();
    let (ours, theirs) = (position.pieces_of(turn), position.pieces_of(!turn));
    let victim = 1_u64 << (ep ^ 8);
    let king = position.king_of(turn);
    let ready = attacks::pawns_attacking(ep, turn) & position.pawns() & ours;
    let legal = shakmaty::Bitboard(ready).into_iter().any(|from| {
        let occupied = (ours | theirs) & !victim & !(1 << from as u32) | 1 << ep;
        attacks::attackers(position, king, occupied) & theirs & !victim == 0
    });
    u64::from(legal) << ep
}
