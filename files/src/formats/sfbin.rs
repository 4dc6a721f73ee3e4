//! Stockfish's `.bin`, `PackedSfenValue`: 40 bytes per position.
//!
//! | bytes | holds |
//! |---|---|
//! | 0..32 | the position, a stream of bits, the lowest of each byte first |
//! | 32..34 | the score, i16, of the side to move |
//! | 34..36 | the move played: target 0..6, origin 6..12, promotion 12..14 (knight 0), 14..16: 1 promotion, 2 en passant, 3 castling as king takes rook |
//! | 36..38 | the half-moves since the start of the game |
//! | 38 | the result of the side to move: -1 loss, 0 draw, 1 win |
//! | 39 | free |
//!
//! The stream: side to move (1 bit), White's king and Black's (6 each), the pieces
//! on the other squares from a8 to h1 (`0` empty; else `1`, 3 bits of the type,
//! pawn 0 to queen 4, and the colour), castling rights `KQkq` (4), whether there
//! is an en-passant target (1) and if so which (6), the half-move clock (6), the
//! full-move number (16), the clock's seventh bit (1).
//!
//! A castling right belongs to the outermost rook. A move from
//! a square to itself means no move.
//!
//! `rights`, `castling_rooks` and the method `unheld_rights` turn castling rights into
//! four flags and back. Another format with such flags takes them from here.

use shakmaty::{Bitboard, Color};

use super::board::{Kind, MoveBits};
use super::convert::{
    Counting, OutputRecord, UnheldRights, not_written_as_a_move, too_large_for_16_bits,
};
use super::fixed::{self, Layout, ep_square, put_word, word};
use super::spec::FormatSpec;
use super::{Fault, Invalid, Outcome, Record, RecordFields};
use swaplist::fen::castling_rook;
use swaplist::{Position, PositionError};

pub(super) const SPEC: FormatSpec = FormatSpec {
    extensions: &["sfbin"],
    shared_extensions: &["bin"],
    skips_unscored: true,
    max_ply: u16::MAX as u32,
    counts: Counting::Both,
    max_halfmoves: MAX_HALFMOVES,
    ..fixed::spec::<Sfbin, RECORD>("sfbin")
};

/// Bytes of a record of this format.
const RECORD: usize = 40;

/// The bytes of a record.
type Record40 = [u8; RECORD];

const SFEN: usize = 32;
const SCORE: usize = 32;
const MOVE: usize = 34;
const PLY: usize = 36;
const RESULT: usize = 38;
const QUEEN: u32 = 4;
/// The highest half-move clock: it has seven bits.
const MAX_HALFMOVES: u8 = 127;

struct Sfbin;

impl Layout<RECORD> for Sfbin {
    const SCORE: usize = SCORE;

    fn unpack(raw: &Record40) -> Result<Position, Invalid> {
        Ok(unpack(raw)?.position)
    }

    fn describe(raw: &Record40, record: RecordFields) -> RecordFields {
        let result = raw[RESULT].cast_signed();
        let white = turn(raw).fold_wb(result, -result);
        let (played, _) = MOVES.read(word(raw, MOVE));
        let is_there = played.from() != played.to();
        record
            .with_played(is_there.then_some(played))
            .with_score(Some(word(raw, SCORE).cast_signed().into()))
            .with_outcome(Some(Outcome::from_white(white.into())))
            .with_ply(Some(word(raw, PLY).into()))
    }

    fn state(raw: &Record40, position: &Position) -> Record {
        unpack(raw).unwrap_or_else(|_| Record::new(*position))
    }

    /// With the castling rights of the outermost rooks.
    fn pack(written: &OutputRecord<'_>) -> Record40 {
        let mut record = pack(written.source);
        put_word(&mut record, SCORE, written.score().cast_unsigned());
        if let Some(played) = written.source.fields.played() {
            let kind = written.source.board().kind(played);
            put_word(&mut record, MOVE, MOVES.write(played, kind));
        }
        let ply = written.source.ply_or_clock().min(u16::MAX.into());
        put_word(&mut record, PLY, ply as u16);
        record[RESULT] = written.result().wrapping_sub(1);
        record
    }

    fn cannot_hold(score: Option<i32>, record: &Record) -> Option<String> {
        too_large_for_16_bits(score).or_else(|| not_written_as_a_move(record))
    }

    fn unheld_rights(record: &Record) -> Option<UnheldRights> {
        if record.castling.is_empty() {
            return None;
        }
        let outermost = castling_rooks(&record.position, rights(record));
        let what = "the castling right of a rook that is not outermost";
        UnheldRights::new(record.castling.0 & !outermost, what)
    }
}

const MOVES: MoveBits = MoveBits {
    from: 6,
    to: 0,
    promotion: 12,
    kinds: [
        Kind::Normal,
        Kind::Promotion,
        Kind::EnPassant,
        Kind::Castling,
    ],
};

/// The side to move: the first bit.
fn turn(record: &Record40) -> Color {
    Color::from_white(record[0] & 1 == 0)
}

