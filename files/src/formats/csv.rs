//! Tables with a FEN in each row: CSV by RFC 4180, or with tabs or semicolons.
//!
//! ```text
//! id,fen,themes
//! 7,8/8/4k3/8/8/4K3/8/8 w - - 0 1,"a ""quoted"" field, with a comma"
//! ```
//!
//! The first line names the columns. The FEN is in the one named `fen`, in upper or lower case, or
//! else `epd`, or in one that the user names. The user may also name those of the score and the
//! result (`label_columns.rs`); the others are not looked at. Comments (`# ...`) and Excel's
//! `sep=;` may come before it. A table that begins with a FEN has no header: its first column holds
//! the FENs. Kept rows are written byte for byte under the same lines. A field with a line break in
//! it is an error. Other formats cannot be converted to it.

use memchr::memchr;

use super::breakage::Breakage;
use super::error::MAX_LINE;
use super::isa::Features;
use super::label_columns::LabelReading;
use super::notes::Unread;
use super::spec::{FormatCode, FormatSpec, Naming, WholeRecords};
use super::text::{
    Operations, begins_with_operation, decode_lines, first_lines, leading, lines, next_line,
    quoted, unmarked, whole_lines, without_cr,
};
use super::{Block, DecodedPart, Fault, Field, Invalid, LabelColumns, RecordFields};
use swaplist::Position;
use swaplist::fen::Front;

pub(super) const SPEC: FormatSpec = FormatSpec {
    aliases: &["tsv"],
    extensions: &["csv", "tsv"],
    has_header: true,
    lacks: &[Field::Played, Field::Score, Field::Result],
    named: &[Field::Score, Field::Result],
    held_as: &[
        (Field::Score, "a number in the column that is named for it"),
        (Field::Result, "a result in the column that is named for it"),
        (Field::Clocks, "FENs of six fields"),
    ],
    ..FormatSpec::for_text("csv", &Csv)
};

struct Csv;

impl FormatCode for Csv {
    fn begins(&self, head: &[u8]) -> bool {
        match Columns::from_file(head, 1, &Naming::NOTHING) {
            // Text may hold tabs after its FENs.
            Ok(Some(columns)) => !columns.is_headerless || columns.separator == b',',
            Ok(None) | Err(_) => false,
        }
    }

    fn header(&self, lines: &[u8], first_line: u64, naming: &Naming<'_>) -> Result<u64, Breakage> {
        let columns = Columns::from_file(lines, first_line, naming)?;
        Ok(columns.map_or(0, Columns::to_bits))
    }

    fn whole_records(&self, text: &[u8]) -> WholeRecords {
        WholeRecords::from_length(whole_lines(text))
    }

    fn first_records(&self, whole: &[u8], lines: usize) -> usize {
        first_lines(whole, lines)
    }

