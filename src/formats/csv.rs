//! Tables with a FEN in each row: CSV by RFC 4180, or with tabs or semicolons.
//!
//! ```text
//! id,fen,themes
//! 7,8/8/4k3/8/8/4K3/8/8 w - - 0 1,"a ""quoted"" field, with a comma"
//! ```
//!
//! The first line names the columns. The FEN is in the one named `fen`, in any case, or else `epd`,
//! or in one that the user names; the others are not looked at. Before it may be comments (`# ...`)
//! and Excel's `sep=;`. A table that begins with a FEN has no header: its first column holds the
//! FENs. Kept rows are written byte for byte under the same lines. A field with a line break in it
//! is an error. Other formats cannot be converted to it.

use memchr::memchr;

use super::breakage::Breakage;
use super::error::MAX_LINE;
use super::isa::Features;
use super::spec::{FormatCode, FormatSpec, WholeRecords};
use super::text::{
    Operations, begins_with_operation, decode_lines, leading, lines, next_line, quoted, unmarked,
    whole_lines, without_cr,
};
use super::{Block, DecodedPart, Fault, Field, Invalid, RecordFields};
use crate::Position;
use crate::fen::Front;

pub(super) const SPEC: FormatSpec = FormatSpec {
    aliases: &["tsv"],
    extensions: &["csv", "tsv"],
    has_header: true,
    lacks: &[Field::Played, Field::Score, Field::Result],
    held_as: &[(Field::Clocks, "FENs of six fields")],
    ..FormatSpec::of_text("csv", &Csv)
};

struct Csv;

impl FormatCode for Csv {
    fn begins(&self, head: &[u8]) -> bool {
        let read = Columns::of_file(head, 1, None);
        // Text may hold tabs after its FENs.
        let is_table = |columns: Columns| !columns.is_headerless || columns.separator == b',';
        read.is_ok_and(|columns| columns.is_some_and(is_table))
    }

    fn header(
        &self,
        lines: &[u8],
        first_line: u64,
        fen_column: Option<&str>,
    ) -> Result<u32, Breakage> {
        let columns = Columns::of_file(lines, first_line, fen_column)?;
        Ok(columns.map_or(0, Columns::to_bits))
    }

    fn whole_records(&self, text: &[u8]) -> WholeRecords {
        WholeRecords::of_length(whole_lines(text))
    }

    fn decode_block(&self, _: Features, block: &Block, part: &mut DecodedPart) {
        let rows_start = before_rows(block).len() as u32;
        let columns = Columns::of_bits(block.columns);
        let block_length = block.bytes.len();
        decode_lines(block, part, |line, record, part| {
            if record.span().start < rows_start || matches!(line, b"\n" | b"\r\n") {
                return Ok(());
            }
            decode(line, columns, block_length, record, part)
        });
    }

    fn before_records<'b>(&self, block: &'b Block) -> &'b [u8] {
        before_rows(block)
    }
}

/// Where the FENs of a table are.
#[derive(Clone, Copy, Debug)]
struct Columns {
    separator: u8,
    /// The number of the FEN's column, from 0.
    fen: u16,
    /// The number of lines before the first row.
    before: u8,
    is_headerless: bool,
}

const SEPARATORS: &[u8] = b",\t;";

impl Columns {
    /// As a block holds them; not 0.
    fn to_bits(self) -> u32 {
        u32::from(self.before) << 24 | u32::from(self.fen) << 8 | u32::from(self.separator)
    }

    fn of_bits(bits: u32) -> Columns {
        Columns {
            separator: bits as u8,
            fen: (bits >> 8) as u16,
            before: (bits >> 24) as u8,
            is_headerless: false,
        }
    }

    /// By the first lines of a file, from this one on: of the header, or of the first row if that
    /// begins with a FEN. `None` if they come later.
    fn of_file(text: &[u8], first: u64, named: Option<&str>) -> Result<Option<Columns>, Breakage> {
        let mut separators = SEPARATORS;
        for (line, at) in lines(text).zip(0..) {
            let content = unmarked(line);
            // Not trimmed: a tab may be the separator.
            let without_end = content.strip_suffix(b"\n").unwrap_or(content);
            match without_end.strip_suffix(b"\r").unwrap_or(without_end) {
                [b'#', ..] => {}
                [b's', b'e', b'p', b'=', separator] => {
                    separators = core::slice::from_ref(separator);
                }
                _ => {
                    let broken = |reason| Breakage { offset: at, reason };
                    let columns = Columns::of_line(content, separators, named).map_err(broken)?;
                    let lines_before =
                        first - 1 + u64::from(at) + u64::from(!columns.is_headerless);
                    let before = lines_before.try_into().map_err(|_| {
                        let most = u8::MAX;
                        broken(format!("more than {most} lines before the first row"))
                    })?;
                    return Ok(Some(Columns { before, ..columns }));
                }
            }
        }
        Ok(None)
    }

