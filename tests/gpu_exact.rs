//! The GPU against the CPU, the oracle and the hand-made cases, bit for bit.

#![cfg(feature = "gpu")]

mod common;

use common::{boards, cases, gpu, oracle};
use shakmaty::Chess;
use swaplist::backend::gpu::Options;
use swaplist::{Batch, Capture, PieceValues, Position, Profile, Rules};

#[test]
fn tricky_cases() {
    let Some(gpu) = gpu::open(Options::new()) else {
        return;
    };
    for case in cases::tricky() {
        let mut batch = Batch::new();
        let capture = Capture::from_move(case.mv).unwrap();
        batch.push(Position::try_from(&case.chess).unwrap(), [capture]);
        for profile in Profile::ALL {
            let rules = Rules::new(profile, case.values);
            assert_eq!(
                gpu::score(&gpu, &batch, &rules),
                [case.expected(profile)],
                "{} {profile}",
                case.name
            );
        }
    }
}

/// Positions with their noisy moves, and the oracle's values of them.
fn against_the_oracle(positions: impl Iterator<Item = Chess>, values: PieceValues) -> usize {
    let Some(gpu) = gpu::open(Options::new()) else {
        return 0;
    };
    let positions: Vec<_> = positions.collect();
    let mut batch = Batch::new();
    for chess in &positions {
        let moves = oracle::noisy(chess);
        let captures = moves.iter().map(|&m| Capture::from_move(m).unwrap());
        batch.push(Position::try_from(chess).unwrap(), captures);
    }
    for profile in Profile::ALL {
        let rules = Rules::new(profile, values);
        gpu::equals_cpu(&gpu, &batch, &rules);
        let scores = gpu::score(&gpu, &batch, &rules);
        let moves = positions
            .iter()
            .flat_map(|chess| oracle::noisy(chess).into_iter().map(move |m| (chess, m)));
        let mut compared = 0;
        for ((chess, m), score) in moves.zip(&scores) {
            assert_eq!(
                *score,
                oracle::see(chess, m, &rules),
                "{chess:?} {m} {rules}"
            );
            compared += 1;
        }
        assert_eq!(compared, batch.len());
    }
    let compared = batch.len() * Profile::ALL.len();
    eprintln!("{compared} values of the oracle, the CPU and the GPU are equal");
    compared
}

#[test]
fn playouts() {
    against_the_oracle(boards::playouts(11).take(20_000), PieceValues::CPW);
}

#[test]
fn dense() {
    against_the_oracle(boards::dense(11).take(10_000), PieceValues::STOCKFISH);
}