    fn decode_block(&self, _: Features, block: &Block, part: &mut DecodedPart) {
        let rows_start = before_rows(block).len() as u32;
        let columns = Columns::from_bits(block.columns);
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

/// Where the FENs of a table are, and its scores and results, if their columns were named.
#[derive(Clone, Copy, Debug)]
struct Columns {
    separator: u8,
    /// The number of the FEN's column, from 0.
    fen: u16,
    /// The number of the score's column, if it was named.
    score: Option<u16>,
    /// The number of the result's column, if it was named.
    result: Option<u16>,
    labels: LabelReading,
    /// The number of lines before the first row.
    before: u8,
    is_headerless: bool,
}

const SEPARATORS: &[u8] = b",\t;";

impl Columns {
    /// Packs them into a number other than 0, which a block keeps: the separator and the lines
    /// before the first row in 8 bits each, what labels mean in 3, and three columns in 14 each.
    fn to_bits(self) -> u64 {
        // 0 for none.
        let label = |column: Option<u16>| column.map_or(0, |column| u64::from(column) + 1);
        u64::from(self.separator)
            | u64::from(self.before) << 8
            | self.labels.to_bits() << 16
            | u64::from(self.fen) << 19
            | label(self.score) << 33
            | label(self.result) << 47
    }

    fn from_bits(bits: u64) -> Columns {
        let column = |shift: u32| (bits >> shift & 0x3fff) as u16;
        Columns {
            separator: bits as u8,
            before: (bits >> 8) as u8,
            labels: LabelReading::from_bits(bits >> 16),
            fen: column(19),
            score: column(33).checked_sub(1),
            result: column(47).checked_sub(1),
            is_headerless: false,
        }
    }

    /// Finds the columns in the first lines of a file: by the header, or by the first row if that
    /// has a FEN. `None` if all these lines are comments. `first` is the number of the first line.
    fn from_file(
        text: &[u8],
        first: u64,
        naming: &Naming<'_>,
    ) -> Result<Option<Columns>, Breakage> {
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
                    let columns =
                        Columns::from_first_line(content, separators, naming).map_err(broken)?;
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

    /// Finds the columns by a header, or by a first row that has a FEN.
    fn from_first_line(
        header: &[u8],
        separators: &[u8],
        naming: &Naming<'_>,
    ) -> Result<Columns, String> {
        if header.len() > MAX_LINE {
            return Err(format!("the header is longer than {MAX_LINE} bytes"));
        }
        without_cr(header).map_err(|fault| format!("the header has {fault}"))?;
        let columns = Columns::from_fen_column(header, separators, naming)?;
        let label = |name: &Option<String>| match name {
            Some(name) => columns.column(header, name).map(Some),
            None => Ok(None),
        };
        Ok(Columns {
            score: label(&naming.labels.score)?,
            result: label(&naming.labels.result)?,
            labels: naming.labels.reading(),
            ..columns
        })
    }

    /// Finds the column of the FEN.
    fn from_fen_column(
        header: &[u8],
        separators: &[u8],
        naming: &Naming<'_>,
    ) -> Result<Columns, String> {
        let named = naming.fen;
        let wanted: &[&str] = match &named {
            Some(name) => core::slice::from_ref(name),
            None => &["fen", "epd"],
        };
        for name in wanted {
            if let Some(columns) = Columns::from_fen_named(header, separators, name)? {
                return Ok(columns);
            }
        }
        // Where columns have no names, they have numbers.
        let number = match named {
            Some(name) => number_of(name),
            None => Some(0),
        };
        // A user who names a column says that this is a table.
        let is_told = named.is_some() || naming.labels.any().is_some();
        let separator = separators.iter().copied().find(|&separator| {
            let field = number.and_then(|number| fields(header, separator).nth(number.into()));
            let fen = field.and_then(Result::ok);
            // A lone FEN is a line of text, and so are a FEN and moves after `;`, unless said
            // otherwise.
            let is_text = separator == b';' && separators.len() > 1 && !is_told;
            let has_more = memchr(separator, header).is_some() || header.starts_with(b"\"");
            has_more
                && !is_text
                && fen.is_some_and(|fen| Position::from_ascii(fen.trim_ascii()).is_ok())
        });
        if let (Some(separator), Some(number)) = (separator, number) {
            return Ok(Columns {
                is_headerless: true,
                before: 0,
                ..Columns::new(separator, number)
            });
        }
        // The number of a column that has another name.
        let numbered = separators.iter().copied().find(|&separator| {
            let columns = fields(header, separator).count();
            columns > 1 && number.is_some_and(|number| usize::from(number) < columns)
        });
        if let (Some(separator), Some(number), Some(_)) = (numbered, number, named) {
            return Ok(Columns::new(separator, number));
        }
        Err(no_column(header, wanted[0]))
    }

    /// A table with a header, and the FENs in this column.
    fn new(separator: u8, fen: u16) -> Columns {
        Columns {
            separator,
            fen,
            score: None,
            result: None,
            labels: LabelColumns::NONE.reading(),
            before: 1,
            is_headerless: false,
        }
    }

    /// The columns, if a header has one of this name for the FEN.
    fn from_fen_named(
        header: &[u8],
        separators: &[u8],
        name: &str,
    ) -> Result<Option<Columns>, String> {
        for &separator in separators {
            if let Some(fen) = named_column(header, separator, name)? {
                return Ok(Some(Columns::new(separator, fen)));
            }
        }
        Ok(None)
    }

    /// The column with a name or number, given the first line of the table.
    fn column(&self, header: &[u8], name: &str) -> Result<u16, String> {
        if !self.is_headerless
            && let Some(column) = named_column(header, self.separator, name)?
        {
            return Ok(column);
        }
        let columns = fields(header, self.separator).count();
        let number = number_of(name).filter(|&number| usize::from(number) < columns);
        number.ok_or_else(|| {
            if self.is_headerless {
                format!(
                    "no column '{name}': the table has no header, and its columns are 1 to \
                     {columns}"
                )
            } else {
                no_column(header, name)
            }
        })
    }
}

/// The highest number of a column that a block can hold.
const LAST_COLUMN: u16 = 0x3ffe;

/// The number of a column, from 0, by its number from 1.
fn number_of(name: &str) -> Option<u16> {
    let number: u16 = name.parse().ok()?;
    number
        .checked_sub(1)
        .filter(|&number| number <= LAST_COLUMN)
}

/// The column that a header names so; `None` if it does not.
fn named_column(header: &[u8], separator: u8, name: &str) -> Result<Option<u16>, String> {
    let Ok(names) = fields(header, separator).collect::<Result<Vec<&[u8]>, _>>() else {
        return Ok(None);
    };
    let mut found = (0_usize..)
        .zip(names)
        .filter(|(_, field)| field.trim_ascii().eq_ignore_ascii_case(name.as_bytes()))
        .map(|(number, _)| number);
    let Some(column) = found.next() else {
        return Ok(None);
    };
    if found.next().is_some() {
        let header = quoted(header.trim_ascii_end());
        return Err(format!("two columns '{name}' in the header '{header}'"));
    }
    let number = u16::try_from(column).ok();
    let number = number.filter(|&number| number <= LAST_COLUMN);
    number
        .map(Some)
        .ok_or_else(|| format!("more than {LAST_COLUMN} columns before '{name}' in the header"))
}

/// What is wrong with a header that does not name a column.
fn no_column(header: &[u8], name: &str) -> String {
    let header = quoted(header.trim_ascii_end());
    format!("no column '{name}' in the header '{header}'")
}

/// The lines of a block that are before the first row: all before a header was found.
fn before_rows(block: &Block) -> &[u8] {
    if block.columns == 0 {
        return &block.bytes;
    }
    let before = u64::from(Columns::from_bits(block.columns).before) + 1;
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
    let row = Row::read(unmarked(line), columns)?;
    let content = row.fen;
    if let Some(front) = Front::read(content).filter(|front| front.length == content.len()) {
        let record = row.label(columns, front.position, record, into);
        into.add(line, content, front.position, record.with_ply(front.ply));
        return Ok(());
    }
    match Position::from_ascii(content) {
        Ok(position) => {
            let record = row.label(columns, position, record, into);
            into.add(line, content, position, record);
        }
        Err(error) => {
            // The operations of an EPD may follow.
            let Some(front) = front_of_epd(content) else {
                return Err(Invalid::from(error).prefixed(&format!("'{}': ", quoted(content))));
            };
            let (fen, operations) = content.split_at(front.length);
            let of_fen = record.with_ply(front.ply);
            let read = Operations::read(operations, fen, front.position, of_fen)?;
            let labelled = row.label(columns, front.position, record, into);
            let of_row = labelled.with_ply(read.record.ply());
            match read.fen {
                Some(whole) => into.add_rewritten(block_length, &whole, front.position, of_row),
                None => into.add(line, fen, front.position, of_row),
            }
        }
    }
    Ok(())
}

/// The fields of a row that are read.
struct Row<'a> {
    fen: &'a [u8],
    score: Option<&'a [u8]>,
    result: Option<&'a [u8]>,
}

impl<'a> Row<'a> {
    fn read(line: &'a [u8], columns: Columns) -> Result<Row<'a>, Invalid> {
        let mut fen = None;
        let mut score = None;
        let mut result = None;
        let mut count = 0;
        // To the end: a field that does not end would go on in the next row.
        for field in fields(line, columns.separator) {
            let field = field?.trim_ascii();
            if count == usize::from(columns.fen) {
                fen = Some(field);
            }
            if Some(count) == columns.score.map(usize::from) {
                score = Some(field);
            }
            if Some(count) == columns.result.map(usize::from) {
                result = Some(field);
            }
            count += 1;
        }
        let too_few = |what: &str, column: u16| {
            let number = usize::from(column) + 1;
            let message = format!("a row of {count} fields, the {what} would be field {number}");
            Invalid::new(Fault::Fields, message)
        };
        let fen = fen.ok_or_else(|| too_few("FEN", columns.fen))?;
        for (what, column, field) in [
            ("score", columns.score, score),
            ("result", columns.result, result),
        ] {
            if let (Some(column), None) = (column, field) {
                return Err(too_few(what, column));
            }
        }
        Ok(Row { fen, score, result })
    }

    /// Adds its score and result to a record; notes what cannot be read of them.
    fn label(
        &self,
        columns: Columns,
        position: Position,
        record: RecordFields,
        into: &mut DecodedPart,
    ) -> RecordFields {
        let turn = position.turn();
        let mut unread = |field, fault| {
            into.notes.fens.unread.push(Unread {
                record: into.records.len(),
                field: Some(field),
                fault,
            });
        };
        let mut labelled = record;
        if let Some(field) = self.score {
            match columns.labels.score(field, turn) {
                Ok(score) => labelled = labelled.with_score(score),
                Err(fault) => unread(Field::Score, fault),
            }
        }
        if let Some(field) = self.result {
            match columns.labels.outcome(field, turn) {
                Ok(outcome) => labelled = labelled.with_outcome(outcome),
                Err(fault) => unread(Field::Result, fault),
            }
        }
        labelled
    }
}

/// The FEN of a field in which the operations of an EPD follow it.
fn front_of_epd(field: &[u8]) -> Option<Front> {
    let front = Front::read(field)?;
    let after = field[front.length..].trim_ascii_start();
    let operations = after.strip_prefix(b";").unwrap_or(after);
    begins_with_operation(operations).then_some(front)
}

/// The fields of a row, without the quotes around them; nothing after a fault.
fn fields(row: &[u8], separator: u8) -> impl Iterator<Item = Result<&[u8], Invalid>> {
    // An empty last field is one, too: a tab before the line's end separates it.
    let blanks = row
        .iter()
        .rev()
        .take_while(|&&byte| byte != separator && byte.is_ascii_whitespace());
    let mut rest = Some(&row[..row.len() - blanks.count()]);
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
