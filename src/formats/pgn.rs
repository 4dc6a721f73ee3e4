//! PGN: the positions of main lines, each with the move played in it.
//!
//! Read only. Annotations, variations and comments are skipped, except for scores:
//!
//! | comment | written by | the score of |
//! |---|---|---|
//! | `1. e4 { [%eval 0.31] }` | Lichess | the position behind the move, White's, in pawns |
//! | `1. e4 { [%eval #-3] }` | Lichess | the same: a mate in 3 moves, here for Black |
//! | `1. e4 {[%eval 31,18]}` | `ChessBase` | the same in centipawns, with the depth |
//! | `1. e4 {+0.31/18 1.2s}` | cutechess, fastchess | the position before the move, its side to move's, in pawns |
//! | `1. e4 {-M4/18 1.2s}` | cutechess, fastchess | the same: mated in 4 half-moves |
//! | `1. e4 {d=33, n=9, wv=0.31,}` | TCEC | the position before the move, White's, in pawns |
//! | `1. e4 {d=33, n=9, wv=-M4,}` | TCEC | the same: White is mated in 4 half-moves |
//!
//! A mate is [`MATE`] minus its moves. If a game has both kinds of scores, those of the search
//! have priority; of several of one kind at a move, the first counts. In a game with scores,
//! positions without one (after `{book}` moves, for example) have the score [`VALUE_NONE`]; in
//! a game without any they have no score.
//!
//! The result is that after the moves, or, for `*`, the tag's.
//!
//! The positions before a fault are records, the rest of the game is invalid. (The pgn-reader
//! crate tells neither the place of a token nor the error.)
//!
//! [`MATE`]: super::MATE

mod comment;
mod tokens;

use std::borrow::Cow;

use shakmaty::fen::Fen;
use shakmaty::{Chess, EnPassantMode, Move, Position as _};

use super::row::{Detect, Row};
use super::text::{lines, parse_outcome, quoted, read_move, unmarked};
use super::{Block, Codec, Decoded, Format, Invalid, Outcome, Part, Record, State, VALUE_NONE};
use crate::fen::{chess_of, ply};
use crate::{Capture, Position};
use comment::Score;
use tokens::{Token, Tokens};

pub(super) const ROW: Row = Row {
    extensions: &["pgn"],
    detect: Detect::Begins(begins),
    is_text: true,
    tenths_of_a_record: 600,
    units: Some("games"),
    can_mark: false,
    forms: &[
        (Part::Score, "comments"),
        (Part::Result, "1-0, 1/2-1/2 or 0-1 behind the moves"),
    ],
    is_writable: false,
    ..Row::new("pgn", whole_games, |_| Box::new(PgnCodec))
};

/// Whether text begins like a game.
fn begins(text: &[u8]) -> bool {
    is_tag(unmarked(text).trim_ascii_start())
}

/// A tag's name begins with a letter, unlike `[%eval 1]` in a comment. Concatenated files have
/// byte-order marks inside.
fn is_tag(line: &[u8]) -> bool {
    matches!(unmarked(line), [b'[', letter, ..] if letter.is_ascii_alphabetic())
}

/// Up to the last line that begins a game: a tag after another kind of line.
fn whole_games(text: &[u8]) -> usize {
    let mut start = text.len();
    let mut tags = None;
    for line in text.split_inclusive(|&byte| byte == b'\n').rev() {
        start -= line.len();
        if is_tag(line) {
            tags = Some(start);
        } else if let Some(tags) = tags
            && !is_blank(line)
        {
            return tags;
        }
    }
    0
}

/// The offsets of games; the first is 0.
fn game_starts(text: &[u8]) -> impl Iterator<Item = usize> + '_ {
    let mut at = 0;
    let mut in_tags = true;
    let starts = lines(text).filter_map(move |line| {
        let start = at;
        at += line.len();
        let tag = is_tag(line);
        let begins = tag && !in_tags;
        in_tags = tag || in_tags && is_blank(line);
        begins.then_some(start)
    });
    core::iter::once(0).chain(starts)
}

