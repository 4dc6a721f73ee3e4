//! The move that stands beside a FEN: in an EPD, a table, a program, a sentence.

use core::ops::Range;

use shakmaty::uci::UciMove;
use shakmaty::{CastlingMode, Chess, Move};

use super::board::boards;
use super::moves::{ENGLISH, Letters, OTHERS, Word, between_squares, find, is_move, words};
use super::{NAMING, shown};
use crate::formats::{begins_with_operation, split_operands};

/// How far from a FEN a move may be, in bytes.
const NEAR: usize = 4000;

/// A move that is named beside a position.
pub(super) struct Beside {
    /// In UCI if it is legal, otherwise as it is written.
    pub named: String,
    pub part: Range<usize>,
    pub note: Option<String>,
}

/// The words before a move that say that it is the one which is meant.
const KEYS: &[&str] = &[
    "best", "bestmove", "bm", "lan", "move", "moves", "played", "pv", "san", "sm", "uci",
];

/// Finds the move that stands beside a FEN.
pub(super) fn find_move(
    text: &str,
    fen: &Range<usize>,
    chess: &Chess,
    mode: CastlingMode,
) -> Option<Beside> {
    let places = Places::around(text, fen);
    let after = &text[places.after.clone()];
    if is_epd(after) {
        let is_quoted = text[..fen.start].ends_with('"');
        let found = epd(text, &places.after, is_quoted, chess, mode);
        if found.is_some() || begins_with_operation(after.as_bytes()) {
            return found;
        }
    }
    let seek = |part: &Range<usize>, how: How| seek(text, part, how, chess);
    let near = seek(&places.after, How::Keyed)
        .or_else(|| seek(&places.after, How::First))
        .or_else(|| seek(&places.before, How::Keyed))
        .or_else(|| seek(&places.before, How::Last))
        .or_else(|| seek(&places.below, How::Keyed))
        .or_else(|| seek(&places.paragraph, How::First))
        .or_else(|| seek(&places.above, How::Keyed))
        .or_else(|| seek(&places.above, How::Last))
        .or_else(|| seek(&places.near_below, How::First));
    if let Some((found, part)) = near {
        return Some(Beside {
            named: uci(found, mode),
            part,
            note: None,
        });
    }
    let sides = [&places.after, &places.before].into_iter();
    let mut named = sides.flat_map(|part| words(text, part.clone()).filter(is_move_word));
    let guessed = named.find_map(|word| guess(word, chess, mode));
    guessed.or_else(|| {
        let word = words(text, places.after.clone()).find(is_move_word)?;
        Some(Beside {
            named: word.text.to_owned(),
            part: word.part(),
            note: None,
        })
    })
}

fn is_move_word(word: &Word<'_>) -> bool {
    is_move(word.text)
}

fn uci(found: Move, mode: CastlingMode) -> String {
    UciMove::from_move(found, mode).to_string()
}

/// The parts of a text around a FEN, up to another board.
struct Places {
    /// In its line.
    after: Range<usize>,
    before: Range<usize>,
    /// The lines after it, and those of them up to a blank one or the end of an object.
    below: Range<usize>,
    paragraph: Range<usize>,
    near_below: Range<usize>,
    /// The lines before it, from a blank one on.
    above: Range<usize>,
}

impl Places {
    fn around(text: &str, fen: &Range<usize>) -> Places {
        let bytes = text.as_bytes();
        let first = text.floor_char_boundary(fen.start.saturating_sub(NEAR));
        let near = text.ceil_char_boundary((fen.end + NEAR).min(text.len()));
        let last = boards(&text[fen.end..near])
            .next()
            .map_or(near, |board| fen.end + board.start);
        let line_end =
            memchr::memchr(b'\n', &bytes[fen.end..last]).map_or(last, |end| fen.end + end);
        let line_start =
            memchr::memrchr(b'\n', &bytes[first..fen.start]).map_or(first, |at| first + at + 1);
        let below = &text[line_end..last];
        let mut paragraph = 0;
        for line in below.split_inclusive('\n') {
            let content = line.trim();
            let is_end = content.is_empty() && paragraph > 0 || content.starts_with('}');
            if is_end {
                break;
            }
            paragraph += line.len();
        }
        let above = text[first..line_start]
            .rfind("\n\n")
            .map_or(first, |at| first + at);
        Places {
            after: fen.end..line_end,
            before: line_start..fen.start,
            below: line_end..last,
            near_below: line_end..text.floor_char_boundary(last.min(line_end + 500)),
            paragraph: line_end..line_end + paragraph,
            above: above..line_start,
        }
    }
}

/// The one legal move that is named beside a FEN, and where; `None` if there are several.
pub(super) fn only_move(
    text: &str,
    fen: &Range<usize>,
    chess: &Chess,
    mode: CastlingMode,
) -> Option<(String, Vec<Range<usize>>)> {
    let mut found: Option<Move> = None;
    let mut places = Vec::new();
    for mut part in [0..fen.start, fen.end..text.len()] {
        while let Some((one, place)) = seek(text, &part, How::First, chess) {
            if found.replace(one).is_some_and(|other| other != one) {
                return None;
            }
            part.start = place.end;
            places.push(place);
        }
    }
    Some((uci(found?, mode), places))
}

