//! Moves in UCI and SAN.

use shakmaty::san::San;
use shakmaty::uci::UciMove;
use shakmaty::{CastlingMode, Position as _, fen::Fen};
use swaplist::PackedMove;
use swaplist::position::chess_from_setup;

/// A legal move in UCI and in SAN.
pub fn names(fen: &str, played: PackedMove) -> Option<[String; 2]> {
    let setup = Fen::from_ascii(fen.as_bytes()).ok()?.into_setup();
    let mode = CastlingMode::detect(&setup);
    let legal = chess_from_setup(setup).ok()?.legal_moves();
    let m = *legal
        .iter()
        .find(|&&m| PackedMove::from_move(m) == Some(played))?;
    let san = San::disambiguate(m, &legal).to_string();
    Some([UciMove::from_move(m, mode).to_string(), san])
}
