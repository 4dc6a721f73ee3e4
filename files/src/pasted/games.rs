//! Games: PGN, or moves alone, with or without numbers; and their variations.

use core::ops::Range;

use memchr::memchr;
use shakmaty::{Chess, Move, Position as _};

use super::Refusal;
use super::board::boards;
use super::fen;
use super::moves::{ENGLISH, Letters, OTHERS, Word, find as find_move, is_move, words};
use crate::formats::is_chess;
use swaplist::position::chess_from_setup;

/// Half-moves that are read of a text: more are left out.
pub const MAX_HALF_MOVES: usize = 10_000;

/// Words that may be between the moves of a list without numbers.
const ASIDE: usize = 12;
/// Variations within variations that are read: deeper ones are left out.
const DEEPEST: usize = 40;
/// How far a language or a list is tried, in bytes.
const TRIED: usize = 3000;
/// Brackets of which the first tag is taken.
const MOST_BRACKETS: usize = 2000;
/// The longest tag that is read, in bytes.
const LONGEST_TAG: usize = 400;
/// Places where a game is looked for, as moves of a sentence may come before it.
const TRIES: usize = 50;

/// A game, or a line of moves.
#[derive(Clone, Debug)]
pub struct Game {
    /// The position before its first move, as a FEN.
    pub fen: String,
    /// That position, to play on.
    pub start: Chess,
    /// The moves in the order of the text: of the main line, and of variations.
    pub moves: Vec<Played>,
    /// How many variations there are.
    pub variations: usize,
    /// Why the last moves were not read.
    pub fault: Option<String>,
    /// The language of the letters of pieces, if it is not English: it is guessed.
    pub language: Option<&'static str>,
    /// What was understood in another way than it was written.
    pub notes: Vec<String>,
    /// The part of the text that was read.
    pub part: Range<usize>,
    /// White's and Black's names, as the tags say.
    pub players: [String; 2],
    /// Whether tags or the number 1 say that it is one.
    pub(super) is_marked: bool,
    /// Whether a tag holds the position.
    pub(super) has_fen: bool,
}

/// A move of a game.
#[derive(Clone, Debug)]
pub struct Played {
    /// The move before it, by its number in the game; `None` for the first one.
    pub before: Option<usize>,
    /// 0 for the main line, or the number of the variation, from 1.
    pub variation: usize,
    /// The move itself, legal in the position before it.
    pub played: Move,
}

impl Game {
    /// How many moves the main line has.
    pub(crate) fn half_moves(&self) -> usize {
        let of_main = self.moves.iter().filter(|played| played.variation == 0);
        of_main.count()
    }
}

/// Where the moves of a game may begin.
struct Opening {
    at: usize,
    fen: String,
    start: Chess,
    notes: Vec<String>,
    has_tags: bool,
    is_numbered: bool,
    has_fen: bool,
    players: [String; 2],
}

/// The first game in a part of a text.
pub(super) fn find(text: &str, part: &Range<usize>) -> Result<Option<Game>, Refusal> {
    if let Some((start, opening)) = tagged(text, part)?
        && let Some(game) = in_any_letters(text, opening.at..part.end, &opening)
    {
        return Ok(Some(Game {
            part: start..game.part.end,
            ..game
        }));
    }
    // Moves that may begin a list, if no move has the number 1.
    let mut others = Vec::new();
    let mut is_first = false;
    let mut tries = 0;
    for word in words(text, part.clone()) {
        if is_move(word.text) {
            if is_first && tries < TRIES {
                tries += 1;
                let opening = Opening::from_start(word.start, true);
                let game = in_any_letters(text, word.start..part.end, &opening);
                if game.is_some() {
                    return Ok(game);
                }
            } else if others.len() < TRIES {
                others.push(word.start);
            }
        }
        is_first = is_first_number(text, word);
    }
    Ok(list(text, part, &others))
}

/// Whether a word is the number of a game's first move.
fn is_first_number(text: &str, word: Word<'_>) -> bool {
    let after = text.as_bytes().get(word.part().end);
    word.text == "1" && matches!(after, Some(b'.' | b' ' | b')'))
}

/// A list of moves without numbers that begins at one of these places.
fn list(text: &str, part: &Range<usize>, starts: &[usize]) -> Option<Game> {
    for letters in core::iter::once(&ENGLISH).chain(&OTHERS) {
        for &at in starts {
            let opening = Opening::from_start(at, false);
            let game = play(text, at..tried(text, at, part.end), &opening, letters);
            if game.half_moves() > 1 && is_list(text, &game) {
                return in_any_letters(text, at..part.end, &opening);
            }
        }
    }
    None
}

