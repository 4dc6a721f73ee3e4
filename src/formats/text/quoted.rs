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
    let shown: String = text
        .chars()
        .take(LONGEST)
        .flat_map(|char| {
            let plain = !char.is_control();
            let escaped = (!plain).then(|| char.escape_default());
            plain
                .then_some(char)
                .into_iter()
                .chain(escaped.into_iter().flatten())
        })
        .collect();
    if text.chars().nth(LONGEST).is_some() {
        shown + "..."
    } else {
        shown
    }
}

/// The text up to the next blank or separator.
pub(super) fn field(text: &[u8]) -> &[u8] {
    let part = |&&byte: &&u8| !matches!(byte, b' ' | b'\t' | b';' | b'|');
    &text[..text.iter().take_while(part).count()]
}
