//! Every size of workgroups, lists, chunks and rings gives the same results; a size that a
//! device cannot have is an error.

use crate::common::{boards, gpu};
use swaplist::backend::BackendError;
use swaplist::gpu::Gpu;
use swaplist::{Choice, PieceValues, Position, Profile, Rules, Sides};

fn positions() -> Vec<Position> {
    let mut positions = boards::packed(boards::playouts(31).take(800));
    positions.extend(boards::packed(boards::dense(31).take(800)));
    // More than any workgroup's lists hold.
    let crowded = "1rbqqbr1/PPPPPPPP/8/K7/7k/8/pppppppp/1RBQQBR1 w - - 0 1";
    positions.extend([crowded.parse::<Position>().unwrap(); 100]);
    positions
}

fn check(gpu: &Gpu, positions: &[Position], rules: &Rules, sides: Sides) {
    gpu::equals_cpu(gpu, &boards::batch(positions), rules);
    gpu::judges_some_like_cpu(gpu, positions, rules, sides);
}

#[test]
fn workgroups_and_lists_of_every_size_agree() {
    let positions = positions();
    // For one side and two each, by verdicts or by bounds.
    let shapes = [(32, 1), (64, 3), (96, 4), (128, 3), (256, 1)];
    for (i, (workgroup, list)) in shapes.into_iter().enumerate() {
        let options = gpu::with(|of| (of.workgroup, of.list) = (workgroup, list));
        let gpu = gpu::open(&options);
        let rules = Rules::new(Profile::ALL[i % 4], PieceValues::CPW);
        let sides = [Sides::Both, Sides::ToMove][i % 2];
        check(&gpu, &positions, &rules, sides);
        for count in [workgroup / 2 - 1, workgroup + 1] {
            check(&gpu, &positions[..count as usize], &rules, sides);
        }
    }
}

#[test]
fn chunks_and_workers_of_every_size_agree() {
    let positions = positions();
    for (chunk, workers) in [(1, 3), (1000, 1), (1000, 64), (131_072, 2), (1 << 20, 1)] {
        let gpu = gpu::open(&gpu::with(|of| {
            (of.chunk, of.workers) = (chunk, Some(workers));
        }));
        // Chunks of one take long.
        let few = if chunk == 1 { 200 } else { positions.len() };
        check(
            &gpu,
            &positions[..few],
            &Rules::SWAP,
            [Sides::ToMove, Sides::Both][usize::from(workers > 1)],
        );
    }
}

/// More positions in a chunk than a request can index: verdicts have no requests.
#[test]
fn verdicts_come_in_larger_chunks_than_scores() {
    let gpu = gpu::open(&gpu::with(|of| (of.chunk, of.workers) = (1 << 18, Some(1))));
    let some = positions();
    let many: Vec<_> = some.iter().copied().cycle().take(140_000).collect();
    gpu::verdicts_like_cpu(&gpu, &many, &Rules::SWAP, Sides::ToMove);
}

#[test]
fn what_the_device_does_not_take_is_an_error() {
    let (device, queue) = gpu::own_device();
    let most = device.limits().max_compute_invocations_per_workgroup;
    for (options, words) in [
        (gpu::with(|of| of.workgroup = most + 32), "too large"),
        (
            gpu::with(|of| (of.workgroup, of.list) = (most, 64)),
            "workgroup memory",
        ),
        (gpu::with(|of| of.workgroup = 33), "multiple of 32"),
        (gpu::with(|of| of.workgroup = 0), "can be 32 to"),
        (gpu::with(|of| of.chunk = 0), "can be 1 to"),
        (gpu::with(|of| of.workers = Some(65)), "can be 1 to"),
        (gpu::with(|of| of.slots = 0), "can be 1 to"),
        (gpu::with(|of| of.slots = 65), "can be 1 to"),
        (gpu::with(|of| of.list = 0), "can be 1 to"),
    ] {
        let opened = Gpu::from_device(device.clone(), queue.clone(), &options);
        let Err(BackendError::Device(what)) = opened.map(|gpu| gpu.adapter().name.clone()) else {
            panic!("{options:?} is taken");
        };
        assert!(what.contains(words), "{what}");
    }
}
