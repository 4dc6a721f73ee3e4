//! The words of main lines that should be moves.

use super::super::text::{leading, through};

/// The words of a game's main line that should be moves, with their offsets: without move
/// numbers, annotations and results.
pub(super) fn words(text: &[u8]) -> impl Iterator<Item = (usize, &[u8])> {
    let mut at = 0;
    let mut depth = 0_usize;
    core::iter::from_fn(move || {
        while let [first, ..] = text.get(at..)? {
            let rest = &text[at..];
            let skipped = |to: u8| through(rest, to).unwrap_or(rest).len();
            let starts_line = || at == 0 || text[at - 1] == b'\n';
            at += match first {
                b'{' => skipped(b'}'),
                b';' => skipped(b'\n'),
                // Tags, some after a byte-order mark.
                b'%' | b'[' | 0xef if starts_line() => skipped(b'\n'),
                b'[' => skipped(b']'),
                b'(' => {
                    depth += 1;
                    1
                }
                b')' => {
                    depth = depth.saturating_sub(1);
                    1
                }
                &byte if IS_WORD[usize::from(byte)] => {
                    let word = leading(rest, |byte| IS_WORD[usize::from(byte)]);
                    let start = at;
                    at += word.len();
                    if let Some(san) = without_number(word)
                        && depth == 0
                    {
                        return Some((start + word.len() - san.len(), trimmed(san)));
                    }
                    0
                }
                _ => 1,
            };
        }
        None
    })
}

/// The part after a move number, as in `1.e4`, if it should be a move.
fn without_number(word: &[u8]) -> Option<&[u8]> {
    if word[0].is_ascii_alphabetic() {
        return (!word.starts_with(b"e.p.")).then_some(word);
    }
    let number = leading(word, |byte| byte.is_ascii_digit()).len();
    let dots = leading(&word[number..], |byte| byte == b'.').len();
    let rest = if dots > 0 {
        &word[number + dots..]
    } else {
        word
    };
    let is_result = matches!(trimmed(rest), b"1-0" | b"0-1" | b"1/2-1/2" | b"*");
    let is_number = trimmed(rest).iter().all(u8::is_ascii_digit);
    (!is_result && !is_number).then_some(rest)
}

/// Without marks.
fn trimmed(word: &[u8]) -> &[u8] {
    let marks = word.iter().rev().take_while(|byte| b"!?".contains(byte));
    &word[..word.len() - marks.count()]
}

/// A match in place would be a jump at every byte.
static IS_WORD: [bool; 256] = {
    let mut is_word = [true; 256];
    let others = b" \t\r\n\x0c{}();$[";
    let mut i = 0;
    while i < others.len() {
        is_word[others[i] as usize] = false;
        i += 1;
    }
    is_word
};
