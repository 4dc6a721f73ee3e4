//! Batches of awkward sizes and shapes, cut into chunks and folded dispatches.

use crate::common::boards::{self, Random};
use crate::common::{answers, gpu};
use swaplist::backend::Backend;
use swaplist::gpu::program::Shape;
use swaplist::gpu::{Gpu, Options};
use swaplist::{Batch, Capture, PieceValues, Position, Profile, Rules, noisy_moves};

const GROUP: usize = Shape::USUAL.workgroup as usize;

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
    let gpu = gpu::open(&Options::new());
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
    for (chunk, threads) in [(1, 1), (7, 1), (GROUP, 1), (GROUP, 2), (1000, 1), (1000, 4)] {
        let gpu = gpu::open(&Options::new().chunk(chunk).workers(threads));
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
        let gpu = gpu::open(&Options::new().max_workgroups(groups));
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
fn positions_without_moves() {
    let gpu = gpu::open(&Options::new().chunk(16));
    let position: Position = "1k1r4/1pp4p/p7/4p3/8/P5P1/1PP4P/2K1R3 w - - 0 1"
        .parse()
        .unwrap();
    let mut batch = Batch::new();
    let mut random = Random(5);
    for _ in 0..20 {
        for _ in 0..random.below(100) {
            batch.push(position, []);
        }
        check(&gpu, &batch);
        batch.push(position, noisy_moves(&position));
        check(&gpu, &batch);
    }
}

#[test]
fn a_position_with_thousands_of_moves() {
    for chunk in [100, 1 << 18] {
        let gpu = gpu::open(&Options::new().chunk(chunk));
        let mut batch = batch(77);
        let position: Position = "1k1r3q/1ppn3p/p4b2/4p3/8/P2N2P1/1PP1R1BP/2K1Q3 w - - 0 1"
            .parse()
            .unwrap();
        batch.push(position, (0..9999).map(|i| Capture::from_bits(i * 3)));
        batch.append(&self::batch(50));
        check(&gpu, &batch);
    }
}

/// More positions than a request can index.
#[test]
fn more_positions_than_a_chunk_can_name() {
    let gpu = gpu::open(&Options::new().chunk(1 << 20));
    let some = batch(1000);
    let mut batch = Batch::new();
    let mut random = Random(8);
    for _ in 0..300_000 {
        let i = random.below(some.positions().len());
        let captures = &some.captures()[some.range(i)];
        batch.push(some.positions()[i], captures.iter().copied().take(1));
    }
    check(&gpu, &batch);
}

#[test]
fn order_and_chunks_do_not_matter() {
    let some = batch(5000);
    let mut reversed = Batch::new();
    for (position, captures) in some.iter().collect::<Vec<_>>().into_iter().rev() {
        reversed.push(*position, captures.iter().rev().copied());
    }
    for chunk in [33, 4096] {
        let gpu = gpu::open(&Options::new().chunk(chunk));
        for profile in Profile::ALL {
            let rules = Rules::new(profile, PieceValues::CPW);
            let mut backwards = answers::scores(&gpu, &reversed, &rules).unwrap();
            backwards.reverse();
            assert_eq!(answers::scores(&gpu, &some, &rules).unwrap(), backwards);
        }
    }
}

#[test]
fn shared_between_threads() {
    let gpu = gpu::open(&Options::new().chunk(500));
    std::thread::scope(|scope| {
        for moves in [100, 700, 3000, 4000] {
            let gpu = &gpu;
            scope.spawn(move || {
                let batch = batch(moves);
                for _ in 0..5 {
                    check(gpu, &batch);
                }
            });
        }
    });
}

/// More threads than workers: some wait for one.
#[test]
fn shared_between_more_threads_than_workers() {
    for workers in [1, 2] {
        let gpu = gpu::open(&Options::new().chunk(300).workers(workers));
        std::thread::scope(|scope| {
            for moves in [1, 100, 700, 1500, 2000] {
                let gpu = &gpu;
                scope.spawn(move || {
                    let batch = batch(moves);
                    for _ in 0..4 {
                        check(gpu, &batch);
                        gpu::judges_like_cpu(gpu, batch.positions(), &Rules::SWAP);
                    }
                });
            }
        });
    }
}

#[test]
fn kernels_are_timed_where_the_device_can() {
    let gpu = gpu::open(&Options::new().timestamps(true).chunk(1000));
    assert_eq!(gpu.kernel_time(), None, "before any batch");
    check(&gpu, &batch(5000));
    let time = gpu.kernel_time();
    eprintln!("kernels of {}: {time:?}", gpu.name());
    assert_eq!(time.is_some(), gpu.adapter().timestamps);
    if let Some(time) = time {
        assert!(!time.is_zero() && time < std::time::Duration::from_mins(1));
    }
    let untimed = gpu::open(&Options::new());
    check(&untimed, &batch(100));
    assert_eq!(untimed.kernel_time(), None);
}
