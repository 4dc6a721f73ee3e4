//! Parsing a line of text.

use core::ops::Range;

use shakmaty::Color;

use super::moves::Named;
use super::operations::{parse_operations, parse_outcome, parse_score, unexpected};
use super::{field, leading, unmarked_line};
use crate::fen::{Extras, Front, ply};
use crate::formats::{Decoded, Fault, Invalid, Place, RecordFields, turned_score};
use crate::{Position, PositionError};

/// A line, which may have no record.
pub(super) fn decode_line(
    line: &[u8],
    place: Place,
    span: Range<u32>,
    into: &mut Decoded,
) -> Result<(), Invalid> {
    let found = match usual_line(line, place, &span) {
        Some(found) => found,
        None => match any_line(line, place, span, into)? {
            Some(found) => found,
            None => return Ok(()),
        },
    };
    let (position, record, fen) = found;
    into.positions.push(position);
    into.records.push(record);
    into.fens.push(fen);
    Ok(())
}

/// A line's record, and its FEN's range in the block.
type Found = (Position, RecordFields, Range<u32>);

/// Fast path for a usual FEN, alone or with a score and result, reading each byte once; `None`
/// for other lines, which go to [`any_line`].
fn usual_line(line: &[u8], place: Place, span: &Range<u32>) -> Option<Found> {
    let line = line.trim_ascii_end();
    let front = Front::of(line)?;
    let mut record = RecordFields::new(place, span.clone()).with_ply(front.ply);
    match line[front.length..].trim_ascii_start() {
        [] => {}
        [b'|', fields @ ..] => {
            score_and_outcome(fields, front.position.turn(), &mut record).ok()?;
        }
        _ => return None,
    }
    let end = span.start + front.length as u32;
    Some((front.position, record, span.start..end))
}

/// Parses any line; `None` for blanks and comments.
fn any_line(
    line: &[u8],
    place: Place,
    span: Range<u32>,
    into: &mut Decoded,
) -> Result<Option<Found>, Invalid> {
    let content = unmarked_line(line, place);
    // Some engines also write the NUL that ends a string.
    let content = match content.trim_ascii_end() {
        ended @ [.., 0] => trim_nuls(ended),
        content => content,
    };
    let content = content.trim_ascii_start();
    if content.is_empty() || content[0] == b'#' {
        return Ok(None);
    }
    let offset_in_line = |part: &[u8]| part.as_ptr() as usize - line.as_ptr() as usize;
    if let Err(error) = core::str::from_utf8(content) {
        return Err(Invalid::not_text(
            offset_in_line(content) + error.valid_up_to() + 1,
        ));
    }
    if let Some(nul) = content.iter().position(|&byte| byte == 0) {
        return Err(Invalid::nul(offset_in_line(content) + nul + 1));
    }
    if let Some(foreign) = foreign(content) {
        return Err(foreign);
    }
    let (fen, fields, after) = split_fen(content)?;
    if fen.contains(&b'\t') {
        let message = "tabs in a FEN, its fields are separated by spaces";
        return Err(Invalid::new(Fault::Tabs, message));
    }
    let position = Position::from_ascii(fen)?;

    let offset = span.start + offset_in_line(fen) as u32;
    let mut record = RecordFields::new(place, span);
    let fen_span = offset..offset + fen.len() as u32;
    let extras = Extras::of(fen, &position).filter(|_| fields == 6);
    record = record.with_ply(extras.map(|extras| ply(extras.fullmoves, position.turn())));
    match after.split_first() {
        None => {}
        Some((b'|', fields)) => score_and_outcome(fields, position.turn(), &mut record)?,
        Some((b';', moves)) => {
            let moves = Named::on(fen, position).moves(moves)?;
            if !moves.is_empty() {
                into.named.push((into.records.len(), moves));
            }
        }
        Some(_) => parse_operations(after, fen, position, &mut record)?,
    }
    Ok(Some((position, record, fen_span)))
}

/// Without NULs and blanks at the end, unless nothing else is there.
fn trim_nuls(line: &[u8]) -> &[u8] {
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

/// The FEN at the start of a line, its number of fields, and the rest.
fn split_fen(line: &[u8]) -> Result<(&[u8], usize, &[u8]), Invalid> {
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
    Ok((&line[..end], found, line[end..].trim_ascii_start()))
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
