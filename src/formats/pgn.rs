//! PGN: the positions of main lines, each with the move played in it. Read only.
//!
//! The pgn-reader crate reads tags, comments and moves in SAN. It passes over what it cannot
//! read, so the words of the main line are measured, too. If they are longer than the moves, the game
//! has a fault or another notation (`e8Q`, `e2-e4`, UCI): then each word is read by itself, and
//! the game is respelled.
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
mod words;

use core::ops::{ControlFlow, Range};

use memchr::memchr_iter;
use pgn_reader::{RawComment, RawTag, Reader, Skip, Visitor};
use shakmaty::fen::Fen;
use shakmaty::san::{San, SanPlus};
use shakmaty::{Chess, EnPassantMode, Move, Position as _, Role};

use super::decode::{Decode, replayed_states};
use super::error::MAX_LINE;
use super::row::{Detect, Row};
use super::text::{lines, parse_outcome, quoted, read_move, unmarked};
use super::{
    Block, Decoded, Field, Format, Invalid, LARGEST_SCORE, Outcome, Place, Record, RecordFields,
    VALUE_NONE,
};
use crate::fen::{chess_of, ply};
use crate::{Capture, Position};
use comment::Score;
use words::words;

pub(super) const ROW: Row = Row {
    extensions: &["pgn"],
    detect: Detect::Begins(begins),
    is_text: true,
    tenths_of_a_record: 600,
    units: Some("games"),
    can_mark: false,
    why_unscored: "in games where others have one",
    unscored_advice: "; convert the games to binpack first, where those without any get the \
        score 32002, which means no score",
    conversion_notes: &[
        (
            Format::Text,
            "games with scores in comments become lines FEN | score | result, 32002 for \
            positions without one; games without any become lines FEN [result]",
        ),
        (
            Format::Plain,
            "positions without a score in a comment are written without a line for it, and so \
            are results that are not known",
        ),
    ],
    forms: &[
        (Field::Score, "comments"),
        (Field::Result, "1-0, 1/2-1/2 or 0-1 after the moves"),
    ],
    is_writable: false,
    place: Place::Game,
    count: |text| game_starts(text).count() as u64,
    next_record: next_tag,
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
            && !line.trim_ascii().is_empty()
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
        in_tags = tag || in_tags && line.trim_ascii().is_empty();
        begins.then_some(start)
    });
    core::iter::once(0).chain(starts)
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

/// The next line that is a tag.
fn next_tag(text: &[u8]) -> Option<usize> {
    let mut starts = memchr_iter(b'\n', text).map(|end| end + 1);
    starts.find(|&start| is_tag(&text[start..]))
}

/// Decodes games; cannot write them.
struct PgnCodec;

impl Decode for PgnCodec {
    fn decode(&self, block: &Block, _: usize, _: usize, into: &mut Decoded) -> Option<usize> {
        into.clear();
        if block.continued {
            return None;
        }
        let mut game = Game::default();
        let mut starts = game_starts(&block.bytes).peekable();
        let mut number = block.start.number();
        while let Some(start) = starts.next() {
            let end = starts.peek().copied().unwrap_or(block.bytes.len());
            let (place, span) = (Place::Game(number), start as u32..end as u32);
            if block.truncated || end - start > MAX_LINE {
                into.invalid.push(Invalid::too_long().at(place, span));
            } else {
                game.read(&block.bytes[start..end]);
                game.add_to(into, place, &block.bytes, &span);
            }
            number += 1;
        }
        None
    }

    fn states(&self, block: &Block, decoded: &Decoded, found: &mut dyn FnMut(usize, &Record)) {
        replayed_states(block, decoded, found, |text, found| {
            let mut game = Game::default();
            game.read(text);
            for step in &game.steps {
                found(&step.state);
            }
        });
    }
}

/// A position of the main line.
struct Step {
    state: Record,
    played: Option<Capture>,
    ply: u32,
    /// White's score.
    white: Option<i32>,
    /// The side to move's, from the search for the move.
    searched: Option<i32>,
}

impl Step {
    /// The side to move's.
    fn score(&self) -> Option<i32> {
        let turn = self.state.position.turn();
        let seen = || self.white.map(|score| turn.fold_wb(score, -score));
        self.searched.or_else(seen)
    }
}