/// The position of a record, with castling rights and clocks.
fn unpack(record: &Record40) -> Result<Record, Invalid> {
    if !(-1..=1).contains(&record[RESULT].cast_signed()) {
        return Err(Invalid::code(Fault::Outcome, record[RESULT]));
    }
    let mut bits = Bits {
        record: *record,
        at: 0,
    };
    bits.take(1);
    let turn = turn(record);
    let planes = read_planes(&mut bits, turn)?;
    let rights = bits.take(4);
    let ep = match bits.take(1) {
        0 => None,
        _ => Some(ep_square(bits.take(6) as u8)?),
    };
    let low_clock = bits.take(6);
    let fullmoves = bits.take(8) | bits.take(8) << 8;
    let clock = low_clock | bits.take(1) << 6;
    // 32 pieces fit into the stream, so this record has more.
    if bits.at > SFEN * 8 {
        let count = (planes[0] | planes[1] | planes[2]).count_ones();
        return Err(PositionError::TooManyPieces(count).into());
    }
    let position = Position::from_bare_planes(planes)?.with_ep(ep);
    Ok(Record {
        castling: Bitboard(castling_rooks(&position, rights)),
        halfmoves: clock as u8,
        fullmoves: fullmoves as u16,
        ..Record::new(position)
    })
}

/// A stream of bits, the lowest of each byte first; reads zeros after its end.
struct Bits {
    record: Record40,
    at: usize,
}

impl Bits {
    /// Reads the next bits, at most 8.
    fn take(&mut self, count: usize) -> u32 {
        let byte = |i: usize| match self.record.get(i) {
            Some(&byte) if i < SFEN => u32::from(byte),
            _ => 0,
        };
        let window = byte(self.at / 8) | byte(self.at / 8 + 1) << 8;
        let bits = window >> (self.at % 8) & ((1 << count) - 1);
        self.at += count;
        bits
    }

    /// Writes the lowest `count` bits.
    fn put(&mut self, bits: u32, count: usize) {
        for i in 0..count {
            self.record[self.at / 8] |= ((bits >> i & 1) as u8) << (self.at % 8);
            self.at += 1;
        }
    }
}

/// Reads kings and pieces as the planes of a [`Position`].
fn read_planes(bits: &mut Bits, turn: Color) -> Result<[u64; 4], Invalid> {
    let mut planes = [0; 4];
    let mut put = |code: u32, black: u32, square: u32| {
        for (bit, plane) in planes.iter_mut().enumerate().take(3) {
            *plane |= u64::from(code >> bit & 1) << square;
        }
        planes[3] |= u64::from(black) << square;
    };
    let kings = [bits.take(6), bits.take(6)];
    // A square holds one king: the other one is missing.
    if kings[0] == kings[1] {
        let error = PositionError::KingCount {
            color: Color::Black,
            kings: 0,
        };
        return Err(error.into());
    }
    for (black, &king) in kings.iter().enumerate() {
        let to_move = (black == 1) == turn.is_black();
        put(6 + u32::from(to_move), black as u32, king);
    }
    for i in 0..64 {
        let square = i ^ 56;
        if kings.contains(&square) || bits.take(1) == 0 {
            continue;
        }
        let kind = bits.take(3);
        let black = bits.take(1);
        if kind > QUEEN {
            // The code with the bit before it, as both are in the stream.
            return Err(Invalid::code(Fault::PieceCode, (kind << 1 | 1) as u8));
        }
        put(kind + 1, black, square);
    }
    Ok(planes)
}

/// The outermost rooks that belong to the castling rights, `K` in bit 0 to `q` in bit 3; where
/// there is no rook, its corner.
fn castling_rooks(position: &Position, rights: u32) -> u64 {
    (0..4)
        .filter(|i| rights >> i & 1 == 1)
        .map(|i| castling_rook(position, b"KQkq"[i]))
        .fold(0, |rooks, rook| rooks | rook)
}

/// The castling rights of the outermost rooks, `K` in bit 0 to `q` in bit 3.
fn rights(state: &Record) -> u32 {
    (0..4)
        .filter(|i| castling_rooks(&state.position, 1 << i) & state.castling.0 != 0)
        .fold(0, |rights, i| rights | 1 << i)
}

/// A record with only the position, castling rights and clocks.
fn pack(state: &Record) -> Record40 {
    let mut writer = Bits {
        record: [0; RECORD],
        at: 0,
    };
    write_position(&state.position, &mut writer);
    writer.put(rights(state), 4);
    let ep = state.legal_ep();
    writer.put(u32::from(ep.is_some()), 1);
    if let Some(square) = ep {
        writer.put(square as u32, 6);
    }
    let clock = u32::from(state.halfmoves.min(MAX_HALFMOVES));
    writer.put(clock & 63, 6);
    writer.put(state.fullmoves.into(), 16);
    writer.put(clock >> 6, 1);
    writer.record
}

/// Writes the side to move, kings and pieces: 195 bits if there are 32 pieces, the most.
fn write_position(position: &Position, writer: &mut Bits) {
    writer.put(u32::from(position.turn().is_black()), 1);
    writer.put(position.king_of(Color::White), 6);
    writer.put(position.king_of(Color::Black), 6);
    for i in 0..64 {
        let square = i ^ 56;
        match position.code_at(square) {
            0 => writer.put(0, 1),
            code @ 1..=5 => {
                let black = (position.planes()[3] >> square & 1) as u32;
                writer.put(1 | (code - 1) << 1 | black << 4, 5);
            }
            _ => {}
        }
    }
}
