//! bulletformat's `ChessBoard`: 32 bytes per position, which bullet trains on.
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
//! The side to move is always White: with Black to move the board is stored upside down with
//! colours exchanged, so the real side to move is lost. Positions are scored as stored. There
//! is no en-passant target, castling right, clock or played move.

use shakmaty::Color;

use super::convert::{OutputRecord, too_large_for_16_bits};
use super::fixed::{self, InGroups, Layout, put_word, word};
use super::isa::Portable;
use super::pieces::{self, RECORD, Record32};
use super::spec::FormatSpec;
use super::{Fault, Field, Invalid, Outcome, Record, RecordFields};
use swaplist::Position;
use swaplist::boards::{Codes, Nibbles, Unpacker, codes};

pub(super) const SPEC: FormatSpec = FormatSpec {
    extensions: &["bulletformat", "bf", "bullet"],
    shared_extensions: &["bin", "data"],
    lacks: &[
        Field::Turn,
        Field::Castling,
        Field::EnPassant,
        Field::Clocks,
        Field::Played,
    ],
    ..fixed::spec::<Bulletformat, RECORD>("bulletformat")
};

const RESULT: usize = 26;
const OWN_KING: usize = 27;
const THEIR_KING: usize = 28;

pub(super) struct Bulletformat;

impl Nibbles for Bulletformat {
    const CODES: [Codes; 2] = [codes(Color::White); 2];
    const TURN: u8 = 0;
    const FLIP: u64 = 0;
    // All but two bits of the result.
    const ZERO: u64 = 0xfc << (8 * (RESULT - 24));
    const RESULT: u64 = 1 << (8 * (RESULT - 24));
}

impl Layout<RECORD> for Bulletformat {
    const SCORE: usize = 24;
    const IN_GROUPS: Option<InGroups<RECORD>> = Some(Unpacker::unpack::<Self>);

    fn unpack(record: &Record32) -> Result<Position, Invalid> {
        if record[RESULT] > 2 {
            return Err(Invalid::code(Fault::Outcome, record[RESULT]));
        }
        let has_unmoved = false;
        let (planes, _) = pieces::unpack(Portable, record, has_unmoved, Color::White)?;
        Ok(Position::from_bare_planes(planes)?)
    }

    #[inline]
    fn describe(raw: &Record32, record: RecordFields) -> RecordFields {
        record
            .with_score(Some(word(raw, Self::SCORE).cast_signed().into()))
            .with_outcome(outcome(raw[RESULT]))
    }

    fn state(_: &Record32, position: &Position) -> Record {
        Record::new(*position)
    }

    /// With the score and result (0, 1, 2) of the side to move. Black's positions are turned
    /// around; the en-passant target is lost.
    fn pack(written: &OutputRecord<'_>) -> Record32 {
        let position = &written.source.position;
        let mut planes = pieces::bare_planes(position);
        if position.turn() == Color::Black {
            let occupied = planes[0] | planes[1] | planes[2];
            planes[3] = occupied & !planes[3];
            planes = planes.map(u64::swap_bytes);
        }
        let [bit0, bit1, bit2, black] = planes;
        let [type0, type1, type2] = pieces::types(planes);
        let king = |color: u64| (bit1 & bit2 & color).trailing_zeros() as u8 & 63;
        let mut record = pieces::record([type0, type1, type2, black], bit0 | bit1 | bit2);
        put_word(&mut record, Self::SCORE, written.score().cast_unsigned());
        record[RESULT] = written.result();
        record[OWN_KING] = king(!black);
        record[THEIR_KING] = king(black) ^ 56;
        record
    }

    fn cannot_hold(score: Option<i32>, _: &Record) -> Option<String> {
        too_large_for_16_bits(score)
    }

    /// The only redundancy: each record contains the squares of its kings.
    fn makes_sense(bytes: &[u8], positions: &[Position]) -> bool {
        let records: &[Record32] = bytes.as_chunks().0;
        let kings_agree = records.iter().zip(positions).all(|(record, position)| {
            record[OWN_KING] == position.king_of(Color::White) as u8
                && record[THEIR_KING] == position.king_of(Color::Black) as u8 ^ 56
        });
        records.len() == positions.len() && kings_agree
    }
}

/// A result as coded in both 32-byte formats.
pub(super) fn outcome(result: u8) -> Option<Outcome> {
    (result <= 2).then(|| Outcome::from_white(i32::from(result) - 1))
}