/// A game while it is read.
#[derive(Default)]
struct Game {
    /// The result in the tags; the first of several counts.
    tagged: Option<Result<Outcome, Invalid>>,
    start: Chess,
    /// After the steps.
    chess: Chess,
    steps: Vec<Step>,
    /// The length of all moves read, as SAN.
    san_bytes: usize,
    /// White's score of the position after the steps.
    white: Option<i32>,
    /// Whether a search's score may follow: right after its move.
    is_after_move: bool,
    /// The start of a comment in parts.
    comment: Vec<u8>,
    /// The number of open variations.
    depth: usize,
    /// The result after the moves.
    outcome: Option<Result<Outcome, Invalid>>,
    /// The first fault, and its offset if it is a word's.
    fault: Option<Invalid>,
    fault_at: Option<usize>,
}

impl Game {
    fn read(&mut self, text: &[u8]) {
        self.visit(text);
        let words: usize = words(text).map(|(_, word)| word.len()).sum();
        if self.fault.is_none() && words != self.san_bytes {
            self.read_words(text);
        }
        if self.outcome.is_none() {
            self.stop("the game ends without a result, as if cut off");
        }
    }

    fn visit(&mut self, text: &[u8]) {
        let steps = core::mem::take(&mut self.steps);
        *self = Game {
            steps,
            ..Game::default()
        };
        self.steps.clear();
        let mut reader = Reader::new(text);
        // After an empty line the movetext goes on as if in another game.
        loop {
            match reader.read_game(self) {
                Ok(Some(())) => {}
                Ok(None) => return,
                Err(error) => self.stop(&error.to_string()),
            }
        }
    }

    /// Reads a game with words that are not moves in SAN, up to one that is not a move at all.
    fn read_words(&mut self, text: &[u8]) {
        let mut chess = self.start.clone();
        let mut respelled = Vec::new();
        let mut copied = 0;
        let mut fault = None;
        for (at, word) in words(text) {
            respelled.extend_from_slice(&text[copied..at]);
            copied = at + word.len();
            match read_move(word, &chess) {
                Ok(m) => {
                    respelled.extend(San::from_move(&chess, m).to_string().bytes());
                    chess.play_unchecked(m);
                }
                Err(problem) => {
                    let fen = Fen::from_position(&chess, EnPassantMode::Legal).to_string();
                    fault = Some((at, problem.reason(word, fen.as_bytes())));
                    copied = text.len();
                    break;
                }
            }
        }
        respelled.extend_from_slice(&text[copied..]);
        self.visit(&respelled);
        if let Some((at, reason)) = fault {
            (self.fault_at, self.fault) = (Some(at), Some(reason));
        } else if self.san_bytes == usize::MAX {
            self.stop("a move that cannot be read");
        }
    }

    /// The first fault counts.
    fn stop(&mut self, fault: &str) {
        let fault = || Invalid::other(fault.to_owned());
        self.fault.get_or_insert_with(fault);
    }

    /// Adds the records of a game, and its fault.
    fn add_to(&mut self, into: &mut Decoded, place: Place, block: &[u8], span: &Range<u32>) {
        let tagged = self.tagged.take().and_then(Result::ok);
        let outcome = self.outcome.take().and_then(Result::ok);
        let outcome = outcome.filter(|_| self.fault.is_none());
        if outcome.is_some() && tagged.is_some() && outcome != tagged {
            into.contradicted.push(span.start);
        }
        let is_scored = self.steps.iter().any(|step| step.score().is_some());
        let no_score = is_scored.then_some(VALUE_NONE.into());
        for step in &self.steps {
            let score = step.score();
            if score.is_some_and(|score| score.abs() == LARGEST_SCORE) {
                into.clamped.push(span.start);
            }
            into.positions.push(step.state.position);
            into.records.push(
                RecordFields::new(place, span.clone())
                    .with_played(step.played)
                    .with_score(score.or(no_score))
                    .with_outcome(outcome.or(tagged))
                    .with_ply(Some(step.ply)),
            );
        }
        if let Some(fault) = self.fault.take() {
            let at = self.fault_at.map_or(span.end, |at| span.start + at as u32);
            let tags = name(&block[span.start as usize..span.end as usize]);
            into.invalid
                .push(fault.prefixed(&tags).at(place, at..span.end));
        }
    }

    /// The first of several scores counts.
    fn note(&mut self, score: Score) {
        let searched = self.steps.last_mut().filter(|_| self.is_after_move);
        let (place, score) = match (score, searched) {
            (Score::White(score), _) => (&mut self.white, score),
            (Score::Searched(score), Some(step)) => (&mut step.searched, score),
            (Score::SearchedOfWhite(score), Some(step)) => {
                let turn = step.state.position.turn();
                (&mut step.searched, turn.fold_wb(score, -score))
            }
            (_, None) => return,
        };
        place.get_or_insert(score);
    }

