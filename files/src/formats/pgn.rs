//! PGN: the positions of main lines, each with the move played in it. Read only.
//!
//! `token` reads tags, comments and words; `cut` finds where games begin, also for the reader of
//! blocks. Words in usual SAN are resolved by shakmaty, others are moves in another notation
//! (`e8Q`, `e2-e4`, UCI), results, signs, or faults.
//!
//! Variations and comments are skipped, except for scores:
//!
//! | comment | written by | the score of |
//! |---|---|---|
//! | `1. e4 { [%eval 0.31] }` | Lichess | the position after the move, White's, in pawns |
//! | `1. e4 { [%eval #-3] }` | Lichess | the same: a mate in 3 moves, here for Black |
//! | `1. e4 {[%eval -M3]}` | En Croissant | the same |
//! | `1. e4 {[%eval 31,18]}` | `ChessBase` | the same in centipawns, with the depth |
//! | `1. e4 { 0.31 }` | python-chess-annotator, chess-artist | the same in pawns, of two decimals |
//! | `1. e4 {+0.31/18 1.2s}` | cutechess, fastchess | the position before the move, its side to move's, in pawns |
//! | `1. e4 {-M4/18 1.2s}` | cutechess, fastchess | the same: mated in 4 half-moves |
//! | `1. e4 {(e7e5) +0.31/18 2}` | Arena | the same, after the best line |
//! | `1. e4 {d=33, n=9, wv=0.31,}` | TCEC | the position before the move, White's, in pawns |
//! | `1. e4 {d=33, n=9, wv=-M4,}` | TCEC | the same: White is mated in 4 half-moves |
//!
//! A mate is [`MATE`] minus its moves; other scores are clamped below all mates. If a game has
//! both kinds of scores, those of the search have priority; of several of one kind at a move, the
//! first counts. In a game with scores, positions without one (after `{book}` moves, for example)
//! have the score [`VALUE_NONE`]; in a game without any they have no score.
//!
//! The result is that after the moves, or, for `*` or where there is none, the tag's. The positions
//! before a fault are records, the rest of the game is invalid.
//!
//! # Worked example
//!
//! ```text
//! [Event "A"]
//! [Result "1-0"]
//!
//! 1. e4 { [%eval 0.31] } e5 { [%eval 0.25] } 2. Nf3 1-0
//! ```
//!
//! These are three records, one for each move, of the position before it. All have the span of the
//! whole game and the place `game 1`:
//!
//! | position | played | score of its side to move | ply | result |
//! |---|---|---|---|---|
//! | the start position | e2e4 | 32002: none, in a game with scores | 0 | White won |
//! | after e4 | e7e5 | -31: White's score after e4 is 31 | 1 | White won |
//! | after e5 | g1f3 | 25 | 2 | White won |
//!
//! # The steps
//!
//! ```text
//! for each token of the block:
//!     if it begins another game (cut.rs): end this game, and begin that one
//!     tag        read Result, FEN and Variant
//!     comment    White's score is kept for the next record; a search's score goes to the last one
//!     ( and )    pass over what is between them
//!     word       a legal move in SAN: add a record, play the move
//!                otherwise a result, a sign, a move in another notation, or a fault
//!     after a fault: pass over the rest of the game
//! at the end of a game: fill in the result, the missing scores and the span of its records
//! ```
//!
//! [`MATE`]: super::MATE

mod comment;
mod cut;
mod token;
mod word;

use memchr::memchr;
use shakmaty::fen::Fen;
use shakmaty::san::San;
use shakmaty::{Bitboard, Chess, EnPassantMode, Move, Position as _, Rank, Role};

use super::breakage::{Breakage, too_long};
use super::detect::UTF16;
use super::games::{MAX_MOVES, endless};
use super::isa::Features;
use super::spec::{FormatCode, FormatSpec, PlaceKind, WholeRecords};
use super::text::{leading, not_a_move, parse_outcome, quoted, read_move, without_cr};
use super::{
    Block, DecodedPart, Fault, Field, Invalid, LARGEST_SCORE, MAX_LINE, Place, Record,
    RecordFields, VALUE_NONE,
};
use comment::Score;
use cut::{GameCutter, game_starts};
use swaplist::fen::{chess_and_castling, ply};
use swaplist::{PackedMove, Position};
use token::{Token, Tokens};
use word::{GameResult, Word};

/// The properties of PGN.
pub(super) const SPEC: FormatSpec = FormatSpec {
    extensions: &["pgn"],
    units: Some("games"),
    held_as: &[
        (
            Field::Score,
            "comments; where a game has none, conversion to binpack writes 32002",
        ),
        (Field::Result, "1-0, 1/2-1/2 or 0-1 after the moves"),
    ],
    is_writable: false,
    places: PlaceKind::Games,
    // `e4 `: so many half-moves fit into a game without numbers and comments.
    least_text_bytes: Some(3),
    ..FormatSpec::for_text("pgn", &Pgn)
};

