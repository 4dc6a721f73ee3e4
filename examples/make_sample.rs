//! Makes both samples: from a seed, the program plays against itself.
//!
//! `cargo run --release --example make_sample > data/sample.fen`: positions of games played partly
//! at random, partly capturing hanging pieces.
//!
//! `cargo run --release --example make_sample -- games > games.plain`, then
//! `swaplist convert games.plain -o data/sample.binpack`: whole games with scores and results, as
//! in training data.

use shakmaty::fen::Fen;
use shakmaty::{
    CastlingMode, Chess, EnPassantMode, KnownOutcome, Move, Piece, Position as _, Role, Square,
};
use swaplist::{PackedMove, Position, Rules, Sides, Verdict};

const POSITIONS: usize = 5_000;
const PLIES_BETWEEN: usize = 7;
const GAMES: usize = 100;
const MOST_PLIES: usize = 140;

fn main() {
    if std::env::args().nth(1).as_deref() == Some("games") {
        let random = &mut SplitMix64(7);
        (0..GAMES).for_each(|_| game(random));
    } else {
        positions(&mut SplitMix64(2026));
    }
}

fn positions(random: &mut SplitMix64) {
    let mut written = 0;
    while written < POSITIONS {
        let mut chess = Chess::default();
        for ply in 0..160 {
            let moves = chess.legal_moves();
            if moves.is_empty() || chess.is_insufficient_material() {
                break;
            }
            chess.play_unchecked(choose(&chess, &moves, random));
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
    let see = |m: Move| match (Position::try_from(chess), PackedMove::from_move(m)) {
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

/// Prints a game in Stockfish's plain format, without its first moves, which are random.
fn game(random: &mut SplitMix64) {
    let mut chess = Chess::default();
    let mut seen = Vec::new();
    let mut played = Vec::new();
    let start = 6 + random.below(3);
    for _ in 0..start {
        let moves = chess.legal_moves();
        chess.play_unchecked(moves[random.below(moves.len())]);
    }
    let winner = loop {
        if let Some(outcome) = outcome(&chess, &seen) {
            break outcome.winner();
        }
        let next = best(&chess, &seen, random);
        seen.push(chess.clone());
        played.push(next.to_uci(CastlingMode::Standard));
        chess.play_unchecked(next);
    };
    for (ply, (chess, played)) in (start..).zip(seen.iter().zip(played)) {
        let fen = Fen::from_position(chess, EnPassantMode::Legal);
        let score = evaluate(chess);
        let result = winner.map_or(0, |winner| if winner == chess.turn() { 1 } else { -1 });
        println!("fen {fen}\nmove {played}\nscore {score}\nply {ply}\nresult {result}\ne");
    }
}

/// How a game ended. A long one is decided by the score.
fn outcome(chess: &Chess, seen: &[Chess]) -> Option<KnownOutcome> {
    let repeated = seen.iter().filter(|&old| old == chess).count();
    let winner = match evaluate(chess) {
        300.. => Some(chess.turn()),
        ..=-300 => Some(!chess.turn()),
        _ => None,
    };
    match chess.outcome().known() {
        None if repeated >= 2 || chess.halfmoves() >= 100 => Some(KnownOutcome::Draw),
        None if seen.len() >= MOST_PLIES => Some(KnownOutcome::from_winner(winner)),
        known => known,
    }
}

/// The best move by what it leaves, and by chance among moves about as good. Threats and checks
/// count a little: without them, few positions would have a winning capture.
fn best(chess: &Chess, seen: &[Chess], random: &mut SplitMix64) -> Move {
    let value = |&m: &Move| {
        let mut after = chess.clone();
        after.play_unchecked(m);
        if after.is_checkmate() {
            return 100_000;
        } else if after.is_stalemate() || seen.contains(&after) {
            return 0;
        }
        let threat = verdict(&after).threat().map_or(0, |best| best.see);
        let lively = threat.clamp(0, 160) + 20 * i32::from(after.is_check());
        lively + i32::from(random.below(60) as u8) - evaluate(&after)
    };
    let best = chess.legal_moves().into_iter().max_by_key(value);
    best.expect("the game goes on")
}

fn verdict(chess: &Chess) -> Verdict {
    let position = Position::try_from(chess).expect("a legal position");
    Rules::SWAP.verdict(&position, Sides::Both)
}

/// Centipawns for the side to move: pieces with their places, and the SEE of its best capture.
fn evaluate(chess: &Chess) -> i32 {
    let worth = |(square, piece): (Square, Piece)| {
        let worth = Rules::SWAP.values.of(piece.role) + place(square, piece);
        piece.color.fold_wb(worth, -worth)
    };
    let white: i32 = chess.board().iter().map(worth).sum();
    chess.turn().fold_wb(white, -white) + verdict(chess).best().map_or(0, |best| best.see.max(0))
}

/// Pieces are better near the centre, pawns far ahead, kings at home.
fn place(square: Square, piece: Piece) -> i32 {
    let [file, rank] = [square.file() as i32, square.rank() as i32];
    let centre = file.min(7 - file) + rank.min(7 - rank);
    match piece.role {
        Role::Pawn => piece.color.fold_wb(rank, 7 - rank).pow(2),
        Role::King => -5 * centre,
        Role::Knight | Role::Bishop => 4 * centre,
        Role::Rook | Role::Queen => centre,
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
