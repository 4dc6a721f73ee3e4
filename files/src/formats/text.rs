//! Lines of text: FEN, EPD, `FEN | score | result`, `FEN [result] score`, `FEN;moves`.

use memchr::{memchr, memchr_iter, memrchr};

use super::convert::{OutputRecord, OutputRecords, UnheldRights, unheld_by_a_fen};
use super::isa::Features;
use super::spec::{FormatCode, FormatSpec, WholeRecords};
use super::{
    Block, DecodedPart, Fault, Field, Invalid, OpenChunk, Outcome, Place, Record, RecordFields,
    Required, turned_score,
};
use crate::notation::push_number;

mod line;
mod moves;
mod operations;
mod values;

use line::decode_line;
pub use line::split_fen;
pub use moves::move_on;
pub(super) use moves::not_a_move;
pub(crate) use moves::read_move;
pub(super) use operations::Operations;
pub(crate) use operations::{begins_with_operation, split_operands};
pub(super) use values::{parse, parse_outcome, parse_score};

pub(super) const SPEC: FormatSpec = FormatSpec {
    // Files of FENs and of EPD are both lines of text.
    aliases: &["fen", "epd"],
    extensions: &["txt", "fen", "epd"],
    unwritten: &[Field::Played],
    needs: &[],
    held_as: &[
        (Field::Played, "EPD with 'sm MOVE;'"),
        (
            Field::Score,
            "'FEN | score | result', 'FEN [result] score', or EPD with 'ce SCORE;'",
        ),
        (
            Field::Result,
            "'FEN | score | result', or EPD with 'c9 \"RESULT\";'",
        ),
        (
            Field::Clocks,
            "FENs of six fields, or EPD with 'hmvc N; fmvn N;'",
        ),
    ],
    is_convertible_to: true,
    ..FormatSpec::for_text("text", &Text)
};

/// The default format: no beginning tells it.
struct Text;

impl FormatCode for Text {
    fn whole_records(&self, text: &[u8]) -> WholeRecords {
        WholeRecords::from_length(whole_lines(text))
    }

    fn first_records(&self, whole: &[u8], lines: usize) -> usize {
        first_lines(whole, lines)
    }

    fn decode_block(&self, _: Features, block: &Block, part: &mut DecodedPart) {
        decode_block(block, part);
    }

    fn unheld_rights(&self, record: &Record) -> Option<UnheldRights> {
        unheld_by_a_fen(record)
    }

    fn write(&self, records: OutputRecords<'_>, out: &mut Vec<u8>, _: &mut OpenChunk) {
        records.each(|record| write(record, out));
    }
}

/// Decodes lines of text, of which all must be readable, as the codec does. Nothing of other formats
/// is linked for it: the page that explains a position loads no more.
pub(crate) fn decode_text(block: &Block, part: &mut DecodedPart) {
    decode_block(block, part);
    if !part.notes.fens.unread.is_empty() {
        part.refuse_unread(Required::ALL);
    }
}

fn decode_block(block: &Block, part: &mut DecodedPart) {
    let block_length = block.bytes.len();
    decode_lines(block, part, |line, record, part| {
        decode_line(line, block_length, record, part)
    });
}

/// Writes a line `FEN | score | result`, with the fields that are known.
#[inline]
fn write(record: &OutputRecord<'_>, out: &mut Vec<u8>) {
    record.source.write_fen(out);
    if let Some(score) = record.score {
        out.extend_from_slice(b" | ");
        let white = turned_score(score, record.source.position.turn());
        push_number(out, white.into());
    }
    let [before, after]: [&[u8]; 2] = match record.score {
        Some(_) => [b" | ", b""],
        None => [b" [", b"]"],
    };
    if let Some(outcome) = record.source.fields.outcome() {
        out.extend_from_slice(before);
        out.extend_from_slice(match outcome {
            Outcome::White => b"1.0",
            Outcome::Draw => b"0.5",
            Outcome::Black => b"0.0",
        });
        out.extend_from_slice(after);
    }
    out.push(b'\n');
}

