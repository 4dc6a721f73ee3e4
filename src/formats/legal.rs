//! Whether a move is legal, as far as the packed position tells.

use crate::exchange::PAWN;
use crate::{Capture, Position, attacks};

/// `None` for castling, en passant and pawns that reach the last rank, and for what
/// looks like them: shakmaty is to judge these.
pub(super) fn is_legal(position: &Position, m: Capture) -> Option<bool> {
    let (from, to, turn) = (m.from_index(), m.to_index(), position.turn());
    let (origin, target) = (1_u64 << from, 1_u64 << to);
    let (ours, theirs) = (position.pieces_of(turn), position.pieces_of(!turn));
    let (occupied, king) = (position.occupied_bits(), position.king_of(turn));
    let code = position.code_at(from);
    if ours & origin == 0 {
        return Some(false);
    }
    let is_castling = ours & target != 0 || king == from && (from & 7).abs_diff(to & 7) > 1;
    let last_rank = code == PAWN && matches!(to >> 3, 0 | 7);
    let is_ep = code == PAWN && occupied & target == 0 && (from ^ to) & 7 != 0;
    if is_castling || last_rank || is_ep || m.promotion_code() != 0 {
        return None;
    }
    let goes_there = if code == PAWN && theirs & target == 0 {
        let ahead = turn.fold_wb(origin << 8, origin >> 8) & !occupied;
        let rank = turn.fold_wb(0xff_0000, 0xff << 40);
        let further = turn.fold_wb((ahead & rank) << 8, (ahead & rank) >> 8) & !occupied;
        target & (ahead | further) != 0
    } else {
        attacks::attackers(position, to, occupied) & origin != 0
    };
    let king = if king == from { to } else { king };
    let occupied = occupied & !origin | target;
    let in_check = || attacks::attackers(position, king, occupied) & theirs & !target != 0;
    Some(goes_there && !in_check())
}

#[cfg(test)]
mod tests {
    use super::*;
    use shakmaty::{Chess, Position as _, Square};

    const FENS: [&str; 6] = [
        "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
        "rnbqkb1r/ppp1pppp/5n2/3pP3/8/8/PPPP1PPP/RNBQKBNR w KQkq d6 0 3",
        "4k3/8/8/8/4r3/8/3BP3/q3K2R w K - 0 1",
        "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 b - - 0 1",
        "4k3/4r3/8/2b5/8/4N3/3P1P2/4K2R w K - 0 1",
        "8/8/4k3/8/2n1n3/8/1p1P4/R3K1r1 w Q - 0 1",
    ];

    /// Every pair of squares, on the way of a pseudo-random game too.
    #[test]
    fn what_is_told_is_what_shakmaty_says() {
        let (mut told, mut left) = ([0_u32; 2], 0);
        for fen in FENS {
            let fen: shakmaty::fen::Fen = fen.parse().unwrap();
            let mut chess = crate::position::chess_from_setup(fen.into_setup()).unwrap();
            for step in 0..40_usize {
                let position = Position::try_from(&chess).unwrap();
                for from in Square::ALL {
                    for to in Square::ALL {
                        let m = Capture::new(from, to, None);
                        match is_legal(&position, m) {
                            Some(legal) => {
                                assert_eq!(legal, m.to_move(&chess).is_some(), "{position} {m}");
                                told[usize::from(legal)] += 1;
                            }
                            None => left += 1,
                        }
                    }
                }
                let Some(next) = next(&chess, step) else {
                    break;
                };
                chess = next;
            }
        }
        assert!(told[0] > 100_000 && told[1] > 2_000 && left > 5_000);
    }

    fn next(chess: &Chess, step: usize) -> Option<Chess> {
        let moves = chess.legal_moves();
        let m = moves.get((step * 7 + 3) % moves.len().max(1))?;
        chess.clone().play(*m).ok()
    }
}
