//! Names as messages show them.

use std::path::Path;

/// A path, with what would act on a terminal escaped.
pub fn path(path: &Path) -> String {
    text(&path.display().to_string())
}

/// Any text of others, likewise: control characters, and those that turn the direction
/// of writing.
pub fn text(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_control()
            || matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
        {
            shown.extend(c.escape_default());
        } else {
            shown.push(c);
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_acts_on_a_terminal_is_escaped() {
        assert_eq!(
            text("\x1b[2Ja\nb\u{9b}\u{202e}"),
            r"\u{1b}[2Ja\nb\u{9b}\u{202e}"
        );
        for plain in ["data/é e\u{301}.fen", r"C:\a'b.fen", "日本"] {
            assert_eq!(text(plain), plain);
        }
    }
}
