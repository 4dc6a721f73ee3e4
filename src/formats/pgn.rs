//! PGN: the positions of main lines, each with the move played in it. Read only.
//!
//! The pgn-reader crate reads tags, comments and moves in SAN. It passes over what it cannot
//! read, so each of its tokens is looked up in the text: words before it that are moves in
//! another notation (`e8Q`, `e2-e4`, UCI) are read here, others are faults.
//!
//! Variations and comments are skipped, except for scores:
//!
//! | comment | written by | the score of |
//! |---|---|---|
//! | `1. e4 { [%eval 0.31] }` | Lichess | the position after the move, White's, in pawns |
//! | `1. e4 { [%eval #-3] }` | Lichess | the same: a mate in 3 moves, here for Black |
//! | `1. e4 {[%eval 31,18]}` | `ChessBase` | the same in centipawns, with the depth |
//! | `1. e4 {+0.31/18 1.2s}` | cutechess, fastchess | the position before the move, its side to move's, in pawns |
//! | `1. e4 {-M4/18 1.2s}` | cutechess, fastchess | the same: mated in 4 half-moves |
//! | `1. e4 {d=33, n=9, wv=0.31,}` | TCEC | the position before the move, White's, in pawns |
//! | `1. e4 {d=33, n=9, wv=-M4,}` | TCEC | the same: White is mated in 4 half-moves |
//!
//! A mate is [`MATE`] minus its moves; other scores are clamped below all mates. If a game has
//! both kinds of scores, those of the search have priority; of several of one kind at a move, the
//! first counts. In a game with scores, positions without one (after `{book}` moves, for example)
//! have the score [`VALUE_NONE`]; in a game without any they have no score.
//!
//! The result is that after the moves, or, for `*`, the tag's. The positions before a fault are
//! records, the rest of the game is invalid.
//!
//! [`MATE`]: super::MATE

mod comment;

use core::cell::RefCell;
use core::ops::{ControlFlow, Range};
use std::io::{self, Chain, Read};

use memchr::{memchr, memchr_iter, memrchr};
use pgn_reader::{RawComment, RawTag, Reader, Skip, Visitor};
use shakmaty::fen::Fen;
use shakmaty::san::SanPlus;
use shakmaty::{Chess, EnPassantMode, Move, Position as _};

use super::row::{Detect, Row};
use super::text::{
    as_usual, leading, lines, not_a_move, parse_outcome, quoted, read_move, through, unmarked,
};
use super::{
    Block, DecodedPart, Field, Invalid, LARGEST_SCORE, Outcome, Place, Record, RecordFields,
    VALUE_NONE,
};
use crate::fen::{chess_of, ply};
use crate::{Capture, Position};
use comment::Score;

pub(super) const ROW: Row = Row {
    extensions: &["pgn"],
    detect: Detect::Begins(|text| is_tag(unmarked(text).trim_ascii_start())),
    units: Some("games"),
    forms: &[
        (
            Field::Score,
            "comments; where a game has none, conversion to binpack writes 32002",
        ),
        (Field::Result, "1-0, 1/2-1/2 or 0-1 after the moves"),
    ],
    is_writable: false,
    place: Place::Game,
    count: |text| 1 + game_starts(text).count() as u64,
    ..Row::of_lines("pgn", whole_games, |_, block, _, _, into| {
        decode(block, into);
        None
    })
};

/// A tag's name begins with a letter, unlike `[%eval 1]` in a comment. Concatenated files have
/// byte-order marks inside.
fn is_tag(line: &[u8]) -> bool {
    matches!(unmarked(line), [b'[', letter, ..] if letter.is_ascii_alphabetic())
}

fn whole_games(text: &[u8]) -> usize {
    game_starts(text).next_back().unwrap_or(0)
}

/// The offsets of games but the first: tags after another kind of line.
fn game_starts(text: &[u8]) -> impl DoubleEndedIterator<Item = usize> + '_ {
    let begins = |&start: &usize| {
        let before = text[..start].trim_ascii_end();
        let line = memrchr(b'\n', before).map_or(0, |end| end + 1);
        !before.is_empty() && !is_tag(&before[line..])
    };
    let lines = memchr_iter(b'\n', text).map(|end| end + 1);
    let tags = lines.filter(|&start| is_tag(&text[start..]));
    tags.filter(begins)
}

