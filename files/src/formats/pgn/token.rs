//! The tokens of PGN.
//!
//! ```text
//! % made by hand
//! [White "Ann"]                            Tag { name: White, value: Ann }
//!
//! 1. e4! {best, see [1]} e5 $10            Number(1.) Word(e4!) Comment(best, see [1]) Word(e5)
//! (1... c5 2. Nf3) ; the Sicilian          Open Number(1...) Word(c5) Number(2.) Word(Nf3) Close
//! 2. f4 1-0                                Number(2.) Word(f4) Word(1-0)
//! ```
//!
//! A tag is at the start of a line, or after another tag. What begins with `[` inside of a
//! comment that is closed is never one. Passed over are blanks, byte-order marks, lines that begin with `%`, the
//! rest of a line from a `;` on, numbered annotations (`$10`), commands outside of comments
//! (`[%clk 1]`). All else is a word: a move, a result, a sign such as `±`, or a mistake.
//!
//! A comment that nobody closed would reach to the end of another game's comment, and that game's
//! moves would be played in this one. So a comment ends as [`Token::Unclosed`] before a line that
//! is a whole tag, unless the next brace from that line on is a `}`.

use memchr::{memchr, memchr_iter, memchr2};

use super::super::error::MAX_LINE;
use super::super::text::{leading, next_line};

