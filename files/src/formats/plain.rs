//! Stockfish's `.plain`: several text lines per position.
//!
//! ```text
//! fen rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1
//! move e2e4
//! score 24
//! ply 0
//! result 1
//! e
//! ```
//!
//! Score and result (-1, 0, 1) are the side to move's. Castling is written as the king's move
//! to the c- or g-file, also in Chess960, as Stockfish's and nnue-pytorch's tools expect. Only
//! a king on or next to that square takes its rook instead, since those tools would read a
//! step. Both forms are read for all kings. Lines between the first and the last are in any
//! order, and optional when they are read. All are written: Stockfish's converter takes a value
//! that has no line from the record before. The move's legality is checked only if it is replayed
//! or a rule needs it: rescored files contain moves of other positions.

use shakmaty::Bitboard;
use shakmaty::uci::UciMove;

use super::board::{Kind, castled};
use super::convert::{
    Counting, OutputRecord, OutputRecords, UnheldRights, not_written_as_a_move, unheld_by_a_fen,
};
use super::isa::Features;
use super::spec::{FormatCode, FormatSpec, WholeRecords};
use super::text::{
    first_lines, lines, next_line, not_a_move, parse, parse_score, quoted, unmarked,
};
use super::{
    Block, DecodedPart, Fault, Field, Invalid, OpenChunk, Outcome, Place, Record, RecordFields,
    VALUE_NONE,
};
use crate::notation::{push_number, push_uci};
use crate::packed::{KING_TO_MOVE, ROOK, packed_move};
use swaplist::fen::Extras;
use swaplist::{PackedMove, Position};

pub(super) const SPEC: FormatSpec = FormatSpec {
    extensions: &["plain"],
    can_mark: true,
    // Stockfish's converter gives a record without a score, a move or a result that of the record
    // before. There is a score that means none, but no such move or result.
    skips_unscored: true,
    needs: &[Field::Played, Field::Score, Field::Result],
    counts: Counting::Both,
    is_convertible_to: true,
    // Bytes per line: records have five or six lines.
    least_text_bytes: Some(8),
    ..FormatSpec::for_text("plain", &Plain)
};

struct Plain;

impl FormatCode for Plain {
    fn begins(&self, head: &[u8]) -> bool {
        unmarked(head).trim_ascii_start().starts_with(b"fen ")
    }

    fn whole_records(&self, text: &[u8]) -> WholeRecords {
        WholeRecords::from_length(whole_records(text))
    }

    fn first_records(&self, whole: &[u8], lines: usize) -> usize {
        // Up to the first end of a record from there on.
        let mut end = first_lines(whole, lines - 1);
        while end < whole.len() {
            let line = next_line(&whole[end..]);
            end += line.len();
            if line.trim_ascii() == b"e" {
                break;
            }
        }
        end
    }

    fn decode_block(&self, _: Features, block: &Block, part: &mut DecodedPart) {
        decode(block, part);
    }

    fn mark(&self, record: &[u8], out: &mut Vec<u8>) {
        mark(record, out);
    }

    fn cannot_hold(&self, _: Option<i32>, record: &Record) -> Option<String> {
        not_written_as_a_move(record).or_else(|| read_as_castling(record))
    }

    fn unheld_rights(&self, record: &Record) -> Option<UnheldRights> {
        unheld_by_a_fen(record)
    }

    fn write(&self, records: OutputRecords<'_>, out: &mut Vec<u8>, _: &mut OpenChunk) {
        records.each(|record| write(record, out));
    }
}

/// Up to the end of the last line that ends a record.
fn whole_records(text: &[u8]) -> usize {
    let mut end = text.len();
    for line in text.split_inclusive(|&byte| byte == b'\n').rev() {
        if line.ends_with(b"\n") && line.trim_ascii() == b"e" {
            return end;
        }
        end -= line.len();
    }
    0
}

