//! Reasons why pieces may not recapture.

use crate::common::{
    any::{after, captures, chess, config, rules},
    boards,
};
use proptest::prelude::*;
use shakmaty::{Bitboard, Board, Color, Piece, Position as _, Square, attacks};
use swaplist::{
    BarredBy, BarredPiece, Choice, PackedMove, PieceValues, Pins, Position, Profile, Rules,
};

proptest! {
    #![proptest_config(config(30_000))]

    /// The capturer is the least valuable attacker without a reason; if nobody captures, every
    /// attacker has one.
    #[test]
    fn reasons_decide_who_recaptures(chess in chess(), rules in rules()) {
        let (position, moves) = captures(&chess);
        for (m, capture) in moves {
            let trace = rules.trace(&position, capture);
            if trace.speculative.is_none() {
                prop_assert!(trace.barred.is_empty());
                continue;
            }
            let mut board = after(&chess, m);
            let mut side = !chess.turn();
            for ply in 0..=trace.recaptures.len() {
                let mut attackers: Vec<_> = board
                    .attacks_to(m.to(), side, board.occupied())
                    .into_iter()
                    .map(|square| (board.role_at(square).unwrap(), square))
                    .collect();
                attackers.sort();
                let barred: Vec<_> = trace.barred.iter().filter(|barred| barred.ply == ply).collect();
                let listed: Vec<_> = barred.iter().map(|b| (b.piece.role, b.piece.square)).collect();
                prop_assert!(listed.is_sorted());
                prop_assert!(listed.iter().all(|piece| attackers.contains(piece)));
                let free = attackers.into_iter().find(|piece| !listed.contains(piece));
                let capturer = trace.recaptures.get(ply).map(|r| (r.piece.role, r.piece.square));
                prop_assert_eq!(capturer, free, "{} {} ply {}", position, m, ply);
                for barred in barred {
                    prop_assert!(is_true(&board, side, m.to(), barred, rules.pins), "{} {} {}", position, m, barred);
                }
                if let Some((role, from)) = free {
                    board.discard_piece_at(from);
                    board.set_piece_at(m.to(), Piece { color: side, role });
                    side = !side;
                }
            }
        }
    }
}

/// Whether the pieces that a reason names are where it says.
fn is_true(board: &Board, side: Color, target: Square, barred: &BarredPiece, pins: Pins) -> bool {
    let by = barred.by;
    let at = barred.on;
    let king = board.king_of(side).unwrap();
    let enemy = |piece: swaplist::PieceOn| {
        board.piece_at(piece.square) == Some(piece.role.of(!side)) && piece.square != target
    };
    match barred.reason {
        BarredBy::Pinned => {
            let checks = board.attacks_to(king, !side, board.occupied());
            let on_line = attacks::ray(king, by.square).any();
            let pins_now = pins != Pins::Legal || !checks.contains(by.square);
            pins != Pins::None && at == king && enemy(by) && on_line && pins_now
        }
        BarredBy::PinStays { pinner } => {
            pins == Pins::Sf && at == king && !enemy(pinner) && enemy(by)
        }
        BarredBy::InCheck => {
            let checks = board.attacks_to(king, !side, board.occupied());
            pins == Pins::Legal && at == king && enemy(by) && checks.contains(by.square)
        }
        BarredBy::Guarded => {
            let through = board.occupied() ^ Bitboard::from_square(king);
            let guards = board.attacks_to(target, !side, through);
            at == target && enemy(by) && guards.contains(by.square)
        }
        _ => false,
    }
}

/// All barred attackers after a move, as `ply: text`.
fn barred(fen: &str, uci: &str, profile: Profile) -> Vec<String> {
    let chess = boards::board(fen);
    let capture = PackedMove::from_move(boards::mv(&chess, uci)).unwrap();
    let position = Position::try_from(&chess).unwrap();
    let trace = Rules::new(profile, PieceValues::CPW).trace(&position, capture);
    let text = |barred: &swaplist::BarredPiece| format!("{}: {barred}", barred.ply);
    trace.barred.iter().map(text).collect()
}

#[test]
fn every_reason_by_an_example() {
    // The knight leaves the e-file: only `legal` sees the new pin.
    let discovered = "4k3/4b3/8/2p5/4N3/8/8/4R2K w - - 0 1";
    assert!(barred(discovered, "e4c5", Profile::Swap).is_empty());
    assert!(barred(discovered, "e4c5", Profile::Sf).is_empty());
    assert_eq!(
        barred(discovered, "e4c5", Profile::Legal),
        ["0: Be7 may not recapture: pinned to e8 by Re1"]
    );
    // Two pinned guards; one pinner is captured.
    let two = "4k3/4n3/p1b5/1B6/2P5/8/8/K3R3 b - - 0 1";
    assert!(barred(two, "a6b5", Profile::Sf8).is_empty());
    assert_eq!(
        barred(two, "a6b5", Profile::Sf),
        ["1: Bc6 may not recapture: its pin to e8 by Bb5 stays in force while Re1 pins"]
    );
    assert!(barred(two, "a6b5", Profile::Legal).is_empty());
    let both = "4k3/4n3/2b5/1B1p4/2P5/8/8/K3R3 w - - 0 1";
    for profile in [Profile::Sf8, Profile::Sf, Profile::Legal] {
        let expected = [
            "0: Ne7 may not recapture: pinned to e8 by Re1",
            "0: Bc6 may not recapture: pinned to e8 by Bb5",
        ];
        assert_eq!(barred(both, "c4d5", profile), expected, "{profile}");
    }
    // The capture uncovers a check.
    let uncovered = "4k3/8/3p4/2p5/4N3/8/8/4R2K w - - 0 1";
    assert_eq!(
        barred(uncovered, "e4c5", Profile::Legal),
        ["0: Pd6 may not recapture: the king on e8 is in check by Re1"]
    );
    assert!(barred(uncovered, "e4c5", Profile::Sf).is_empty());
    // The king rule, and under `legal` a guard behind the king.
    let guarded = "8/6b1/5k2/4p3/4KP2/8/8/8 w - - 0 1";
    for &profile in Profile::ALL {
        assert_eq!(
            barred(guarded, "f4e5", profile),
            ["0: Kf6 may not recapture: Ke4 still guards e5"],
            "{profile}"
        );
    }
}

/// Only attackers that would have captured earlier are listed.
#[test]
fn passed_over_are_those_before_the_capturer() {
    let fen = "4k3/3qn3/8/1B1p4/4P3/2r5/8/K3R3 w - - 0 1";
    let chess = boards::board(fen);
    let position = Position::try_from(&chess).unwrap();
    let capture = PackedMove::from_move(boards::mv(&chess, "e4d5")).unwrap();
    let trace = Rules::new(Profile::Legal, PieceValues::CPW).trace(&position, capture);
    let barred: Vec<_> = trace.barred.iter().map(|b| b.piece.to_string()).collect();
    let over: Vec<_> = trace.passed_over(0).map(|b| b.piece.to_string()).collect();
    assert_eq!((barred.len(), over), (2, barred));
    assert!(trace.recaptures.is_empty());
}
