//! Tables with a FEN in each row: CSV by RFC 4180, or with tabs or semicolons.
//!
//! ```text
//! id,fen,themes
//! 7,8/8/4k3/8/8/4K3/8/8 w - - 0 1,"a ""quoted"" field, with a comma"
//! ```
//!
//! The first line names the columns. The FEN is in the one named `fen`, in any case; the others
//! are not looked at. Kept rows are written byte for byte under the same header. A field with a
//! line break in it is an error. Other formats cannot be converted to it.

use memchr::memchr;

use super::error::MAX_LINE;
use super::row::{Detect, Row};
use super::text::{decode_lines, leading, next_line, quoted, unmarked, whole_lines, without_cr};
use super::{DecodedPart, Fault, Field, Invalid, Place, RecordFields};
use crate::Position;
use crate::fen::Front;

pub(super) const ROW: Row = Row {
    aliases: &["tsv"],
    extensions: &["csv", "tsv"],
    detect: Detect::Begins(|text| columns(text).is_ok()),
    lacks: &[Field::Played, Field::Score, Field::Result],
    forms: &[(Field::Clocks, "FENs of six fields")],
    header: Some(columns),
    select: |_, block, decoded, actions, out, _| {
        if block.start == HEADER {
            out.extend_from_slice(next_line(&block.bytes));
        }
        decoded.select(block, actions, out, |_, _| {});
    },
    ..Row::of_lines("csv", whole_lines, |_, block, _, _, into| {
        decode_lines(block, into, |line, record, into| {
            if record.place() == HEADER || matches!(line, b"\n" | b"\r\n") {
                return Ok(());
            }
            decode(line, block.columns, record, into)
        });
        None
    })
};

const HEADER: Place = Place::Line(1);

/// From the header: the separator of fields, and above it the number of the FEN's column.
fn columns(text: &[u8]) -> Result<u32, String> {
    let header = unmarked(next_line(text));
    if header.len() > MAX_LINE {
        return Err(format!("the header is longer than {MAX_LINE} bytes"));
    }
    without_cr(header).map_err(|fault| format!("the header has {fault}"))?;
    let is_fen = |name: &[u8]| name.trim_ascii().eq_ignore_ascii_case(b"fen");
    let mut separators = b",\t;".iter();
    let found = separators.find_map(|&separator| {
        let names: Vec<&[u8]> = fields(header, separator).collect::<Result<_, _>>().ok()?;
        let mut fens = (0..).zip(names).filter(|(_, name)| is_fen(name));
        let (fen, _) = fens.next()?;
        Some((fen << 8 | u32::from(separator), fens.next().is_some()))
    });
    let header = quoted(header.trim_ascii_end());
    match found {
        Some((columns, false)) => Ok(columns),
        Some((_, true)) => Err(format!("two columns 'fen' in the header '{header}'")),
        None => Err(format!("no column 'fen' in the header '{header}'")),
    }
}

fn decode(
    line: &[u8],
    columns: u32,
    record: RecordFields,
    into: &mut DecodedPart,
) -> Result<(), Invalid> {
    without_cr(line)?;
    let mut row = fields(unmarked(line), columns as u8);
    let before = (columns >> 8) as usize;
    for found in 0..before {
        row.next().ok_or_else(|| too_few(found, before + 1))??;
    }
    let fen = row.next().ok_or_else(|| too_few(before, before + 1))??;
    let fen = fen.trim_ascii();
    // A field that does not end would go on in the next row.
    row.try_for_each(|field| field.map(drop))?;
    let usual = Front::of(fen).filter(|front| front.length == fen.len());
    let position = match &usual {
        Some(front) => Ok(front.position),
        None => Position::from_ascii(fen),
    };
    let position =
        position.map_err(|error| Invalid::from(error).prefixed(&format!("'{}': ", quoted(fen))))?;
    let record = record.with_ply(usual.and_then(|front| front.ply));
    into.add(line, fen, position, record);
    Ok(())
}

fn too_few(found: usize, fen: usize) -> Invalid {
    let message = format!("a row of {found} fields, the FEN would be field {fen}");
    Invalid::new(Fault::Fields, message)
}

/// The fields of a row, without the quotes around them; nothing after a fault.
fn fields(row: &[u8], separator: u8) -> impl Iterator<Item = Result<&[u8], Invalid>> {
    let mut rest = Some(row.trim_ascii_end());
    core::iter::from_fn(move || {
        let row = rest.take()?;
        let Some((field, after)) = first_field(row, separator) else {
            let message = "quotes must be around a whole field, and end on its line: ";
            return Some(Err(Invalid::other(format!("{message}'{}'", quoted(row)))));
        };
        rest = after.split_first().map(|(_, rest)| rest);
        Some(Ok(field))
    })
}

/// The first field of a row, and the rest with the separator before it; `None` if its quotes are
/// wrong. Spaces may stand before them.
fn first_field(row: &[u8], separator: u8) -> Option<(&[u8], &[u8])> {
    let spaces = leading(row, |byte| byte == b' ').len();
    let Some(text) = row[spaces..].strip_prefix(b"\"") else {
        let (field, after) = row.split_at(memchr(separator, row).unwrap_or(row.len()));
        return memchr(b'"', field).is_none().then_some((field, after));
    };
    let mut from = 0;
    loop {
        let end = from + memchr(b'"', &text[from..])?;
        match text.get(end + 1) {
            // A doubled quote is part of the field.
            Some(b'"') => from = end + 2,
            Some(&next) if next != separator => return None,
            _ => return Some((&text[..end], &text[end + 1..])),
        }
    }
}