/// Visits the lines of a block; `decode` adds a line's record.
#[inline]
pub(super) fn decode_lines(
    block: &Block,
    into: &mut DecodedPart,
    decode: impl Fn(&[u8], RecordFields, &mut DecodedPart) -> Result<(), Invalid>,
) {
    into.clear();
    let mut line = block.start.number();
    let mut end = 0;
    while end < block.bytes.len() {
        let start = end;
        let text = next_line(&block.bytes[start..]);
        end += text.len();
        let record = RecordFields::new(Place::Line(line), start as u32..end as u32);
        into.add_text(record, |into| decode(text, record, into));
        line += 1;
    }
}

/// Up to the end of the last line.
pub(super) fn whole_lines(text: &[u8]) -> usize {
    memrchr(b'\n', text).map_or(0, |end| end + 1)
}

/// The length of the first lines; of all if there are fewer.
pub(super) fn first_lines(text: &[u8], most: usize) -> usize {
    let mut ends = memchr_iter(b'\n', text);
    // To count is much faster than to go from one to the next, and mostly shows that there are few.
    if ends.clone().count() <= most {
        return text.len();
    }
    let Some(last) = most.checked_sub(1) else {
        return 0;
    };
    ends.nth(last).map_or(text.len(), |end| end + 1)
}

/// Each line with its line end.
pub(super) fn lines(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split_inclusive(|&byte| byte == b'\n')
}

/// Up to and including the first line end.
#[inline]
pub(super) fn next_line(text: &[u8]) -> &[u8] {
    through(text, b'\n').unwrap_or(text)
}

/// Up to and including the first such byte, if there is one.
#[inline]
pub(super) fn through(text: &[u8], byte: u8) -> Option<&[u8]> {
    memchr(byte, text).map(|at| &text[..=at])
}

/// Without a byte-order mark. Concatenated files have some inside.
pub(super) fn unmarked(text: &[u8]) -> &[u8] {
    text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text)
}

/// Refuses a CR within a line: one that ends a line would hide the next.
pub(super) fn without_cr(line: &[u8]) -> Result<(), Invalid> {
    let message = "a CR inside: lines have to end in LF or CR LF, not in CR alone";
    let cr = memchr(b'\r', line.trim_ascii_end());
    cr.map_or(Ok(()), |_| Err(Invalid::new(Fault::NotText, message)))
}

/// The text of a line, which must be UTF-8 without a NUL or a CR inside.
pub(crate) fn text_of(line: &[u8]) -> Result<&str, Invalid> {
    let text = core::str::from_utf8(line);
    let (at, what) = match text.map(|text| (text, text.find('\0'))) {
        Ok((text, None)) => return without_cr(line).map(|()| text),
        Ok((_, Some(nul))) => (nul, "not text: a NUL"),
        Err(error) => (error.valid_up_to(), "not UTF-8 text"),
    };
    let message = format!("{what} at byte {} of the line", at + 1);
    Err(Invalid::new(Fault::NotText, message))
}

/// Text of a line for a message: printable, and not too long.
pub(super) fn quoted(text: &[u8]) -> String {
    const LONGEST: usize = 60;
    let text = String::from_utf8_lossy(text);
    let mut shown = String::new();
    for char in text.chars().take(LONGEST) {
        if char.is_control() {
            shown.extend(char.escape_default());
        } else {
            shown.push(char);
        }
    }
    if text.chars().nth(LONGEST).is_some() {
        shown + "..."
    } else {
        shown
    }
}

/// The text up to the next blank or separator.
fn field(text: &[u8]) -> &[u8] {
    leading(text, |byte| !matches!(byte, b' ' | b'\t' | b';' | b'|'))
}

/// The text up to the first byte that is not a `part`.
pub(super) fn leading(text: &[u8], part: impl Fn(u8) -> bool) -> &[u8] {
    &text[..text.iter().take_while(|&&byte| part(byte)).count()]
}
