//! Explanations of a position: its noisy moves by SEE, and exchanges step by step.
//!
//! An [`Explanation`] is data; as text it is the output of `swaplist explain`.
//!
//! ```
//! use swaplist::explain::Explanation;
//! use swaplist::{PieceValues, Profile, Rules};
//!
//! let line = "4k3/4b3/8/2p5/4N3/8/8/4R2K w - - 0 1;Nxc5";
//! let [swap, legal] = [Profile::Swap, Profile::Legal].map(|profile| {
//!     let rules = Rules::new(profile, PieceValues::CPW);
//!     Explanation::of_line(line, None, &rules).expect("a position and a legal move")
//! });
//! assert_eq!(swap.exchanges[0].first.see, -225);
//! assert_eq!(legal.exchanges[0].first.see, 100);
//!
//! let steps = &legal.exchanges[0].steps;
//! assert_eq!(steps[0].words, "White knight e4 x pawn");
//! assert_eq!(steps[1].words, "Black cannot capture");
//! let why = steps[1].passed_over[0].to_string();
//! assert_eq!(why, "Be7 may not recapture: pinned to e8 by Re1");
//! assert!(legal.to_string().ends_with("swap -225  sf8 -225  sf -225  legal 100\n"));
//! ```

use crate::formats::{Block, Decoded, Format, Place, move_on};
use crate::notation::Game;
use crate::{Capture, ParseError, Position, Rules, noisy_moves};

#[cfg(feature = "files")]
mod json;
mod steps;
mod text;

pub use steps::{Exchange, ScoredMove, Step};

/// A position's noisy moves, and the exchanges after some moves, under one rule set.
///
/// [`Display`](core::fmt::Display) draws the board, lists the noisy moves and shows each
/// exchange as the Chess Programming Wiki prints its swap list.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Explanation {
    /// The FEN, as given.
    pub fen: String,
    /// The position.
    pub position: Position,
    /// The rules.
    pub rules: Rules,
    /// The noisy moves, the best first.
    pub noisy: Vec<ScoredMove>,
    /// The exchanges after the moves asked for.
    pub exchanges: Vec<Exchange>,
}

impl Explanation {
    /// Explains the position on a line of text (FEN, `FEN;m1 m2`, EPD) and the move asked for, in
    /// UCI or SAN, or else the moves that the line names.
    ///
    /// # Errors
    ///
    /// A [`ParseError`] if the line is not one position, or a move is not legal.
    pub fn of_line(
        line: &str,
        asked: Option<&str>,
        rules: &Rules,
    ) -> Result<Explanation, ParseError> {
        let (fen, position, named) = position_on(line)?;
        let game = Game::of_fen(&fen);
        let game = game.map_err(|error| ParseError::new(format!("'{fen}': {error}")))?;
        let moves = match asked {
            Some(name) => {
                let asked = move_on(&fen, position, name);
                vec![asked.map_err(|error| ParseError::new(error.to_string()))?]
            }
            None => named,
        };
        let scored = |capture| ScoredMove {
            capture,
            uci: game.uci(capture),
            san: game.san(capture),
            see: rules.see(&position, capture),
        };
        let mut noisy: Vec<_> = noisy_moves(&position).into_iter().map(scored).collect();
        noisy.sort_by_key(|scored| (-scored.see, scored.capture));
        let exchange = |capture| Exchange::new(&position, scored(capture), rules);
        Ok(Explanation {
            exchanges: moves.into_iter().map(exchange).collect(),
            noisy,
            fen,
            position,
            rules: *rules,
        })
    }
}

/// The FEN on a line of text, its position and the moves that the line names.
fn position_on(line: &str) -> Result<(String, Position, Vec<Capture>), ParseError> {
    let block = Block {
        bytes: line.trim().as_bytes().to_vec(),
        start: Place::Line(1),
        truncated: false,
        continued: false,
    };
    let mut decoded = Decoded::default();
    Format::Text.codec().decode(&block, &mut decoded);
    if let Some(invalid) = decoded.invalid.pop() {
        let start: String = line.trim().chars().take(100).collect();
        return Err(ParseError::new(format!("'{start}': {}", invalid.message)));
    }
    match decoded.positions[..] {
        [position] => {
            let fen = decoded.fen(&block, 0).unwrap_or_default().into_owned();
            let named = decoded.named_moves(0).unwrap_or_default().to_vec();
            Ok((fen, position, named))
        }
        [] => Err(ParseError::new("no position; expected a FEN")),
        _ => Err(ParseError::new("several lines; expected one position")),
    }
}
