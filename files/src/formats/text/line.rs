//! Parsing a line of text: a FEN, then EPD operations, moves, or a score and a result.

use shakmaty::Color;

use super::moves::Namer;
use super::operations::{Operations, begins_with_operation};
use super::values::{parse_outcome, parse_score, unexpected};
use super::{field, leading, text_of, unmarked, without_cr};
use crate::formats::notes::Unread;
use crate::formats::{DecodedPart, Fault, Invalid, RecordFields, turned_score};
use swaplist::fen::{Extras, Front, ply};
use swaplist::{Position, PositionError};

/// Adds the record of a line; empty lines and comments have none. A FEN that is not in the line as
/// such is noted after the `block_length` bytes of its block. If the line is not text, that is
/// reported in place of any other fault.
pub(super) fn decode_line(
    line: &[u8],
    block_length: usize,
    record: RecordFields,
    into: &mut DecodedPart,
) -> Result<(), Invalid> {
    decode(line, block_length, record, into).map_err(|fault| text_of(line).err().unwrap_or(fault))
}

fn decode(
    line: &[u8],
    block_length: usize,
    record: RecordFields,
    into: &mut DecodedPart,
) -> Result<(), Invalid> {
    let mut content = line.trim_ascii_end();
    let front = match Front::read(content) {
        // A digit would be a clock after a tab or after several spaces, which `any_front` reads.
        Some(front)
            if !matches!(
                content[front.length..].trim_ascii_start(),
                [b'0'..=b'9', ..]
            ) =>
        {
            front
        }
        _ => {
            content = unmarked(content).trim_ascii();
            if matches!(content, [] | [b'#', ..]) {
                // A CR would hide that another line follows the comment.
                return without_cr(content);
            }
            any_front(content)?
        }
    };
    let (fen, rest) = content.split_at(front.length);
    let position = front.position;
    let mut record = record.with_ply(front.ply);
    let after = rest.trim_ascii();
    match after.split_first() {
        None => {}
        Some((b'|', fields)) => score_and_outcome(fields, position.turn(), &mut record)?,
        Some((b';', moves)) if !begins_with_operation(moves) => {
            match Namer::on(fen, position).moves(moves) {
                Ok(moves) if moves.is_empty() => {}
                Ok(moves) => into
                    .notes
                    .fens
                    .named_moves
                    .push((into.records.len(), moves)),
                Err(fault) => {
                    // Unread moves are only noted, but bytes that are not text are an error.
                    text_of(content)?;
                    into.notes.fens.unread.push(Unread {
                        record: into.records.len(),
                        field: None,
                        fault,
                    });
                }
            }
        }
        Some(_) => {
            // Operations that nothing reads have to be text, too.
            text_of(content)?;
            let read = Operations::read(after, fen, position, record)?;
            let unread = read.unread.into_iter().map(|(field, fault)| Unread {
                record: into.records.len(),
                field: Some(field),
                fault,
            });
            into.notes.fens.unread.extend(unread);
            record = read.record;
            if let Some(fen) = read.fen {
                into.add_rewritten(block_length, &fen, position, record);
                return Ok(());
            }
        }
    }
    into.add(line, fen, position, record);
    Ok(())
}

/// A FEN at the start of a text, also in the forms that [`Front::read`] leaves out.
fn any_front(text: &[u8]) -> Result<Front, Invalid> {
    let (fen, fields) = fen_of(text)?;
    if fen.contains(&b'\t') {
        let message = "tabs in a FEN, its fields are separated by spaces";
        return Err(Invalid::new(Fault::Tabs, message));
    }
    let position = Position::from_ascii(fen)?;
    // A FEN of fewer fields has no move number, for which `Extras` would give 1.
    let extras = Extras::from_fen(fen, &position).filter(|_| fields == 6);
    Ok(Front {
        position,
        length: fen.len(),
        ply: extras.map(|extras| ply(extras.fullmoves, position.turn())),
    })
}

/// The FEN at the start of a text, and what follows it; `None` if there are less than four fields.
pub fn split_fen(text: &str) -> Option<(&str, &str)> {
    let (fen, _) = fen_of(text.as_bytes()).ok()?;
    text.split_at_checked(fen.len())
}

/// The FEN at the start of a line, and its number of fields.
fn fen_of(line: &[u8]) -> Result<(&[u8], usize), Invalid> {
    let mut end = 0;
    let mut field_count = 6;
    for fields in 0..6 {
        let start = end + leading(&line[end..], |byte| matches!(byte, b' ' | b'\t')).len();
        let field = field(&line[start..]);
        let clock = field.iter().all(u8::is_ascii_digit);
        if field.is_empty() && fields < 4 {
            return Err(PositionError::Fields(fields).into());
        }
        if field.is_empty() || fields >= 4 && !clock {
            field_count = fields;
            break;
        }
        end = start + field.len();
    }
    Ok((&line[..end], field_count))
}

/// The fields of `FEN | score | result`, both from White's view.
fn score_and_outcome(text: &[u8], turn: Color, record: &mut RecordFields) -> Result<(), Invalid> {
    let mut fields = text.split(|&byte| byte == b'|').map(<[u8]>::trim_ascii);
    let score = parse_score(fields.next().unwrap_or_default())?;
    *record = record.with_score(Some(turned_score(score, turn)));
    if let Some(outcome) = fields.next() {
        *record = record.with_outcome(Some(parse_outcome(outcome)?));
    }
    match fields.next() {
        None => Ok(()),
        Some(more) => Err(unexpected(more)),
    }
}