fn is_blank(line: &[u8]) -> bool {
    line.trim_ascii().is_empty()
}

/// Decodes games; cannot write them.
struct PgnCodec;

impl Codec for PgnCodec {
    fn decode_part(&self, block: &Block, _: usize, _: usize, into: &mut Decoded) -> Option<usize> {
        into.clear();
        let mut starts = game_starts(&block.bytes).peekable();
        while let Some(start) = starts.next() {
            let end = starts.peek().copied().unwrap_or(block.bytes.len());
            decode_game(block, start, end, into);
        }
        None
    }

    fn fen<'a>(&self, block: &'a Block, decoded: &Decoded, record: usize) -> Cow<'a, str> {
        let game = block.slice(&decoded.records[record].span());
        let wanted = decoded.index_in_unit(record);
        let mut fen = None;
        let mut index = 0;
        let _ = Line::default().walk(game, |_, chess, _, _| {
            if index == wanted {
                fen = Some(Fen::from_position(chess, EnPassantMode::Legal).to_string());
            }
            index += 1;
        });
        fen.unwrap_or_else(|| decoded.positions[record].to_string())
            .into()
    }

    fn format(&self) -> Format {
        Format::Pgn
    }

    fn replay(&self, game: &[u8], found: &mut dyn FnMut(&State, Option<Capture>)) {
        let _ = Line::default().walk(game, |_, chess, m, _| {
            if let Ok(position) = Position::try_from(chess) {
                found(&state(chess, position), Capture::from_move(m));
            }
        });
    }
}

fn state(chess: &Chess, position: Position) -> State {
    State {
        position,
        castling: chess.castles().castling_rights(),
        halfmoves: chess.halfmoves().try_into().unwrap_or(u8::MAX),
        fullmoves: chess.fullmoves().get().try_into().unwrap_or(u16::MAX),
    }
}

fn decode_game(block: &Block, start: usize, end: usize, into: &mut Decoded) {
    let game = &block.bytes[start..end];
    let first = into.records.len();
    let span = start as u32..end as u32;
    let mut scored = false;
    let mut line = Line::default();
    let walked = line.walk(game, |at, chess, m, score| {
        let Ok(position) = Position::try_from(chess) else {
            return;
        };
        scored |= score.is_some();
        into.positions.push(position);
        into.records.push(
            Record::new(block.start.plus((start + at) as u32), span.clone())
                .with_played(Capture::from_move(m))
                .with_score(score)
                .with_ply(Some(ply(chess.fullmoves().get(), chess.turn()))),
        );
    });
    let (outcome, fault) = match walked {
        Ok(outcome) => (outcome, None),
        Err(fault) => (None, Some(fault)),
    };
    let tagged = line.tagged.and_then(Result::ok);
    let contradicts = outcome.is_some() && tagged.is_some() && outcome != tagged;
    if contradicts {
        into.contradicted.push(start as u32);
    }
    let outcome = outcome.or(tagged);
    let no_score = scored.then_some(VALUE_NONE.into());
    for record in &mut into.records[first..] {
        *record = record
            .with_outcome(outcome)
            .with_score(record.score().or(no_score));
    }
    if let Some((at, reason)) = fault {
        // After the game's records, whose spans begin with the game.
        let bad = (start + at) as u32..span.end;
        into.refuse(block, bad, reason);
    }
}

/// The state of the main line.
#[derive(Default)]
struct Line {
    chess: Chess,
    /// The result in the tags; the first of several counts.
    tagged: Option<Result<Outcome, Invalid>>,
    /// The last move with its place.
    played: Option<(usize, Move)>,
    /// White's scores of the position and of the one after the move.
    white: [Option<i32>; 2],
    /// The score from the search for the move.
    searched: Option<i32>,
}