/// What is wrong with the first move of a game, if there is one after the number 1.
pub(super) fn wrong_start(text: &str) -> Option<Refusal> {
    let mut words = words(text, 0..tried(text, 0, text.len()));
    words.find(|word| is_first_number(text, *word))?;
    let word = words.next().filter(|word| is_move(word.text))?;
    let shown = super::shown(word.text);
    Some(Refusal {
        at: Some(word.part()),
        ..Refusal::new(format!("{shown} is not legal in the start position"))
    })
}

/// Whether moves without a number are a list, and not squares that a sentence names.
fn is_list(text: &str, game: &Game) -> bool {
    let all = words(text, game.part.clone());
    let others = all.filter(|word| !is_move(word.text) && !is_number(word.text));
    game.half_moves() > 3 || others.count() == 0
}

fn is_number(word: &str) -> bool {
    word.bytes().all(|byte| byte.is_ascii_digit())
}

impl Opening {
    fn from_start(at: usize, is_numbered: bool) -> Opening {
        Opening {
            at,
            fen: super::START.to_owned(),
            start: Chess::default(),
            notes: Vec::new(),
            has_tags: false,
            is_numbered,
            has_fen: false,
            players: Default::default(),
        }
    }
}

/// The first tags of a part of a text: where they begin, and what they say.
fn tagged(text: &str, part: &Range<usize>) -> Result<Option<(usize, Opening)>, Refusal> {
    let mut at = part.start;
    let mut tries = 0;
    let first = loop {
        tries += 1;
        let Some(found) =
            memchr(b'[', &text.as_bytes()[at..part.end]).filter(|_| tries < MOST_BRACKETS)
        else {
            return Ok(None);
        };
        at += found;
        if tag(&text[at..part.end]).is_some() {
            break at;
        }
        at += 1;
    };
    let mut opening = Opening::from_start(first, false);
    opening.has_tags = true;
    while let Some((name, value, length)) = tag(&text[opening.at..part.end]) {
        if name == "Variant" && !is_chess(value.as_bytes()) {
            return Err(Refusal {
                at: Some(opening.at..opening.at + length),
                ..Refusal::new(format!(
                    "The variant ‘{value}’ is not standard chess, which alone is read"
                ))
            });
        }
        match name {
            "White" => value.clone_into(&mut opening.players[0]),
            "Black" => value.clone_into(&mut opening.players[1]),
            _ => {}
        }
        if name.eq_ignore_ascii_case("FEN") {
            let inside = &text[opening.at..opening.at + length];
            if let Some(board) = boards(inside).next() {
                let board = opening.at + board.start..opening.at + board.end;
                let found = fen::read(text, board)?;
                opening.start = chess_from_setup(found.setup.clone())
                    .map_err(|error| Refusal::new(error.to_string()))?;
                opening.fen = found.fen;
                opening.notes = found.notes;
                opening.has_fen = true;
            }
        }
        opening.at += length;
        let rest = &text[opening.at..part.end];
        opening.at += rest.len() - rest.trim_start().len();
    }
    Ok(Some((first, opening)))
}

/// The name and the value of a tag at the start of a text, and its length.
fn tag(text: &str) -> Option<(&str, &str, usize)> {
    let inside = text.strip_prefix('[')?.trim_start_matches(' ');
    let name = &inside[..inside.find(|char: char| !char.is_ascii_alphanumeric() && char != '_')?];
    let value = inside[name.len()..]
        .trim_start_matches(' ')
        .strip_prefix('"')?;
    // There may be quotes inside of the value.
    let near = &value[..value.floor_char_boundary(LONGEST_TAG)];
    let line = &near[..memchr(b'\n', near.as_bytes()).unwrap_or(near.len())];
    let (end, left) = memchr::memchr_iter(b'"', line.as_bytes()).find_map(|end| {
        let after = line[end + 1..].trim_start_matches(' ');
        Some((end, after.strip_prefix(']')?.len()))
    })?;
    let length = text.len() - value.len() + line.len() - left;
    let is_name = name.starts_with(|first: char| first.is_ascii_alphabetic());
    is_name.then_some((name, &value[..end], length))
}

