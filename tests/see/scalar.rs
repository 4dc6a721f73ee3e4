//! The CPU's exchange compared with the hand-made cases and the oracle, on made and real
//! positions.

use shakmaty::{Chess, Move};
use swaplist::{Choice, PackedMove, PieceValues, Position, Profile, Rules};
use swaplist_files::check;

use crate::common::rules::profiles;
use crate::common::{boards, cases, oracle, real};

/// Compares every noisy move of a position under some rules; returns the number.
fn agrees(chess: &Chess, all: &[Rules]) -> usize {
    let position = Position::try_from(chess).unwrap();
    let moves = oracle::noisy(chess);
    for &m in &moves {
        let capture = PackedMove::from_move(m).unwrap();
        for rules in all {
            let expected = oracle::see(chess, m, rules);
            assert_eq!(
                rules.see(&position, capture),
                expected,
                "{position} {m} {rules}"
            );
        }
    }
    moves.len()
}

/// A move's value by the oracle and by each function of the rules.
#[track_caller]
fn assert_value(chess: &Chess, m: Move, rules: &Rules, expected: i32) {
    let position = Position::try_from(chess).unwrap();
    let name = format!("{position} {m} {rules}");
    assert_eq!(oracle::see(chess, m, rules), expected, "oracle: {name}");
    let capture = PackedMove::from_move(m).unwrap();
    assert_eq!(rules.see(&position, capture), expected, "{name}");
    assert_eq!(rules.trace(&position, capture).value, expected, "{name}");
    for threshold in expected - 1..=expected + 1 {
        let ge = rules.see_ge(&position, capture, threshold);
        assert_eq!(ge, expected >= threshold, "{name} {threshold}");
    }
}

#[test]
fn tricky_cases() {
    for case in cases::tricky() {
        for &profile in Profile::ALL {
            let rules = Rules::new(profile, case.values);
            assert_value(&case.chess, case.mv, &rules, case.expected(profile));
        }
    }
}

/// Position, move, and its values under `swap`, `sf8`, `sf` and `legal`.
#[rustfmt::skip]
const KNOWN: [(&str, &str, [i32; 4]); 34] = [
    // Pruning keeps the sign but not the value.
    ("4k3/8/2p5/3q4/4P3/8/8/4K3 w - - 0 1", "e4d5", [900; 4]),
    // Nxe5 dxe5 Nxe5: a knight for two pawns.
    ("4k3/8/3p4/4p3/8/3N1N2/8/4K3 w - - 0 1", "d3e5", [-125; 4]),
    ("4k3/8/3p4/4p3/8/3N4/8/4K3 w - - 0 1", "d3e5", [-225; 4]),
    // A king may not capture on a guarded square, whatever it is worth.
    ("8/6b1/5k2/4p3/4KP2/8/8/8 w - - 0 1", "f4e5", [100; 4]),
    // The captured rook pins the queen no longer: on Nxe4 it recaptures.
    ("4k3/4q3/8/3p4/4R3/2N5/8/3K4 b - - 0 1", "d5e4", [500; 4]),
    ("5k2/4q3/3Q4/4p3/8/8/2K5/8 w - - 0 1", "d6e5", [-900; 4]),
    // A capture can create a pin.
    ("4k3/4b3/8/2p5/4N3/8/8/4R2K w - - 0 1", "e4c5", [-225, -225, -225, 100]),
    // The least valuable recaptures first, though minimax would not.
    ("4k3/8/7b/8/5Q2/4q3/3P4/3K4 b - - 0 1", "e3d2", [-225; 4]),
    // Pawns capture forwards; victims are not their attackers' type.
    ("4k3/8/8/4p3/3p4/3N4/8/4K3 w - - 0 1", "d3e5", [100; 4]),
    ("4k3/8/8/4r3/8/3N4/8/4K3 w - - 0 1", "d3e5", [500; 4]),
    // The black queen attacks d5 through the white bishop that captures first.
    ("7k/8/8/3p4/8/1B6/q7/7K w - - 0 1", "b3d5", [-225; 4]),
    // No slider joins after a knight, even if it is on its line.
    ("7k/8/8/4p3/8/3N4/2B5/7K w - - 0 1", "d3e5", [100; 4]),
    // Promotions that capture.
    ("3r3k/4P3/8/8/8/8/8/7K w - - 0 1", "e7d8q", [1400, 500, 0, 1400]),
    ("r2r3k/4P3/8/8/8/8/8/7K w - - 0 1", "e7d8q", [400, 400, 0, 400]),
    ("8/4P1k1/8/8/8/8/8/4K3 w - - 0 1", "e7e8q", [900, 0, 0, 900]),
    // En passant: d5 leaves, and a black rook after it, a white one, and both.
    ("7k/8/8/3pP3/8/8/8/7K w - d6 0 1", "e5d6", [100, 100, 0, 100]),
    ("7k/8/8/3pP3/8/8/6K1/3r4 w - d6 0 1", "e5d6", [0, 0, 0, 0]),
    ("7k/2p5/8/3pP3/8/8/6K1/3R4 w - d6 0 1", "e5d6", [100, 100, 0, 100]),
    ("3r3k/8/8/3pP3/8/3R4/6K1/3R4 w - d6 0 1", "e5d6", [100, 100, 0, 100]),
    ("3r3k/8/8/3pP3/8/3R4/6K1/3q4 w - d6 0 1", "e5d6", [0, 0, 0, 0]),
    // e5 leaves: a bishop of each side after it.
    ("7k/8/8/3pP3/5b2/8/6K1/8 w - d6 0 1", "e5d6", [0, 0, 0, 0]),
    ("7k/2p5/8/3pP3/5B2/8/6K1/8 w - d6 0 1", "e5d6", [100, 100, 0, 100]),
    ("7k/2p5/8/3pP3/5B2/6b1/8/K7 w - d6 0 1", "e5d6", [0, 0, 0, 0]),
    // The same for Black.
    ("3R4/6k1/8/8/3Pp3/8/8/7K b - d3 0 1", "e4d3", [0, 0, 0, 0]),
    ("3r4/6k1/8/8/3Pp3/8/2P5/7K b - d3 0 1", "e4d3", [100, 100, 0, 100]),
    // Two rooks on one file pin Qe7: `sf` ignores the front one.
    ("4k3/4q3/8/2p5/1P6/8/4R3/K3R3 w - - 0 1", "b4c5", [0, 100, 100, 100]),
    // Both of Black's guards of d5 are pinned, from two sides.
    ("4k3/4n3/2b5/1B1p4/2P5/8/8/K3R3 w - - 0 1", "c4d5", [0, 100, 100, 100]),
    // axb5 takes one of two pinners: `sf8` lifts both pins, `sf` neither, though the bishop on
    // c6 is free.
    ("4k3/4n3/p1b5/1B6/2P5/8/8/K3R3 b - - 0 1", "a6b5", [325, 325, 225, 325]),
    // Moves that are not captures.
    ("4k3/8/8/8/8/8/8/4K2R w K - 0 1", "e1h1", [0; 4]),
    ("4k3/8/8/8/8/8/8/4K2R w K - 0 1", "e1g1", [0; 4]),
    ("4k3/8/8/4p3/8/4N3/8/4K3 w - - 0 1", "e3d5", [0; 4]),
    ("4k3/8/8/4p3/8/4N3/8/4K3 w - - 0 1", "e3f5", [0; 4]),
    ("4k3/8/4p3/8/8/4N3/8/4K3 w - - 0 1", "e3d5", [-325; 4]),
    ("4k3/8/8/8/8/8/4p3/4K3 w - - 0 1", "e1e2", [100; 4]),
];