struct Pgn;

impl FormatCode for Pgn {
    /// Whether a text begins with a tag or the first move, after comments.
    fn begins(&self, head: &[u8]) -> bool {
        let mut tokens = Tokens::new(head, true).map(|(_, token)| token);
        let first = tokens.find(|token| !matches!(token, Token::Comment(_)));
        matches!(first, Some(Token::Tag { .. } | Token::Number(b"1.")))
    }

    fn whole_records(&self, text: &[u8]) -> WholeRecords {
        let none = WholeRecords::from_length(0);
        game_starts(text).fold(none, |whole, start| WholeRecords {
            length: start,
            games: whole.games + 1,
            ..whole
        })
    }

    fn never_whole(&self, rest: &[u8]) -> Option<Breakage> {
        utf_16(rest).or_else(|| too_long(rest))
    }

    fn decode_block(&self, _: Features, block: &Block, part: &mut DecodedPart) {
        decode(block, part);
    }
}

/// Refuses UTF-16: its zeros would hide where games begin.
fn utf_16(text: &[u8]) -> Option<Breakage> {
    let is_utf_16 = text.starts_with(b"\xff\xfe") || text.starts_with(b"\xfe\xff");
    is_utf_16.then(|| Breakage {
        offset: 0,
        reason: UTF16.to_owned(),
    })
}

/// The tags that name a game, as in the file.
fn name(game: &[u8]) -> String {
    const NAMES: [&[u8]; 6] = [b"Event", b"Site", b"Date", b"Round", b"White", b"Black"];
    let mut shown = String::new();
    let mut tokens = Tokens::new(game, true);
    while let Some((at, token)) = tokens.next() {
        match token {
            Token::Tag { name, .. } if NAMES.contains(&name) => {
                shown += &quoted(game[at..tokens.end()].trim_ascii());
                shown.push(' ');
            }
            Token::Tag { .. } | Token::Comment(_) => {}
            _ => break,
        }
    }
    shown
}

fn decode(block: &Block, into: &mut DecodedPart) {
    into.clear();
    let text = &block.bytes;
    let mut tokens = Tokens::new(text, true);
    let mut games = GameCutter::default();
    let mut game = Game::new(0, block.start, into);
    loop {
        if game.fault.is_some() {
            games.skip_moves(&mut tokens);
        }
        let end = tokens.end();
        let Some((at, token)) = tokens.next() else {
            break;
        };
        if games.begins(token, &text[end..at]) {
            let next = Place::Game(game.place.number() + 1);
            game.end(&text[..at], into);
            game = Game::new(at, next, into);
        }
        if game.fault.is_none() {
            game.read(at, token, into);
        }
    }
    game.end(text, into);
}

/// A game while it is read. Offsets are those in the block.
struct Game {
    start: usize,
    place: Place,
    /// The number of variations that have begun and not ended.
    depth: usize,
    /// The position after all moves so far.
    chess: Chess,
    /// Castling rights of the FEN whose rook or king is not there.
    misplaced: Bitboard,
    /// White's score of that position, from a comment.
    white: Option<i32>,
    /// Whether a search's score may follow: right after its move.
    is_after_move: bool,
    /// The result in the tags; the first of several counts.
    tagged: Option<GameResult>,
    /// The result after the moves.
    result: Option<GameResult>,
    /// Whether there is more than comments.
    is_begun: bool,
    /// Whether a tag holds the position before the first move.
    has_fen: bool,
    /// The first fault.
    fault: Option<Invalid>,
    /// The fault's offset, if it is the fault of a word.
    fault_at: Option<usize>,
    /// The number of its first record in the part.
    first: usize,
}

impl Game {
    fn new(start: usize, place: Place, into: &DecodedPart) -> Game {
        Game {
            start,
            place,
            depth: 0,
            chess: Chess::default(),
            misplaced: Bitboard::EMPTY,
            white: None,
            is_after_move: false,
            tagged: None,
            result: None,
            is_begun: false,
            has_fen: false,
            fault: None,
            fault_at: None,
            first: into.records.len(),
        }
    }

