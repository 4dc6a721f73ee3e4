//! Boards that are drawn with letters or figurines, a rank a line.
//!
//! ```text
//! | r | n | b | q | k | b | n | r | 8      8  r n b q k b n r      ♜ ♞ ♝ ♛ ♚ ♝ ♞ ♜
//! +---+---+---+---+---+---+---+---+        7  p p p p . p p p      rnbqkbnr
//! ```

use core::ops::Range;

use shakmaty::{Board, File, Piece, Rank, Role, Square};

/// A rank, from the left.
type Row = [Option<Piece>; 8];

/// The first board that is drawn in a text.
pub(super) fn find(text: &str) -> Option<(Board, Range<usize>)> {
    let mut rows: Vec<(Row, usize, Option<u8>)> = Vec::new();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let start = at;
        at += line.len();
        let row = row(line);
        // Ranks of a word each may be in one line.
        let found = match row {
            Some((row, label)) => vec![(row, start, label)],
            None => compact(line, start),
        };
        if found.is_empty() {
            let is_frame = !line.contains(|char: char| char.is_ascii_alphanumeric());
            if !is_frame {
                rows.clear();
            }
            continue;
        }
        for one in found {
            rows.push(one);
            if rows.len() >= 8
                && let Some(board) = board(&rows[rows.len() - 8..])
            {
                return Some((board, rows[rows.len() - 8].1..start + line.trim_end().len()));
            }
        }
    }
    None
}

/// The board of eight ranks, unless a king lacks: other tables have letters, too.
fn board(rows: &[(Row, usize, Option<u8>)]) -> Option<Board> {
    if rows
        .iter()
        .flat_map(|(row, ..)| row)
        .filter(|piece| piece.is_some_and(|piece| piece.role == Role::King))
        .count()
        != 2
    {
        return None;
    }
    let is_turned = rows[0].2 == Some(b'1') && rows[7].2 == Some(b'8');
    let mut board = Board::empty();
    for (rank, (row, ..)) in Rank::ALL.into_iter().rev().zip(rows) {
        for (file, piece) in File::ALL.into_iter().zip(row) {
            if let Some(piece) = piece {
                let square = Square::from_coords(file, rank);
                board.set_piece_at(
                    if is_turned {
                        square.rotate_180()
                    } else {
                        square
                    },
                    *piece,
                );
            }
        }
    }
    Some(board)
}

/// The squares of a line, with the rank's number if there is one.
fn row(line: &str) -> Option<(Row, Option<u8>)> {
    if line.len() > 200 {
        return None;
    }
    let label = |word: &str| match word.as_bytes() {
        [digit @ b'1'..=b'8'] => Some(*digit),
        _ => None,
    };
    let bars = line.matches('|').count();
    if bars >= 9 {
        let mut parts = line.split('|').map(str::trim);
        let before = parts.next().and_then(label);
        let mut row = [None; 8];
        for square in &mut row {
            *square = piece_or_empty(parts.next()?)?;
        }
        return Some((row, before.or_else(|| parts.next().and_then(label))));
    }
    let plain = line.replace(['|', '\'', '"', ',', '[', ']'], " ");
    let words: Vec<&str> = plain.split_whitespace().collect();
    let (words, number) = match &words[..] {
        [first, rest @ ..] if label(first).is_some() && rest.len() >= 8 => (rest, label(first)),
        [rest @ .., last] if label(last).is_some() && rest.len() == 8 => (rest, label(last)),
        rest => (rest, None),
    };
    let words = match words {
        [rest @ .., last] if rest.len() == 8 && label(last).is_some() => rest,
        rest => rest,
    };
    let mut row = [None; 8];
    if words.len() != 8 {
        return None;
    }
    for (square, word) in row.iter_mut().zip(words) {
        *square = piece_or_empty(word)?;
    }
    Some((row, number))
}

/// Ranks that are a word each, as `rnbqkbnr` and `........`.
fn compact(line: &str, start: usize) -> Vec<(Row, usize, Option<u8>)> {
    if line.len() > 200 {
        return Vec::new();
    }
    line.split(|char: char| char.is_whitespace() || "\"',[]()".contains(char))
        .filter_map(|word| {
            let mut row = [None; 8];
            let mut chars = word.chars();
            for square in &mut row {
                let char = chars.next()?;
                *square = piece_or_empty(char.encode_utf8(&mut [0; 4]))?;
            }
            let at = start + (word.as_ptr() as usize - line.as_ptr() as usize);
            chars.next().is_none().then_some((row, at, None))
        })
        .collect()
}

/// What is on a square: `None` within if it is empty.
#[allow(clippy::option_option)] // what is not a square is not an empty one
fn piece_or_empty(text: &str) -> Option<Option<Piece>> {
    let mut chars = text.chars();
    let Some(char) = chars.next() else {
        return Some(None);
    };
    if chars.next().is_some() {
        return None;
    }
    if ".·-_*+#:⭘□■◻◼▢○".contains(char) {
        return Some(None);
    }
    let letter = match char {
        '♔'..='♙' => char::from(b"KQRBNP"[(u32::from(char) - u32::from('♔')) as usize]),
        '♚'..='♟' => char::from(b"kqrbnp"[(u32::from(char) - u32::from('♚')) as usize]),
        other => other,
    };
    Piece::from_char(letter).map(Some)
}
