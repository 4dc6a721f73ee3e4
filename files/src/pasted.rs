//! What people paste: the first position, game or move anywhere in a text.
//!
//! A position may be a FEN, whole or not, in a sentence, a program, a table, a log, an address; or
//! a board that is drawn. The move that stands beside it is taken. A game may be PGN, or moves
//! alone. What is of no use is left out: [`Pasted::used`] says what was taken.
//!
//! ```
//! use swaplist_files::pasted::read;
//!
//! let text = r#"{"4k3/4b3/8/2p5/4N3/8/8/4R2K w - - 0 1", "Nxc5", -225},"#;
//! let pasted = read(text, None)?;
//! assert_eq!(pasted.fen, "4k3/4b3/8/2p5/4N3/8/8/4R2K w - - 0 1");
//! assert_eq!(pasted.named.as_deref(), Some("e4c5"));
//! # Ok::<(), swaplist_files::pasted::Refusal>(())
//! ```
//!
//! The steps:
//!
//! 1. The text is cleaned of what its medium added (`clean`): `%20`, `\"`, `&nbsp;`.
//! 2. Boards of FENs are searched for (`board`), and their fields read (`fen`). The first one that
//!    is a position counts; the move is searched for beside it (`beside`).
//! 3. Before it, or where there is none, a game is searched for (`games`): by its tags, by the
//!    number 1, or as a list of moves.
//! 4. Otherwise a board may be drawn (`drawn`), or a move may be for the board that the caller
//!    shows.
//! 5. If nothing was found, the message is about what is most like a position.
//!
//! This is for people: it guesses, and says so. Files of data are read strictly, by
//! [`formats`](crate::formats). The time is linear in the length of a text: what is costly, such as
//! the search for legal moves, is done for a limited number of words.

use core::fmt;
use core::ops::Range;

use shakmaty::uci::UciMove;
use shakmaty::{CastlingMode, EnPassantMode, Position as _, Setup};
use swaplist::position::chess_from_setup;

mod address;
mod beside;
mod board;
mod clean;
mod drawn;
mod fen;
mod games;
mod moves;

use address::Advice;
use clean::Clean;
use fen::Found;
use fen::fen_of;
use games::MAX_HALF_MOVES;
pub use games::{Game, Played};

/// The position that a game begins with.
const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

/// Operations of EPD that name a move, the best first.
const NAMING: &[&str] = &["bm", "pm", "sm", "pv", "am"];

/// Boards of which the first position is taken: those before it are not legal.
const MAX_BOARDS: usize = 500;

/// What was found in a text.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Pasted {
    /// What it is.
    pub kind: Kind,
    /// The position: as it is written, with at least four fields; for a game, the one before its
    /// first move; for a move alone, the one that was given.
    pub fen: String,
    /// That position as a setup.
    pub setup: Setup,
    /// The move that stands beside it: in UCI if it is legal, otherwise as it is written.
    pub named: Option<String>,
    /// The moves that follow, if there are several, or if it is a game.
    pub game: Option<Game>,
    /// What was understood in another way than it was written, or is guessed.
    pub notes: Vec<String>,
    /// The parts of the text that were used, in their order.
    pub used: Vec<Range<usize>>,
    /// The part that is an address of swaplist's page.
    pub link: Option<Range<usize>>,
}

impl Pasted {
    /// The position after the moves of a command.
    fn after_command(game: Game, part: Range<usize>, mut notes: Vec<String>) -> Pasted {
        let mut chess = game.start.clone();
        let mut played = 0;
        for one in game.moves.iter().filter(|one| one.variation == 0) {
            chess.play_unchecked(one.played);
            played += 1;
        }
        notes.extend(game.fault.clone());
        let mut fen = game.fen.clone();
        let mut setup = chess.to_setup(EnPassantMode::PseudoLegal);
        if played > 0 {
            fen = fen_of(setup.clone());
            notes.push(format!("This is the position after {}", counted(played)));
        } else {
            setup = game.start.to_setup(EnPassantMode::Always);
        }
        Pasted {
            kind: Kind::Position,
            fen,
            setup,
            named: None,
            used: vec![part, game.part.clone()],
            game: Some(game),
            notes,
            link: None,
        }
    }
}

/// What a text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A position, with or without a move.
    Position,
    /// A game, or a list of moves.
    Game,
    /// A move on the board that was given.
    Move,
}