    fn read(&mut self, at: usize, token: Token<'_>, into: &mut DecodedPart) {
        self.is_begun |= !matches!(token, Token::Comment(_));
        match token {
            Token::Tag { name, value } => self.read_tag(name, value),
            Token::Comment(text) if self.depth == 0 => {
                if let Some(score) = comment::score(text) {
                    self.note(score, into);
                }
            }
            Token::Unclosed(text) => {
                let fault = format!("the comment '{}' has no end", quoted(text.trim_ascii()));
                self.stop(&fault);
            }
            Token::Open => {
                self.depth += 1;
                self.is_after_move = false;
            }
            Token::Close => match self.depth.checked_sub(1) {
                Some(depth) => self.depth = depth,
                None => self.stop("')' without '('"),
            },
            Token::Word(word) if self.depth == 0 => self.read_word(at, word, into),
            Token::Number(number) if self.depth == 0 && into.records.len() == self.first => {
                self.check_first_number(at, number);
            }
            Token::Comment(_) | Token::Number(_) | Token::Word(_) => {}
        }
    }

    /// A game without a position of its own begins at move 1. If the first number is another one,
    /// this is the rest of the game before, in which somebody put a tag between the moves. Played
    /// from the start position it would give positions that never occurred.
    fn check_first_number(&mut self, at: usize, number: &[u8]) {
        let digits = leading(number, |byte| byte.is_ascii_digit());
        if self.has_fen || digits == b"1" {
            return;
        }
        let fault = format!(
            "the first move has the number {}, but no tag holds its position: does a line before it \
             begin with '[', inside a game?",
            quoted(digits)
        );
        self.stop_at(at, Invalid::other(fault));
    }

    fn read_tag(&mut self, name: &[u8], value: &[u8]) {
        match name {
            b"Result" => self.tagged = self.tagged.or_else(|| tagged_result(value)),
            b"FEN" => {
                self.has_fen = true;
                // As in lists of FENs, a semicolon may follow.
                let fen = value.trim_ascii_end();
                match chess_and_castling(fen.strip_suffix(b";").unwrap_or(fen)) {
                    Ok((chess, castling)) => {
                        self.misplaced = castling & !chess.castles().castling_rights();
                        self.chess = chess;
                    }
                    Err(error) => self.fault = Some(error.into()),
                }
            }
            b"Variant" if !is_chess(value) => {
                let variant = quoted(value);
                let fault = format!("the variant '{variant}' is not standard chess");
                self.stop(&fault);
            }
            _ => {}
        }
    }

    /// Plays a move in any notation, or notes a result.
    fn read_word(&mut self, at: usize, word: &[u8], into: &mut DecodedPart) {
        if let Ok((san, length)) = San::from_ascii_prefix(word)
            && !word[length..].iter().any(u8::is_ascii_alphanumeric)
            && let Ok(m) = san.to_move(&self.chess)
        {
            return self.play(at, m, into);
        }
        match Word::new(word) {
            Word::Result(result) if self.result.is_none_or(|known| known == result) => {
                self.result = Some(result);
                self.is_after_move = false;
            }
            Word::Result(_) => self.stop("two results"),
            Word::Sign => {}
            Word::NullMove => {
                let fault = format!(
                    "'{}' is a null move, not a move of chess (in the position '{}')",
                    quoted(word),
                    self.fen()
                );
                self.stop_at(at, Invalid::new(Fault::IllegalMove, fault));
            }
            Word::Move(text) => match read_move(text, &self.chess) {
                Ok(m) => self.play(at, m, into),
                Err(kind) => {
                    let fault = not_a_move(kind, text, self.fen().as_bytes());
                    self.stop_at(at, fault);
                }
            },
        }
    }

    fn fen(&self) -> String {
        Fen::from_position(&self.chess, EnPassantMode::Legal).to_string()
    }

    /// Notes a fault; the first one counts.
    fn stop(&mut self, fault: &str) {
        self.fault.get_or_insert_with(|| Invalid::other(fault));
    }

    /// Notes the fault of the word at this offset.
    fn stop_at(&mut self, at: usize, fault: Invalid) {
        self.fault = Some(fault);
        self.fault_at = Some(at);
    }

    fn play(&mut self, at: usize, m: Move, into: &mut DecodedPart) {
        if self.result.is_some() {
            return self.stop_at(at, Invalid::other("a move after the result"));
        }
        if into.records.len() - self.first == MAX_MOVES {
            return self.stop_at(at, Invalid::other(endless()));
        }
        let chess = &self.chess;
        let position = Position::from_chess(chess);
        let record = Record {
            castling: chess.castles().castling_rights() | self.misplaced,
            halfmoves: chess.halfmoves().try_into().unwrap_or(u8::MAX),
            fullmoves: chess.fullmoves().get().try_into().unwrap_or(u16::MAX),
            ..Record::new(position)
        };
        let turn = chess.turn();
        let score = self.white.take().map(|white| turn.fold_wb(white, -white));
        into.states.push(record);
        into.positions.push(position);
        // The end of the record is not known yet.
        let span = self.start as u32..self.start as u32;
        into.records.push(
            RecordFields::new(self.place, span)
                .with_played(PackedMove::from_move(m))
                .with_score(score)
                .with_ply(Some(ply(chess.fullmoves().get(), turn))),
        );
        if self.misplaced.any() {
            self.lose_misplaced(m);
        }
        self.chess.play_unchecked(m);
        self.is_after_move = true;
    }