/// A token of PGN.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Token<'a> {
    /// The value is as written, with its backslashes.
    Tag {
        name: &'a [u8],
        value: &'a [u8],
    },
    /// The text between the braces.
    Comment(&'a [u8]),
    /// The text of a comment without an end, up to the next tag.
    Unclosed(&'a [u8]),
    /// The start of a variation.
    Open,
    /// The end of a variation.
    Close,
    /// A move number, with its dots.
    Number(&'a [u8]),
    Word(&'a [u8]),
}

/// Reads tokens, each with its offset.
#[derive(Clone)]
pub(super) struct Tokens<'a> {
    text: &'a [u8],
    /// The offset after the last token.
    at: usize,
    /// The offset after the last tag.
    tag_end: usize,
    /// Whether no more text follows.
    is_whole: bool,
}

impl<'a> Tokens<'a> {
    /// The tokens of a text. They end early where the meaning depends on text that may follow,
    /// unless this one `is_whole`.
    pub fn new(text: &'a [u8], is_whole: bool) -> Tokens<'a> {
        Tokens {
            text,
            at: 0,
            tag_end: 0,
            is_whole,
        }
    }

    /// The end of the last token.
    pub fn end(&self) -> usize {
        self.at
    }

    /// Passes over moves, numbers, signs, and comments that end in the line in which they begin, up
    /// to a word that may be a result or to another token.
    pub fn skip_moves(&mut self) {
        loop {
            let rest = &self.text[self.at..];
            let end = rest.iter().position(|&byte| MAY_END_MOVES[byte as usize]);
            let (moves, others) = rest.split_at(end.unwrap_or(rest.len()));
            if let [b'{', inside @ ..] = others
                && let Some(end) = end_in_line(inside)
            {
                self.at += moves.len() + end + 2;
            } else {
                let word = moves.iter().rev().take_while(|&&byte| is_of_word(byte));
                self.at += moves.len() - word.count();
                return;
            }
        }
    }

    /// Whether only blanks are before the next token in its line, or since the last tag.
    fn is_at_start(&self) -> bool {
        let mut before = &self.text[self.tag_end..self.at];
        loop {
            before = match before {
                [] | [.., b'\n'] => return true,
                [rest @ .., b' ' | b'\t'] => rest,
                _ => match before.strip_suffix(MARK) {
                    Some(rest) => rest,
                    None => return false,
                },
            };
        }
    }

    fn token(&mut self, length: usize, token: Token<'a>) -> Option<(usize, Token<'a>)> {
        let at = self.at;
        self.at += length;
        let may_go_on = self.at == self.text.len() && !self.is_whole;
        (!may_go_on).then_some((at, token))
    }

    fn tag(&mut self, tag: &Tag<'a>) -> Option<(usize, Token<'a>)> {
        self.tag_end = self.at + tag.length;
        let name = tag.name;
        let value = tag.value;
        self.token(tag.length, Token::Tag { name, value })
    }

    /// A comment, from its brace on; `None` if its end depends on text that may follow.
    fn comment(&mut self, rest: &'a [u8]) -> Option<(usize, Token<'a>)> {
        let inside = &rest[1..];
        // A game with a longer comment is too long anyway.
        let near = &inside[..inside.len().min(MAX_LINE)];
        // A tag, or a brace that is too far away.
        let stop = match end_or_tag(inside) {
            Ok(end) if end < near.len() => return self.closed(rest, end),
            Ok(stop) | Err(stop) => stop,
        };
        let brace = near.get(stop..).and_then(|near| memchr2(b'{', b'}', near));
        match brace.map(|brace| stop + brace) {
            Some(end) if inside[end] == b'}' => self.closed(rest, end),
            None if near.len() < MAX_LINE && !self.is_whole => None,
            _ => self.token(1 + stop, Token::Unclosed(&inside[..stop])),
        }
    }

    /// A comment with a text of `length` bytes between its braces. Further closing braces belong to
    /// it: some people write one comment in another.
    fn closed(&mut self, rest: &'a [u8], length: usize) -> Option<(usize, Token<'a>)> {
        let mut end = length + 2; // with both braces
        loop {
            let blanks = leading(&rest[end..], |byte| byte.is_ascii_whitespace());
            match rest.get(end + blanks.len()) {
                Some(b'}') => end += blanks.len() + 1,
                _ => return self.token(end, Token::Comment(&rest[1..=length])),
            }
        }
    }
}

impl<'a> Iterator for Tokens<'a> {
    type Item = (usize, Token<'a>);

    fn next(&mut self) -> Option<(usize, Token<'a>)> {
        loop {
            let rest = &self.text[self.at..];
            let first = *rest.first()?;
            match first {
                // Dots may be before a move of Black's: `1. e4 ...e5`.
                b' ' | b'\n' | b'.' => self.at += 1,
                b'{' => return self.comment(rest),
                b'(' => return self.token(1, Token::Open),
                b')' => return self.token(1, Token::Close),
                b'}' => return self.token(1, Token::Word(&rest[..1])),
                b';' => self.at += next_line(rest).len(),
                b'%' if self.is_at_start() => self.at += next_line(rest).len(),
                b'$' => self.at += 1 + leading(&rest[1..], |byte| byte.is_ascii_digit()).len(),
                b'[' => {
                    let line = next_line(rest);
                    if !line.ends_with(b"\n") && !self.is_whole {
                        return None;
                    }
                    if is_tag(line) && self.is_at_start() {
                        return self.tag(&Tag::from_line(line));
                    }
                    match command(line) {
                        Some(command) => self.at += command,
                        None => return self.token(1, Token::Word(&rest[..1])),
                    }
                }
                0xef if rest.starts_with(MARK) => self.at += MARK.len(),
                0xc2 | 0xe2 if wide_blank(rest) > 0 => self.at += wide_blank(rest),
                _ if !is_of_word(first) => self.at += 1,
                _ => {
                    let number = number(rest);
                    if number > 0 {
                        return self.token(number, Token::Number(&rest[..number]));
                    }
                    let word = word(rest);
                    return self.token(word, Token::Word(&rest[..word]));
                }
            }
        }
    }
}

/// A byte-order mark. Concatenated files have some inside.
const MARK: &[u8] = b"\xef\xbb\xbf";

/// The length of a blank that is not ASCII, 0 if there is none: a no-break space, or a sign without
/// width, as text that is copied from a page may have.
fn wide_blank(text: &[u8]) -> usize {
    match text {
        [0xc2, 0xa0, ..] => 2,
        [0xe2, 0x80, 0x8b..=0x8f | 0xaf, ..] => 3,
        _ => 0,
    }
}

/// A tag's name begins with a letter, unlike `[%eval 1]`. Blanks may come before it, if there is a
/// value in quotes.
fn is_tag(line: &[u8]) -> bool {
    match line {
        [b'[', letter, ..] if letter.is_ascii_alphabetic() => true,
        [b'[', b' ' | b'\t', rest @ ..] => {
            rest.trim_ascii_start()
                .first()
                .is_some_and(u8::is_ascii_alphabetic)
                && memchr2(b'"', b'\n', rest).is_some_and(|at| rest[at] == b'"')
        }
        _ => false,
    }
}

struct Tag<'a> {
    name: &'a [u8],
    value: &'a [u8],
    /// The tag's length in bytes, with its closing bracket.
    length: usize,
    is_whole_line: bool,
}

impl<'a> Tag<'a> {
    /// The tag at the start of a line. Its value ends at the first quote that a `]` follows and
    /// that no backslash escapes; if all are escaped, at the last of them: people write quotes inside, and folders of Windows.
    fn from_line(line: &'a [u8]) -> Tag<'a> {
        let name = leading(line[1..].trim_ascii_start(), |byte| {
            !matches!(byte, b' ' | b'\t' | b'\r' | b'\n' | b'"' | b']')
        });
        let unclosed = Tag {
            name,
            value: b"",
            length: line.len(),
            is_whole_line: false,
        };
        let Some(quote) = memchr(b'"', line) else {
            return unclosed;
        };
        let text = &line[quote + 1..];
        let mut closed = None;
        for end in memchr_iter(b'"', text) {
            let blanks = leading(&text[end + 1..], |byte| matches!(byte, b' ' | b'\t'));
            let bracket = end + 1 + blanks.len();
            if text.get(bracket) == Some(&b']') {
                closed = Some((end, bracket));
                if !ends_in_escape(&text[..end]) {
                    break;
                }
            }
        }
        match closed {
            Some((end, bracket)) => Tag {
                name,
                value: &text[..end],
                length: quote + 1 + bracket + 1,
                is_whole_line: text[bracket + 1..].trim_ascii().is_empty(),
            },
            None => Tag {
                value: text.trim_ascii_end(),
                ..unclosed
            },
        }
    }
}

/// Whether a backslash at the end belongs to the next byte.
fn ends_in_escape(text: &[u8]) -> bool {
    let backslashes = text.iter().rev().take_while(|&&byte| byte == b'\\');
    backslashes.count() % 2 == 1
}

/// The place of a comment's brace, if that is in its first line.
fn end_in_line(text: &[u8]) -> Option<usize> {
    let near = &text[..text.len().min(MAX_LINE)];
    memchr2(b'}', b'\n', near).filter(|&at| near[at] == b'}')
}

/// Where a comment at the start of the text ends: at its brace; or, as an error, before a line that
/// is a whole tag and comes first, or at the end of the text.
fn end_or_tag(text: &[u8]) -> Result<usize, usize> {
    let mut at = 0;
    while let Some(found) = memchr2(b'}', b'\n', &text[at..]) {
        at += found;
        if text[at] == b'}' {
            return Ok(at);
        }
        at += 1;
        if is_tag(&text[at..]) && Tag::from_line(next_line(&text[at..])).is_whole_line {
            return Err(at);
        }
    }
    Err(text.len())
}

/// The length of a command outside of a comment, `[%clk 1]`.
fn command(line: &[u8]) -> Option<usize> {
    // `[#]` asks for a diagram.
    let begins = line.starts_with(b"[%") || line.starts_with(b"[#");
    let end = begins.then(|| memchr(b']', line))?;
    end.map(|end| end + 1)
}

/// The length of a move number; 0 if there is none.
fn number(text: &[u8]) -> usize {
    if !matches!(text, [b'1'..=b'9', ..]) {
        return 0;
    }
    let digits = leading(text, |byte| byte.is_ascii_digit()).len();
    let end = digits + leading(&text[digits..], |byte| byte == b'.').len();
    // Other digits begin a result or castling.
    let is_number = end > digits || text.get(end).is_none_or(|&byte| !is_of_word(byte));
    if is_number { end } else { 0 }
}

/// The length of a word, with a promotion piece in parentheses: `hxg8(Q)`.
fn word(text: &[u8]) -> usize {
    let mut word = leading(text, is_of_word);
    if !word.is_ascii() {
        let blank = (0..word.len()).find(|&at| wide_blank(&word[at..]) > 0);
        word = &word[..blank.unwrap_or(word.len())];
    }
    match text[word.len()..] {
        [b'(', piece, b')', ..]
            if b"NBRQ".contains(&piece) && matches!(word.last(), Some(b'1' | b'8' | b'=')) =>
        {
            word.len() + 3
        }
        _ => word.len(),
    }
}

const fn is_of_word(byte: u8) -> bool {
    IS_OF_WORD[byte as usize]
}

/// All bytes but blanks, ^Z (which ended files once), and the signs of other tokens.
const IS_OF_WORD: [bool; 256] = {
    let mut table = [true; 256];
    set(&mut table, b"\t\n\x0b\x0c\r\x1a {}();$[", false);
    table
};

/// Bytes of which each result has at least one, and the signs of other tokens.
const MAY_END_MOVES: [bool; 256] = {
    // Not ASCII are `½` and some dashes.
    let mut table = [true; 256];
    let mut byte = 0;
    while byte < 0x80 {
        table[byte] = false;
        byte += 1;
    }
    set(&mut table, b"*-/{}();[%", true);
    table
};

const fn set(table: &mut [bool; 256], bytes: &[u8], value: bool) {
    let mut i = 0;
    while i < bytes.len() {
        table[bytes[i] as usize] = value;
        i += 1;
    }
}