#[test]
fn known_values() {
    for (fen, uci, values) in KNOWN {
        let chess = boards::board(fen);
        for (rules, value) in profiles(PieceValues::CPW).iter().zip(values) {
            assert_value(&chess, boards::mv(&chess, uci), rules, value);
        }
        agrees(&chess, &check::candidates(PieceValues::CPW));
    }
}

#[test]
fn long_exchanges() {
    for (length, fen, uci) in boards::LONG {
        let chess = boards::board(fen);
        let m = boards::mv(&chess, uci);
        let position = Position::try_from(&chess).unwrap();
        let trace = Rules::SWAP.trace(&position, PackedMove::from_move(m).unwrap());
        assert_eq!(1 + trace.recaptures.len(), length, "{fen}");
        for rules in profiles(PieceValues::CPW) {
            assert_value(&chess, m, &rules, oracle::see(&chess, m, &rules));
        }
    }
    assert_eq!(boards::LONG.map(|long| long.0).into_iter().max(), Some(29));
}

/// As engines ask: a king that moves first is never recaptured.
#[test]
fn a_king_to_a_guarded_square() {
    let position: Position = "4k3/8/8/8/8/3p4/4p3/4K3 w - - 0 1".parse().unwrap();
    let guarded = PackedMove::new(shakmaty::Square::E1, shakmaty::Square::E2, None);
    for rules in profiles(PieceValues::CPW) {
        assert_eq!(rules.see(&position, guarded), 100, "{rules}");
        assert!(rules.trace(&position, guarded).recaptures.is_empty());
    }
}

/// The two traces on CPW's page "SEE - The Swap Algorithm".
#[test]
fn cpws_traces() {
    let trace = |fen: &str, uci: &str| {
        let position: Position = fen.parse().unwrap();
        let capture = swaplist::noisy_moves(&position)
            .into_iter()
            .find(|capture| capture.to_string() == uci)
            .unwrap();
        Rules::SWAP.trace(&position, capture)
    };
    let free = trace("1k1r4/1pp4p/p7/4p3/8/P5P1/1PP4P/2K1R3 w - - 0 1", "e1e5");
    assert_eq!(free.value, 100);
    assert_eq!(free.swap_list(), [100, 400]);

    let fen = "1k1r3q/1ppn3p/p4b2/4p3/8/P2N2P1/1PP1R1BP/2K1Q3 w - - 0 1";
    let contested = trace(fen, "d3e5");
    assert_eq!(contested.value, -225);
    assert_eq!(contested.swap_list(), [100, 225, 100, 400, -75, 1075, -75]);
    let capturers: Vec<_> = contested
        .recaptures
        .iter()
        .map(|r| r.piece.to_string())
        .collect();
    assert_eq!(capturers, ["Nd7", "Re2", "Bf6", "Qe1", "Qh8"]);
}

/// Every capture of real games and of rare positions, in all four profiles.
#[test]
#[ignore = "needs SWAPLIST_DATA"]
fn real_data_matches_the_oracle() {
    let all = profiles(PieceValues::CPW);
    let moves = real::total(|chess| agrees(chess, &all));
    println!("{moves} captures under 4 profiles");
    assert!(moves > 250_000, "{moves}");
}