fn decode(block: &Block, into: &mut DecodedPart) {
    into.clear();
    let mut line = block.start.number();
    let mut start = 0;
    while let Some((fields, length, lines)) = first_record(&block.bytes[start..]) {
        let text = &block.bytes[start..start + length];
        let span = start as u32..(start + length) as u32;
        let record = RecordFields::new(Place::Line(line), span);
        into.add_text(record, |into| fields?.decode(text, record, into));
        line += lines;
        start += length;
    }
}

/// The first record of a text, after blank lines, with its bytes and lines. A rest without an
/// end counts as a record, unless it is blank.
#[inline]
fn first_record(text: &[u8]) -> Option<(Result<Fields<'_>, Invalid>, usize, u64)> {
    let mut fields = Ok(Fields::default());
    let mut length = 0;
    let mut lines = 0;
    let mut is_blank = true;
    while let rest @ [_, ..] = &text[length..] {
        let line = next_line(rest);
        let content = unmarked(line).trim_ascii();
        length += line.len();
        lines += 1;
        is_blank &= content.is_empty();
        if let Ok(read) = &mut fields
            && let Err(reason) = read.line(content)
        {
            fields = Err(reason);
        }
        if content == b"e" {
            break;
        }
    }
    (!is_blank).then_some((fields, length, lines))
}

#[derive(Default)]
struct Fields<'a> {
    fen: Option<&'a [u8]>,
    played: Option<&'a [u8]>,
    score: Option<i32>,
    ply: Option<u32>,
    result: Option<i32>,
    ended: bool,
}

impl<'a> Fields<'a> {
    fn line(&mut self, line: &'a [u8]) -> Result<(), Invalid> {
        let end = line.iter().position(u8::is_ascii_whitespace);
        let (key, after) = line.split_at(end.unwrap_or(line.len()));
        let value = after.trim_ascii_start();
        let again = match key {
            b"fen" => self.fen.replace(value).is_some(),
            b"move" => self.played.replace(value).is_some(),
            b"score" => self.score.replace(parse_score(value)?).is_some(),
            b"ply" => {
                let ply = parse(
                    Fault::Other,
                    value,
                    |ply: &u32| *ply < u32::MAX,
                    "a number of half-moves",
                )?;
                self.ply.replace(ply).is_some()
            }
            b"result" => {
                let result = parse(
                    Fault::Other,
                    value,
                    |result| matches!(result, -1..=1),
                    "a result, expected -1, 0 or 1",
                )?;
                self.result.replace(result).is_some()
            }
            b"e" if value.is_empty() => core::mem::replace(&mut self.ended, true),
            b"" => false,
            _ => {
                return Err(Invalid::other(format!(
                    "unexpected line '{}', expected fen, move, score, ply, result or e",
                    quoted(line)
                )));
            }
        };
        if again {
            return Err(Invalid::other(format!("a second '{}'", quoted(key))));
        }
        Ok(())
    }

    fn decode(
        self,
        text: &[u8],
        record: RecordFields,
        into: &mut DecodedPart,
    ) -> Result<(), Invalid> {
        let missing = |line: &str| Invalid::other(format!("the record has no line '{line}'"));
        if !self.ended {
            return Err(missing("e"));
        }
        let fen = self.fen.ok_or_else(|| missing("fen"))?;
        let position = Position::from_ascii(fen)?;
        let played = match self.played {
            Some(text) => parse_move(fen, &position, text)?,
            None => None,
        };
        // The result is the side to move's, a record's is White's.
        let result = self
            .result
            .map(|result| position.turn().fold_wb(result, -result));
        let record = record
            .with_played(played)
            .with_score(self.score)
            .with_outcome(result.map(Outcome::from_white))
            .with_ply(self.ply);
        into.add(text, fen, position, record);
        Ok(())
    }
}

