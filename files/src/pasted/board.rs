//! Boards of FENs, anywhere in a text.

use core::ops::Range;

use memchr::memchr;

use super::{Refusal, shown};

/// The boards of a text in their order: eight ranks of eight squares, with a `/` between them.
pub(super) fn boards(text: &str) -> impl Iterator<Item = Range<usize>> {
    let bytes = text.as_bytes();
    let mut at = 0;
    core::iter::from_fn(move || {
        loop {
            let slash = at + memchr(b'/', &bytes[at..])?;
            let before = bytes[at..slash]
                .iter()
                .rev()
                .take_while(|&&byte| is_of_rank(byte));
            let start = slash - before.count();
            let (end, board) = first_in_run(bytes, start);
            at = end;
            if board.is_some() {
                return board;
            }
        }
    })
}

/// The first board in a run of ranks that begins here, and where the search goes on.
fn first_in_run(text: &[u8], start: usize) -> (usize, Option<Range<usize>>) {
    // Where the last ranks begin that have eight squares each, a rank after the other.
    let mut starts = [0; 8];
    let mut ranks = 0;
    let mut at = start;
    loop {
        let rank = text[at..].iter().take_while(|&&byte| is_of_rank(byte));
        let end = at + rank.count();
        if squares(&text[at..end]) == 8 {
            starts[ranks % 8] = at;
            ranks += 1;
        } else {
            ranks = 0;
        }
        let is_last = text.get(end) != Some(&b'/');
        // A letter of a word would be after it.
        let is_whole = !text.get(end).is_some_and(u8::is_ascii_alphanumeric);
        if ranks >= 8 && is_whole {
            return (end, Some(starts[ranks % 8]..end));
        }
        if is_last {
            return (end, None);
        }
        at = end + 1;
    }
}

/// `~` marks a piece that was a pawn.
fn is_of_rank(byte: u8) -> bool {
    matches!(byte, b'1'..=b'8' | b'~') || b"pnbrqkPNBRQK".contains(&byte)
}

fn squares(rank: &[u8]) -> usize {
    rank.iter()
        .map(|byte| match byte {
            b'1'..=b'8' => usize::from(byte - b'0'),
            b'~' => 0,
            _ => 1,
        })
        .sum()
}

/// What is wrong with the word that is most like a board, if there is one.
pub(super) fn wrong_board(text: &str) -> Option<Refusal> {
    let words = text
        .split(|char: char| char.is_whitespace() || "\"'`,;|=(){}<>_+&?#".contains(char))
        .filter(|word| {
            let slashes = word.bytes().filter(|byte| *byte == b'/').count();
            (5..=9).contains(&slashes) && !word.contains("//") && word.len() < 100
        });
    let likeness = |word: &&str| {
        let slashes = word.bytes().filter(|byte| *byte == b'/').count();
        let odd = word
            .bytes()
            .filter(|byte| *byte != b'/' && !is_of_rank(*byte));
        odd.count() + slashes.abs_diff(7)
    };
    let word = words.min_by_key(likeness)?;
    // A path of a file has other letters.
    if likeness(&word) > word.len() / 4 {
        return None;
    }
    let start = word.as_ptr() as usize - text.as_ptr() as usize;
    let (part, message) = fault_of(word)?;
    let at = start + part.start..start + part.end;
    Some(Refusal {
        at: Some(at),
        ..Refusal::new(message)
    })
}

/// The first fault of a board.
fn fault_of(board: &str) -> Option<(Range<usize>, String)> {
    let ranks: Vec<&str> = board.split('/').collect();
    if ranks.len() != 8 {
        let many = ranks.len();
        let message = format!("Board: {many} ranks, but there are 8, with a / between them");
        return Some((0..board.len(), message));
    }
    let mut start = 0;
    for (number, rank) in (1..=8).rev().zip(ranks) {
        let odd = rank
            .char_indices()
            .find(|(_, letter)| !is_of_rank(*letter as u8) || !letter.is_ascii());
        if let Some((at, letter)) = odd {
            let quoted = shown(letter.encode_utf8(&mut [0; 4]));
            let message = format!(
                "Board: {quoted} on rank {number} is not a piece; write KQRBNP, kqrbnp or 1 to 8"
            );
            return Some((start + at..start + at + letter.len_utf8(), message));
        }
        let squares = squares(rank.as_bytes());
        if squares != 8 {
            let message = format!(
                "Board: rank {number}, {}, has {squares} squares, but there are 8",
                shown(rank)
            );
            return Some((start..start + rank.len(), message));
        }
        start += rank.len() + 1;
    }
    None
}