/// The tags that name a game, as in the file.
fn name(game: &[u8]) -> String {
    let tags: [&[u8]; 6] = [
        b"[Event ", b"[Site ", b"[Date ", b"[Round ", b"[White ", b"[Black ",
    ];
    let lines = lines(game).map(|line| unmarked(line).trim_ascii());
    let named = lines.filter(|line| tags.iter().any(|tag| line.starts_with(tag)));
    let shown = named.take(tags.len()).map(|tag| quoted(tag) + " ");
    shown.collect()
}

fn decode(block: &Block, into: &mut DecodedPart) {
    into.clear();
    let mut start = 0;
    let ends = game_starts(&block.bytes).chain([block.bytes.len()]);
    let source = RefCell::new([].chain(AHEAD));
    let mut reader = Reader::new(Source(&source));
    for (end, number) in ends.zip(block.start.number()..) {
        let text = &block.bytes[start..end];
        let fields = RecordFields::new(Place::Game(number), start as u32..end as u32);
        into.add_text(fields, |into| {
            source.replace(text.chain(AHEAD));
            Game::new(text, fields, into).read(&mut reader);
            Ok(())
        });
        start = end;
    }
}

type Text<'a> = Chain<&'a [u8], &'static [u8]>;

/// One game's text after the other: a reader for each would clear 16 KB for each.
struct Source<'s, 'a>(&'s RefCell<Text<'a>>);

impl Read for Source<'_, '_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        self.0.borrow_mut().read(into)
    }
}

/// A game while it is read.
struct Game<'a> {
    text: &'a [u8],
    /// After what the reader has told.
    at: usize,
    /// The number of open variations.
    depth: usize,
    /// The start of a comment in parts.
    comment: Vec<u8>,
    /// After all moves.
    chess: Chess,
    /// White's score of that position.
    white: Option<i32>,
    /// Whether a search's score may follow: right after its move.
    is_after_move: bool,
    /// The result in the tags; the first of several counts.
    tagged: Option<Result<Outcome, Invalid>>,
    /// The result after the moves.
    outcome: Option<Result<Outcome, Invalid>>,
    /// The first fault, and its offset if it is a word's.
    fault: Option<Invalid>,
    fault_at: Option<usize>,
    /// The fields that all its records have.
    fields: RecordFields,
    into: &'a mut DecodedPart,
    /// Its first record.
    first: usize,
}

