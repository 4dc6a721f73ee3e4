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

use shakmaty::{Color, Square};

use super::board::Board;
use super::bulk::{self, Bulk};
use super::bulletformat::{nibbles, occupied, outcome};
use super::convert::{Kept, no_place_for_white_in_16_bits};
use super::fixed::{self, Layout};
use super::isa::{self, Features, Isa};
use super::pieces::{self, Types};
use super::row::{Row, Target};
use super::{EncodeError, Fault, Format, Open, Part, Record, State, VALUE_NONE, turned_score};
use crate::Position;
use crate::simd::{Codes, Scheme, codes};

pub(super) use super::bulletformat::{RECORD, Raw};

pub(super) const ROW: Row = Row {
    extensions: &["marlinformat"],
    shared_extensions: &["bin", "data"],
    holds: &[
        Part::Turn,
        Part::Castling,
        Part::EnPassant,
        Part::Clocks,
        Part::Score,
        Part::Result,
    ],
    forms: &[(Part::Clocks, "the number of the first move")],
    target: Some(Target {
        no_place: no_place_for_white_in_16_bits,
        write,
    }),
    ..fixed::row::<Marlinformat, RECORD>("marlinformat")
};

const TURN_EP: usize = 24;
const HALFMOVES: usize = 25;
const FULLMOVES: usize = 26;
const SCORE: usize = 28;
const RESULT: usize = 30;
const NO_EP: u8 = 64;

/// Records with an en-passant target are decoded one by one; an unusable target is dropped.
pub(super) struct Marlinformat;

impl Scheme for Marlinformat {
    const CODES: [Codes; 2] = [codes(true, false), codes(true, true)];
    const TURN: u8 = 0x80;
    const FLIP: u64 = NO_EP as u64;
    const ZERO: u64 = 0x7f | 0xfc << (8 * (RESULT - 24));
    const RESULT: u64 = 1 << (8 * (RESULT - 24));
}

impl Bulk for Marlinformat {
    #[inline(always)]
    fn unpack<I: Isa>(isa: I, record: &Raw) -> Result<Position, Fault> {
        let (planes, _, ep) = fields(isa, record)?;
        Ok(Position::from_bare_planes(planes)?.with_ep(ep))
    }
}

impl Layout<RECORD> for Marlinformat {
    const FORMAT: Format = Format::Marlinformat;

    fn unpack_all(
        features: Features,
        records: &[Raw],
        positions: &mut Vec<Position>,
        refused: impl FnMut(usize, Fault),
    ) {
        bulk::unpack_all::<Self>(features, records, positions, refused);
    }

    #[inline]
    fn describe(raw: &Raw, position: &Position, record: Record) -> Record {
        let turn = position.turn();
        let moves = fullmoves(raw).checked_sub(1);
        let ply = moves.map(|moves| u32::from(moves) * 2 + u32::from(turn == Color::Black));
        record
            .with_score(Some(turned_score(score(raw).into(), turn)))
            .with_outcome(outcome(result(raw)))
            .with_ply(ply)
    }

    fn mark(raw: &mut Raw) {
        set_score(raw, VALUE_NONE);
    }

    fn state(raw: &Raw, position: &Position) -> State {
        match board(isa::Portable, raw) {
            Ok(board) => State::of_board(&board, *position),
            Err(_) => State::bare(*position),
        }
    }
}

fn write(records: Kept<'_>, out: &mut Vec<u8>, _: &mut Open) -> Result<(), EncodeError> {
    for record in records {
        let (score, result) = (record.white_score()?, record.white_result()?);
        out.extend_from_slice(&pack(&record.board, score, result));
    }
    Ok(())
}

/// Planes, castling rooks and en-passant target.
#[inline(always)]
fn fields<I: Isa>(isa: I, record: &Raw) -> Result<([u64; 4], u64, Option<Square>), Fault> {
    if record[RESULT] > 2 {
        return Err(Fault::Result(record[RESULT]));
    }
    let turn = turn(record);
    let (planes, unmoved) = pieces::unpack(
        isa,
        occupied(record),
        nibbles(record),
        Types::UnmovedRooks,
        turn,
    )?;
    Ok((planes, unmoved, ep_square(record)?))
}

fn turn(record: &Raw) -> Color {
    Color::from_white(record[TURN_EP] >> 7 == 0)
}

fn ep_square(record: &Raw) -> Result<Option<Square>, Fault> {
    match record[TURN_EP] & 0x7f {
        NO_EP => Ok(None),
        square @ (16..24 | 40..48) => Ok(Some(Square::new(u32::from(square)))),
        byte => Err(Fault::EnPassant(byte)),
    }
}

/// The board of a game's first record.
#[inline(always)]
pub(super) fn board<I: Isa>(isa: I, record: &Raw) -> Result<Board, Fault> {
    let (planes, unmoved, ep) = fields(isa, record)?;
    let position = Position::from_bare_planes(planes)?.with_ep(ep);
    Ok(Board::new(
        &position,
        unmoved,
        record[HALFMOVES],
        fullmoves(record),
    ))
}

/// The full-move number, 1 at the start of a game; writers may leave 0.
const fn fullmoves(record: &Raw) -> u16 {
    u16::from_le_bytes([record[FULLMOVES], record[FULLMOVES + 1]])
}

/// The score, White's.
const fn score(record: &Raw) -> i16 {
    i16::from_le_bytes([record[SCORE], record[SCORE + 1]])
}

/// Writes a score, White's.
const fn set_score(record: &mut Raw, score: i16) {
    [record[SCORE], record[SCORE + 1]] = score.to_le_bytes();
}

/// The result, White's: 0 loss, 1 draw, 2 win.
pub(super) const fn result(record: &Raw) -> u8 {
    record[RESULT]
}

/// The record of a board, with White's score and result (0, 1, 2).
pub(super) fn pack(board: &Board, score: i16, result: u8) -> Raw {
    let occupied = board.occupied();
    let unmoved = board.castling() & occupied;
    let [type0, type1, type2] = pieces::types(board.planes());
    let black = board.planes()[3];
    let bits = [type0 & !unmoved, type1 | unmoved, type2 | unmoved, black];
    let nibbles = pieces::pack(bits, occupied);
    let mut record = [0; RECORD];
    record[..8].copy_from_slice(&occupied.to_le_bytes());
    record[8..24].copy_from_slice(&nibbles);
    record[TURN_EP] = u8::from(board.turn().is_black()) << 7
        | board.ep_square().map_or(NO_EP, |square| square as u8);
    record[HALFMOVES] = board.halfmoves();
    record[FULLMOVES..SCORE].copy_from_slice(&board.fullmoves().to_le_bytes());
    set_score(&mut record, score);
    record[RESULT] = result;
    record
}
