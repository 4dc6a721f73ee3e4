//! The captures and promotions of games in PGN, each with its SEE.

use core::array;
use serde::{Deserialize, Serialize};
use shakmaty::fen::Fen;
use shakmaty::san::San;
use shakmaty::uci::UciMove;
use shakmaty::{CastlingMode, Chess, EnPassantMode, Position as _};
use swaplist::{Choice, PackedMove, Position, Profile, Rules, noisy_moves};
use swaplist_files::pasted;

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
    /// How many variations there are.
    variations: usize,
    /// All moves of main lines in their order; or the captures and promotions, those first where the rule sets
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
    #[serde(skip)]
    is_noisy: bool,
}

/// Reads games.
#[unsafe(no_mangle)]
pub extern "C" fn game() -> i32 {
    object(|asked: Asked| read(&asked))
}

fn read(asked: &Asked) -> Answer<Game> {
    let rules = asked.rules.rules()?;
    let games = pasted::games(&asked.text);
    let mut found = Game {
        games: games.len(),
        moves: 0,
        noisy: 0,
        variations: 0,
        rows: Vec::new(),
        faults: games.iter().filter_map(|game| game.fault.clone()).collect(),
    };
    if games.is_empty()
        && let Err(refusal) = pasted::read(&asked.text, None)
    {
        found.faults.push(refusal.message);
    }
    for (number, game) in (1..).zip(&games) {
        found.variations += game.variations;
        found.add(number, game, &rules, asked.all);
    }
    if !asked.all {
        found.rows.sort_by_key(|row| !(row.differs || row.loses));
    }
    Ok(found)
}

impl Game {
    fn add(&mut self, number: usize, game: &pasted::Game, rules: &Rules, all: bool) {
        let sets =
            array::from_fn(|i| Profile::ALL[i]).map(|profile| Rules::new(profile, rules.values));
        let mode = game.start.castles().mode();
        let mut after = Vec::with_capacity(game.moves.len());
        for one in &game.moves {
            let before: &Chess = one.before.map_or(&game.start, |before| &after[before]);
            let mut next = before.clone();
            next.play_unchecked(one.played);
            if one.variation == 0 {
                self.moves += 1;
                self.rows
                    .extend(row(number, before, one, &sets, rules, mode).filter(|row| {
                        self.noisy += usize::from(row.is_noisy);
                        row.is_noisy || all
                    }));
            }
            after.push(next);
        }
    }
}

fn row(
    game: usize,
    before: &Chess,
    one: &pasted::Played,
    sets: &[Rules; 4],
    rules: &Rules,
    mode: CastlingMode,
) -> Option<Played> {
    let position = Position::try_from(before).ok()?;
    let capture = PackedMove::from_move(one.played)?;
    let see = sets.map(|rules| rules.see(&position, capture));
    let dots = before.turn().fold_wb(".", "...");
    Some(Played {
        game,
        number: format!("{}{dots}", before.fullmoves()),
        uci: UciMove::from_move(one.played, mode).to_string(),
        san: San::from_move(before, one.played).to_string(),
        fen: Fen::from_position(before, EnPassantMode::Legal).to_string(),
        see,
        differs: see.iter().any(|&one| one != see[0]),
        loses: rules.see(&position, capture) < 0,
        is_noisy: noisy_moves(&position).contains(&capture),
    })
}