impl<'a> Game<'a> {
    fn new(text: &'a [u8], fields: RecordFields, into: &'a mut DecodedPart) -> Game<'a> {
        Game {
            text,
            at: text.len() - unmarked(text).len(),
            depth: 0,
            comment: Vec::new(),
            chess: Chess::default(),
            white: None,
            is_after_move: false,
            tagged: None,
            outcome: None,
            fault: None,
            fault_at: None,
            fields,
            first: into.records.len(),
            into,
        }
    }

    /// Adds its records, and its fault.
    fn read(mut self, reader: &mut Reader<Source<'_, '_>>) {
        // After an empty line the movetext goes on as if in another game.
        loop {
            match reader.read_game(&mut self) {
                Ok(Some(())) => {}
                Ok(None) => break,
                Err(error) => self.stop(&error.to_string()),
            }
        }
        self.pass(|_| false);
        if self.outcome.is_none() {
            self.stop("the game ends without a result, as if cut off");
        }
        if self.depth > 0 {
            self.stop("'(' without ')'");
        }
        let start = self.fields.span().start;
        let tagged = self.tagged.and_then(Result::ok);
        let outcome = self.outcome.and_then(Result::ok);
        let outcome = outcome.filter(|_| self.fault.is_none());
        if outcome.is_some() && tagged.is_some() && outcome != tagged {
            self.into.contradicted.push(start);
        }
        let records = &mut self.into.records[self.first..];
        let is_scored = records.iter().any(|record| record.score().is_some());
        let no_score = is_scored.then_some(VALUE_NONE.into());
        for record in records {
            let score = record.score();
            if score.is_some_and(|score| score.abs() == LARGEST_SCORE) {
                self.into.clamped.push(start);
            }
            *record = record
                .with_score(score.or(no_score))
                .with_outcome(outcome.or(tagged));
        }
        if let Some(fault) = self.fault {
            let Range { end, .. } = self.fields.span();
            let at = self.fault_at.map_or(end, |at| start + at as u32);
            let error = fault.prefixed(&name(self.text));
            let error = error.at(self.fields.place(), at..end);
            self.into.invalid.push(error);
        }
    }

    /// The first fault counts.
    fn stop(&mut self, fault: &str) {
        self.fault.get_or_insert_with(|| Invalid::other(fault));
    }

    /// Passes over the token that the reader has told, after reading the words that it dropped.
    /// Returns the token, with its offset, if it counts: in the main line, before any fault.
    fn pass(&mut self, is_told: impl Fn(&[u8]) -> bool) -> Option<(usize, &'a [u8])> {
        while self.fault.is_none() {
            let (at, token) = token_at(self.text, self.at);
            self.at = at + token.len();
            if is_told(token) {
                return (self.depth == 0).then_some((at, token));
            }
            if token.is_empty() {
                break;
            }
            if self.depth == 0 && !token.starts_with(b"e.p.") {
                self.read_word(at, token);
            }
        }
        None
    }

    /// Plays a move in any notation.
    fn read_word(&mut self, at: usize, word: &[u8]) {
        match read_move(word, &self.chess) {
            Ok(m) => self.play(m),
            Err(kind) => {
                let fen = Fen::from_position(&self.chess, EnPassantMode::Legal).to_string();
                self.fault = Some(not_a_move(kind, word, fen.as_bytes()));
                self.fault_at = Some(at);
            }
        }
    }

    fn play(&mut self, m: Move) {
        if self.outcome.is_some() {
            return self.stop("a move after the result");
        }
        let chess = &self.chess;
        let position = Position::of_game(chess);
        let record = Record {
            castling: chess.castles().castling_rights(),
            halfmoves: chess.halfmoves().try_into().unwrap_or(u8::MAX),
            fullmoves: chess.fullmoves().get().try_into().unwrap_or(u16::MAX),
            ..Record::new(position)
        };
        let turn = chess.turn();
        let score = self.white.take().map(|white| turn.fold_wb(white, -white));
        self.into.full.push(record);
        self.into.positions.push(position);
        self.into.records.push(
            self.fields
                .with_played(Capture::from_move(m))
                .with_score(score)
                .with_ply(Some(ply(chess.fullmoves().get(), turn))),
        );
        self.chess.play_unchecked(m);
        self.is_after_move = true;
    }

    /// The first of several scores counts.
    fn note(&mut self, score: Score) {
        let searched = match score {
            Score::White(score) => {
                self.white.get_or_insert(score);
                return;
            }
            Score::Searched(score) => score,
            // The other side is to move by now.
            Score::SearchedOfWhite(score) => self.chess.turn().fold_wb(-score, score),
        };
        if let Some(record) = self.into.records.last_mut()
            && core::mem::take(&mut self.is_after_move)
        {
            *record = record.with_score(Some(searched));
        }
    }
}

/// A comment after the text, so that the reader always finds the bytes that it looks ahead at:
/// otherwise it moves the last ones before each token.
const AHEAD: &[u8] = &[b';'; 255];

/// A break would make the rest of the game another one.
const GO_ON: ControlFlow<()> = ControlFlow::Continue(());