    /// A king's move ends the rights of its side, any other those of its squares.
    fn lose_misplaced(&mut self, m: Move) {
        let lost = match m.role() {
            Role::King => Bitboard::from_rank(self.chess.turn().fold_wb(Rank::First, Rank::Eighth)),
            _ => m.from().into_iter().chain([m.to()]).collect(),
        };
        self.misplaced &= !lost;
    }

    /// The first of several scores counts.
    fn note(&mut self, score: Score, into: &mut DecodedPart) {
        let searched = match score {
            Score::White(score) => {
                self.white.get_or_insert(score);
                return;
            }
            Score::Searched(score) => score,
            // The other side is to move by now.
            Score::SearchedOfWhite(score) => self.chess.turn().fold_wb(-score, score),
        };
        if let Some(record) = into.records.last_mut()
            && core::mem::take(&mut self.is_after_move)
        {
            *record = record.with_score(Some(searched));
        }
    }

    /// Completes the records of the game by what only its end tells: the result, and whether there
    /// are scores. `text` is the block up to that end.
    fn end(mut self, text: &[u8], into: &mut DecodedPart) {
        let start = self.start as u32;
        let end = text.len() as u32;
        let text = &text[self.start..];
        if text.len() > MAX_LINE {
            into.records.truncate(self.first);
            into.positions.truncate(self.first);
            into.states.truncate(self.first);
            into.invalid
                .push(Invalid::too_long().at(self.place, start..end));
            return;
        }
        if self.depth > 0 {
            self.stop("'(' without ')'");
        }
        if let Some(nul) = memchr(0, text) {
            self.stop(&format!("not text: a NUL at byte {} of the game", nul + 1));
        }
        if self.fault.is_some() && memchr(b'\n', text).is_none() && memchr(b'\r', text).is_some() {
            self.fault = without_cr(text).err();
            self.fault_at = None;
        }
        if self.result.is_none() && self.is_begun && self.fault.is_none() {
            // The last line of a file that is cut off has no end.
            if self.tagged.is_some() && text.ends_with(b"\n") {
                into.notes.games.unended.push(start);
            } else {
                self.stop("the game ends without a result, as if cut off");
            }
        }
        if self.is_begun && self.fault.is_none() && into.records.len() == self.first {
            into.notes.games.moveless.push(start);
        }
        let tagged = self.tagged.and_then(GameResult::outcome);
        let after_moves = self.result.and_then(GameResult::outcome);
        let outcome = after_moves.filter(|_| self.fault.is_none());
        if outcome.is_some() && tagged.is_some() && outcome != tagged {
            into.notes.games.contradicted.push(start);
        }
        let is_unknown = matches!(self.result, Some(GameResult::Unknown));
        if is_unknown && tagged.is_some() && self.fault.is_none() {
            into.notes.games.unended.push(start);
        }
        let records = &mut into.records[self.first..];
        let is_scored = records.iter().any(|record| record.score().is_some());
        let no_score = is_scored.then_some(VALUE_NONE.into());
        for record in records {
            let score = record.score();
            if score.is_some_and(|score| score.abs() == LARGEST_SCORE) {
                into.notes.games.clamped.push(start);
            }
            *record = record
                .with_score(score.or(no_score))
                .with_outcome(outcome.or(tagged));
            record.end_at(end);
        }
        if let Some(fault) = self.fault {
            let at = self.fault_at.map_or(end, |at| at as u32);
            let error = fault.prefixed(&name(text)).at(self.place, at..end);
            into.invalid.push(error);
        }
    }
}

/// The result by a tag's value.
fn tagged_result(value: &[u8]) -> Option<GameResult> {
    GameResult::from_word(value).or_else(|| parse_outcome(value).ok().map(GameResult::Ended))
}

/// Whether a variant has the rules of chess, with any start position; only letters and digits
/// are compared.
pub(crate) fn is_chess(variant: &[u8]) -> bool {
    const NAMES: &str = "standard normal chess fromposition 960 chess960 frc fischerandom \
        fischerandomchess fischerrandom fischerrandomchess freestyle freestylechess chess9lx";
    let mut name = variant.to_ascii_lowercase();
    name.retain(u8::is_ascii_alphanumeric);
    name.is_empty() || NAMES.split(' ').any(|known| known.as_bytes() == name)
}
