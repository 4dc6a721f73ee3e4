//! The CPU's exchange against the hand-made cases and the oracle.

mod common;

use common::{boards, cases, oracle};
use shakmaty::Chess;
use swaplist::{Capture, PieceValues, Position, Profile, Rules};

/// Compares every noisy move of a position under every profile; how many.
fn agrees(chess: &Chess, values: PieceValues) -> usize {
    let position = Position::try_from(chess).unwrap();
    let moves = oracle::noisy(chess);
    for &m in &moves {
        let capture = Capture::from_move(m).unwrap();
        for profile in Profile::ALL {
            let rules = Rules::new(profile, values);
            let expected = oracle::see(chess, m, &rules);
            assert_eq!(
                rules.see(&position, capture),
                expected,
                "{position} {m} {rules}"
            );
        }
    }
    moves.len()
}

#[test]
fn tricky_cases() {
    for case in cases::tricky() {
        let position = Position::try_from(&case.chess).unwrap();
        let capture = Capture::from_move(case.mv).unwrap();
        for profile in Profile::ALL {
            let rules = Rules::new(profile, case.values);
            assert_eq!(
                oracle::see(&case.chess, case.mv, &rules),
                case.expected(profile),
                "oracle: {} {profile}",
                case.name
            );
            assert_eq!(
                rules.see(&position, capture),
                case.expected(profile),
                "{} {profile}",
                case.name
            );
        }
    }
}

#[test]
fn playouts() {
    let n: usize = boards::playouts(1)
        .take(20_000)
        .map(|chess| agrees(&chess, PieceValues::CPW))
        .sum();
    println!("{n}");
}
#[test]
fn dense() {
    let n: usize = boards::dense(1)
        .take(20_000)
        .map(|chess| agrees(&chess, PieceValues::CPW))
        .sum();
    println!("{n}");
}
