//! The stem: a chain's first position, in 32 bytes.

use shakmaty::{Bitboard, Color, Rank, Square};

use super::super::board::{Board, Kind, MoveBits};
use super::super::isa::Isa;
use super::super::pieces;
use super::super::{Fault, Invalid};
use super::bits::{from_zigzag, to_zigzag};
use super::chunks::STEM;
use swaplist::{PackedMove, Position, PositionError};

const A1: u64 = 1;
const H1: u64 = 1 << 7;
const A8: u64 = 1 << 56;
const H8: u64 = 1 << 63;
const E1: u64 = 1 << 4;
const E8: u64 = 1 << 60;
const FIFTH_RANK: u64 = 0x0000_00ff_0000_0000;
pub(crate) const MAX_PLY: u16 = 0x3fff;
/// The byte of a stem at which its score begins, in 16 bits.
pub(super) const SCORE: usize = 26;

/// The content of a stem.
#[derive(Clone, Copy)]
pub(crate) struct Stem {
    pub board: Board,
    pub played: PackedMove,
    pub kind: Kind,
    /// The score of the side to move.
    pub score: i16,
    pub ply: u16,
    /// The result of the side to move: -1, 0 or 1.
    pub result: i8,
}

impl Stem {
    /// Decodes 32 bytes, with the vector instructions that `isa` stands for. Of the clock, which has
    /// 16 bits, the lower eight are used, as the reference code does.
    #[inline(always)]
    pub(crate) fn read<I: Isa>(isa: I, bytes: &[u8; STEM]) -> Result<Stem, Invalid> {
        let word = |at: usize| u16::from_be_bytes([bytes[at], bytes[at + 1]]);
        let (played, kind) = MOVES.read(word(24));
        let ply_result = word(28);
        // Two bits: 0, -1, 1, and the code 3, which would be -2.
        let result = from_zigzag(ply_result >> 14) as i8;
        if result < -1 {
            return Err(Invalid::code(Fault::Outcome, 3));
        }
        let ply = ply_result & MAX_PLY;
        let fullmoves = ply / 2 + 1;
        Ok(Stem {
            board: read_board(isa, bytes, word(30) as u8, fullmoves)?,
            played,
            kind,
            score: from_zigzag(word(SCORE)),
            ply,
            result,
        })
    }

    /// The result of White: -1, 0 or 1.
    #[inline(always)]
    pub(crate) fn white_result(&self) -> i8 {
        self.board.turn.fold_wb(self.result, -self.result)
    }

    /// Appends its 32 bytes. The ply is limited to 14 bits.
    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.board.occupied().to_be_bytes());
        out.extend_from_slice(&write_board(&self.board));
        for word in [
            MOVES.write(self.played, self.kind),
            to_zigzag(self.score),
            self.ply.min(MAX_PLY) | to_zigzag(self.result.into()) << 14,
            self.board.halfmoves.into(),
        ] {
            out.extend_from_slice(&word.to_be_bytes());
        }
    }
}

/// Reads the squares and the pieces. The codes up to 11 are type << 1 | colour, with the pawn as type
/// 0. The others are 12 for a pawn that can be captured en passant, 13 for a white and 14 for a black
/// rook that may castle, and 15 for the black king if Black is to move.
#[inline(always)]
fn read_board<I: Isa>(
    isa: I,
    bytes: &[u8; STEM],
    halfmoves: u8,
    fullmoves: u16,
) -> Result<Board, Invalid> {
    let (squares, rest) = bytes.split_first_chunk().expect("32 bytes hold 8");
    let occupied = u64::from_be_bytes(*squares);
    let nibbles = rest.first_chunk().expect("24 bytes hold 16");
    let count = occupied.count_ones();
    if count > 32 {
        return Err(PositionError::TooManyPieces(count).into());
    }
    // The four bits of each piece's code, on its square.
    let [n0, n1, n2, n3] = isa.deposit(isa.split(nibbles), occupied);
    let special = n3 & n2;
    let ep_pawn = special & !n1 & !n0;
    let white_rook = special & !n1 & n0;
    let black_rook = special & n1 & !n0;
    let black_king = special & n1 & n0;
    let plain = occupied & !special;
    let king = plain & n3 & n1 | black_king;
    let rook = white_rook | black_rook;

    // A marked pawn on the fifth rank has just moved two squares for Black.
    let black = plain & n0 | ep_pawn & FIFTH_RANK | black_rook | black_king;
    let turn = Color::from_white(black_king == 0);
    let mover = king & turn.fold_wb(!black, black);
    // Our codes are 1 for a pawn to 6 for a king, and 7 for the king to move. They are the types, whose
    // bits are n3 n2 n1, plus one: the lowest bit flips, and the others flip where it carries.
    let planes = [
        plain & !n1 | ep_pawn | mover,
        plain & (n2 ^ n1) | king,
        plain & (n3 ^ (n2 & n1)) | king | rook,
        black,
    ];
    let castling = castling_rooks(white_rook, black_rook)?;
    let ep = ep_square(ep_pawn, turn)?;
    let position = Position::from_bare_planes(planes)?.with_ep(ep);
    Ok(Board::new(&position, castling, halfmoves, fullmoves))
}

