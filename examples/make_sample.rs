//! Makes `data/sample.fen`: positions of games that the program plays against itself from a
//! seed, partly at random, partly capturing hanging pieces.
//!
//! `cargo run --release --example make_sample > data/sample.fen`
//!
//! `data/sample.binpack` has 40 random moves continuing each of 250 of them.

use shakmaty::{Chess, EnPassantMode, Move, Position as _, fen::Fen};
use swaplist::{Capture, Position, Rules};

const POSITIONS: usize = 5_000;
const PLIES_BETWEEN: usize = 7;

fn main() {
    let mut random = SplitMix64(2026);
    let mut written = 0;
    while written < POSITIONS {
        let mut chess = Chess::default();
        for ply in 0..160 {
            let moves = chess.legal_moves();
            if moves.is_empty() || chess.is_insufficient_material() {
                break;
            }
            chess.play_unchecked(choose(&chess, &moves, &mut random));
            if ply % PLIES_BETWEEN == PLIES_BETWEEN - 1 && written < POSITIONS {
                println!("{}", Fen::from_position(&chess, EnPassantMode::Legal));
                written += 1;
            }
        }
    }
}

/// Two times out of three the move with the best SEE, if it wins material; else a random move
/// that loses nothing, if one is found.
fn choose(chess: &Chess, moves: &[Move], random: &mut SplitMix64) -> Move {
    let see = |m: Move| match (Position::try_from(chess), Capture::from_move(m)) {
        (Ok(position), Some(capture)) => Rules::SWAP.see(&position, capture),
        _ => 0,
    };
    let best = moves
        .iter()
        .copied()
        .max_by_key(|&m| see(m))
        .filter(|&m| see(m) > 0);
    match best {
        Some(best) if random.below(3) != 0 => best,
        _ => (0..8)
            .map(|_| moves[random.below(moves.len())])
            .find(|&m| see(m) >= 0)
            .unwrap_or(moves[0]),
    }
}

/// `SplitMix64` (Steele, Lea, Flood 2014).
struct SplitMix64(u64);

impl SplitMix64 {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ self.0 >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ z >> 31) % bound as u64) as usize
    }
}
