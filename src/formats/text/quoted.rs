//! Text of a line, as it is read and as messages show it.

use crate::formats::Place;

/// Without a byte-order mark.
pub(in crate::formats) fn unmarked(text: &[u8]) -> &[u8] {
    text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text)
}

/// The same for the start of a record; only the first may have one.
pub(in crate::formats) fn unmarked_line(line: &[u8], place: Place) -> &[u8] {
    match place {
        Place::Line(1) => unmarked(line),
        _ => line,
    }
}

/// Text of a line for a message: printable, and not too long.
pub(in crate::formats) fn quoted(text: &[u8]) -> String {
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
pub(super) fn field(text: &[u8]) -> &[u8] {
    leading(text, |byte| !matches!(byte, b' ' | b'\t' | b';' | b'|'))
}

/// The text up to the first byte that is no `part`.
pub(in crate::formats) fn leading(text: &[u8], part: impl Fn(u8) -> bool) -> &[u8] {
    &text[..text.iter().take_while(|&&byte| part(byte)).count()]
}
