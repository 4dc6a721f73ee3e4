//! Scores and verdicts on positions of real games.

use core::array;
use std::fs;

use crate::common::{answers, boards, data, gpu, oracle, verdicts::Judgement};
use shakmaty::Chess;
use swaplist::backend::Cpu;
use swaplist::{Batch, Choice, PackedMove, PieceValues, Position, Profile, Rules};

/// The positions of a file of FENs.
fn positions(name: &str) -> Vec<Chess> {
    data::text(name).lines().map(boards::board).collect()
}

/// Oracle, CPU and GPU on all noisy moves of a file and on its verdicts, under all profiles;
/// returns the number of values.
fn compare(name: &str) -> usize {
    let values = compare_all(positions(name));
    eprintln!("{name}: {values} values are equal");
    values
}

fn compare_all(positions: Vec<Chess>) -> usize {
    let gpu = gpu::open(&gpu::patient());
    let moves: Vec<_> = positions.iter().map(oracle::noisy).collect();
    let mut batch = Batch::new();
    for (chess, moves) in positions.iter().zip(&moves) {
        let captures = moves.iter().map(|&m| PackedMove::from_move(m).unwrap());
        batch.push(Position::try_from(chess).unwrap(), captures);
    }
    for &profile in Profile::ALL {
        let rules = Rules::new(profile, PieceValues::CPW);
        gpu::equals_cpu(&gpu, &batch, &rules);
        let mut scores = answers::scores(&gpu, &batch, &rules).unwrap().into_iter();
        for (chess, moves) in positions.iter().zip(&moves) {
            for &m in moves {
                let expected = Some(oracle::see(chess, m, &rules));
                assert_eq!(scores.next(), expected, "{chess:?} {m} {rules}");
            }
        }
        assert_eq!(scores.next(), None);
    }
    let profiles: [_; 4] = array::from_fn(|i| Rules::new(Profile::ALL[i], PieceValues::CPW));
    let judged = Judgement::new(positions.into_iter(), &profiles);
    let verdicts = judged.check(&gpu);
    assert_eq!(judged.check(&Cpu::new()), verdicts);
    batch.len() * Profile::ALL.len()
}

#[test]
#[ignore = "needs SWAPLIST_DATA"]
fn real_data_human_games() {
    let values = compare("human_100k.fen");
    assert!(values > 400_000, "{values}");
}

#[test]
#[ignore = "needs SWAPLIST_DATA"]
fn real_data_rare_positions() {
    let mut files: Vec<_> = fs::read_dir(data::path("rare"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "fen"))
        .collect();
    files.sort();
    assert!(files.len() >= 10, "{files:?}");
    for file in &files {
        compare(file.to_str().unwrap());
    }
}

/// More than a million captures under four profiles, in parts to save memory.
#[test]
#[ignore = "needs SWAPLIST_DATA"]
fn real_data_a_million_captures() {
    let positions = positions("human_1m.fen.zst");
    let parts = positions.chunks(100_000).take(5);
    let values: usize = parts.map(|part| compare_all(part.to_vec())).sum();
    eprintln!("human_1m.fen.zst: {values} values are equal");
    assert!(values > 4_000_000, "{values}");
}