/// Why nothing was found.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Refusal {
    /// What is wrong, and what to do.
    pub message: String,
    /// The part of the text that is wrong.
    pub at: Option<Range<usize>>,
    /// A position that cannot be, to be shown.
    pub board: Option<Box<Setup>>,
    /// Whether the side to move is wrong.
    is_of_turn: bool,
}

impl Refusal {
    fn new(message: impl Into<String>) -> Refusal {
        Refusal {
            message: message.into(),
            at: None,
            board: None,
            is_of_turn: false,
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl core::error::Error for Refusal {}

/// Finds the first position, game or move in a text. `standing` is the FEN of the board on which a
/// move alone is played.
///
/// # Errors
///
/// A [`Refusal`] with advice if there is none, or the position cannot be.
pub fn read(text: &str, standing: Option<&str>) -> Result<Pasted, Refusal> {
    let clean = Clean::new(text);
    let reader = Reader {
        text: &clean.text,
        standing,
    };
    let mut found = reader.read().map_err(|refusal| Refusal {
        at: refusal.at.map(|part| clean.original(&part)),
        ..refusal
    })?;
    if let [first, second] = &mut found.used[..]
        && first.start > second.start
    {
        core::mem::swap(first, second);
    }
    for part in found.used.iter_mut().chain(&mut found.link) {
        *part = clean.original(part);
    }
    Ok(found)
}

struct Reader<'a> {
    text: &'a str,
    standing: Option<&'a str>,
}

impl Reader<'_> {
    fn read(&self) -> Result<Pasted, Refusal> {
        if self.text.trim().is_empty() {
            let message = "No position: paste a FEN here, or press Start position in the editor";
            return Err(Refusal::new(message));
        }
        let whole = 0..self.text.len();
        let (found, refused) = self.first_position();
        let refused = refused.or_else(|| board::wrong_board(self.text).filter(|_| found.is_none()));
        // The fields of a position may look like moves.
        let before = found
            .as_ref()
            .map_or(whole.clone(), |found| 0..found.part.start);
        let in_tag = found
            .as_ref()
            .is_some_and(|found| self.is_in_tag(found.part.start));
        let game = games::find(self.text, if in_tag { &whole } else { &before })?;
        let game = game.filter(|game| {
            let is_sure = game.is_marked && (found.is_none() || game.half_moves() > 7);
            let has_own = game.has_fen || in_tag;
            is_sure || has_own || found.is_none() && refused.is_none()
        });
        match (found, game) {
            (_, Some(game)) if !game.moves.is_empty() && !self.is_move_alone(&game) => {
                Ok(game.into())
            }
            (Some(found), _) => self.take_position(found),
            (None, _) => self.read_other(refused),
        }
    }

    /// The first board with its fields that is a position, and what is wrong with the first one
    /// that is none.
    fn first_position(&self) -> (Option<Found>, Option<Refusal>) {
        let start = self.start_position();
        let mut refused = None;
        for board in board::boards(self.text).take(MAX_BOARDS) {
            if start
                .as_ref()
                .is_some_and(|start| start.part.start < board.start)
            {
                break;
            }
            let found = if address::is_of_variant(self.text, board.start) {
                let message = "This address of lichess has no standard position in it: paste the FEN \
                               instead";
                Err(Refusal::new(message))
            } else {
                fen::read(self.text, board)
            };
            match found {
                Ok(found) => return (Some(found), None),
                Err(refusal) => refused = refused.or(Some(refusal)),
            }
        }
        match start {
            Some(_) => (start, None),
            None => (None, refused),
        }
    }

    /// The word that stands for the start position, in a command or as a value; not a name.
    fn start_position(&self) -> Option<Found> {
        let at = self.text.find("startpos")?;
        let before = self.text[..at].trim_end();
        let is_value = before.is_empty() || before.ends_with(['"', '\'', ':', '=', '`']);
        if !is_value && !before.ends_with("position") && !before.ends_with("fen") {
            return None;
        }
        let mut found = fen::read(START, 0..43).ok()?;
        found.part = at..at + "startpos".len();
        Some(found)
    }

    fn is_in_tag(&self, at: usize) -> bool {
        let before = self.text[..at].trim_end_matches(['"', ' ']);
        let name = before
            .len()
            .checked_sub(4)
            .and_then(|start| before.get(start..));
        name.is_some_and(|name| name.eq_ignore_ascii_case("[fen"))
    }

    /// Whether one move of the start position may as well be for the board that is shown.
    fn is_move_alone(&self, game: &Game) -> bool {
        self.standing.is_some() && !game.is_marked && game.half_moves() < 2
    }

    fn take_position(&self, found: Found) -> Result<Pasted, Refusal> {
        let chess = chess_from_setup(found.setup.clone())
            .map_err(|error| Refusal::new(error.to_string()))?;
        let mode = CastlingMode::detect(&found.setup);
        let Found {
            fen,
            setup,
            part,
            mut notes,
        } = found;
        let next = board::boards(&self.text[part.end..]).next();
        let end = next.map_or(self.text.len(), |next| part.end + next.start);
        if let Some(moves) = self.moves_command(part.end)
            && let Some(game) = games::after(self.text, moves..end, &fen, &chess)
        {
            return Ok(Pasted::after_command(game, part, notes));
        }
        let beside = beside::find_move(self.text, &part, &chess, mode);
        let link = address::page_link(self.text).filter(|link| link.contains(&part.start));
        let mut used = vec![part.clone()];
        let mut named = None;
        let mut game = None;
        if let Some(beside) = beside {
            if beside.part.start > part.end {
                let moves = beside.part.start..end;
                game = games::after(self.text, moves, &fen, &chess)
                    .filter(|game| game.half_moves() > 1);
            }
            notes.extend(beside.note);
            used.push(game.as_ref().map_or(beside.part, |game| game.part.clone()));
            named = Some(beside.named);
        }
        Ok(Pasted {
            kind: Kind::Position,
            fen,
            setup,
            named,
            game,
            notes,
            used: link.clone().map_or(used, |link| vec![link]),
            link,
        })
    }

    /// Where the moves of `position fen ... moves` begin.
    fn moves_command(&self, at: usize) -> Option<usize> {
        let rest = &self.text[at..];
        let after = rest
            .trim_start_matches([' ', '_', '\t'])
            .strip_prefix("moves")?;
        after
            .starts_with([' ', '_', '\t'])
            .then(|| self.text.len() - after.len())
    }

    /// Without a FEN or a game: a drawn board, a move, an address, or advice.
    fn read_other(&self, refused: Option<Refusal>) -> Result<Pasted, Refusal> {
        if let Some((board, part)) = drawn::find(self.text) {
            let turn = fen::side_said(self.text, &part);
            return self.take_position(fen::from_drawn(&board, turn, part)?);
        }
        if let Some(refusal) = refused {
            return Err(refusal);
        }
        if let Some(found) = self.move_alone() {
            return Ok(found);
        }
        if let Some(part) = address::find(self.text) {
            return match address::advice(&self.text[part.clone()]) {
                Advice::Start => self.take_position(Found {
                    part,
                    ..fen::read(START, 0..43)?
                }),
                Advice::Refused(message) => Err(Refusal::new(message)),
            };
        }
        Err(games::wrong_start(self.text).unwrap_or_else(|| self.nothing()))
    }

    /// A move, or several, on the board that is shown.
    fn move_alone(&self) -> Option<Pasted> {
        /// Longer lists of moves are games.
        const LONGEST: usize = 20_000;
        /// More words are a text about something else.
        const MOST_WORDS: usize = 8;
        if self.text.len() > LONGEST {
            return None;
        }
        let standing = fen::read(self.standing?, board::boards(self.standing?).next()?).ok()?;
        let chess = chess_from_setup(standing.setup.clone()).ok()?;
        let mut words = moves::words(self.text, 0..self.text.len());
        let first = words.find(|word| moves::is_move(word.text))?;
        let game = games::after(
            self.text,
            first.start..self.text.len(),
            &standing.fen,
            &chess,
        )?;
        let is_short = moves::words(self.text, 0..self.text.len())
            .nth(MOST_WORDS)
            .is_none();
        let is_meant = game.half_moves() > 1 || is_short && game.half_moves() > 0;
        if !is_meant {
            return None;
        }
        Some(Pasted {
            kind: Kind::Move,
            fen: standing.fen,
            setup: standing.setup,
            ..game.into()
        })
    }

    fn nothing(&self) -> Refusal {
        const FORM: &str = "it begins with eight ranks, such as 4k3/8/8/3p4/4P3/8/8/4K3";
        let near = 0..self.text.floor_char_boundary(1000);
        let all = moves::words(self.text, near.clone());
        let mut words = self.text.split_whitespace();
        let first = words.next().unwrap_or("");
        let start = first.as_ptr() as usize - self.text.as_ptr() as usize;
        if all.take(2).count() == 1
            && let Some(word) = moves::words(self.text, near).next()
            && moves::is_move(word.text)
        {
            let why = match self.standing {
                Some(_) => "is not a legal move on this board",
                None => "is a move, but of which position",
            };
            let message = format!(
                "{} {why}: paste a FEN before it, or the game",
                shown(word.text)
            );
            return Refusal {
                at: Some(word.part()),
                ..Refusal::new(message)
            };
        }
        if words.nth(3).is_some() {
            return Refusal::new(format!(
                "There is no FEN, board or game in this text. Paste a FEN: {FORM}"
            ));
        }
        Refusal {
            at: Some(start..start + first.len()),
            ..Refusal::new(format!("{} is not a FEN: {FORM}", shown(first)))
        }
    }
}

fn language_note(language: &str) -> String {
    format!("The letters of pieces seem to be {language}")
}

fn counted(number: usize) -> String {
    format!("{number} {}", if number == 1 { "move" } else { "moves" })
}

/// A part of what was written, for a message.
fn shown(text: &str) -> String {
    let start: String = text
        .chars()
        .filter(|letter| !letter.is_control())
        .take(40)
        .collect();
    let more = if text.chars().count() > 40 { "…" } else { "" };
    format!("‘{start}{more}’")
}

/// The game that begins first in a text, and those after it: all that are in a text.
pub fn games(text: &str) -> Vec<Game> {
    const MOST_GAMES: usize = 1000;
    const MOST_OF_ALL: usize = 20 * MAX_HALF_MOVES;
    let clean = Clean::new(text);
    let mut found = Vec::new();
    let mut at = 0;
    let mut half_moves = 0;
    while half_moves < MOST_OF_ALL
        && found.len() < MOST_GAMES
        && let Ok(Some(game)) = games::find(&clean.text, &(at..clean.text.len()))
        && game.part.end > at
        && (found.is_empty() || game.is_marked)
    {
        at = game.part.end;
        half_moves += game.moves.len();
        found.push(Game {
            part: clean.original(&game.part),
            ..game
        });
    }
    found
}

/// A text with one FEN of at least four fields and one legal move, such as a line of a program.
pub(crate) struct Statement {
    /// Without what its medium added.
    pub text: String,
    pub fen: String,
    /// In UCI.
    pub named: String,
    /// The parts of the text that are the FEN and the move.
    pub used: Vec<Range<usize>>,
}

/// Reads a statement; `None` if there are several FENs or moves in it, or none, or if anything has to
/// be guessed.
pub(crate) fn statement(text: &str) -> Option<Statement> {
    let clean = Clean::new(text).text.into_owned();
    let mut boards = board::boards(&clean);
    let board = boards.next().filter(|_| boards.next().is_none())?;
    let found = fen::read(&clean, board)
        .ok()
        .filter(|found| found.notes.is_empty())?;
    let chess = chess_from_setup(found.setup.clone()).ok()?;
    let mode = CastlingMode::detect(&found.setup);
    let (named, moves) = beside::only_move(&clean, &found.part, &chess, mode)?;
    let mut used = vec![found.part];
    used.extend(moves);
    drop(boards);
    Some(Statement {
        text: clean,
        fen: found.fen,
        named,
        used,
    })
}

impl From<Game> for Pasted {
    fn from(game: Game) -> Pasted {
        let mode = game.start.castles().mode();
        let first = game.moves.first();
        let mut notes = game.notes.clone();
        notes.extend(game.fault.clone());
        notes.extend(game.language.map(language_note));
        Pasted {
            kind: Kind::Game,
            fen: game.fen.clone(),
            setup: game.start.to_setup(EnPassantMode::Always),
            named: first.map(|first| UciMove::from_move(first.played, mode).to_string()),
            notes,
            used: vec![game.part.clone()],
            link: None,
            game: Some(game),
        }
    }
}
