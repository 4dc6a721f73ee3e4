//! marlinformat's `PackedBoard`: 32 bytes a position as it was played.
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

use super::Fault;
use super::board::Board;
use super::bulk::{self, Bulk};
use super::bulletformat::{nibbles, occupied};
use super::isa::Isa;
use super::pieces::{self, Types};
use crate::Position;
use crate::simd::{Codes, Scheme, codes};

pub use super::bulletformat::{RECORD, Raw};

const TURN_EP: usize = 24;
const HALFMOVES: usize = 25;
const FULLMOVES: usize = 26;
const SCORE: usize = 28;
const RESULT: usize = 30;
const NO_EP: u8 = 64;

/// The position of a record. An en-passant target that no pawn can use is
/// dropped.
///
/// # Errors
///
/// The [`Fault`] if it holds no position that SEE has a meaning for, no
/// en-passant byte or no result.
pub fn unpack(record: &Raw) -> Result<Position, Fault> {
    bulk::unpack::<Layout>(record)
}

/// Calls `found` with each record's position, in order. Bytes that do not fill
/// a last record are not looked at.
pub fn for_each(bytes: &[u8], found: impl FnMut(Result<Position, Fault>)) {
    bulk::for_each::<Layout>(bytes.as_chunks().0, found);
}

/// The parts of a record, for [`bulk`]. Those with an en-passant target are left
/// to be looked at one by one.
pub(crate) struct Layout;

impl Scheme for Layout {
    const CODES: [Codes; 2] = [codes(true, false), codes(true, true)];
    const TURN: u8 = 0x80;
    const FLIP: u64 = NO_EP as u64;
    const ZERO: u64 = 0x7f | 0xfc << (8 * (RESULT - 24));
    const RESULT: u64 = 1 << (8 * (RESULT - 24));
}

impl Bulk for Layout {
    #[inline(always)]
    fn unpack<I: Isa>(isa: I, record: &Raw) -> Result<Position, Fault> {
        let (planes, _, ep) = fields(isa, record)?;
        Ok(Position::from_bare_planes(planes)?.with_ep(ep))
    }
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

/// The board to play moves on that a game's first record holds.
#[inline(always)]
pub(crate) fn board<I: Isa>(isa: I, record: &Raw) -> Result<Board, Fault> {
    let (planes, unmoved, ep) = fields(isa, record)?;
    let position = Position::from_bare_planes(planes)?.with_ep(ep);
    Ok(Board::new(
        &position,
        unmoved,
        halfmoves(record),
        fullmoves(record),
    ))
}

/// The half-move clock: half-moves since the last capture or pawn move.
#[must_use]
pub const fn halfmoves(record: &Raw) -> u8 {
    record[HALFMOVES]
}

/// The number of the full move, 1 at the start of a game; writers may leave 0.
#[must_use]
pub const fn fullmoves(record: &Raw) -> u16 {
    u16::from_le_bytes([record[FULLMOVES], record[FULLMOVES + 1]])
}

/// The score, White's.
#[must_use]
pub const fn score(record: &Raw) -> i16 {
    i16::from_le_bytes([record[SCORE], record[SCORE + 1]])
}

/// Writes a score, White's.
pub const fn set_score(record: &mut Raw, score: i16) {
    [record[SCORE], record[SCORE + 1]] = score.to_le_bytes();
}

/// The result, White's: 0 loss, 1 draw, 2 win.
#[must_use]
pub const fn result(record: &Raw) -> u8 {
    record[RESULT]
}

/// The record of a board, with White's score and result (0, 1, 2).
pub(crate) fn pack(board: &Board, score: i16, result: u8) -> Raw {
    let castling = board.castling();
    let (occupied, nibbles) = pieces::pack(board.planes(), |square, kind, color| {
        let unmoved = castling >> square as u32 & 1 == 1;
        u8::from(color.is_black()) << 3 | if unmoved { 6 } else { kind }
    });
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
