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

#[test]
fn noisy_moves_are_shakmatys() {
    use shakmaty::{EnPassantMode, Position as _};
    for chess in boards::playouts(2)
        .take(50_000)
        .chain(boards::dense(2).take(50_000))
    {
        let position = Position::try_from(&chess).unwrap();
        let expected: Vec<_> = oracle::noisy(&chess)
            .into_iter()
            .map(|m| Capture::from_move(m).unwrap())
            .collect();
        assert_eq!(swaplist::noisy_moves(&position), expected, "{position}");
        assert_eq!(position.in_check(), chess.is_check());
        let rules = Rules::SWAP;
        let v = rules.verdict(&position, true);
        assert_eq!(v.noisy as usize, expected.len());
        if !chess.is_check() {
            let null = swaplist::position::chess_from_setup(
                chess.to_setup(EnPassantMode::Always).into_swapped_turn(),
            )
            .unwrap();
            let np = Position::try_from(&null).unwrap();
            assert_eq!(v.threat, rules.verdict(&np, false).best);
        } else {
            assert_eq!(v.threat, None);
        }
    }
}