/// Which of the legal moves of a part is meant.
#[derive(Clone, Copy, PartialEq)]
enum How {
    /// The first one after a key.
    Keyed,
    First,
    Last,
}

/// Finds a legal move in a part of a text.
fn seek(text: &str, part: &Range<usize>, how: How, chess: &Chess) -> Option<(Move, Range<usize>)> {
    let mut found = None;
    let mut before: [Option<Word<'_>>; 2] = [None; 2];
    for word in words(text, part.clone()) {
        let squares = before[1].and_then(|from| {
            let of_two = between_squares(from.text, word.text, chess)?;
            Some((of_two, from.start..word.part().end))
        });
        let squares = squares.or_else(|| {
            let of_two = between_squares(before[0]?.text, word.text, chess)?;
            let is_named = before[1]?.text.len() > 1;
            is_named.then(|| {
                (
                    of_two,
                    before[0].map_or(word.start, |from| from.start)..word.part().end,
                )
            })
        });
        let legal = squares.or_else(|| {
            let found = is_move(word.text).then(|| find(word.text, chess, &ENGLISH))??;
            Some((found, word.part()))
        });
        if let Some(legal) = legal {
            match how {
                How::First => return Some(legal),
                How::Keyed if is_key(before) => return Some(legal),
                How::Keyed => {}
                How::Last => found = Some(legal),
            }
        }
        before = [before[1], Some(word)];
    }
    found
}

/// Whether these words say that the next one is the move which is meant.
fn is_key(before: [Option<Word<'_>>; 2]) -> bool {
    let [first, last] = before.map(|word| word.map_or("", |word| word.text));
    let is_own = matches!((first, last), ("SEE", "of") | ("exchange", "after"));
    is_own || KEYS.iter().any(|key| last.eq_ignore_ascii_case(key))
}

/// A move with the letters of another language.
fn guess(word: Word<'_>, chess: &Chess, mode: CastlingMode) -> Option<Beside> {
    let found = |letters: &'static Letters| Some((find(word.text, chess, letters)?, letters));
    let (found, letters) = OTHERS.iter().find_map(found)?;
    let named = uci(found, mode);
    let note = format!(
        "{} is read as {named}: the letters of pieces seem to be {}",
        shown(word.text),
        letters.language
    );
    Some(Beside {
        named,
        part: word.part(),
        note: Some(note),
    })
}

/// Whether operations of EPD follow a FEN.
fn is_epd(after: &str) -> bool {
    let first = after.trim_start_matches([' ', '\t', ';']);
    let opcode = first.split(char::is_whitespace).next().unwrap_or("");
    let is_separate = after.starts_with([' ', '\t', ';']);
    is_separate && is_opcode(opcode) && (NAMING.contains(&opcode) || after.contains(';'))
}

/// A word as the names of operations are; another number is none.
fn is_opcode(word: &str) -> bool {
    word.starts_with(|letter: char| letter.is_ascii_alphabetic())
        && word.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

/// The move of the best operation that names one: a move alone, or in the order of [`NAMING`].
fn epd(
    text: &str,
    part: &Range<usize>,
    is_quoted: bool,
    chess: &Chess,
    mode: CastlingMode,
) -> Option<Beside> {
    let mut content = &text[part.clone()];
    if is_quoted {
        let ended = content.trim_end_matches([',', ';', ' ', ')', ']', '}', '\r']);
        content = ended.strip_suffix('"').unwrap_or(content);
    }
    let all = operations(content).filter_map(operation);
    let (_, word) = all.min_by_key(|&(rank, _)| rank)?;
    let start = word.as_ptr() as usize - text.as_ptr() as usize;
    let word = Word { text: word, start };
    let legal = find(word.text, chess, &ENGLISH).map(|found| Beside {
        named: uci(found, mode),
        part: word.part(),
        note: None,
    });
    legal.or_else(|| guess(word, chess, mode)).or_else(|| {
        Some(Beside {
            named: word.text.to_owned(),
            part: word.part(),
            note: None,
        })
    })
}

/// The parts between semicolons, but not those in strings, if all strings end.
fn operations(text: &str) -> impl Iterator<Item = &str> {
    let has_strings = text.matches('"').count().is_multiple_of(2);
    let mut rest = Some(text);
    core::iter::from_fn(move || {
        let text = rest?;
        let end = if has_strings {
            split_operands(text.as_bytes()).1
        } else {
            text.find(';')
                .map_or(&[][..], |end| &text.as_bytes()[end..])
        };
        let (operation, after) = text.split_at(text.len() - end.len());
        rest = after.strip_prefix(';');
        Some(operation)
    })
}

/// The move that an operation names, or a move alone; the least rank is best.
fn operation(text: &str) -> Option<(usize, &str)> {
    let text = text.trim().trim_start_matches(['"', '\'']);
    let (name, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    let is_comment = rest.trim_start().starts_with('"');
    let operand = words(rest, 0..rest.len()).find(|word| is_move(word.text));
    let naming = NAMING.iter().position(|&one| one == name);
    match (operand, naming) {
        (Some(operand), Some(naming)) => Some((naming + 1, operand.text)),
        _ if naming.is_some() => None,
        _ if is_move(name) && !(is_comment && is_opcode(name)) => {
            let word = words(name, 0..name.len()).next()?;
            Some((0, word.text))
        }
        _ => None,
    }
}