impl Visitor for Game<'_> {
    type Tags = ();
    type Movetext = ();
    type Output = ();

    fn begin_tags(&mut self) -> ControlFlow<()> {
        GO_ON
    }

    fn tag(&mut self, (): &mut (), name: &[u8], value: RawTag<'_>) -> ControlFlow<()> {
        let rest = &self.text[self.at..];
        let quote = memchr(b'"', rest).unwrap_or(0);
        let end = rest.len().min(quote + 1 + value.as_bytes().len());
        self.at += end + leading(&rest[end..], |byte| b"\" ]".contains(&byte)).len();
        let value = value.decode();
        match name {
            b"Result" => {
                let tagged = &mut self.tagged;
                tagged.get_or_insert_with(|| parse_outcome(&value));
            }
            b"FEN" => match chess_of(&value) {
                Ok(chess) => self.chess = chess,
                Err(error) => self.fault = Some(error.into()),
            },
            b"Variant" if !is_chess(&value) => {
                let variant = quoted(&value);
                let fault = format!("the variant '{variant}' is not standard chess");
                self.stop(&fault);
            }
            _ => {}
        }
        GO_ON
    }

    fn begin_movetext(&mut self, (): ()) -> ControlFlow<()> {
        GO_ON
    }

    fn san(&mut self, (): &mut (), san: SanPlus) -> ControlFlow<()> {
        let is = |word: &[u8]| SanPlus::from_ascii(word).is_ok_and(|parsed| parsed == san);
        // Castling may be written with zeros.
        let told = self.pass(|word| is(word) || word.starts_with(b"0") && is(&as_usual(word)));
        if let Some((at, word)) = told {
            match san.san.to_move(&self.chess) {
                Ok(m) => self.play(m),
                // Some moves in UCI look like pawn moves.
                Err(_) => self.read_word(at, word),
            }
        }
        GO_ON
    }

    fn partial_comment(&mut self, (): &mut (), comment: RawComment<'_>) -> ControlFlow<()> {
        self.comment.extend_from_slice(comment.as_bytes());
        GO_ON
    }

    fn comment(&mut self, (): &mut (), comment: RawComment<'_>) -> ControlFlow<()> {
        let mut comment = comment.as_bytes();
        let mut parts = core::mem::take(&mut self.comment);
        if !parts.is_empty() {
            parts.extend_from_slice(comment);
            comment = &parts;
        }
        let told = self.pass(|token| token == b"{");
        self.at = self.text.len().min(self.at + comment.len());
        if let Some(score) = told.and_then(|_| comment::score(comment)) {
            self.note(score);
        }
        GO_ON
    }

    fn begin_variation(&mut self, (): &mut ()) -> ControlFlow<(), Skip> {
        self.pass(|token| token == b"(");
        self.depth += 1;
        self.is_after_move = false;
        ControlFlow::Continue(Skip(false))
    }

    fn end_variation(&mut self, (): &mut ()) -> ControlFlow<()> {
        self.pass(|token| token == b")");
        match self.depth.checked_sub(1) {
            Some(depth) => self.depth = depth,
            None => self.stop("')' without '('"),
        }
        GO_ON
    }

    fn outcome(&mut self, (): &mut (), outcome: shakmaty::Outcome) -> ControlFlow<()> {
        let outcome = outcome.to_string();
        if self.pass(|token| token == outcome.as_bytes()).is_some() {
            self.is_after_move = false;
            self.outcome = Some(parse_outcome(outcome.as_bytes()));
        }
        GO_ON
    }

    fn end_game(&mut self, (): ()) {}
}

/// The token at or after an offset, with its own: a word, or the start of a comment or the start or
/// end of a variation. Empty at the end.
fn token_at(text: &[u8], mut at: usize) -> (usize, &[u8]) {
    loop {
        let rest = &text[at..];
        let through = |end| through(rest, end).unwrap_or(rest).len();
        at += match rest {
            [] => return (at, rest),
            [b'{' | b'(' | b')', ..] => return (at, &rest[..1]),
            [b';', ..] => through(b'\n'),
            [b'%', ..] if at == 0 || text[at - 1] == b'\n' => through(b'\n'),
            [b'[', ..] => through(b']'),
            // Blanks, the end of a comment, annotations such as `!?` and `$14`.
            [byte, ..] if !is_of_word(*byte) || b"!?".contains(byte) => 1,
            _ => match number(rest) {
                0 => {
                    let word = leading(rest, is_of_word);
                    let marks = word.iter().rev().take_while(|byte| b"!?".contains(byte));
                    return (at, &word[..word.len() - marks.count()]);
                }
                length => length,
            },
        };
    }
}

/// The length of a move number, 0 if there is none.
fn number(text: &[u8]) -> usize {
    let digits = leading(text, |byte| byte.is_ascii_digit()).len();
    let end = digits + leading(&text[digits..], |byte| byte == b'.').len();
    // Other digits begin a result or castling.
    let is_number = end > digits || text.get(end).is_none_or(|&byte| !is_of_word(byte));
    if is_number { end } else { 0 }
}

const fn is_of_word(byte: u8) -> bool {
    !matches!(
        byte,
        b' ' | b'\t' | b'\r' | b'\n' | 0x0c | b'{' | b'}' | b'(' | b')' | b';' | b'$' | b'['
    )
}

/// Whether a variant has the rules of chess, with any start position; only letters and digits
/// are compared.
fn is_chess(variant: &[u8]) -> bool {
    const NAMES: &str = "standard normal chess fromposition 960 chess960 frc fischerandom \
        fischerandomchess fischerrandom fischerrandomchess freestyle freestylechess chess9lx";
    let mut name = variant.to_ascii_lowercase();
    name.retain(u8::is_ascii_alphanumeric);
    name.is_empty() || NAMES.split(' ').any(|known| known.as_bytes() == name)
}
