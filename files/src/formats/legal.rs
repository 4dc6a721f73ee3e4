//! Where pieces can move, and whether played moves are legal.

use shakmaty::{Bitboard, Color, Square, attacks::pawn_attacks};

use super::Record;
use super::arise::can_arise;
use super::board::{Board, Kind, castled};
use crate::packed::{
    BISHOP, KING, KING_TO_MOVE, KNIGHT, LAST_RANKS, PAWN, QUEEN, ROOK, promotion_code,
};
use swaplist::attacks::{self, MASKS};
use swaplist::{PackedMove, Position};

/// What decoding has proved about a move other than castling.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Proof {
    Nothing,
    /// It was played, and the king is not left in check.
    KingIsSafe,
    /// Also that the piece can make such a move.
    All,
}

impl Record {
    /// Whether shakmaty accepts the position with castling rights and its en-passant square
    /// `ep`, and the played move is legal.
    pub(crate) fn is_sound(&self, ep: Option<Square>, played: Option<PackedMove>) -> bool {
        can_arise(&self.position, self.castling.0, ep)
            && played.is_none_or(|played| is_legal(self, played, Proof::Nothing))
    }
}

/// Whether a played move is legal. Odd castling rights are accepted, as everywhere in this crate.
pub(crate) fn is_legal(state: &Record, played: PackedMove, proved: Proof) -> bool {
    is_legal_on(state.board(), &state.position, played, proved)
}

/// Whether a move was legal where the castling rights before it are not known: if it castles, the
/// right is taken for granted.
#[inline]
pub(crate) fn was_legal(position: &Position, played: PackedMove, proved: Proof) -> bool {
    let castling = position.pieces_of(position.turn()) & 1 << played.to() as u32;
    let is_known = match proved {
        Proof::Nothing => false,
        Proof::KingIsSafe => piece_moves_so(position, played),
        Proof::All => true,
    };
    if is_known && castling == 0 {
        return true;
    }
    let board = Board::new(position, castling, 0, 1);
    is_legal_on(board, position, played, proved)
}

#[inline]
fn is_legal_on(mut board: Board, position: &Position, played: PackedMove, proved: Proof) -> bool {
    let kind = board.kind(played);
    if kind == Kind::Castling {
        return board.play(played, kind).is_ok() && castles_safely(position, played);
    }
    let ep = counted_ep(position, &board);
    matches!(promotion_code(played), 0 | 2..=QUEEN)
        && (proved == Proof::All || is_possible(&board, ep, played, kind))
        && (proved != Proof::Nothing
            || board.play(played, kind).is_ok() && board.position().is_ok())
}

/// Whether a piece can make such a move, except for en passant and promotions: without branches,
/// for most moves.
#[inline]
fn piece_moves_so(position: &Position, played: PackedMove) -> bool {
    let from = played.from() as u32;
    let to = played.to() as u32;
    let masks = &MASKS[from as usize & 63];
    let code = position.code_at(from);
    // The squares if the piece's code is one of `codes`, else none.
    let with = |codes: u32, squares: u64| squares & u64::from(codes >> code & 1).wrapping_neg();
    let occupied = position.occupied().0;
    let enemies = position.pieces_of(!position.turn());
    let reach = with(
        1 << PAWN,
        pawn_sees(position.turn(), from, occupied, enemies) & !LAST_RANKS,
    ) | with(1 << KNIGHT, masks.knight)
        | with(
            1 << BISHOP | 1 << QUEEN,
            masks.diagonal | masks.antidiagonal,
        )
        | with(1 << ROOK | 1 << QUEEN, masks.file | masks.rank)
        | with(1 << KING | 1 << KING_TO_MOVE, masks.king);
    // All squares with a number between the two. On a line that has both they are its squares
    // between these.
    let between = !0 << from.min(to) << 1 & !(!0 << from.max(to));
    let if_it_has_target = |line: u64| line & (line >> to & 1).wrapping_neg();
    let lines = if_it_has_target(masks.file)
        | if_it_has_target(masks.rank)
        | if_it_has_target(masks.diagonal)
        | if_it_has_target(masks.antidiagonal);
    promotion_code(played) == 0 && reach >> to & 1 == 1 && lines & between & occupied == 0
}

/// Whether the squares between king and rook are empty, and the king passes none that is attacked.
/// The rook is removed first. That makes no legal move illegal: where the rook shields the king
/// only before castling, the king ends in check, and where only afterwards, it begins in check.
fn castles_safely(position: &Position, played: PackedMove) -> bool {
    let king = played.from() as u32;
    let rook = played.to() as u32;
    let (king_to, rook_to) = castled(king, rook);
    let others = position.occupied().0 & !(1 << king | 1 << rook);
    let enemies = position.pieces_of(!position.turn());
    let walk = squares(king, king_to);
    (walk | squares(rook, rook_to)) & others == 0
        && Bitboard(walk)
            .into_iter()
            .all(|square| position.attackers(square.into(), others) & enemies == 0)
}