#[inline(always)]
fn castling_rooks(white: u64, black: u64) -> Result<u64, Invalid> {
    let astray = (white & !(A1 | H1)) | (black & !(A8 | H8));
    match Bitboard(astray).first() {
        None => Ok(white | black),
        Some(square) => Err(Invalid::new(
            Fault::CastlingRook,
            format!("castling right of a rook on {square}, not in the corner"),
        )),
    }
}

/// The en-passant target of the marked pawn, the square that it passed over; a fault if several
/// pawns or one on another rank are marked.
#[inline(always)]
fn ep_square(marked: u64, turn: Color) -> Result<Option<Square>, Invalid> {
    let Some(pawn) = Bitboard(marked).first() else {
        return Ok(None);
    };
    if Bitboard(marked).more_than_one() || pawn.rank() != turn.relative_rank(Rank::Fifth) {
        return Err(Invalid::code(Fault::EnPassant, pawn as u8));
    }
    Ok(Some(Square::new(pawn as u32 ^ 8)))
}

/// The list of pieces, in the codes that [`read_board`] tells. A pawn is marked only if it can be
/// captured en passant, as the reference code does it.
fn write_board(board: &Board) -> [u8; 16] {
    let [type0, type1, type2] = pieces::types(board.planes);
    let black = board.planes[3];
    let ep = Bitboard(board.legal_ep()).first();
    let ep_pawn = ep.map_or(0, |ep| 1 << (ep as u32 ^ 8));
    let rooks = board.castling & board.rooks();
    let black_king = if board.turn.is_black() {
        board.kings() & black
    } else {
        0
    };
    let special = ep_pawn | rooks | black_king;
    // Of the special codes, 1100 is the pawn, 1101 and 1110 are the rooks, and 1111 is the king.
    let bits = [
        black & !special | rooks & !black | black_king,
        type0 & !special | rooks & black | black_king,
        type1 | special,
        type2 | special,
    ];
    pieces::pack(bits, board.occupied())
}

/// Where the fields of a move begin in its 16 bits; its kind is in the uppermost two.
pub(super) const MOVES: MoveBits = MoveBits {
    from: 8,
    to: 2,
    promotion: 0,
    kinds: [
        Kind::Normal,
        Kind::Promotion,
        Kind::Castling,
        Kind::EnPassant,
    ],
};

/// The squares that a move leaves and enters.
#[inline(always)]
pub(crate) const fn touched(m: PackedMove) -> u64 {
    1 << m.from() as u32 | 1 << m.to() as u32
}

/// What a move that leaves or enters these squares takes from the rooks that may castle: the squares
/// themselves, and both corners of a side whose king's square is among them, whatever stands there.
/// This is the rule of the reference code.
#[inline(always)]
pub(crate) const fn lost_castling(squares: u64) -> u64 {
    let white = if squares & E1 == 0 { 0 } else { A1 | H1 };
    let black = if squares & E8 == 0 { 0 } else { A8 | H8 };
    squares | white | black
}

/// Whether movetext can say that the king on this square castles. Movetext says only long or short,
/// and the reference code then moves the king from e1 or e8. A king of Chess960 that stands elsewhere
/// can castle in a stem alone, which holds both squares.
#[inline(always)]
pub(crate) const fn castles_in_movetext(king: u32) -> bool {
    (E1 | E8) & (1 << king) != 0
}
