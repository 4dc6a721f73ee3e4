//! Whether a played move is legal.

use super::State;
use super::binpack::{counted_ep, move_code};
use super::board::Kind;
use crate::Capture;
use crate::exchange::QUEEN;
use crate::position::chess_from_setup;

/// What decoding has proved of a move that does not castle.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Proved {
    Nothing,
    /// It was played, and the king is not left in check.
    KingIsSafe,
    /// And the piece moves so.
    All,
}

/// By this crate's leniency in all else: odd castling rights count as they stand.
pub(crate) fn is_legal(state: &State, played: Capture, proved: Proved) -> bool {
    let position = &state.position;
    let castles = position.pieces_of(position.turn()) >> played.to_index() & 1 == 1;
    if proved == Proved::All && !castles {
        return true;
    }
    let mut board = state.board();
    let kind = board.kind(played);
    if kind == Kind::Castling {
        // Rare, and about more than one square.
        let chess = chess_from_setup(state.to_setup());
        return chess.is_ok_and(|chess| played.to_move(&chess).is_some());
    }
    let ep = counted_ep(position, &board);
    matches!(played.promotion_code(), 0 | 2..=QUEEN)
        && move_code(&board, ep, played, kind).is_some()
        && (proved == Proved::KingIsSafe
            || board.play(played, kind).is_ok() && board.position().is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;
    use shakmaty::fen::Fen;

    /// All moves that 15 bits can name, in positions with pins, checks, castling,
    /// en passant and promotions: what shakmaty finds legal, and nothing else.
    #[test]
    fn legal_is_what_shakmaty_finds_legal() {
        for fen in [
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R b KQkq - 0 1",
            "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
            "8/8/3p4/KPp4r/1R3p1k/8/4P1P1/8 w - c6 0 2",
            "8/8/8/K1pP3r/7k/8/8/8 w - c6 0 2",
            "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
            "r2q1rk1/pP1p2pp/Q4n2/bbp1p3/Np6/1B3NBn/pPPP1PPP/R3K2R b KQ - 0 1",
            "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
            "4k3/8/8/8/8/8/4q3/R3K2R w KQ - 0 1",
            "4k3/8/8/8/8/5r2/8/R3K2R w KQ - 0 1",
            "k7/8/8/8/8/8/8/1RK3R1 w GB - 0 1",
            "1k6/8/8/8/8/8/8/R1R1K2r w AC - 0 1",
            "1k6/8/8/8/8/8/8/R1RK3R w CH - 0 1",
            // Rights without their rooks, and of a king that is not at home.
            "4k3/8/8/8/8/8/4K3/R6R w KQ - 0 1",
        ] {
            let setup = fen.parse::<Fen>().unwrap().into_setup();
            let state = State::of_fen(fen, fen.parse().unwrap());
            let chess = chess_from_setup(setup).unwrap();
            let all = (0..1 << Capture::BITS).map(Capture::from_bits);
            let found: Vec<_> = all
                .filter(|&m| is_legal(&state, m, Proved::Nothing))
                .collect();
            let legal = (0..1 << Capture::BITS).map(Capture::from_bits);
            let legal: Vec<_> = legal.filter(|m| m.to_move(&chess).is_some()).collect();
            assert_eq!(found, legal, "{fen}");
            assert!(!found.is_empty(), "{fen}");
        }
    }
}
