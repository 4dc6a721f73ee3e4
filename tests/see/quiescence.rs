//! Material quiescence compared with plain minimax on shakmaty boards.

use std::sync::atomic::{AtomicUsize, Ordering};

use crate::common::any::{chess, config, rules};
use crate::common::rules::profiles;
use crate::common::{boards, oracle, real};
use proptest::prelude::*;
use shakmaty::{Chess, Move, Position as _, Role};
use swaplist::{MAX_QUIESCENCE, PieceValues, Position, Rules, Sides, position::chess_from_setup};

/// The value by its definition: no window, no order, no allowance for anything.
fn minimax(chess: &Chess, rules: &Rules, turns: u32) -> i32 {
    let moves = oracle::noisy(chess).into_iter();
    let values = moves.map(|m| {
        if turns == 0 {
            return oracle::see(chess, m, rules);
        }
        let after = chess.clone().play(m).expect("a legal move");
        gain(m, rules) - minimax(&after, rules, turns - 1)
    });
    values.fold(0, i32::max)
}

fn gain(m: Move, rules: &Rules) -> i32 {
    let worth = |role| rules.values.of(role);
    let promoted = m
        .promotion()
        .map_or(0, |role| worth(role) - worth(Role::Pawn));
    m.capture().map_or(0, worth) + promoted
}

/// The exact value and both sides of its threshold; returns the value.
fn agrees(chess: &Chess, rules: &Rules, depth: u32) -> i32 {
    let position = Position::try_from(chess).unwrap();
    let expected = minimax(chess, rules, depth + 1);
    let found = rules.quiescence(&position, depth);
    assert_eq!(found, expected, "{position} under {rules}, depth {depth}");
    for threshold in [expected, expected + 1, 1, 0, i32::MIN, i32::MAX] {
        let reached = rules.quiescence_ge(&position, depth, threshold);
        assert_eq!(
            reached,
            expected >= threshold,
            "{position} {rules} {depth} {threshold}"
        );
    }
    expected
}

proptest! {
    #![proptest_config(config(6_000))]

    #[test]
    fn fast_is_minimax(chess in chess(), rules in rules(), depth in 0_u32..2) {
        prop_assume!(oracle::noisy(&chess).len() < 24);
        agrees(&chess, &rules, depth);
    }
}

#[test]
fn fast_is_minimax_in_games() {
    let mut positive = 0;
    for (i, chess) in boards::playouts(61).take(12_000).enumerate() {
        let depth = i as u32 % (MAX_QUIESCENCE + 1);
        if depth < 2 || oracle::noisy(&chess).len() < 8 {
            positive +=
                u32::from(agrees(&chess, &profiles(PieceValues::CPW)[i / 4 % 4], depth) > 0);
        }
    }
    assert!(positive > 1_000, "{positive} say little");
}

#[test]
#[ignore = "needs SWAPLIST_DATA"]
fn real_data_fast_is_minimax() {
    let count = AtomicUsize::new(0);
    let compared = real::total(|chess| {
        // Minimax without a window is slow.
        if !count.fetch_add(1, Ordering::Relaxed).is_multiple_of(PART) {
            return 0;
        }
        let few = oracle::noisy(chess).len() < 10;
        for rules in profiles(PieceValues::CPW) {
            agrees(chess, &rules, 0);
            agrees(chess, &rules, 1);
            if few {
                agrees(chess, &rules, MAX_QUIESCENCE);
            }
        }
        8
    });
    eprintln!("{compared} values of quiescence equal minimax's");
    assert!(compared > 800_000 / PART);
}

/// Of how many real positions one is compared; 1 for a long run with `--release`.
const PART: usize = 20;

/// Whether the best SEE is above 0, and the values of depth 0, 1 and 3.
fn found(fen: &str) -> (bool, [i32; 3]) {
    let position: Position = fen.parse().unwrap();
    let chess = chess_from_setup(position.to_setup()).unwrap();
    let wins = Rules::SWAP.verdict(&position, Sides::ToMove).best();
    (
        wins.is_some_and(|best| best.see > 0),
        [0, 1, 3].map(|depth| agrees(&chess, &Rules::SWAP, depth)),
    )
}

/// A position for each clause of the definition.
#[test]
fn hand_made_positions() {
    for (wins, fen, expected) in [
        // Nothing to take.
        (false, "4k3/8/8/8/8/8/4P3/4K3 w - -", [0; 3]),
        // A pawn hangs.
        (true, "4k3/8/8/3p4/4P3/8/8/4K3 w - -", [100; 3]),
        // Its capturer is pinned.
        (false, "4r1k1/8/8/3p4/4P3/8/8/4K3 w - -", [0; 3]),
        // A king that may not take.
        (false, "4k3/8/8/8/8/2b5/3p4/4K3 w - -", [0; 3]),
        // A king that may.
        (true, "4k3/8/8/8/8/8/3p4/4K3 w - -", [100; 3]),
        // A piece hangs elsewhere.
        // exd5 wins a pawn, but Nxa1 follows: neither value is above 0 where a SEE is.
        (true, "4k3/8/8/3p4/4P3/8/2n5/Q5K1 w - -", [0; 3]),
        // A guard is drawn away.
        // After the exchange on d8 the pawn on e5 is unguarded.
        (false, "3r2k1/8/2n5/4p3/8/8/1B6/3R2K1 w - -", [0, 100, 100]),
        // A promotion first.
        // bxc8 wins a knight and becomes one; a queen would be lost to the rook.
        (true, "1rn1k3/1P6/8/8/8/8/8/4K3 w - -", [225; 3]),
        // A promotion inside.
        // After Rxd8 Kxd8 nobody guards a8.
        (false, "3r4/P1k5/8/8/8/8/8/3R2K1 w - -", [0, 500, 500]),
        // En passant first.
        (true, "4k3/8/8/3pP3/8/8/8/4K3 w - d6", [100; 3]),
        // En passant into a pin.
        (false, "4k3/8/8/K2pP2r/8/8/8/8 w - d6", [0; 3]),
        // En passant takes a guard away.
        // The pawn taken en passant can take nothing any more.
        (true, "4k3/8/8/3pP3/2N5/8/8/4K3 w - d6", [100; 3]),
        // The same for Black.
        (true, "4k3/8/8/2n5/3Pp3/8/8/4K3 b - d3", [100; 3]),
        // En passant is over after a move.
        // No move inside is a double step, so nobody takes en passant there.
        (true, "4k3/8/8/2rpP3/8/8/8/2R1K3 w - d6", [500; 3]),
        // En passant is over, also for a pawn that attacks the square.
        (true, "4k3/2p5/5p2/3pP3/8/8/8/4K3 w - d6", [100; 3]),
        // Stand pat in check.
        // Qxb8 gives check, so dxe2 is illegal, and Black stops.
        (true, "1n4k1/8/8/8/8/3p4/1Q2R3/6K1 w - -", [325; 3]),
        // In check, and stops.
        (false, "4k2r/8/8/3p4/4P3/8/8/7K w - -", [0; 3]),
    ] {
        assert_eq!(found(fen), (wins, expected), "{fen}");
    }
}
