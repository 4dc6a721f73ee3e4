//! bulletformat's `ChessBoard`: 32 bytes a position, as bullet trains on.
//!
//! | bytes | holds |
//! |---|---|
//! | 0..8 | the occupied squares |
//! | 8..24 | the pieces, a nibble each in the order of their squares: colour << 3 \| type |
//! | 24..26 | the score, i16, of the side to move |
//! | 26 | the result of the side to move: 0 loss, 1 draw, 2 win |
//! | 27, 28 | the squares of the own king, and of the other, turned upside down |
//! | 29..32 | free |
//!
//! The side to move is always White: with Black to move the board is stored
//! upside down and with colours exchanged, so who really moves is lost. A
//! position is scored as it is stored. There is no en-passant target, castling
//! right, clock or played move.

use shakmaty::Color;

use super::Fault;
use super::bulk::{self, Bulk};
use super::isa::Isa;
use super::pieces::{self, Types};
use crate::Position;
use crate::simd::{Codes, Scheme, codes};

/// Bytes of a record.
pub const RECORD: usize = 32;

/// A record's bytes.
pub type Raw = [u8; RECORD];

const SCORE: usize = 24;
const RESULT: usize = 26;
const OWN_KING: usize = 27;
const THEIR_KING: usize = 28;

/// The position of a record, White to move.
///
/// # Errors
///
/// The [`Fault`] if it holds no position that SEE has a meaning for, or no
/// result. The two king squares are not looked at, [`kings_agree`] does.
pub fn unpack(record: &Raw) -> Result<Position, Fault> {
    bulk::unpack::<Layout>(record)
}

/// Calls `found` with each record's position, in order. Bytes that do not fill
/// a last record are not looked at.
pub fn for_each(bytes: &[u8], found: impl FnMut(Result<Position, Fault>)) {
    bulk::for_each::<Layout>(bytes.as_chunks().0, found);
}

/// The parts of a record, for [`bulk`].
pub(crate) struct Layout;

impl Scheme for Layout {
    const CODES: [Codes; 2] = [codes(false, false); 2];
    const TURN: u8 = 0;
    const FLIP: u64 = 0;
    const ZERO: u64 = 0xfc << (8 * (RESULT - 24));
    const RESULT: u64 = 1 << (8 * (RESULT - 24));
}

impl Bulk for Layout {
    #[inline(always)]
    fn unpack<I: Isa>(isa: I, record: &Raw) -> Result<Position, Fault> {
        if record[RESULT] > 2 {
            return Err(Fault::Result(record[RESULT]));
        }
        let (planes, _) = pieces::unpack(
            isa,
            occupied(record),
            nibbles(record),
            Types::Plain,
            Color::White,
        )?;
        Ok(Position::from_bare_planes(planes)?)
    }
}

/// The occupied squares: the first eight bytes of either 32-byte format.
#[inline(always)]
pub(crate) fn occupied(record: &Raw) -> u64 {
    let (bytes, _) = record.split_first_chunk().expect("32 bytes hold 8");
    u64::from_le_bytes(*bytes)
}

/// The list of pieces of either 32-byte format.
#[inline(always)]
pub(crate) fn nibbles(record: &Raw) -> &[u8; 16] {
    record[8..].first_chunk().expect("24 bytes hold 16")
}

/// The score of the side to move.
#[must_use]
pub const fn score(record: &Raw) -> i16 {
    i16::from_le_bytes([record[SCORE], record[SCORE + 1]])
}

/// Writes a score of the side to move.
pub const fn set_score(record: &mut Raw, score: i16) {
    [record[SCORE], record[SCORE + 1]] = score.to_le_bytes();
}

/// The result of the side to move: 0 loss, 1 draw, 2 win.
#[must_use]
pub const fn result(record: &Raw) -> u8 {
    record[RESULT]
}

/// The record of a position, with the score and result (0, 1, 2) of its side to
/// move. Black's positions are turned around; the en-passant target is lost.
#[must_use]
pub fn pack(position: &Position, score: i16, result: u8) -> Raw {
    let mut planes = pieces::bare_planes(position);
    if position.turn() == Color::Black {
        let occupied = planes[0] | planes[1] | planes[2];
        planes[3] = occupied & !planes[3];
        planes = planes.map(u64::swap_bytes);
    }
    let mut kings = [0; 2];
    let (occupied, nibbles) = pieces::pack(planes, |square, kind, color| {
        if kind == 5 {
            kings[color as usize ^ 1] = square as u8;
        }
        kind | u8::from(color.is_black()) << 3
    });
    let mut record = [0; RECORD];
    record[..8].copy_from_slice(&occupied.to_le_bytes());
    record[8..24].copy_from_slice(&nibbles);
    set_score(&mut record, score);
    record[RESULT] = result;
    record[OWN_KING] = kings[0];
    record[THEIR_KING] = kings[1] ^ 56;
    record
}

/// Whether a record's two king squares are those of its kings.
#[must_use]
pub fn kings_agree(record: &Raw, position: &Position) -> bool {
    let own = position.king_of(Color::White) as u8;
    let their = position.king_of(Color::Black) as u8 ^ 56;
    (record[OWN_KING], record[THEIR_KING]) == (own, their)
}