/// A move in UCI, legal or not; `None` for the null move. Only castling depends on the position.
///
/// # Errors
///
/// If it is not a move in UCI.
pub fn parse_move(
    fen: &[u8],
    position: &Position,
    text: &[u8],
) -> Result<Option<PackedMove>, Invalid> {
    match UciMove::from_ascii(text) {
        Ok(UciMove::Normal {
            from,
            to,
            promotion,
        }) => {
            let m = PackedMove::new(from, to, promotion);
            let takes_rook = rook_taken(m, position, || {
                Extras::from_fen(fen, position).map_or(0, |extras| extras.castling)
            });
            Ok(Some(takes_rook.unwrap_or(m)))
        }
        Ok(UciMove::Null) => Ok(None),
        _ => Err(not_a_move(Fault::MoveText, text, fen)),
    }
}

/// Reads a king's move on its rank as castling: over two files, or over more to the c- or
/// g-file. The rook is the one on that side that may castle.
fn rook_taken(
    m: PackedMove,
    position: &Position,
    castling: impl FnOnce() -> u64,
) -> Option<PackedMove> {
    let from = m.from() as u32;
    let to = m.to() as u32;
    let turn = position.turn();
    let back_rank = turn.fold_wb(0, 7);
    let castles = position.code_at(from) == KING_TO_MOVE
        && from / 8 == back_rank
        && to / 8 == back_rank
        && (from.abs_diff(to) == 2 || from.abs_diff(to) > 2 && matches!(to % 8, 2 | 6))
        && position.occupied().0 >> to & 1 == 0;
    if !castles {
        return None;
    }
    let rooks = position.pieces_with(ROOK)
        & position.pieces_of(turn)
        & 0xff << (back_rank * 8)
        & castling();
    let rook = Bitboard(rooks)
        .into_iter()
        .map(u32::from)
        .find(|&rook| (rook > from) == (to > from))?;
    Some(packed_move(from, rook, 0))
}

/// A record with its score replaced or added.
fn mark(text: &[u8], out: &mut Vec<u8>) {
    let is_score = |line: &[u8]| line.trim_ascii_start().starts_with(b"score");
    let scored = lines(text).any(is_score);
    for line in lines(text) {
        if is_score(line) || !scored && line.trim_ascii() == b"e" {
            out.extend_from_slice(b"score ");
            push_number(out, VALUE_NONE.into());
            let ending = &line[line.trim_ascii_end().len()..];
            out.extend_from_slice(if ending.is_empty() { b"\n" } else { ending });
        }
        if !is_score(line) {
            out.extend_from_slice(line);
        }
    }
}

/// Names a king's step that a reader would take for castling.
fn read_as_castling(record: &Record) -> Option<String> {
    let played = record.fields.played()?;
    let is_step = record.board().kind(played) != Kind::Castling;
    let rook = rook_taken(played, &record.position, || record.castling.0);
    (is_step && rook.is_some())
        .then(|| format!("the move {played}, which would be read as castling"))
}

/// Writes a record.
#[inline]
fn write(record: &OutputRecord<'_>, out: &mut Vec<u8>) {
    out.extend_from_slice(b"fen ");
    record.source.write_fen(out);
    out.push(b'\n');
    if let Some(played) = record.source.fields.played() {
        out.extend_from_slice(b"move ");
        let kind = record.source.board().kind(played);
        push_uci(out, king_moves(played, kind, record.source));
        out.push(b'\n');
    }
    let outcome = record.source.fields.outcome();
    let result = outcome.map(|_| i64::from(record.result()) - 1);
    for (key, number) in [
        ("score ", record.score.map(i64::from)),
        ("ply ", Some(record.source.ply_or_clock().into())),
        ("result ", result),
    ] {
        if let Some(number) = number {
            out.extend_from_slice(key.as_bytes());
            push_number(out, number);
            out.push(b'\n');
        }
    }
    out.extend_from_slice(b"e\n");
}

/// Castling as the king's move, if a reader will find the same rook.
fn king_moves(m: PackedMove, kind: Kind, state: &Record) -> PackedMove {
    let from = m.from() as u32;
    let (to, _) = castled(from, m.to() as u32);
    let as_king = packed_move(from, to, 0);
    let castles = kind == Kind::Castling
        && rook_taken(as_king, &state.position, || state.castling.0) == Some(m);
    if castles { as_king } else { m }
}
