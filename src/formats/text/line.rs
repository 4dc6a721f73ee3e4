//! Parsing a line of text.

use core::ops::Range;

use shakmaty::Color;

use super::moves::Namer;
use super::operations::{parse_operations, parse_outcome, parse_score, unexpected};
use super::{field, leading, text_of, unmarked_line};
use crate::fen::{Extras, Front, ply};
use crate::formats::{DecodedPart, Fault, Invalid, Place, RecordFields, turned_score};
use crate::{Position, PositionError};

/// A line, which may have no record. Bytes that are not text explain any other fault.
pub(super) fn decode_line(
    line: &[u8],
    place: Place,
    span: Range<u32>,
    into: &mut DecodedPart,
) -> Result<(), Invalid> {
    decode(line, place, span, into)
        .map_err(|fault| text_of(without_nuls(line)).err().unwrap_or(fault))
}

fn decode(
    line: &[u8],
    place: Place,
    span: Range<u32>,
    into: &mut DecodedPart,
) -> Result<(), Invalid> {
    let mut content = without_nuls(line);
    let after = |front: &Front| content[front.length..].trim_ascii_start();
    let front = match Front::of(content) {
        // A clock would be after a tab.
        Some(front) if !matches!(after(&front), [b'0'..=b'9', ..]) => front,
        _ => {
            content = unmarked_line(content, place).trim_ascii();
            if matches!(content, [] | [b'#', ..]) {
                return Ok(());
            }
            any_front(content)?
        }
    };
    let (fen, after) = content.split_at(front.length);
    let position = front.position;
    let start = span.start + (fen.as_ptr() as usize - line.as_ptr() as usize) as u32;
    let mut record = RecordFields::new(place, span).with_ply(front.ply);
    let after = after.trim_ascii();
    match after.split_first() {
        None => {}
        Some((b'|', fields)) => score_and_outcome(fields, position.turn(), &mut record)?,
        Some((b';', moves)) => {
            let moves = Namer::on(fen, position).moves(moves)?;
            if !moves.is_empty() {
                into.named.push((into.records.len(), moves));
            }
        }
        Some(_) => {
            text_of(content)?;
            parse_operations(after, fen, position, &mut record)?;
        }
    }
    into.positions.push(position);
    into.records.push(record);
    into.fens.push(start..start + fen.len() as u32);
    Ok(())
}

/// A FEN at the start of a text, in any form.
fn any_front(text: &[u8]) -> Result<Front, Invalid> {
    if let Some(foreign) = foreign(text) {
        return Err(foreign);
    }
    let (fen, fields) = split_fen(text)?;
    if fen.contains(&b'\t') {
        let message = "tabs in a FEN, its fields are separated by spaces";
        return Err(Invalid::new(Fault::Tabs, message));
    }
    let position = Position::from_ascii(fen)?;
    let extras = Extras::of(fen, &position).filter(|_| fields == 6);
    Ok(Front {
        position,
        length: fen.len(),
        ply: extras.map(|extras| ply(extras.fullmoves, position.turn())),
    })
}

/// Without blanks at the end, and NULs, which some engines write at the end of a string; unless
/// nothing else is there.
fn without_nuls(line: &[u8]) -> &[u8] {
    let blank = |byte: &u8| *byte == 0 || byte.is_ascii_whitespace();
    let end = line.iter().rposition(|byte| !blank(byte));
    &line[..end.map_or(line.len(), |end| end + 1)]
}

/// Recognises lines of other text formats.
fn foreign(line: &[u8]) -> Option<Invalid> {
    const TABLE: (&[u8], &str, &str) = (b"fen\t", "a table", "csv");
    const BEGINNINGS: [(&[u8], &str, &str); 4] = [
        (b"[Event ", "PGN", "pgn"),
        (b"fen ", "Stockfish's text of training data", "plain"),
        (b"{", "JSON, perhaps Lichess' evaluations", "jsonl"),
        TABLE,
    ];
    let mut known = BEGINNINGS.into_iter();
    let begins = |beginning: &[u8]| {
        let start = line.get(..beginning.len());
        start.is_some_and(|start| start.eq_ignore_ascii_case(beginning))
    };
    let known = known.find(|(beginning, ..)| begins(beginning));
    // No FEN begins with a word that has a comma.
    let is_table = || field(line).contains(&b',').then_some(TABLE);
    let (_, what, format) = known.or_else(is_table)?;
    let message = format!("not a position, looks like {what}");
    Some(Invalid::new(Fault::OtherFormat(format), message))
}

/// The FEN at the start of a line, and its number of fields.
fn split_fen(line: &[u8]) -> Result<(&[u8], usize), Invalid> {
    let mut end = 0;
    let mut found = 6;
    for fields in 0..6 {
        let start = end + leading(&line[end..], |byte| matches!(byte, b' ' | b'\t')).len();
        let field = field(&line[start..]);
        let clock = field.iter().all(u8::is_ascii_digit);
        if field.is_empty() && fields < 4 {
            return Err(PositionError::Fields(fields).into());
        }
        if field.is_empty() || fields >= 4 && !clock {
            found = fields;
            break;
        }
        end = start + field.len();
    }
    Ok((&line[..end], found))
}

/// The fields of `FEN | score | result`, both from White's view.
fn score_and_outcome(text: &[u8], turn: Color, record: &mut RecordFields) -> Result<(), Invalid> {
    let mut fields = text.split(|&byte| byte == b'|').map(<[u8]>::trim_ascii);
    let score = fields.next().unwrap_or_default();
    let score = parse_score(score)?;
    *record = record.with_score(Some(turned_score(score, turn)));
    if let Some(outcome) = fields.next() {
        *record = record.with_outcome(Some(parse_outcome(outcome)?));
    }
    match fields.next() {
        None => Ok(()),
        Some(more) => Err(unexpected(more)),
    }
}