impl Line {
    /// Calls `found` with the place of each move of the main line, the position before it, the
    /// move, and the side to move's score if there is one. Returns the result after the moves.
    fn walk(
        &mut self,
        game: &[u8],
        mut found: impl FnMut(usize, &Chess, Move, Option<i32>),
    ) -> Result<Option<Outcome>, (usize, Invalid)> {
        let mut outcome = None;
        let mut depth = 0_usize;
        let mut tokens = Tokens::new(game);
        while let Some((at, token)) = tokens.next() {
            // The search's score comes right after the move.
            if !matches!(token, Token::Score(_)) {
                self.advance(&mut found);
            }
            match token {
                Token::Tag(b"Result") => {
                    let result = || parse_outcome(&tokens.value);
                    self.tagged.get_or_insert_with(result);
                }
                Token::Tag(name) if outcome.is_none() && depth == 0 => self
                    .tag(name, &tokens.value)
                    .map_err(|reason| (at, reason))?,
                Token::Open => depth += 1,
                Token::Close if depth == 0 => return Err((at, fault("')' without '('"))),
                Token::Close => depth -= 1,
                Token::Result(text) if depth == 0 => outcome = Some(parse_outcome(text).ok()),
                Token::San(san) if depth == 0 => {
                    if outcome.is_some() {
                        return Err((at, fault("a move behind the result")));
                    }
                    let m = parse_move(san, &self.chess).map_err(|reason| (at, reason))?;
                    self.played = Some((at, m));
                }
                Token::Score(score) if depth == 0 => self.note(score),
                Token::Tag(_) | Token::Result(_) | Token::San(_) | Token::Score(_) => {}
            }
        }
        self.advance(&mut found);
        match (tokens.unclosed, depth) {
            (Some((at, what)), _) => Err((at, fault(&format!("{what} without an end")))),
            (None, 0) if outcome.is_none() => {
                let reason = "the game ends without a result, as if cut off";
                Err((game.len(), fault(reason)))
            }
            (None, 0) => Ok(outcome.flatten()),
            (None, _) => Err((game.len(), fault("a variation without an end"))),
        }
    }

    /// Takes the start position from the tags.
    fn tag(&mut self, name: &[u8], value: &[u8]) -> Result<(), Invalid> {
        match name {
            b"FEN" => {
                self.chess = chess_of(value).map_err(Invalid::Position)?;
            }
            b"Variant" if !is_chess(value) => {
                return Err(fault(&format!(
                    "the variant '{}' is not standard chess",
                    quoted(value)
                )));
            }
            _ => {}
        }
        Ok(())
    }

    /// The first of several counts.
    fn note(&mut self, score: Score) {
        let turn = self.chess.turn();
        let (place, score) = match score {
            Score::White(score) => (&mut self.white[usize::from(self.played.is_some())], score),
            Score::Searched(_) | Score::SearchedOfWhite(_) if self.played.is_none() => return,
            Score::Searched(score) => (&mut self.searched, score),
            Score::SearchedOfWhite(score) => (&mut self.searched, turn.fold_wb(score, -score)),
        };
        place.get_or_insert(score);
    }

    /// Plays the move, if there is one, and reports it.
    fn advance(&mut self, found: &mut impl FnMut(usize, &Chess, Move, Option<i32>)) {
        let Some((at, m)) = self.played.take() else {
            return;
        };
        let [white, next] = self.white;
        let turn = self.chess.turn();
        let seen = white.map(|score| turn.fold_wb(score, -score));
        found(at, &self.chess, m, self.searched.take().or(seen));
        self.chess.play_unchecked(m);
        self.white = [next, None];
    }
}

fn fault(text: &str) -> Invalid {
    Invalid::Other(text.to_owned())
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

fn parse_move(text: &[u8], chess: &Chess) -> Result<Move, Invalid> {
    read_move(text, chess).map_err(|problem| {
        let fen = Fen::from_position(chess, EnPassantMode::Legal).to_string();
        problem.reason(text, fen.as_bytes())
    })
}
