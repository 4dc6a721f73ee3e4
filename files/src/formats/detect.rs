//! Detects formats by the content and name of files.

use super::spec::{Detection, Naming};
use super::text::{next_line, unmarked};
use super::{DecodedPart, Fault, Format};
use swaplist::Choice;
use swaplist::fen::Front;

/// The number of bytes used for detection.
pub const HEAD: usize = 4096;

impl Format {
    /// Detects the format of a file that begins with `head`, up to 4,096 bytes, and has this
    /// extension: one format, several of which the user must choose, or none if it is unknown
    /// or too short.
    ///
    /// `BINP` and text are recognised directly. Of the formats without a magic number, those
    /// remain in which all records of `head` are valid; the extension counts only if it names
    /// one of these, or one that could begin so.
    pub fn detect(head: &[u8], extension: Option<&str>) -> Vec<Format> {
        let head = &head[..head.len().min(HEAD)];
        let is_text = is_text(head);
        // Old games are in Latin-1.
        let may_be_text = !has_control(head);
        let named = extension.and_then(Format::from_extension);
        // From the end: the header of a table can begin as `plain` does, but a record of `plain`
        // does not begin as a table.
        let recognised = Format::ALL
            .iter()
            .rfind(|format| {
                format.spec().detection == Detection::Beginning
                    && (may_be_text || !format.is_text())
                    && format.code().begins(head)
            })
            .copied();
        if let Some(format) = recognised.or_else(|| is_text.then(|| text_by_name(head, named))) {
            return vec![format];
        }
        let mut likely: Vec<_> = Format::ALL.to_vec();
        likely.retain(|&format| makes_sense(format, head, named == Some(format)));
        match named.filter(|named| likely.contains(named)) {
            Some(named) => vec![named],
            None => likely,
        }
    }

    /// The format of a file by its content or, where that does not decide, by its name.
    ///
    /// # Errors
    ///
    /// The formats that it can have, none if it is in no known one.
    pub(crate) fn from_file(head: &[u8], extension: Option<&str>) -> Result<Format, Vec<Format>> {
        let name = extension.unwrap_or_default();
        // An empty file fits any format.
        let mut formats = match head {
            [] => Format::all_of_extension(name).into_iter().take(1).collect(),
            _ => Format::detect(head, extension),
        };
        if formats.is_empty() {
            // The error will say what is wrong with its records.
            formats.extend(Format::from_extension(name));
        }
        if formats.is_empty() && !has_control(head) {
            formats.push(Format::default());
        }
        match formats[..] {
            [format] => Ok(format),
            _ => Err(formats),
        }
    }

    /// The format of an extension; `None` for `.bin` and `.data`, which several formats use.
    pub(crate) fn from_extension(extension: &str) -> Option<Format> {
        let extension = extension.to_ascii_lowercase();
        let mut all = Format::ALL.iter().copied();
        all.find(|format| format.spec().extensions.contains(&&*extension))
    }

    /// The format in which a file of this extension is written; `None` if several are as
    /// likely.
    pub(crate) fn from_output_extension(extension: &str) -> Option<Format> {
        // Most trainers use it for bulletformat, though some for marlinformat.
        let meant = (extension == "data").then_some(Format::Bulletformat);
        Format::from_extension(extension).or(meant)
    }

    /// All formats known to use an extension; none if it is unknown.
    pub(crate) fn all_of_extension(extension: &str) -> Vec<Format> {
        let extension = &*extension.to_ascii_lowercase();
        let mut all = Format::ALL.to_vec();
        all.retain(|format| {
            let spec = format.spec();
            spec.extensions.contains(&extension) || spec.shared_extensions.contains(&extension)
        });
        all
    }
}

/// What is wrong with a file in UTF-16, as PowerShell's `>` writes it.
pub(crate) const UTF16: &str = "this is UTF-16, save it as UTF-8";

/// Whether a file that begins so is text in UTF-16, with a byte-order mark. The first letters are
/// looked at, too: boards may begin as the mark does.
pub(crate) fn is_utf16(head: &[u8]) -> bool {
    const LETTERS: usize = 4;
    let (letter, zero) = match head {
        [0xff, 0xfe, ..] => (0, 1),
        [0xfe, 0xff, ..] => (1, 0),
        _ => return false,
    };
    let (units, _) = head[2..].as_chunks::<2>();
    units.iter().take(LETTERS).all(|unit| {
        let letter = unit[letter];
        unit[zero] == 0 && (letter.is_ascii_graphic() || letter.is_ascii_whitespace())
    })
}

/// Whether there are only printable characters and line ends. A truncated last character is
/// allowed.
fn is_text(head: &[u8]) -> bool {
    let whole = match core::str::from_utf8(head) {
        Ok(_) => true,
        Err(error) => error.error_len().is_none() && error.valid_up_to() > 0,
    };
    whole && !has_control(head)
}

/// Whether there are control characters, as in every binary record.
fn has_control(head: &[u8]) -> bool {
    // Once, ^Z ended files of text.
    let head = head.strip_suffix(b"\x1a").unwrap_or(head);
    head.iter()
        .any(|&byte| byte < b' ' && !matches!(byte, b'\n' | b'\r' | b'\t'))
}

/// The format of a text that no format recognises. If the file is named as a table or as games,
/// that is the format unless the text begins with a FEN: the error will say what is wrong with it.
fn text_by_name(head: &[u8], named: Option<Format>) -> Format {
    let Some(named) = named.filter(|named| named.is_text()) else {
        return Format::default();
    };
    let begins_with_fen = Front::read(unmarked(next_line(head)).trim_ascii_end()).is_some();
    let may_be_games = named.units().is_some() && !begins_with_fen;
    let may_be_table = named.spec().has_header
        && (!begins_with_fen || named.code().header(head, 1, &Naming::NOTHING).is_ok());
    if may_be_games || may_be_table {
        named
    } else {
        Format::default()
    }
}

/// Whether all complete records are valid, and there is one. A file named so needs none: it may be
/// cut off, or a game without moves, whose first record alone is one of marlinformat.
fn makes_sense(format: Format, head: &[u8], is_named: bool) -> bool {
    if format.spec().detection != Detection::Records {
        return false;
    }
    let (mut reader, codec) = format.open(head, HEAD);
    let Ok(Some(block)) = reader.next_block() else {
        return false;
    };
    let mut decoded = DecodedPart::default();
    codec.decode(&block, &mut decoded);
    // The last record may be truncated, or a game longer than this.
    let sound = decoded.invalid.iter().all(|error| {
        let left = block.bytes.len() - error.span.start as usize;
        let is_last = format.record_bytes().is_none_or(|record| left < record);
        error.fault == Fault::CutOff && is_last
    });
    let is_likely = is_named || !decoded.positions.is_empty();
    is_likely && sound && format.code().makes_sense(head, &decoded.positions)
}
