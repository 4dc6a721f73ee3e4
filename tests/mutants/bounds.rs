//! Answers about bounds of broken shaders.

use crate::common::{answers, boards, gpu};
use swaplist::backend::{BackendError, Cpu};
use swaplist::gpu::Gpu;
use swaplist::gpu::program::SHADER;
use swaplist::{Position, Rules};

use super::mutants;

fn positions() -> Vec<Position> {
    let mut positions = boards::packed(boards::dense(15).take(5000));
    positions.extend(boards::packed(boards::playouts(16).take(5000)));
    positions
}

/// How many answers differ for the first bounds where any do; all of them, if the host rejects
/// the results. Bounds on the threat come first: nearly all mutants show with them, and without
/// them another kernel is compiled.
fn differences(gpu: &Gpu, positions: &[Position]) -> usize {
    let differing = |bounds| {
        let expected = answers::exceeds(&Cpu::new(), positions, &Rules::SWAP, bounds).unwrap();
        match answers::exceeds(gpu, positions, &Rules::SWAP, bounds) {
            Ok(answers) => answers
                .iter()
                .zip(expected)
                .filter(|(a, b)| *a != b)
                .count(),
            Err(BackendError::Wrong(_)) => positions.len(),
            Err(error) => panic!("{error}"),
        }
    };
    let mut counts = gpu::BOUNDS.into_iter().rev().map(differing);
    counts.find(|&count| count > 0).unwrap_or(0)
}

#[test]
fn the_shader_itself_has_no_differences() {
    let gpu = gpu::open(&gpu::patient());
    assert_eq!(differences(&gpu, &positions()), 0);
}

#[test]
#[ignore = "compiles each mutant: `bash tests/run.sh core` runs it"]
fn wrong_answers_differ() {
    let Some(mutants) = mutants(
        "on_gpu::bounds::wrong_answers_differ",
        include_str!("bounds.diff"),
    ) else {
        return;
    };
    let positions = positions();
    for mutant in mutants {
        let gpu = gpu::open(&gpu::with_shader(mutant.of(SHADER)));
        let differing = differences(&gpu, &positions);
        eprintln!("{mutant}: {differing} differ");
        assert!(differing > 0, "{mutant} is not found out");
    }
}
