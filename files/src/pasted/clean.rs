//! Text without what its medium added: `%20` of addresses, `\"` of programs, `&nbsp;` of pages,
//! typographic dashes and quotes, characters without width.

use core::ops::Range;
use std::borrow::Cow;

/// Plain text, of which each byte has its place in the text that was pasted.
pub(super) struct Clean<'a> {
    pub text: Cow<'a, str>,
    original: &'a str,
    /// Where something was replaced, in their order.
    shifts: Vec<Shift>,
}

/// A replacement.
struct Shift {
    /// The offset after it in the plain text.
    plain: usize,
    /// The offset after it in the original.
    original: usize,
    /// Whether nothing stands for what was there.
    is_removal: bool,
}

impl<'a> Clean<'a> {
    pub fn new(original: &'a str) -> Clean<'a> {
        let bytes = original.as_bytes();
        let mut text = String::new();
        let mut shifts = Vec::new();
        let mut kept = 0;
        let mut at = 0;
        while let Some(found) = next_odd(&bytes[at..]) {
            at += found;
            let Some((length, plain)) = replaced(&original[at..], bytes[..at].last().copied())
            else {
                at += original[at..].chars().next().map_or(1, char::len_utf8);
                continue;
            };
            text.push_str(&original[kept..at]);
            let before = text.len();
            plain.push_to(&mut text);
            at += length;
            kept = at;
            shifts.push(Shift {
                plain: text.len(),
                original: at,
                is_removal: text.len() == before,
            });
        }
        let text = if kept == 0 {
            Cow::Borrowed(original)
        } else {
            text.push_str(&original[kept..]);
            Cow::Owned(text)
        };
        Clean {
            text,
            original,
            shifts,
        }
    }

    /// The part of the original that a part of the plain text stands for.
    pub fn original(&self, part: &Range<usize>) -> Range<usize> {
        // What was removed after a part is not of it.
        let start = self.place(part.start, |shift| shift.plain <= part.start);
        let end = self.place(part.end, |shift| {
            shift.plain < part.end || shift.plain == part.end && !shift.is_removal
        });
        let start = self.original.floor_char_boundary(start);
        start..self.original.ceil_char_boundary(end.max(start))
    }

    fn place(&self, at: usize, is_before: impl Fn(&Shift) -> bool) -> usize {
        let near = self.shifts.partition_point(|shift| shift.plain <= at);
        let before = self.shifts[..near].iter().rfind(|shift| is_before(shift));
        let (plain, original) = before.map_or((0, 0), |shift| (shift.plain, shift.original));
        (original + at - plain).min(self.original.len())
    }
}

/// What stands for a part of the text.
enum Plain {
    Char(char),
    Text(&'static str),
}

impl Plain {
    fn push_to(&self, text: &mut String) {
        match *self {
            Plain::Char(char) => text.push(char),
            Plain::Text(part) => text.push_str(part),
        }
    }
}

/// The first byte that may begin something to replace.
fn next_odd(text: &[u8]) -> Option<usize> {
    text.iter()
        .position(|&byte| byte >= 0x80 || matches!(byte, b'%' | b'\\' | b'&' | b'"'))
}

/// How many bytes at the start of a text are replaced, and by what.
fn replaced(text: &str, before: Option<u8>) -> Option<(usize, Plain)> {
    let bytes = text.as_bytes();
    match bytes[0] {
        b'%' => address_byte(bytes),
        b'\\' => Some(unescaped(text)),
        b'&' => page_character(text),
        b'"' => doubled_quote(bytes, before),
        _ => {
            let char = text.chars().next()?;
            Some((char.len_utf8(), plain(char)?))
        }
    }
}

/// A byte of an address, `%20`, also if it was written so twice: `%2520`.
fn address_byte(text: &[u8]) -> Option<(usize, Plain)> {
    let mut length = 1;
    while text[length..].starts_with(b"25") && hexadecimal(&text[length + 2..]).is_some() {
        length += 2;
    }
    let byte = hexadecimal(&text[length..])?;
    let is_text = matches!(byte, b'\t' | b'\n' | b'\r' | b' '..=b'~');
    is_text.then_some((length + 2, Plain::Char(char::from(byte))))
}

fn hexadecimal(text: &[u8]) -> Option<u8> {
    let digits = core::str::from_utf8(text.get(..2)?).ok()?;
    let is_sign = digits.starts_with('+');
    u8::from_str_radix(digits, 16).ok().filter(|_| !is_sign)
}

/// A character of a string in a program, after one backslash or several.
fn unescaped(text: &str) -> (usize, Plain) {
    let after = text.trim_start_matches('\\');
    let length = text.len() - after.len();
    let (escaped, plain) = match after.as_bytes().first() {
        Some(b'n') => (1, Plain::Char('\n')),
        Some(b'r' | b't') => (1, Plain::Char(' ')),
        _ => (0, Plain::Text("")),
    };
    (length + escaped, plain)
}

/// A character of a web page's source, `&quot;`.
fn page_character(text: &str) -> Option<(usize, Plain)> {
    const NAMES: [(&str, char); 8] = [
        ("amp", '&'),
        ("apos", '\''),
        ("gt", '>'),
        ("lt", '<'),
        ("nbsp", ' '),
        ("quot", '"'),
        ("sol", '/'),
        ("vert", '|'),
    ];
    let near = text.as_bytes().iter().take(9);
    let end = near.clone().position(|&byte| byte == b';')?;
    let name = &text[1..end];
    let found = match name.strip_prefix('#') {
        Some(number) => {
            let code = match number.strip_prefix(['x', 'X']) {
                Some(digits) => u32::from_str_radix(digits, 16),
                None => number.parse(),
            };
            let char = char::from_u32(code.ok()?)?;
            return Some((end + 1, plain(char).unwrap_or(Plain::Char(char))));
        }
        None => NAMES.iter().find(|(known, _)| *known == name)?.1,
    };
    Some((end + 1, Plain::Char(found)))
}

/// One quote for two, as tables write a quote inside a string; but not an empty string.
fn doubled_quote(text: &[u8], before: Option<u8>) -> Option<(usize, Plain)> {
    let [b'"', b'"', after @ ..] = text else {
        return None;
    };
    let is_between = |byte: Option<u8>| {
        byte.is_none_or(|byte| byte.is_ascii_whitespace() || b",;:=([{}])\"".contains(&byte))
    };
    let is_empty = is_between(before) && is_between(after.first().copied());
    (!is_empty).then_some((2, Plain::Char('"')))
}

/// The usual character for a typographic one.
fn plain(char: char) -> Option<Plain> {
    Some(Plain::Char(match char {
        '\u{ad}'
        | '\u{61c}'
        | '\u{200b}'..='\u{200f}'
        | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}'
        | '\u{fe00}'..='\u{fe0f}'
        | '\u{feff}' => return Some(Plain::Text("")),
        '\u{a0}' | '\u{1680}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}' => {
            ' '
        }
        '\u{85}' | '\u{2028}' | '\u{2029}' => '\n',
        '\u{2010}'..='\u{2015}' | '\u{2212}' | '─' | '━' | '═' => '-',
        '“' | '”' | '„' | '‟' | '«' | '»' | '″' => '"',
        '‘' | '’' | '‚' | '‛' | '‹' | '›' | '′' => '\'',
        '\u{2044}' | '\u{2215}' | '\u{29f8}' => '/',
        '│' | '┃' | '║' | '¦' => '|',
        '×' | '✕' => 'x',
        '½' => return Some(Plain::Text("1/2")),
        '…' => return Some(Plain::Text("...")),
        // Full width, as East Asian keyboards write.
        '！'..='～' => char::from(u8::try_from(u32::from(char) - 0xfee0).ok()?),
        _ => return None,
    }))
}
