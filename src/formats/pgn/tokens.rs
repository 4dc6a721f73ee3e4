//! The tokens of PGN that matter, with their offsets.

use super::super::text::{leading, through, unmarked};
use super::comment::{Score, score};

/// A part of a game.
pub(super) enum Token<'a> {
    /// A tag's name; its value is in [`Tokens::value`].
    Tag(&'a [u8]),
    San(&'a [u8]),
    Result(&'a [u8]),
    /// A score in a comment.
    Score(Score),
    /// Of a variation.
    Open,
    Close,
}

/// Skips comments without scores, move numbers and annotations.
pub(super) struct Tokens<'a> {
    text: &'a [u8],
    at: usize,
    /// The last tag's value.
    pub value: Vec<u8>,
    /// An open bracket or comment, with its place.
    pub unclosed: Option<(usize, &'static str)>,
}

impl<'a> Tokens<'a> {
    pub(super) fn new(text: &'a [u8]) -> Tokens<'a> {
        Tokens {
            text,
            at: text.len() - unmarked(text).len(),
            value: Vec::new(),
            unclosed: None,
        }
    }

    /// Skips past the next such byte, or to the end.
    fn skip_past(&mut self, byte: u8) -> bool {
        let behind = &self.text[self.at..];
        let found = through(behind, byte);
        self.at += found.unwrap_or(behind).len();
        found.is_some()
    }

    fn line_starts_here(&self) -> bool {
        self.at == 0 || self.text[self.at - 1] == b'\n'
    }

    /// `[Name "value"]`; anything else in brackets has an empty name.
    fn tag(&mut self) -> Token<'a> {
        let start = self.at + 1;
        let behind = &self.text[start..];
        let name = leading(behind, |byte| byte.is_ascii_alphanumeric() || byte == b'_');
        self.value.clear();
        self.at = start + name.len();
        let mut quoted = false;
        let mut ended = false;
        while let Some(&byte) = self.text.get(self.at).filter(|_| !ended) {
            self.at += 1;
            match byte {
                b'\n' => ended = true,
                b']' if !quoted => ended = true,
                b'"' => quoted = !quoted,
                b'\\' if quoted => {
                    self.value.extend(self.text.get(self.at));
                    self.at += 1;
                }
                _ if quoted => self.value.push(byte),
                _ => {}
            }
        }
        self.at = self.at.min(self.text.len());
        if !ended {
            self.unclosed = Some((start - 1, "a tag"));
        }
        Token::Tag(name)
    }

    /// A move, a result, or nothing that matters.
    fn word(&mut self) -> Option<Token<'a>> {
        let behind = &self.text[self.at..];
        let number = leading(behind, |byte| byte.is_ascii_digit()).len();
        let dots = leading(&behind[number..], |byte| byte == b'.').len();
        if dots > 0 {
            // A number may stand right before its move, as in `1.e4`.
            self.at += number + dots;
            return None;
        }
        let word = leading(behind, is_word);
        self.at += word.len();
        let marks = word.iter().rev().take_while(|byte| b"!?".contains(byte));
        match &word[..word.len() - marks.count()] {
            result @ (b"1-0" | b"0-1" | b"1/2-1/2" | b"*") => Some(Token::Result(result)),
            // After an en-passant capture; it can be ignored.
            b"e.p." | b"e.p.+" | b"e.p.#" => None,
            other if other.iter().all(u8::is_ascii_digit) => None,
            san => Some(Token::San(san)),
        }
    }
}

fn is_word(byte: u8) -> bool {
    // A match in place would be a jump at every byte.
    static WORD: [bool; 256] = {
        let mut word = [false; 256];
        let mut byte = 0;
        while byte < 256 {
            word[byte] = !(byte as u8).is_ascii_whitespace()
                && !matches!(byte as u8, b'{' | b'}' | b'(' | b')' | b';' | b'$' | b'[');
            byte += 1;
        }
        word
    };
    WORD[usize::from(byte)]
}

impl<'a> Iterator for Tokens<'a> {
    type Item = (usize, Token<'a>);

    fn next(&mut self) -> Option<(usize, Token<'a>)> {
        loop {
            let start = self.at;
            match *self.text.get(start)? {
                b'{' => {
                    if !self.skip_past(b'}') {
                        self.unclosed = Some((start, "a comment"));
                    } else if let Some(score) = score(&self.text[start + 1..self.at - 1]) {
                        return Some((start, Token::Score(score)));
                    }
                }
                b';' => {
                    self.skip_past(b'\n');
                }
                b'%' if self.line_starts_here() => {
                    self.skip_past(b'\n');
                }
                b'[' => return Some((start, self.tag())),
                b'(' => {
                    self.at += 1;
                    return Some((start, Token::Open));
                }
                b')' => {
                    self.at += 1;
                    return Some((start, Token::Close));
                }
                b'$' => {
                    let digits = leading(&self.text[start + 1..], |byte| byte.is_ascii_digit());
                    self.at += 1 + digits.len();
                }
                byte if is_word(byte) => {
                    if let Some(token) = self.word() {
                        return Some((start, token));
                    }
                }
                _ => self.at += 1,
            }
        }
    }
}