    fn play(&mut self, m: Move) {
        let chess = &self.chess;
        let position = match Position::try_from(chess) {
            Ok(position) => position,
            Err(error) => return self.stop(&error.to_string()),
        };
        self.steps.push(Step {
            state: Record {
                castling: chess.castles().castling_rights(),
                halfmoves: chess.halfmoves().try_into().unwrap_or(u8::MAX),
                fullmoves: chess.fullmoves().get().try_into().unwrap_or(u16::MAX),
                ..Record::new(position)
            },
            played: Capture::from_move(m),
            ply: ply(chess.fullmoves().get(), chess.turn()),
            white: self.white.take(),
            searched: None,
        });
        self.chess.play_unchecked(m);
        self.is_after_move = true;
    }
}

/// A break would make the rest of the game another one.
const GO_ON: ControlFlow<()> = ControlFlow::Continue(());

impl Visitor for Game {
    type Tags = ();
    type Movetext = ();
    type Output = ();

    fn begin_tags(&mut self) -> ControlFlow<()> {
        GO_ON
    }

    fn tag(&mut self, (): &mut (), name: &[u8], value: RawTag<'_>) -> ControlFlow<()> {
        let value = value.decode();
        match name {
            b"Result" => {
                self.tagged.get_or_insert_with(|| parse_outcome(&value));
            }
            b"FEN" => match chess_of(&value) {
                Ok(chess) => (self.start, self.chess) = (chess.clone(), chess),
                Err(error) => self.fault = Some(error.into()),
            },
            b"Variant" if !is_chess(&value) => {
                let variant = quoted(&value);
                self.stop(&format!("the variant '{variant}' is not standard chess"));
            }
            _ => {}
        }
        GO_ON
    }

    fn begin_movetext(&mut self, (): ()) -> ControlFlow<()> {
        GO_ON
    }

    fn san(&mut self, (): &mut (), san: SanPlus) -> ControlFlow<()> {
        // A variation with an empty line inside is not skipped to its end.
        if self.fault.is_some() || self.depth > 0 {
            return GO_ON;
        }
        if self.outcome.is_some() {
            self.stop("a move after the result");
        } else if let Ok(m) = san.san.to_move(&self.chess)
            && self.san_bytes < usize::MAX
        {
            self.san_bytes += san_bytes(san);
            self.play(m);
        } else {
            // The words tell what is wrong.
            self.san_bytes = usize::MAX;
        }
        GO_ON
    }

    fn partial_comment(&mut self, (): &mut (), comment: RawComment<'_>) -> ControlFlow<()> {
        self.comment.extend_from_slice(comment.as_bytes());
        GO_ON
    }

    fn comment(&mut self, (): &mut (), comment: RawComment<'_>) -> ControlFlow<()> {
        let score = if self.comment.is_empty() {
            comment::score(comment.as_bytes())
        } else {
            self.comment.extend_from_slice(comment.as_bytes());
            comment::score(&core::mem::take(&mut self.comment))
        };
        if let Some(score) = score.filter(|_| self.fault.is_none() && self.depth == 0) {
            self.note(score);
        }
        GO_ON
    }

    fn begin_variation(&mut self, (): &mut ()) -> ControlFlow<(), Skip> {
        self.depth += 1;
        self.is_after_move = false;
        ControlFlow::Continue(Skip(true))
    }

    fn end_variation(&mut self, (): &mut ()) -> ControlFlow<()> {
        match self.depth.checked_sub(1) {
            Some(depth) => self.depth = depth,
            None => self.stop("')' without '('"),
        }
        GO_ON
    }

    fn outcome(&mut self, (): &mut (), outcome: shakmaty::Outcome) -> ControlFlow<()> {
        if self.depth == 0 {
            self.is_after_move = false;
            self.outcome = Some(parse_outcome(outcome.to_string().as_bytes()));
        }
        GO_ON
    }

    fn end_game(&mut self, (): ()) {}
}

fn san_bytes(SanPlus { san, suffix }: SanPlus) -> usize {
    let bytes = match san {
        San::Castle(side) if side.is_king_side() => 3,
        San::Castle(_) => 5,
        San::Normal {
            role,
            file,
            rank,
            capture,
            promotion,
            ..
        } => {
            let has_letter = role != Role::Pawn;
            let parts = [has_letter, file.is_some(), rank.is_some(), capture];
            2 + parts.map(usize::from).iter().sum::<usize>() + 2 * usize::from(promotion.is_some())
        }
        San::Put { .. } | San::Null => 0,
    };
    bytes + usize::from(suffix.is_some())
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
