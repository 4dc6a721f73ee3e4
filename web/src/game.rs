//! The captures and promotions of games in PGN, each with its SEE.

use std::io::Cursor;

use serde::{Deserialize, Serialize};
use swaplist::{Profile, Rules, noisy_moves};
use swaplist_files::formats::{Format, ReadError};

use crate::notation::names;
use crate::rules::RulesOf;
use crate::{Answer, object};

#[derive(Deserialize)]
struct Asked {
    /// PGN, or moves alone.
    text: String,
    rules: RulesOf,
    /// Lists all half-moves in their order.
    all: bool,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Game {
    games: usize,
    moves: usize,
    /// How many of the moves are captures or promotions.
    noisy: usize,
    /// All moves in their order; or the captures and promotions, those first where the rule sets
    /// differ, or that lose material.
    rows: Vec<Played>,
    /// What cannot be read.
    faults: Vec<String>,
}

/// A move of a game.
#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Played {
    /// Which of several games.
    game: usize,
    /// As in `12.` or `12...`.
    number: String,
    uci: String,
    san: String,
    /// The position before it.
    fen: String,
    /// Under each rule set.
    see: [i32; 4],
    /// Whether the rule sets differ.
    differs: bool,
    /// Whether it loses material under the rules asked for.
    loses: bool,
}

/// Reads games.
#[unsafe(no_mangle)]
pub extern "C" fn game() -> i32 {
    object(|asked: Asked| read(&asked))
}

fn read(asked: &Asked) -> Answer<Game> {
    let rules = asked.rules.rules()?;
    let all = Profile::ALL.map(|profile| Rules::new(profile, rules.values));
    let mut game = Game {
        games: 0,
        moves: 0,
        noisy: 0,
        rows: Vec::new(),
        faults: Vec::new(),
    };
    // A list of moves has no result.
    let text = asked.text.trim_end();
    let ends = ["1-0", "0-1", "1/2-1/2", "½-½", "*"];
    let is_ended = ends.iter().any(|end| text.ends_with(end));
    let whole = if is_ended {
        text.to_owned()
    } else {
        format!("{text}\n*\n")
    };
    let mut last = None;
    for record in Format::Pgn.records(Cursor::new(whole)) {
        let record = match record {
            Ok(record) => record,
            Err(ReadError::Record(error)) => {
                game.faults.push(error.to_string());
                continue;
            }
            Err(error) => {
                game.faults.push(error.to_string());
                break;
            }
        };
        let place = record.place();
        if last.replace(place) != Some(place) {
            game.games += 1;
        }
        game.moves += 1;
        let position = record.position;
        let Some(capture) = record.played() else {
            continue;
        };
        let is_noisy = noisy_moves(&position).contains(&capture);
        game.noisy += usize::from(is_noisy);
        if !is_noisy && !asked.all {
            continue;
        }
        let fen = record.to_fen();
        let Some([uci, san]) = names(&fen, capture) else {
            continue;
        };
        let see = all.map(|rules| rules.see(&position, capture));
        let dots = position.turn().fold_wb(".", "...");
        game.rows.push(Played {
            game: game.games,
            number: format!("{}{dots}", record.fullmoves),
            uci,
            san,
            fen,
            see,
            differs: see.iter().any(|&one| one != see[0]),
            loses: rules.see(&position, capture) < 0,
        });
    }
    if !asked.all {
        game.rows.sort_by_key(|row| !(row.differs || row.loses));
    }
    Ok(game)
}
