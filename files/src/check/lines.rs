//! The lines of a text that may each be an answer, with the header of a table that they are under,
//! and calls that a formatter has broken into several lines. Some lines say nothing.

use core::ops::Range;

use memchr::{memchr, memchr_iter, memmem};

use super::callee::is_see;
use super::columns::Declaration;
use super::line::without_comments;
use super::skipped::{LeftOut, MeantToFail};
use super::table::Header;
use super::tokens::{Bracket, Token, Tokens};
use super::words::{SEPARATORS, find_board, is_move, words_in};
use crate::formats::{Invalid, MAX_LINE, text_of};

/// A line of a text.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line<'a> {
    /// From 1.
    pub number: u64,
    pub bytes: &'a [u8],
    /// The place of the header of its table.
    pub header: Option<usize>,
    /// Whether it is in a test that is meant to fail.
    pub is_to_fail: bool,
}

impl<'a> Line<'a> {
    /// Without blanks around it, and without the mark before a text.
    pub fn text(&self) -> Result<&'a str, Invalid> {
        if self.bytes.len() > MAX_LINE {
            return Err(Invalid::too_long());
        }
        let text = text_of(self.bytes)?;
        let marked = text.strip_prefix('\u{feff}').filter(|_| self.number == 1);
        Ok(marked.unwrap_or(text).trim())
    }

    pub fn is_blank(&self) -> bool {
        self.bytes.trim_ascii().is_empty()
    }

    /// Whether it has the slashes of a board.
    pub fn may_hold_board(&self) -> bool {
        may_hold_board(self.bytes)
    }
}

fn may_hold_board(line: &[u8]) -> bool {
    const SLASHES: usize = 7;
    memchr_iter(b'/', line).take(SLASHES).count() == SLASHES
}

/// The lines of a text.
#[derive(Debug, Default)]
pub(super) struct Lines<'a> {
    /// Without those within comments, and those that the preprocessor of C leaves out.
    pub all: Vec<Line<'a>>,
    pub headers: Vec<Header>,
    left_out: LeftOut,
    meant_to_fail: MeantToFail,
    declaration: Declaration,
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
                let bytes = &text[first..comment.start];
                if !lines.left_out.holds(bytes, &text[end..]) {
                    lines.add(number, bytes);
                }
            }
        }
        lines
    }

    fn add(&mut self, number: u64, bytes: &'a [u8]) {
        let above = self.all.last().and_then(|line| line.header);
        let mut header = above.filter(|at| self.headers[*at].goes_on(bytes));
        let declared = self.declared(number, bytes);
        if self.declaration.has_field() {
            return;
        }
        if let Some(read) = declared.or_else(|| header_of(number, bytes)) {
            // A plain one ends the table above it, too.
            header = (!read.is_plain()).then_some(self.headers.len());
            self.headers.push(read);
        }
        let to_fail = self.meant_to_fail.add(bytes);
        let marked = self.all.iter_mut().rev();
        marked
            .take(to_fail.unwrap_or(0))
            .for_each(|line| line.is_to_fail = true);
        self.all.push(Line {
            number,
            bytes,
            header,
            is_to_fail: to_fail.is_some(),
        });
    }
}

impl Lines<'_> {
    /// The header that the fields of a declaration are, which this line ends.
    fn declared(&mut self, number: u64, bytes: &[u8]) -> Option<Header> {
        let text = text_of(bytes).ok()?.trim();
        if may_hold_board(bytes) {
            self.declaration = Declaration::default();
        }
        if may_hold_board(bytes) || text.is_empty() || is_comment(text) {
            return None;
        }
        let indent = bytes.len() - bytes.trim_ascii_start().len();
        let code = without_comments(text);
        let (first, declared) = self.declaration.add(number, &code, indent)?;
        Header::in_code(first, &declared)
    }
}

/// The header that a line is; not for lines with the slashes of a board, which are most.
fn header_of(number: u64, bytes: &[u8]) -> Option<Header> {
    if may_hold_board(bytes) {
        return None;
    }
    let text = text_of(bytes).ok()?.trim_start_matches('\u{feff}').trim();
    Header::read(number, text).or_else(|| Header::in_code(number, text))
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
    let has_words = text.contains(|c: char| c.is_ascii_alphanumeric());
    let opens = text.ends_with(['{', '[', '(']) && !text.contains('/');
    is_comment(text)
        || !has_words
        || find_board(text).is_none() && (opens || is_header(text) || is_code(text))
}

/// Whether a line is a comment or a directive. An attribute of Rust, an assertion of Swift and a macro
/// may say something about the board in them.
pub(super) fn is_comment(text: &str) -> bool {
    const NONE: [&str; 4] = ["[", "define", "expect(", "require("];
    let is_code = |hash: &str| {
        let rest = if hash.trim_start().starts_with("define") {
            hash.trim_start()
        } else {
            hash
        };
        NONE.iter().any(|code| rest.starts_with(code)) && find_board(text).is_some()
    };
    let is_hash = text.strip_prefix('#').is_some_and(|hash| !is_code(hash));
    is_hash || text.starts_with("//") || is_block_comment(text)
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

/// Whether a line is of a program and holds no answer: it declares something, calls or assigns, and
/// names no move and no number that the SEE is compared with. It holds no board, whose ranks are
/// separated by slashes.
fn is_code(text: &str) -> bool {
    const DECLARES: &[&str] = &[
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
    const STARTS: &[&str] = &[
        "assert", "case", "elif", "else", "end", "except", "for", "from", "func", "if", "package",
        "pass", "try", "var", "while", "with",
    ];
    let code = without_comments(text);
    if code.contains('/') {
        return false;
    }
    let first = code
        .split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))
        .next()
        .unwrap_or_default();
    if DECLARES.contains(&first) || code.starts_with("std::") {
        return true;
    }
    let tokens = Tokens::new(&code);
    let calls = || tokens.brackets().iter().any(Bracket::is_call);
    let assigns = || tokens.all().any(|token| token == Token::Sign('='));
    let is_statement = || code.find(';').is_some_and(|end| end + 1 == code.len());
    // An attribute of C#, such as `[Test]`.
    let is_attribute = || {
        let name = code
            .strip_prefix('[')
            .and_then(|code| code.strip_suffix(']'));
        name.is_some_and(|name| name.chars().all(char::is_alphabetic))
    };
    let is_of_program = STARTS.contains(&first)
        || code.starts_with('@')
        || is_attribute()
        || calls()
        || assigns()
        || is_statement();
    // It may be an answer whose FEN is on another line. An index is no number of one, nor is what is
    // added.
    let compares = || {
        let is_part = |at: usize| {
            let before = at.checked_sub(1).and_then(|before| tokens.get(before));
            matches!(before, Some(Token::Open('[') | Token::Sign('+' | '<')))
        };
        tokens.names().any(is_see) && tokens.numbers().any(|(at, _)| !is_part(at))
    };
    is_of_program && !words_in(&code).any(is_move) && !compares()
}
