//! Evaluation inside a worker thread: the workers are the CPU's threads, as the
//! evaluator is told by `callers`.

use super::pipeline::Plan;
use swaplist::{Batch, Beyond, Bounds, Evaluator, Position, Rules, Verdict};

/// How many records to evaluate at a time, where that is free: a GPU wants many.
pub fn records_a_part(evaluator: &Evaluator) -> usize {
    if evaluator.uses_gpu() {
        1 << 16
    } else {
        Plan::PART
    }
}

pub fn verdicts(
    evaluator: &Evaluator,
    positions: &[Position],
    rules: &Rules,
    with_threat: bool,
) -> Vec<Verdict> {
    evaluator.verdicts(positions, rules, with_threat)
}

/// What is beyond the bounds in each position; as many answers.
pub fn beyond(
    evaluator: &Evaluator,
    positions: &[Position],
    rules: &Rules,
    bounds: Bounds,
    beyond: &mut [Beyond],
) {
    if evaluator.uses_gpu() {
        let verdicts = evaluator.verdicts(positions, rules, bounds.threat.is_some());
        for (beyond, verdict) in beyond.iter_mut().zip(&verdicts) {
            *beyond = bounds.beyond(verdict);
        }
    } else {
        evaluator
            .cpu_backend()
            .beyond_here(positions, rules, bounds, beyond);
    }
}

/// The score of each move of a batch, in its order.
pub fn scores(evaluator: &Evaluator, batch: &Batch, rules: &Rules) -> Vec<i32> {
    evaluator.scores(batch, rules)
}
