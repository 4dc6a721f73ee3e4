//! Lists of rows on one line, as in `[("FEN", "e4d5", 100), ("FEN", "e4d5", 0)]`.

use super::callee::begins_entry;
use super::words::{is_board, words_in};

/// A bracket that is open.
struct Open {
    start: usize,
    /// How many boards were before it.
    before: usize,
    is_call: bool,
}

/// The rows of a line with several boards, each in a bracket of its own.
pub(super) fn rows(text: &str) -> Option<Vec<&str>> {
    let boards: Vec<usize> = words_in(text)
        .filter(is_board)
        .map(|board| board.as_ptr() as usize - text.as_ptr() as usize)
        .collect();
    if boards.len() < 2 {
        return None;
    }
    let mut rows: Vec<&str> = Vec::new();
    let mut open: Vec<Open> = Vec::new();
    let mut is_quoted = false;
    let mut seen = 0;
    for (at, byte) in text.bytes().enumerate() {
        seen += usize::from(boards.get(seen) == Some(&at));
        is_quoted ^= byte == b'"';
        if is_quoted {
            continue;
        }
        if matches!(byte, b'(' | b'[' | b'{') {
            let before = &text[..at];
            open.push(Open {
                start: at,
                before: seen,
                is_call: before.ends_with(|char: char| char.is_alphanumeric() || char == '_'),
            });
        } else if matches!(byte, b')' | b']' | b'}') {
            let closed = open.pop()?;
            if seen - closed.before == 1 && !closed.is_call {
                let row = &text[closed.start..=at];
                // The outermost bracket with one board is the row.
                rows.retain(|inner| inner.as_ptr() < row.as_ptr());
                rows.push(row);
            }
        }
    }
    (rows.len() == boards.len() && has_only_rows(text, &rows)).then_some(rows)
}

/// Whether nothing but the brackets and the name of a list is around the rows.
fn has_only_rows(text: &str, rows: &[&str]) -> bool {
    let mut after = 0;
    let mut is_first = true;
    rows.iter().all(|row| {
        let start = row.as_ptr() as usize - text.as_ptr() as usize;
        let between = &text[after..start];
        after = start + row.len();
        let begins = core::mem::take(&mut is_first);
        if begins {
            begins_entry(between)
        } else {
            !has_words(between)
        }
    }) && !has_words(&text[after..])
}

fn has_words(text: &str) -> bool {
    text.contains(|char: char| char.is_alphanumeric() || "!-.<=>".contains(char))
}
