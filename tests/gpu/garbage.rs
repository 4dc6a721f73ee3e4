//! Any 32 bytes as a position and any 15 bits as a move: the GPU gives the CPU's number and
//! neither hangs nor panics.

use swaplist::values::MAX_VALUE;
use swaplist::{Batch, PackedMove, PieceValues, Position};
use swaplist_files::check;

use crate::common::boards::{MOVE_BITS, Random, garbage, with_two_kings};
use crate::common::gpu;
use crate::common::rules::profiles;

fn batch(seed: u64, positions: usize) -> Batch {
    let mut random = Random(seed);
    let mut batch = Batch::new();
    for _ in 0..positions {
        let position = garbage(&mut random);
        let captures: Vec<_> = (0..random.below(12))
            .map(|_| PackedMove::from_bits(random.next() as u16))
            .collect();
        batch.push(position, captures);
    }
    batch
}

#[test]
fn every_combination_of_rules_on_random_bytes() {
    let gpu = gpu::usual();
    let compared: usize = check::candidates(PieceValues::STOCKFISH)
        .iter()
        .enumerate()
        .map(|(seed, rules)| gpu::equals_cpu(&gpu, &batch(seed as u64, 1500), rules))
        .sum();
    assert!(compared > 300_000, "{compared}");
    eprintln!("{compared} values of random bytes are equal");
}

#[test]
fn extreme_values_on_random_bytes() {
    let gpu = gpu::usual();
    let batch = batch(99, 3000);
    for values in [
        [MAX_VALUE; 5],
        [-MAX_VALUE; 5],
        [0; 5],
        // Scores that just fit in 16 bits, and some that may not.
        [8191; 5],
        [8192; 5],
        [-10_922, 0, 0, 0, -1],
        [-10_923, 0, 0, 0, -1],
        [-MAX_VALUE, MAX_VALUE, -1, 1, MAX_VALUE],
        [MAX_VALUE, -MAX_VALUE, 0, -7, -MAX_VALUE],
    ] {
        let values = PieceValues::new(values).unwrap();
        for rules in check::candidates(values).iter().step_by(5) {
            gpu::equals_cpu(&gpu, &batch, rules);
        }
    }
}

/// All 32,768 moves on some positions: every square, promotion code and nonsense.
#[test]
fn every_move_of_some_positions() {
    let gpu = gpu::usual();
    let mut random = Random(3);
    let mut batch = Batch::new();
    let first: Position = "1k1r3q/1ppn3p/p4b2/4p3/8/P2N2P1/1PP1R1BP/2K1Q3 w - - 0 1"
        .parse()
        .unwrap();
    for position in [first, garbage(&mut random), garbage(&mut random)] {
        batch.push(position, (0..1 << MOVE_BITS).map(PackedMove::from_bits));
    }
    for rules in check::candidates(PieceValues::STOCKFISH).iter().step_by(7) {
        gpu::equals_cpu(&gpu, &batch, rules);
    }
}

#[test]
fn verdicts_on_random_bytes() {
    let gpu = gpu::usual();
    let mut random = Random(14);
    let mut positions: Vec<_> = (0..4000).map(|_| garbage(&mut random)).collect();
    positions.extend((0..8000).map(|_| with_two_kings(garbage(&mut random).planes())));
    for rules in profiles(PieceValues::STOCKFISH) {
        gpu::judges_like_cpu(&gpu, &positions, &rules);
    }
}
