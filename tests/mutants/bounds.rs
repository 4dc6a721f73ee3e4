//! Answers about bounds of broken shaders.

use crate::common::{boards, gpu};
use swaplist::backend::{BackendError, Cpu};
use swaplist::gpu::Gpu;
use swaplist::gpu::program::SHADER;
use swaplist::{Position, Rules};

/// The mistake, the text and its replacement.
const MUTANTS: [(&str, &str, &str); 16] = [
    (
        "a value on the bound exceeds it",
        "if atomicLoad(&best_see[own]) > params.bounds.x {",
        "if atomicLoad(&best_see[own]) >= params.bounds.x {",
    ),
    (
        "a threat on the bound exceeds it",
        "if atomicLoad(&best_see[other]) > params.bounds.y {",
        "if atomicLoad(&best_see[other]) >= params.bounds.y {",
    ),
    (
        "the threat is compared with the other bound",
        "if atomicLoad(&best_see[other]) > params.bounds.y {",
        "if atomicLoad(&best_see[other]) > params.bounds.x {",
    ),
    (
        "one threat is two",
        "atomicLoad(&won[other]))) > 1u {",
        "atomicLoad(&won[other]))) > 0u {",
    ),
    (
        "wins are looked for on half of the board",
        "if count(vec2<u32>(atomicLoad(&won[own]), atomicLoad(&won[other]))) > 1u {",
        "if count(vec2<u32>(atomicLoad(&won[own]), 0u)) > 1u {",
    ),
    (
        "check is not told",
        "word |= ANSWER_IN_CHECK;",
        "word |= 0u;",
    ),
    (
        "the window ends below what exceeds it",
        "vec2<i32>(params.bounds.x, params.bounds.x + 1);",
        "vec2<i32>(params.bounds.x - 1, params.bounds.x);",
    ),
    (
        "the window begins too high",
        "vec2<i32>(params.bounds.x, params.bounds.x + 1);",
        "vec2<i32>(params.bounds.x + 1, params.bounds.x + 2);",
    ),
    (
        "the opponent's window is the mover's",
        "return select(own, params.bounds.zw, side % SIDES == 1u);",
        "return own;",
    ),
    (
        "captures just above the bound are moot",
        "return is_known || (bound <= window.x);",
        "return is_known || (bound <= window.x + 100);",
    ),
    (
        "what is known of one side is known of both",
        "let is_known = (side % SIDES == 0u) && (atomicLoad(&best_see[side]) >= window.y);",
        "let is_known = atomicLoad(&best_see[side & ~1u]) >= window.y;",
    ),
    (
        "known before it is",
        "(atomicLoad(&best_see[side]) >= window.y);",
        "(atomicLoad(&best_see[side]) >= window.x);",
    ),
    (
        "the window is not turned around",
        "var alpha = -asked.y;",
        "var alpha = asked.x;",
    ),
    (
        "the upper bound is not turned around",
        "var beta = -asked.x;",
        "var beta = asked.y;",
    ),
    (
        "answers are not written",
        "answers[word + ANSWER_WORDS - 1u] |= answer(SIDES * lane);",
        "",
    ),
    (
        "the answer of the wrong side",
        "answers[word + ANSWER_WORDS - 1u] |= answer(SIDES * lane);",
        "answers[word + ANSWER_WORDS - 1u] |= answer(lane);",
    ),
];

fn positions() -> Vec<Position> {
    let mut positions = boards::packed(boards::dense(15).take(10_000));
    positions.extend(boards::packed(boards::playouts(16).take(10_000)));
    positions
}

/// How many answers differ for the first bounds where any do; all of them, if the host rejects
/// the results.
fn differences(gpu: &Gpu, positions: &[Position]) -> usize {
    let differing = |bounds| {
        let expected = gpu::exceeds(&Cpu::new(), positions, &Rules::SWAP, bounds).unwrap();
        match gpu::exceeds(gpu, positions, &Rules::SWAP, bounds) {
            Ok(answers) => answers
                .iter()
                .zip(expected)
                .filter(|(a, b)| *a != b)
                .count(),
            Err(BackendError::Wrong(_)) => positions.len(),
            Err(error) => panic!("{error}"),
        }
    };
    let mut counts = gpu::BOUNDS.into_iter().map(differing);
    counts.find(|&count| count > 0).unwrap_or(0)
}

#[test]
fn wrong_answers_differ() {
    let positions = positions();
    for (what, from, to) in MUTANTS {
        assert_eq!(
            SHADER.matches(from).count(),
            1,
            "once in the shader: {from}"
        );
        let Some(gpu) = gpu::open(&gpu::patient().shader(SHADER.replace(from, to))) else {
            return;
        };
        let differing = differences(&gpu, &positions);
        eprintln!("{what}: {differing} differ");
        assert!(differing > 0, "{what} is not found out");
    }
    let Some(gpu) = gpu::open(&gpu::patient()) else {
        return;
    };
    assert_eq!(differences(&gpu, &positions), 0);
}