/// The squares of a rank from one square to another.
const fn squares(a: u32, b: u32) -> u64 {
    let (low, high) = if a < b { (a, b) } else { (b, a) };
    !0 >> (63 - high) & !0 << low
}

const THIRD_RANK: u64 = 0x00ff_0000;
const SIXTH_RANK: u64 = 0x0000_ff00_0000_0000;

/// The squares where a piece of the side to move can move, castling excepted.
#[inline(always)]
pub(crate) fn targets(board: &Board, ep: u64, from: u32) -> u64 {
    let occupied = board.occupied();
    let ours = board.ours();
    let masks = &MASKS[from as usize & 63];
    let attacked = match board.code_at(from) {
        PAWN => return pawn_sees(board.turn, from, occupied, occupied & !ours | ep),
        KNIGHT => masks.knight,
        BISHOP => attacks::diagonal_attacks(from, occupied),
        ROOK => attacks::straight_attacks(from, occupied),
        KING_TO_MOVE => masks.king,
        _ => attacks::diagonal_attacks(from, occupied) | attacks::straight_attacks(from, occupied),
    };
    attacked & !ours
}

/// The squares where a pawn can move, given the squares it may capture on.
#[inline(always)]
pub(crate) fn pawn_sees(turn: Color, from: u32, occupied: u64, victims: u64) -> u64 {
    let masks = &MASKS[from as usize & 63];
    let origin = 1_u64 << from;
    // A pawn attacks the squares from which one of the other colour attacks it.
    match turn {
        Color::White => {
            let one = origin << 8 & !occupied;
            masks.black_pawns & victims | one | (one & THIRD_RANK) << 8 & !occupied
        }
        Color::Black => {
            let one = origin >> 8 & !occupied;
            masks.white_pawns & victims | one | (one & SIXTH_RANK) >> 8 & !occupied
        }
    }
}

/// Whether a move is pseudo-legal, castling excepted.
#[inline]
pub(crate) fn is_possible(board: &Board, ep: u64, m: PackedMove, kind: Kind) -> bool {
    let from = m.from() as u32;
    let to = m.to() as u32;
    let fits_kind = if board.code_at(from) == PAWN {
        let promotes = 1_u64 << to & LAST_RANKS != 0;
        promotes == (kind == Kind::Promotion) && (kind == Kind::EnPassant) == (ep >> to & 1 == 1)
    } else {
        kind == Kind::Normal
    };
    fits_kind && board.ours() >> from & 1 == 1 && targets(board, ep, from) >> to & 1 == 1
}

/// The en-passant target as it is written, given the board's position: only if a capture on it
/// is legal. The packed position keeps it if a pawn attacks it.
#[inline(always)]
pub(crate) fn counted_ep(position: &Position, board: &Board) -> u64 {
    match board.ep {
        0 => 0,
        ep => legal_ep(position, ep.trailing_zeros()),
    }
}

/// Whether a record goes on from the board after the move of the record before: they are equal,
/// except for an en-passant target on which no capture is legal, since most files do not name it.
/// The highest half-move clock, 255, may stand for a higher one, and other readers' clocks overflow
/// after it: so no record goes on from it.
#[inline]
pub(crate) fn goes_on(after: &Board, record: &Board) -> bool {
    after.halfmoves < u8::MAX && (after == record || differ_in_ep_alone(after, record))
}

/// Whether two boards differ, but only in an en-passant target on which no capture is legal.
#[inline]
fn differ_in_ep_alone(after: &Board, record: &Board) -> bool {
    after.ep != record.ep
        && Board { ep: 0, ..*after } == Board { ep: 0, ..*record }
        && after.legal_ep() == record.legal_ep()
}

/// Whether a record is the position after the played move of the one before.
pub(crate) fn record_goes_on(before: &Record, record: &Record) -> bool {
    let mut board = before.board();
    before.fields.played().is_some_and(|played| {
        let kind = board.kind(played);
        board.advance(played, kind).is_ok() && goes_on(&board, &record.board())
    })
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

/// The en-passant target as a bit, if a capture on it is legal.
#[cold]
fn legal_ep(position: &Position, ep: u32) -> u64 {
    let turn = position.turn();
    let ours = position.pieces_of(turn);
    let theirs = position.pieces_of(!turn);
    let victim = 1_u64 << (ep ^ 8);
    let king = position.king_of(turn);
    let ready = pawn_attacks(!turn, Square::new(ep)).0 & position.pieces_with(PAWN) & ours;
    let legal = Bitboard(ready).into_iter().any(|from| {
        let occupied = (ours | theirs) & !victim & !(1 << from as u32) | 1 << ep;
        position.attackers(king, occupied) & theirs & !victim == 0
    });
    u64::from(legal) << ep
}
