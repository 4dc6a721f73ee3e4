//! The lines of a text that may each be an answer, with the header of a table that they are under,
//! and calls that a formatter has broken into several lines. Some lines say nothing.

use core::ops::Range;

use memchr::{memchr, memchr_iter, memmem};

use super::table::Header;
use super::words::{SEPARATORS, find_board};
use crate::formats::text_of;

/// A line of a text.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line<'a> {
    /// From 1.
    pub number: u64,
    pub bytes: &'a [u8],
    /// The place of the header of its table.
    pub header: Option<usize>,
}

/// The lines of a text.
#[derive(Debug, Default)]
pub(super) struct Lines<'a> {
    /// Without those within comments.
    pub all: Vec<Line<'a>>,
    pub headers: Vec<Header>,
}

impl<'a> Lines<'a> {
    pub fn new(text: &'a [u8]) -> Lines<'a> {
        let mut lines = Lines::default();
        let mut comments = Comments {
            text,
            are_over: [false; 2],
        };
        // Where the last comment over several lines ends.
        let mut comment_end = 0;
        let mut start = 0;
        for (number, bytes) in (1..).zip(text.split_inclusive(|&byte| byte == b'\n')) {
            let end = start + bytes.len();
            let first = start.max(comment_end);
            start = end;
            if first < end {
                let opened = comments.opened_in(first..end);
                let comment = opened.unwrap_or(end..comment_end);
                comment_end = comment.end;
                lines.add(number, &text[first..comment.start]);
            }
        }
        lines
    }

    fn add(&mut self, number: u64, bytes: &'a [u8]) {
        let above = self.all.last().and_then(|line| line.header);
        let mut header = above.filter(|at| self.headers[*at].goes_on(bytes));
        if let Some(read) = header_of(number, bytes) {
            header = Some(self.headers.len());
            self.headers.push(read);
        }
        self.all.push(Line {
            number,
            bytes,
            header,
        });
    }
}

/// The header that a line is; not for lines with the slashes of a board, which are most.
fn header_of(number: u64, bytes: &[u8]) -> Option<Header> {
    const SLASHES: usize = 7;
    if memchr_iter(b'/', bytes).take(SLASHES).count() == SLASHES {
        return None;
    }
    let text = text_of(bytes).ok()?;
    Header::read(number, text.trim_start_matches('\u{feff}').trim())
}

/// Searches for comments over several lines.
struct Comments<'a> {
    text: &'a [u8],
    /// Whether none of a kind ends any more: then what opens one is part of something else.
    are_over: [bool; 2],
}

impl Comments<'_> {
    const KINDS: [(u8, &'static [u8], &'static [u8]); 2] =
        [(b'*', b"/*", b"*/"), (b'!', b"<!--", b"-->")];

    /// The place of a comment that a line opens and does not close: outside of a string, not within a
    /// comment of one line, and not as a part of a word.
    fn opened_in(&mut self, line: Range<usize>) -> Option<Range<usize>> {
        let Range { start, end } = line;
        let line = &self.text[start..end];
        for ((sign, opens, closes), is_over) in Comments::KINDS.into_iter().zip(&mut self.are_over)
        {
            if *is_over || memchr(sign, line).is_none() {
                continue;
            }
            let Some(at) = memmem::rfind(line, opens) else {
                continue;
            };
            let before = &line[..at];
            let is_part = before.last().is_some_and(|byte| !b" \t,;)}".contains(byte));
            let is_quoted = !memchr_iter(b'"', before).count().is_multiple_of(2);
            let is_comment = before.trim_ascii_start().starts_with(b"#")
                || memmem::find(before, b"//").is_some();
            let inside = start + at + opens.len();
            let is_closed = memmem::find(&self.text[inside..end], closes).is_some();
            if is_part || is_quoted || is_comment || is_closed {
                continue;
            }
            match memmem::find(&self.text[end..], closes) {
                Some(length) => return Some(start + at..end + length + closes.len()),
                None => *is_over = true,
            }
        }
        None
    }
}

/// Whether a line says nothing: it is empty, a comment, the header of a table, a lone bracket, or
/// code around the lines of an initialiser.
pub(super) fn says_nothing(text: &str) -> bool {
    // An attribute of Rust may be a case of a test.
    let is_case = || text.starts_with("#[") && find_board(text).is_some();
    let is_comment =
        text.starts_with('#') && !is_case() || text.starts_with("//") || is_block_comment(text);
    let has_words = text.contains(|c: char| c.is_ascii_alphanumeric());
    let opens = text.ends_with(['{', '[', '(']) && !text.contains('/');
    is_comment
        || !has_words
        || find_board(text).is_none() && (opens || is_header(text) || is_code(text))
}

/// Whether a line is the header of a table, or another list of names in which one is `fen`.
fn is_header(text: &str) -> bool {
    let is_fen = |cell: &str| {
        cell.trim_matches([' ', '"', '\'', '`'])
            .eq_ignore_ascii_case("fen")
    };
    let has_fen = text.contains(SEPARATORS) && text.split(SEPARATORS).any(is_fen);
    has_fen && !text.contains('/') || Header::read(1, text).is_some()
}

/// Whether a line is a comment between `/*` and `*/`.
fn is_block_comment(text: &str) -> bool {
    text.starts_with("/*") && text.find("*/").is_some_and(|end| end + 2 == text.len())
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

/// The texts of a line that holds a board with lines before it that open brackets, and ever more lines
/// after it that close them; each with the number of its last line.
pub(super) fn joined(lines: &[Line<'_>], board: usize) -> impl Iterator<Item = (String, u64)> {
    /// More lines than formatters make of a call.
    const MOST: usize = 8;
    let text = |at: usize| text_of(lines[at].bytes).map(str::trim).unwrap_or_default();
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
        // The line of the board may close what a line before has opened.
        let closes = depth < least && (at > board || start < board);
        least = least.min(depth);
        closes.then(|| (whole.trim_start().to_owned(), lines[at].number))
    })
}

/// Whether a text closes brackets that it does not open.
pub(super) fn closes_more(text: &str) -> bool {
    depth_of(text) < 0
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
