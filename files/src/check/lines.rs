//! The lines of a text that may each be an answer: those of a file, objects of JSON over several
//! lines, and calls that a formatter has broken into several lines. Some lines say nothing.

use serde::de::IgnoredAny;

use crate::formats::text_of;

/// What separates fields, besides blanks.
pub(super) const SEPARATORS: [char; 4] = [';', '\t', '|', ','];

/// Each line with its number, from 1; or each object of JSON that holds a FEN, with the number of
/// its first line.
pub(super) fn lines_of(text: &[u8]) -> Vec<(u64, &[u8])> {
    let objects = if is_json(text) {
        objects(text)
    } else {
        Vec::new()
    };
    if objects.is_empty() {
        let mut is_comment = false;
        (1..)
            .zip(text.split_inclusive(|&byte| byte == b'\n'))
            .filter(|(_, line)| !is_within_comment(&mut is_comment, line))
            .collect()
    } else {
        objects
    }
}

/// Whether a line says nothing: it is empty, a comment, the header of a table, a lone bracket, or
/// code around the lines of an initialiser.
pub(super) fn says_nothing(text: &str) -> bool {
    let is_comment = text.starts_with('#') || text.starts_with("//") || is_block_comment(text);
    let has_words = text.contains(|c: char| c.is_ascii_alphanumeric());
    let opens = text.ends_with(['{', '[', '(']) && !text.contains('/');
    is_comment
        || !has_words
        || find_board(text).is_none() && (opens || is_header(text) || is_code(text))
}

/// Whether a line is the header of a table: a column is named `fen`.
fn is_header(text: &str) -> bool {
    let name = |cell: &str| {
        cell.trim_matches([' ', '"', '\'', '`'])
            .to_ascii_lowercase()
    };
    text.contains(SEPARATORS) && text.split(SEPARATORS).any(|cell| name(cell) == "fen")
}

/// Whether a line is a comment between `/*` and `*/`.
fn is_block_comment(text: &str) -> bool {
    text.starts_with("/*") && text.find("*/").is_some_and(|end| end + 2 == text.len())
}

/// Whether a line is one of several of a comment between `/*` and `*/`. `is_open` is whether such a
/// comment goes on.
fn is_within_comment(is_open: &mut bool, line: &[u8]) -> bool {
    let ends = line.windows(2).any(|pair| pair == b"*/");
    let was_open = *is_open;
    *is_open = !ends && (was_open || line.trim_ascii_start().starts_with(b"/*"));
    was_open || *is_open
}

/// Whether a line declares something in C, C++, Rust or Python. It holds no board, whose ranks are
/// separated by slashes, so it cannot be an answer.
fn is_code(text: &str) -> bool {
    const WORDS: &[&str] = &[
        "auto",
        "bool",
        "char",
        "class",
        "const",
        "constexpr",
        "def",
        "double",
        "enum",
        "fn",
        "import",
        "int",
        "let",
        "namespace",
        "pub",
        "return",
        "static",
        "string",
        "struct",
        "typedef",
        "use",
        "using",
        "void",
    ];
    let first = text
        .split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))
        .next()
        .unwrap_or_default();
    let is_declaration = WORDS.contains(&first) || text.starts_with("std::");
    !text.contains('/') && is_declaration
}

/// Whether a text is JSON as a whole: a value, or several.
fn is_json(text: &[u8]) -> bool {
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
    let begins = matches!(text.trim_ascii_start(), [b'{' | b'[', ..]);
    let mut values = serde_json::Deserializer::from_slice(text).into_iter::<IgnoredAny>();
    begins && values.all(|value| value.is_ok())
}

/// The objects that have a key `fen` of their own.
fn objects(text: &[u8]) -> Vec<(u64, &[u8])> {
    let mut found = Vec::new();
    // Where objects and arrays began that have not ended: with the line, and whether there is a FEN.
    let mut open: Vec<(usize, u64, bool)> = Vec::new();
    let mut line = 1;
    let mut at = 0;
    while at < text.len() {
        match text[at] {
            b'\n' => line += 1,
            b'{' | b'[' => open.push((at, line, false)),
            b'}' | b']' => {
                if let Some((start, line, true)) = open.pop() {
                    found.push((line, &text[start..=at]));
                }
            }
            b'"' => {
                let end = at + 1 + end_of_string(&text[at + 1..]);
                let is_key = text[(end + 1).min(text.len())..]
                    .trim_ascii_start()
                    .starts_with(b":");
                if is_key
                    && text[at + 1..end].eq_ignore_ascii_case(b"fen")
                    && let Some((_, _, has_fen)) = open.last_mut()
                {
                    *has_fen = true;
                }
                at = end;
            }
            _ => {}
        }
        at += 1;
    }
    found
}

/// The place of the quote that ends a string.
fn end_of_string(text: &[u8]) -> usize {
    let mut is_escaped = false;
    let end = text.iter().position(|&byte| {
        let ends = byte == b'"' && !is_escaped;
        is_escaped = byte == b'\\' && !is_escaped;
        ends
    });
    end.unwrap_or(text.len())
}

/// The texts of a line that holds a board with lines before it that open brackets, and ever more lines
/// after it that close them; each with the number of its last line.
pub(super) fn joined(lines: &[(u64, &[u8])], board: usize) -> impl Iterator<Item = (String, u64)> {
    /// More lines than formatters make of a call.
    const MOST: usize = 8;
    let text = |at: usize| text_of(lines[at].1).map(str::trim).unwrap_or_default();
    let opening = (0..board)
        .rev()
        .take(3)
        .take_while(|&at| text(at).ends_with(['(', '[', '{']))
        .last();
    let start = opening.unwrap_or(board);
    let mut whole = (start..board).map(text).collect::<Vec<_>>().join(" ");
    let mut least = 0;
    let mut depth = 0;
    let after = (board..lines.len()).take(MOST);
    let without_another =
        after.take_while(move |&at| at == board || find_board(text(at)).is_none());
    without_another.filter_map(move |at| {
        whole.push(' ');
        whole.push_str(text(at));
        depth += depth_of(text(at));
        let closes = depth < least && at > board;
        least = least.min(depth);
        closes.then(|| (whole.trim_start().to_owned(), lines[at].0))
    })
}

/// How many more brackets a text opens than it closes.
fn depth_of(text: &str) -> i32 {
    text.bytes()
        .map(|byte| match byte {
            b'(' | b'[' | b'{' => 1,
            b')' | b']' | b'}' => -1,
            _ => 0,
        })
        .sum()
}

/// Where a FEN's board begins in a text that holds one.
pub(super) fn find_board(text: &str) -> Option<usize> {
    let board = words_in(text).find(is_board)?;
    Some(board.as_ptr() as usize - text.as_ptr() as usize)
}

/// The words of a line in any form.
pub(super) fn words_in(text: &str) -> impl Iterator<Item = &str> {
    text.split(|char: char| char.is_whitespace() || ";|,\"'`{}()[]".contains(char))
        .filter(|word| !word.is_empty())
}

/// Whether a word has the slashes of a FEN's board.
pub(super) fn is_board(word: &&str) -> bool {
    word.matches('/').count() == 7
}
