//! Words of a text that are moves, also with figurines and other languages' letters of pieces.

use core::ops::Range;

use shakmaty::{Chess, Move};

use crate::formats::read_move;

/// The letters of pieces in a language: king, queen, rook, bishop, knight.
pub(super) struct Letters {
    pub language: &'static str,
    pieces: [&'static str; 5],
}

const fn letters(language: &'static str, pieces: [&'static str; 5]) -> Letters {
    Letters { language, pieces }
}

pub(super) static ENGLISH: Letters = letters("English", ["K", "Q", "R", "B", "N"]);

/// Letters that are tried where English ones give no legal move, in this order.
pub(super) static OTHERS: [Letters; 13] = [
    letters("German or Scandinavian", ["K", "D", "T", "L", "S"]),
    letters("French", ["R", "D", "T", "F", "C"]),
    letters("Spanish or Italian", ["R", "D", "T", "A", "C"]),
    letters("Russian", ["Кр", "Ф", "Л", "С", "К"]),
    letters("Portuguese", ["R", "D", "T", "B", "C"]),
    letters("Dutch", ["K", "D", "T", "L", "P"]),
    letters("Polish", ["K", "H", "W", "G", "S"]),
    letters("Czech", ["K", "D", "V", "S", "J"]),
    letters("Hungarian", ["K", "V", "B", "F", "H"]),
    letters("Finnish", ["K", "D", "T", "L", "R"]),
    letters("Romanian", ["R", "D", "T", "N", "C"]),
    letters("Turkish", ["Ş", "V", "K", "F", "A"]),
    letters("English, in small letters", ["k", "q", "r", "b", "n"]),
];

/// A legal move that a word names with these letters.
pub(super) fn find(word: &str, chess: &Chess, letters: &Letters) -> Option<Move> {
    let english = in_english(word, letters)?;
    let found = read_move(english.as_bytes(), chess).ok();
    // Some write UCI in capitals: at most five signs, and no castling.
    found.or_else(|| {
        let is_uci = english.len() < 6 && !english.contains('-');
        let lower = is_uci.then(|| english.to_ascii_lowercase())?;
        read_move(lower.as_bytes(), chess).ok()
    })
}

/// A word as English SAN has it. `None` if it begins with a capital that is no piece in this language,
/// or has signs that no move has. In English, such a capital may begin a move of UCI.
fn in_english(word: &str, letters: &Letters) -> Option<String> {
    let mut english = String::with_capacity(word.len());
    let mut rest = word;
    let first = piece_at(word, letters);
    let is_capital = word
        .chars()
        .next()
        .map(latin_twin)
        .is_some_and(|first| !first.is_ascii_lowercase() && is_letter(first) && first != 'O');
    if is_capital && first.is_none() && !core::ptr::eq(letters, &raw const ENGLISH) {
        return None;
    }
    if let Some((length, piece)) = first {
        if piece != 'P' {
            english.push(piece);
        }
        rest = &rest[length..];
    }
    while let Some(char) = rest.chars().next() {
        let after = &rest[char.len_utf8()..];
        match piece_at(rest, letters) {
            // A promotion, as in `e8Q`; but in `R1b3`, the `b` begins a square.
            Some((length, piece))
                if english.ends_with(|last: char| "18=(/".contains(last))
                    && !after.starts_with(|next: char| next.is_ascii_digit()) =>
            {
                english.push(piece);
                rest = &rest[length..];
            }
            _ => {
                english.push(latin_twin(char));
                rest = after;
            }
        }
    }
    // A word ends at a dot: of `exd6e.p.` it is `exd6e`.
    if english.len() > 4 && (english.ends_with("3e") || english.ends_with("6e")) {
        english.pop();
    }
    english.is_ascii().then_some(english)
}

/// The piece at the start of a text, as a figurine or a letter: its length in bytes and its English
/// letter.
fn piece_at(text: &str, letters: &Letters) -> Option<(usize, char)> {
    let first = text.chars().next()?;
    if let Some(piece) = letter_of_figurine(first) {
        return Some((first.len_utf8(), char::from(piece)));
    }
    let at = letters
        .pieces
        .iter()
        .position(|piece| text.starts_with(*piece))?;
    Some((letters.pieces[at].len(), char::from(b"KQRBN"[at])))
}

fn letter_of_figurine(char: char) -> Option<u8> {
    let at = match char {
        '♔'..='♙' => u32::from(char) - u32::from('♔'),
        '♚'..='♟' => u32::from(char) - u32::from('♚'),
        _ => return None,
    };
    Some(b"KQRBNP"[at as usize])
}

/// The Latin letter that looks the same as a Cyrillic one; `x` for the colon of a capture.
fn latin_twin(char: char) -> char {
    match char {
        'а' => 'a',
        'с' => 'c',
        'е' => 'e',
        'х' | 'Х' | ':' => 'x',
        'О' | 'о' => 'O',
        other => other,
    }
}

