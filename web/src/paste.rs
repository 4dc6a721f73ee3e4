//! What somebody pasted: its first position, game or move, and the moves that follow.

use core::ops::Range;

use serde::{Deserialize, Serialize};
use shakmaty::Position as _;
use shakmaty::uci::UciMove;
use swaplist_files::pasted::{self, Game, Kind, Refusal};

use crate::{Answer, Failure, object};

#[derive(Deserialize)]
struct Asked {
    text: String,
    /// The position on the board, for a move alone; or empty.
    #[serde(default)]
    fen: String,
    /// Which of several games.
    #[serde(default)]
    game: usize,
}

/// What was found in a text.
#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Pasted {
    #[cfg_attr(test, ts(type = "'position' | 'game' | 'move'"))]
    kind: &'static str,
    /// The position to show.
    fen: String,
    /// The move beside it: in UCI if it is legal, otherwise as it is written; or empty.
    #[serde(rename = "move")]
    named: String,
    /// The position before the first of the moves.
    start: String,
    /// Each move in UCI, after the one before it: 0 for the start, and 1 for the first of them.
    moves: Vec<(usize, String)>,
    /// After which of them the position is shown; 0 for the start.
    at: usize,
    /// How many of the lines are variations.
    variations: usize,
    /// How many games there are.
    games: usize,
    /// The players of a game; or empty.
    white: String,
    black: String,
    /// An address of this page, from its `#` on; or empty.
    link: String,
    /// The parts of the text that were used; the rest is left out.
    used: Vec<[usize; 2]>,
    /// What was understood in another way than it was written, or is guessed.
    notes: Vec<String>,
}

/// Finds the first position, game or move in a text.
#[unsafe(no_mangle)]
pub extern "C" fn paste() -> i32 {
    object(|asked: Asked| read(&asked))
}

fn read(asked: &Asked) -> Answer<Pasted> {
    let Asked { text, fen, game } = asked;
    let standing = Some(fen.as_str()).filter(|fen| !fen.is_empty());
    let mut found = pasted::read(text, standing).map_err(|refusal| refused(text, &refusal))?;
    let mut games = usize::from(found.game.is_some());
    if found.kind == Kind::Game {
        let all = pasted::games(text);
        games = all.len();
        if let Some(other) = all.into_iter().nth(*game).filter(|_| *game > 0) {
            found = other.into();
        }
    }
    let start = found.game.as_ref().map_or(&found.fen, |game| &game.fen);
    let moves = found.game.as_ref().map_or_else(Vec::new, moves);
    let is_after = *start != found.fen;
    let [white, black] = found
        .game
        .as_ref()
        .map_or_else(Default::default, |game| game.players.clone());
    Ok(Pasted {
        kind: match found.kind {
            Kind::Position => "position",
            Kind::Game => "game",
            Kind::Move => "move",
        },
        at: if is_after { moves.len() } else { 0 },
        start: start.clone(),
        moves,
        variations: found.game.as_ref().map_or(0, |game| game.variations),
        games,
        white,
        black,
        link: found
            .link
            .map_or_else(String::new, |link| text[link].to_owned()),
        used: found.used.iter().map(|part| in_utf16(text, part)).collect(),
        fen: found.fen,
        named: found.named.unwrap_or_default(),
        notes: found.notes,
    })
}

fn moves(game: &Game) -> Vec<(usize, String)> {
    let mode = game.start.castles().mode();
    game.moves
        .iter()
        .map(|played| {
            let before = played.before.map_or(0, |before| before + 1);
            (before, UciMove::from_move(played.played, mode).to_string())
        })
        .collect()
}

/// What is wrong with a text, and where.
fn refused(text: &str, refusal: &Refusal) -> Failure {
    let failure = match &refusal.board {
        Some(setup) => Failure::for_board(setup, &refusal.message),
        None => Failure::new("fen", &refusal.message),
    };
    match &refusal.at {
        Some(at) => failure.at(&in_utf16(text, at)),
        None => failure,
    }
}

/// A part of a text in the units of the page's strings.
fn in_utf16(text: &str, part: &Range<usize>) -> [usize; 2] {
    let place = |at: usize| text[..at].encode_utf16().count();
    [place(part.start), place(part.end)]
}