/// Plays with the letters that read most moves, English ones first; `None` without a move.
fn in_any_letters(text: &str, part: Range<usize>, opening: &Opening) -> Option<Game> {
    let mut best = play(text, part.clone(), opening, &ENGLISH);
    if best.fault.is_some() {
        let start = part.start..tried(text, part.start, part.end);
        let half_moves = |letters| play(text, start.clone(), opening, letters).half_moves();
        // The first one of several that read as much.
        let other = OTHERS
            .iter()
            .rev()
            .max_by_key(|letters| half_moves(letters));
        if let Some(letters) = other.filter(|letters| half_moves(letters) > best.half_moves()) {
            best = play(text, part, opening, letters);
        }
    }
    (!best.moves.is_empty() || opening.has_fen).then_some(best)
}

/// The end of what is tried from a place on.
fn tried(text: &str, at: usize, end: usize) -> usize {
    text.floor_char_boundary(end.min(at + TRIED))
}

/// The moves that follow a position in a part of a text.
pub(super) fn after(text: &str, part: Range<usize>, fen: &str, start: &Chess) -> Option<Game> {
    let opening = Opening {
        fen: fen.to_owned(),
        start: start.clone(),
        has_fen: true,
        ..Opening::from_start(part.start, false)
    };
    in_any_letters(text, part, &opening)
}

/// A line of moves: the main one, or a variation.
#[derive(Clone)]
struct Line {
    chess: Chess,
    /// Before the last move.
    before: Chess,
    last: Option<usize>,
    /// The move before the last one.
    base: Option<usize>,
    variation: usize,
    /// Whether a move could not be read: what follows is left out.
    is_broken: bool,
}

fn play(text: &str, part: Range<usize>, opening: &Opening, letters: &'static Letters) -> Game {
    let mut reader = Reader {
        text,
        end: part.end,
        at: opening.at,
        read_to: opening.at,
        has_tags: opening.has_tags,
        letters,
        lines: vec![Line {
            chess: opening.start.clone(),
            before: opening.start.clone(),
            last: None,
            base: None,
            variation: 0,
            is_broken: false,
        }],
        too_deep: 0,
        aside: 0,
        is_after_number: false,
        closes: true,
        game: Game {
            fen: opening.fen.clone(),
            start: opening.start.clone(),
            moves: Vec::new(),
            variations: 0,
            fault: None,
            language: (!core::ptr::eq(letters, &raw const ENGLISH)).then_some(letters.language),
            notes: opening.notes.clone(),
            part: part.start..part.start,
            players: opening.players.clone(),
            is_marked: opening.has_tags || opening.is_numbered,
            has_fen: opening.has_fen,
        },
    };
    while reader.at < reader.end && reader.step() {}
    reader.game.part = part.start..reader.read_to;
    reader.game
}

struct Reader<'a> {
    text: &'a str,
    end: usize,
    at: usize,
    /// The end of the last thing that was of use.
    read_to: usize,
    has_tags: bool,
    letters: &'static Letters,
    /// The line that is read, after those in which it is a variation.
    lines: Vec<Line>,
    /// Variations that are open and not read.
    too_deep: usize,
    /// Words since the last move that are none.
    aside: usize,
    is_after_number: bool,
    /// Whether another `}` may follow.
    closes: bool,
    game: Game,
}