/// Whether a word has the form of a move, in any language.
pub(super) fn is_move(word: &str) -> bool {
    // The last of these is the Cyrillic letter.
    let may_be = word.starts_with(['O', '0', 'o', '\u{41e}'])
        || word.bytes().any(|byte| matches!(byte, b'1'..=b'8'));
    if word.len() > 12 || word.len() < 2 || !may_be {
        return false;
    }
    let mut chars: Vec<char> = word.chars().map(latin_twin).collect();
    if let ['O' | '0' | 'o', '-', 'O' | '0' | 'o', rest @ ..] = &chars[..] {
        return matches!(rest, [] | ['-', 'O' | '0' | 'o']);
    }
    // The square where the piece goes: what follows names a promotion.
    let Some(rank) = chars.iter().rposition(|char| ('1'..='8').contains(char)) else {
        return false;
    };
    let is_file = |char: &char| matches!(char, 'a'..='h' | 'A'..='H');
    let after: String = chars
        .drain(rank + 1..)
        .filter(|char| !"=()/".contains(*char))
        .collect();
    let is_promotion =
        after.is_empty() || after.chars().count() < 3 && after.chars().all(is_of_piece);
    let Some(file) = rank.checked_sub(1).filter(|&file| is_file(&chars[file])) else {
        return false;
    };
    let from = &chars[..file];
    // Files are written in capitals in UCI only.
    if chars[file].is_ascii_uppercase() && !matches!(from, ['A'..='H', '1'..='8']) {
        return false;
    }
    let from = match from {
        // The Russian king.
        ['К', 'р', rest @ ..] => rest,
        [piece, rest @ ..] if is_of_piece(*piece) && !matches!(piece, 'a'..='h') => rest,
        _ => from,
    };
    let from = match from {
        [rest @ .., 'x' | '-'] => rest,
        _ => from,
    };
    let is_from = match from {
        [] => true,
        [one] => is_file(one) || ('1'..='8').contains(one),
        [file, rank] | ['b', file, rank] => is_file(file) && ('1'..='8').contains(rank),
        _ => false,
    };
    is_promotion && is_from
}

fn is_of_piece(char: char) -> bool {
    is_letter(char) || letter_of_figurine(char).is_some()
}

/// A word and where it is.
#[derive(Clone, Copy)]
pub(super) struct Word<'a> {
    pub text: &'a str,
    pub start: usize,
}

impl Word<'_> {
    pub fn part(&self) -> Range<usize> {
        self.start..self.start + self.text.len()
    }
}

/// The words of a part of a text: letters, digits and figurines, and the signs within moves.
pub(super) fn words(text: &str, part: Range<usize>) -> Words<'_> {
    Words { text, part }
}

/// The words of what is left of a text.
pub(super) struct Words<'a> {
    text: &'a str,
    part: Range<usize>,
}

impl<'a> Iterator for Words<'a> {
    type Item = Word<'a>;

    // Callers do not get a copy each, as the page loads this code.
    #[inline(never)]
    fn next(&mut self) -> Option<Word<'a>> {
        let rest = &self.text[self.part.clone()];
        let start = self.part.start + rest.find(is_of_word)?;
        let length = length(&self.text[start..self.part.end]);
        self.part.start = start + length;
        Some(Word {
            text: &self.text[start..self.part.start],
            start,
        })
    }
}

fn is_of_word(char: char) -> bool {
    is_letter(char) || char.is_ascii_digit() || letter_of_figurine(char).is_some()
}

/// Whether a character is a letter, of any alphabet. This is nearly so: the tables of Unicode would be
/// larger than the rest of this code.
pub(super) fn is_letter(char: char) -> bool {
    char.is_ascii_alphabetic()
        || char >= 'À' && char != '×' && char != '÷' && !('\u{2000}'..='\u{2fff}').contains(&char)
}

/// The length of the word at the start of a text.
fn length(text: &str) -> usize {
    let mut before = ' ';
    let mut chars = text.char_indices().peekable();
    while let Some((at, char)) = chars.next() {
        let next = chars.peek().map_or(' ', |(_, next)| *next);
        if !is_of_word(char) && !is_joint(&text[..at], before, char, next) {
            return at + promotion(&text[at..], before);
        }
        before = char;
    }
    text.len()
}

/// Whether a sign between two characters is of a move: `e2-e4`, `O-O`, `N:e5`, `e8=Q`.
fn is_joint(word: &str, before: char, sign: char, next: char) -> bool {
    let is_file = matches!(latin_twin(next), 'a'..='h');
    let is_square = matches!(before, '1'..='8') && is_file;
    let is_castling = before == next && matches!(latin_twin(next), 'O' | '0' | 'o');
    match sign {
        '-' => is_square || is_castling,
        // Longer ones are words before a colon.
        ':' => is_file && word.chars().count() < 4,
        '=' => matches!(before, '1' | '8') && is_of_piece(next),
        _ => false,
    }
}

/// The length of a promotion that is written as `(Q)` or `/Q`.
fn promotion(text: &str, before: char) -> usize {
    if !matches!(before, '1' | '8') {
        return 0;
    }
    let mut chars = text.chars();
    match (chars.next(), chars.next(), chars.next()) {
        (Some('('), Some(piece), Some(')')) if is_of_piece(piece) => 2 + piece.len_utf8(),
        // `D` is the queen in German and other languages.
        (Some('/'), Some(piece @ ('Q' | 'R' | 'B' | 'N' | 'D')), after)
            if after.is_none_or(|after| !is_of_word(after)) =>
        {
            1 + piece.len_utf8()
        }
        _ => 0,
    }
}

/// A move of two words that are squares: the `D3` and `E5` of `SQ_D3, SQ_E5` in a program.
pub(super) fn between_squares(from: &str, to: &str, chess: &Chess) -> Option<Move> {
    let is_square =
        |word: &str| matches!(word.as_bytes(), [b'a'..=b'h' | b'A'..=b'H', b'1'..=b'8']);
    if !is_square(from) || !is_square(to) {
        return None;
    }
    let uci = [from, to].concat().to_ascii_lowercase();
    read_move(uci.as_bytes(), chess).ok()
}