    /// By a header, or a first row that begins with a FEN.
    fn of_line(header: &[u8], separators: &[u8], named: Option<&str>) -> Result<Columns, String> {
        if header.len() > MAX_LINE {
            return Err(format!("the header is longer than {MAX_LINE} bytes"));
        }
        without_cr(header).map_err(|fault| format!("the header has {fault}"))?;
        let wanted: &[&str] = match &named {
            Some(name) => core::slice::from_ref(name),
            None => &["fen", "epd"],
        };
        for name in wanted {
            if let Some(columns) = Columns::of_header(header, separators, name)? {
                return Ok(columns);
            }
        }
        let headerless = |&&separator: &&u8| {
            let fen = fields(header, separator).next().and_then(Result::ok);
            // A lone FEN is a line of text, and so are a FEN and moves after `;`, unless said
            // otherwise.
            let is_text = separator == b';' && separators.len() > 1;
            let has_more = memchr(separator, header).is_some() || header.starts_with(b"\"");
            has_more
                && !is_text
                && fen.is_some_and(|fen| Position::from_ascii(fen.trim_ascii()).is_ok())
        };
        let separator = separators.iter().find(headerless);
        if let (Some(&separator), None) = (separator, named) {
            return Ok(Columns {
                separator,
                fen: 0,
                before: 0,
                is_headerless: true,
            });
        }
        let name = wanted[0];
        let header = quoted(header.trim_ascii_end());
        Err(format!("no column '{name}' in the header '{header}'"))
    }

    /// By a header that has this name; `None` if it has not.
    fn of_header(header: &[u8], separators: &[u8], name: &str) -> Result<Option<Columns>, String> {
        let is_named = |field: &[u8]| field.trim_ascii().eq_ignore_ascii_case(name.as_bytes());
        let column = separators.iter().find_map(|&separator| {
            let names: Vec<&[u8]> = fields(header, separator).collect::<Result<_, _>>().ok()?;
            let mut fens = (0_usize..).zip(names).filter(|(_, field)| is_named(field));
            let (fen, _) = fens.next()?;
            Some((separator, fen, fens.next().is_some()))
        });
        let Some((separator, at, is_twice)) = column else {
            return Ok(None);
        };
        let header = quoted(header.trim_ascii_end());
        if is_twice {
            return Err(format!("two columns '{name}' in the header '{header}'"));
        }
        let Ok(fen) = at.try_into() else {
            let most = u16::MAX;
            return Err(format!(
                "more than {most} columns before '{name}' in the header"
            ));
        };
        Ok(Some(Columns {
            separator,
            fen,
            before: 1,
            is_headerless: false,
        }))
    }
}

/// The lines of a block that are before the first row: all before a header was found.
fn before_rows(block: &Block) -> &[u8] {
    if block.columns == 0 {
        return &block.bytes;
    }
    let before = u64::from(Columns::of_bits(block.columns).before) + 1;
    let mut length = 0;
    for _ in block.start.number()..before {
        length += next_line(&block.bytes[length..]).len();
    }
    &block.bytes[..length]
}

/// Adds the record of a row.
fn decode(
    line: &[u8],
    columns: Columns,
    block_length: usize,
    record: RecordFields,
    into: &mut DecodedPart,
) -> Result<(), Invalid> {
    without_cr(line)?;
    let mut row = fields(unmarked(line), columns.separator);
    let before = usize::from(columns.fen);
    for found in 0..before {
        row.next().ok_or_else(|| too_few(found, before + 1))??;
    }
    let field = row.next().ok_or_else(|| too_few(before, before + 1))??;
    let content = field.trim_ascii();
    // A field that does not end would go on in the next row.
    row.try_for_each(|field| field.map(drop))?;
    if let Some(front) = Front::of(content).filter(|front| front.length == content.len()) {
        into.add(line, content, front.position, record.with_ply(front.ply));
        return Ok(());
    }
    match Position::from_ascii(content) {
        Ok(position) => into.add(line, content, position, record),
        Err(error) => {
            // The operations of an EPD may follow.
            let Some(front) = front_of_epd(content) else {
                return Err(Invalid::from(error).prefixed(&format!("'{}': ", quoted(content))));
            };
            let (fen, operations) = content.split_at(front.length);
            let of_fen = record.with_ply(front.ply);
            let read = Operations::read(operations, fen, front.position, of_fen)?;
            let of_row = record.with_ply(read.record.ply());
            match read.fen {
                Some(whole) => into.add_rewritten(block_length, &whole, front.position, of_row),
                None => into.add(line, fen, front.position, of_row),
            }
        }
    }
    Ok(())
}

/// The FEN of a field in which the operations of an EPD follow it.
fn front_of_epd(field: &[u8]) -> Option<Front> {
    let front = Front::of(field)?;
    let after = field[front.length..].trim_ascii_start();
    let operations = after.strip_prefix(b";").unwrap_or(after);
    begins_with_operation(operations).then_some(front)
}

/// The fault of a row that ends before its FEN.
fn too_few(found: usize, fen: usize) -> Invalid {
    let message = format!("a row of {found} fields, the FEN would be field {fen}");
    Invalid::new(Fault::Fields, message)
}

/// The fields of a row, without the quotes around them; nothing after a fault.
fn fields(row: &[u8], separator: u8) -> impl Iterator<Item = Result<&[u8], Invalid>> {
    let mut rest = Some(row.trim_ascii_end());
    core::iter::from_fn(move || {
        let left = rest.take()?;
        let Some((field, after)) = first_field(left, separator) else {
            let message = "quotes must be around a whole field, and end on its line: ";
            return Some(Err(Invalid::other(format!("{message}'{}'", quoted(left)))));
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
