//! Batches of awkward sizes and shapes, cut into chunks and folded dispatches.

use crate::common::boards;
use crate::common::gpu;
use swaplist::gpu::{Gpu, GpuOptions};
use swaplist::{Batch, PackedMove, Position, Rules, Sides, noisy_moves};

/// Invocations of a workgroup, by default.
const GROUP: usize = 64;

/// `moves` moves of real positions, several per position, and some positions without moves.
fn batch(moves: usize) -> Batch {
    let mut batch = Batch::new();
    let mut games =
        boards::playouts(moves as u64 + 1).map(|chess| Position::try_from(&chess).unwrap());
    while batch.len() < moves {
        let position = games.next().unwrap();
        let left = moves - batch.len();
        batch.push(position, noisy_moves(&position).into_iter().take(left));
    }
    assert_eq!(batch.len(), moves);
    batch
}

fn check(gpu: &Gpu, batch: &Batch) {
    gpu::equals_cpu(gpu, batch, &Rules::SWAP);
}

#[test]
fn around_the_workgroup() {
    assert_eq!(GpuOptions::default().workgroup as usize, GROUP);
    let gpu = gpu::usual();
    for moves in [
        0,
        1,
        2,
        GROUP - 1,
        GROUP,
        GROUP + 1,
        2 * GROUP,
        4 * GROUP + 1,
    ] {
        check(&gpu, &batch(moves));
    }
}

#[test]
fn around_the_chunk_and_the_slots() {
    for (chunk, workers, slots) in [
        (1, 1, 1),
        (7, 1, 3),
        (7, 4, 1),
        (GROUP, 2, 12),
        (1000, 1, 12),
        (1000, 4, 2),
        (1000, 8, 12),
    ] {
        let gpu = gpu::open(&gpu::with(|of| {
            (of.chunk, of.workers, of.slots) = (chunk, Some(workers), slots);
        }));
        for chunks in [1, 2, 3, 4, 7] {
            for moves in [chunks * chunk - 1, chunks * chunk, chunks * chunk + 1] {
                check(&gpu, &batch(moves));
            }
        }
    }
}

#[test]
fn folded_dispatches() {
    for groups in [1, 2, 3, 10] {
        let gpu = gpu::open(&gpu::with(|of| of.max_workgroups = groups));
        let row = groups as usize * GROUP;
        for moves in [
            1,
            row - 1,
            row,
            row + 1,
            row * groups as usize,
            row * groups as usize + 1,
        ] {
            check(&gpu, &batch(moves));
        }
        check(&gpu, &batch(10_000));
    }
}

#[test]
fn a_position_with_thousands_of_moves() {
    for chunk in [100, 1 << 18] {
        let gpu = gpu::open(&gpu::with(|of| of.chunk = chunk));
        let mut batch = batch(77);
        let position: Position = "1k1r3q/1ppn3p/p4b2/4p3/8/P2N2P1/1PP1R1BP/2K1Q3 w - - 0 1"
            .parse()
            .unwrap();
        batch.push(position, (0..9999).map(|i| PackedMove::from_bits(i * 3)));
        for (position, moves) in self::batch(50).iter() {
            batch.push(*position, moves.iter().copied());
        }
        check(&gpu, &batch);
    }
}

/// More threads than slots, than may fill at once, or than serve a question: some wait.
#[test]
fn shared_between_more_threads_than_slots_and_workers() {
    for (workers, slots) in [(1, 1), (2, 3), (8, 1), (3, 12)] {
        let gpu = gpu::open(&gpu::with(|of| {
            (of.chunk, of.workers, of.slots) = (300, Some(workers), slots);
        }));
        std::thread::scope(|scope| {
            for moves in [1, 100, 200, 250, 299, 700, 1500, 2000] {
                let gpu = &gpu;
                scope.spawn(move || {
                    let batch = batch(moves);
                    for _ in 0..4 {
                        check(gpu, &batch);
                        gpu::verdicts_like_cpu(gpu, batch.positions(), &Rules::SWAP, Sides::Both);
                    }
                });
            }
        });
    }
}
