//! marlinformat's `PackedBoard`: 32 bytes per position, never turned around.
//!
//! | bytes | holds |
//! |---|---|
//! | 0..8 | the occupied squares |
//! | 8..24 | the pieces, a nibble each in the order of their squares: colour << 3 \| type; type 6 is a rook that may castle |
//! | 24 | the side to move << 7 \| the en-passant target, 64 if none |
//! | 25 | the half-move clock |
//! | 26..28 | the full-move number |
//! | 28..30 | the score, i16, White's |
//! | 30 | the result, White's: 0 loss, 1 draw, 2 win |
//! | 31 | free |

use shakmaty::{Bitboard, Color};

use super::board::Board;
use super::bulletformat::outcome;
use super::convert::{OutputRecord, white_too_large_for_16_bits};
use super::fixed::{self, InGroups, Layout, ep_square, put_word, word};
use super::isa::{Isa, Portable};
use super::pieces::{self, RECORD, Record32};
use super::spec::FormatSpec;
use super::{Fault, Field, Invalid, Record, RecordFields, turned_score};
use swaplist::Position;
use swaplist::boards::{Codes, Nibbles, Unpacker, codes};
use swaplist::fen::ply;

pub(super) const SPEC: FormatSpec = FormatSpec {
    extensions: &["marlinformat"],
    shared_extensions: &["bin", "data"],
    lacks: &[Field::Played],
    held_as: &[(Field::Clocks, "the number of the move, not 0")],
    ..fixed::spec::<Marlinformat, RECORD>("marlinformat")
};

const TURN_EP: usize = 24;
const HALFMOVES: usize = 25;
/// 1 at the start of a game; writers may leave 0.
const FULLMOVES: usize = 26;
const SCORE: usize = 28;
pub(super) const RESULT: usize = 30;
const NO_EP: u8 = 64;

/// Records with an en-passant target are decoded one by one; an unusable target is dropped.
pub(super) struct Marlinformat;

/// The usual codes, and type 6 for a rook that may castle.
const fn with_unmoved(turn: Color) -> Codes {
    let mut codes = codes(turn);
    let mut nibble = 0;
    while nibble < codes.len() {
        if nibble & 7 == 6 {
            codes[nibble] = codes[nibble & 8 | 3];
        }
        nibble += 1;
    }
    codes
}

impl Nibbles for Marlinformat {
    const CODES: [Codes; 2] = [with_unmoved(Color::White), with_unmoved(Color::Black)];
    const TURN: u8 = 0x80;
    // Without an en-passant target these records have 64 in its seven bits.
    const FLIP: u64 = NO_EP as u64;
    // The seven bits of the target, and all but two of the result.
    const ZERO: u64 = 0x7f | 0xfc << (8 * (RESULT - 24));
    const RESULT: u64 = 1 << (8 * (RESULT - 24));
}

impl Layout<RECORD> for Marlinformat {
    const SCORE: usize = SCORE;
    const IN_GROUPS: Option<InGroups<RECORD>> = Some(Unpacker::unpack::<Self>);

    fn unpack(record: &Record32) -> Result<Position, Invalid> {
        Ok(read(Portable, record)?.0)
    }

    #[inline]
    fn describe(raw: &Record32, record: RecordFields) -> RecordFields {
        let turn = turn(raw);
        let moves = fullmoves(raw);
        let score = word(raw, SCORE).cast_signed();
        record
            .with_score(Some(turned_score(score.into(), turn)))
            .with_outcome(outcome(raw[RESULT]))
            .with_ply((moves > 0).then(|| ply(moves.into(), turn)))
    }

    fn state(raw: &Record32, position: &Position) -> Record {
        match board(Portable, raw) {
            Ok(board) => Record::from_board(&board, *position),
            Err(_) => Record::new(*position),
        }
    }

    fn pack(record: &OutputRecord<'_>) -> Record32 {
        let board = record.source.board();
        pack(&board, record.white_score(), record.white_result())
    }

    fn cannot_hold(score: Option<i32>, record: &Record) -> Option<String> {
        white_too_large_for_16_bits(score, record)
    }
}

/// The position, and the rooks that may castle.
#[inline(always)]
fn read<I: Isa>(isa: I, record: &Record32) -> Result<(Position, u64), Invalid> {
    if record[RESULT] > 2 {
        return Err(Invalid::code(Fault::Outcome, record[RESULT]));
    }
    let ep = match record[TURN_EP] & 0x7f {
        NO_EP => None,
        square => Some(ep_square(square)?),
    };
    let has_unmoved = true;
    let (planes, unmoved) = pieces::unpack(isa, record, has_unmoved, turn(record))?;
    Ok((Position::from_bare_planes(planes)?.with_ep(ep), unmoved))
}

/// The board of a record, with castling rights and clocks.
#[inline(always)]
pub(super) fn board<I: Isa>(isa: I, record: &Record32) -> Result<Board, Invalid> {
    let (position, unmoved) = read(isa, record)?;
    let fullmoves = fullmoves(record);
    Ok(Board::new(&position, unmoved, record[HALFMOVES], fullmoves))
}

#[inline(always)]
pub(super) fn turn(record: &Record32) -> Color {
    Color::from_white(record[TURN_EP] >> 7 == 0)
}

/// The number of the move; 1 at the start of a game, 0 if unknown.
pub(super) const fn fullmoves(record: &Record32) -> u16 {
    word(record, FULLMOVES)
}

/// The record of a board, with White's score and result (0, 1, 2). Its en-passant target is
/// written only if a capture on it is legal.
pub(super) fn pack(board: &Board, score: i16, result: u8) -> Record32 {
    let occupied = board.occupied();
    let unmoved = board.castling & board.rooks();
    let [type0, type1, type2] = pieces::types(board.planes);
    let black = board.planes[3];
    let bits = [type0 & !unmoved, type1 | unmoved, type2 | unmoved, black];
    let mut record = pieces::record(bits, occupied);
    let ep = Bitboard(board.legal_ep()).first();
    record[TURN_EP] =
        u8::from(board.turn.is_black()) << 7 | ep.map_or(NO_EP, |square| square as u8);
    record[HALFMOVES] = board.halfmoves;
    put_word(&mut record, FULLMOVES, board.fullmoves);
    put_word(&mut record, SCORE, score.cast_unsigned());
    record[RESULT] = result;
    record
}