impl Reader<'_> {
    /// Reads on; `false` at the end of the game.
    fn step(&mut self) -> bool {
        let rest = &self.text[self.at..self.end];
        let bytes = rest.as_bytes();
        let begun = !self.game.moves.is_empty();
        match bytes[0] {
            b'{' if self.closes => {
                if let Some(end) = memchr(b'}', bytes) {
                    self.skip(end + 1, begun);
                } else {
                    self.closes = false;
                    self.skip(1, false);
                }
            }
            b'(' if begun => {
                self.open();
                self.skip(1, true);
            }
            b')' if self.lines.len() > 1 || self.too_deep > 0 => {
                self.close();
                self.skip(1, true);
            }
            b';' if self.has_tags => {
                let end = memchr(b'\n', bytes).unwrap_or(bytes.len());
                self.skip(end, false);
            }
            b'%' if self.has_tags && self.before() == Some(b'\n') => {
                let end = memchr(b'\n', bytes).unwrap_or(bytes.len());
                self.skip(end, false);
            }
            b'[' if begun && tag(rest).is_some() => return false,
            b'[' if bytes.starts_with(b"[%") => {
                let near = &bytes[..bytes.len().min(300)];
                self.skip(memchr(b']', near).map_or(1, |end| end + 1), false);
            }
            _ if begun && self.is_main() && result(rest, self.before()) > 0 => {
                self.skip(result(rest, self.before()), true);
                return false;
            }
            first if first.is_ascii_alphanumeric() || first >= 0x80 => {
                return match words(self.text, self.at..self.end).next() {
                    Some(word) => {
                        self.at = word.start;
                        self.word(word)
                    }
                    None => false,
                };
            }
            _ => self.skip(1, false),
        }
        true
    }

    fn skip(&mut self, bytes: usize, is_read: bool) {
        self.at += bytes;
        if is_read {
            self.read_to = self.at;
        }
    }

    fn before(&self) -> Option<u8> {
        self.text.as_bytes()[..self.at].last().copied()
    }

    fn is_main(&self) -> bool {
        self.lines.len() == 1 && self.too_deep == 0
    }

    fn line(&mut self) -> Option<&mut Line> {
        self.lines.last_mut()
    }

    /// A variation begins: it replaces the last move.
    fn open(&mut self) {
        if self.too_deep > 0 || self.lines.len() > DEEPEST {
            self.too_deep += 1;
            return;
        }
        let variation = self.game.variations + 1;
        let Some(line) = self.line() else { return };
        let mut inner = line.clone();
        inner.chess.clone_from(&line.before);
        inner.last = line.base;
        inner.variation = variation;
        // Without a move there is none to replace.
        inner.is_broken |= line.last == line.base && line.last.is_none();
        self.lines.push(inner);
        self.game.variations = variation;
        self.aside = 0;
    }

    fn close(&mut self) {
        if self.too_deep > 0 {
            self.too_deep -= 1;
        } else {
            self.lines.pop();
        }
        self.aside = 0;
    }

    /// Takes a word; `false` if the game ends before it.
    fn word(&mut self, word: Word<'_>) -> bool {
        let end = word.part().end;
        if is_number(word.text) {
            let has_dot = self.text.as_bytes().get(end) == Some(&b'.');
            let is_another = word.text == "1" && has_dot && self.is_main();
            let moves = self.game.half_moves_at_least(2);
            if is_another && moves {
                return false;
            }
            self.is_after_number = true;
            self.at = end;
            return true;
        }
        let is_numbered = core::mem::take(&mut self.is_after_number);
        self.at = end;
        if !is_move(word.text) {
            self.aside += 1;
            return true;
        }
        if self.too_deep > 0 {
            return true;
        }
        let is_aside = self.aside > ASIDE && !is_numbered && !self.has_tags;
        if is_aside && !self.game.moves.is_empty() {
            return false;
        }
        if self.game.moves.len() == MAX_HALF_MOVES {
            self.game.fault = Some(format!("The first {MAX_HALF_MOVES} half-moves are read"));
            return false;
        }
        self.play(word)
    }

    fn play(&mut self, word: Word<'_>) -> bool {
        let letters = self.letters;
        let is_main = self.is_main();
        let number = self.game.moves.len();
        let aside = core::mem::take(&mut self.aside);
        let Some(line) = self.lines.last_mut() else {
            return false;
        };
        if line.is_broken {
            return true;
        }
        let Some(found) = find_move(word.text, &line.chess, letters) else {
            if !is_main {
                line.is_broken = true;
                return true;
            }
            // A sentence may follow that names moves.
            if aside < 3 || number == 0 {
                let played = match number {
                    0 => "at the start".to_owned(),
                    _ => format!("after {}", super::counted(self.game.half_moves())),
                };
                let shown = super::shown(word.text);
                self.game.fault = Some(format!(
                    "{shown} is not legal {played}: the rest is left out"
                ));
            }
            return false;
        };
        line.before.clone_from(&line.chess);
        line.chess.play_unchecked(found);
        line.base = line.last;
        line.last = Some(number);
        self.game.moves.push(Played {
            before: line.base,
            variation: line.variation,
            played: found,
        });
        self.read_to = word.part().end;
        true
    }
}

impl Game {
    fn half_moves_at_least(&self, least: usize) -> bool {
        let of_main = self.moves.iter().filter(|played| played.variation == 0);
        of_main.take(least).count() == least
    }
}

/// The length of a result at the start of a text, after another character; 0 if there is none.
fn result(text: &str, before: Option<u8>) -> usize {
    let is_blank = |byte: Option<&u8>| {
        byte.is_none_or(|byte| byte.is_ascii_whitespace() || b"\"'}<".contains(byte))
    };
    let found = ["1-0", "0-1", "1/2-1/2", "1/2", "*"]
        .iter()
        .find(|one| text.starts_with(**one) && is_blank(text.as_bytes().get(one.len())));
    found
        .filter(|_| is_blank(before.as_ref()))
        .map_or(0, |one| one.len())
}
