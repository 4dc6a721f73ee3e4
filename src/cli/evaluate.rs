//! Evaluation inside a worker thread.

use super::pipeline::Plan;
use swaplist::{Batch, Evaluator, Position, Rules, Verdict};

/// How many records to evaluate at a time, where that is free: a GPU wants many.
pub fn records_a_part(evaluator: &Evaluator) -> usize {
    if evaluator.uses_gpu() {
        1 << 16
    } else {
        Plan::PART
    }
}

/// The verdict on each position.
pub fn verdicts(
    evaluator: &Evaluator,
    positions: &[Position],
    rules: &Rules,
    with_threat: bool,
) -> Vec<Verdict> {
    let mut verdicts = vec![Verdict::default(); positions.len()];
    judge(evaluator, positions, rules, with_threat, &mut verdicts);
    verdicts
}

/// The same into memory that is there: as many verdicts as positions. The workers are
/// the CPU's threads: only a GPU is worth handing a block to.
pub fn judge(
    evaluator: &Evaluator,
    positions: &[Position],
    rules: &Rules,
    with_threat: bool,
    verdicts: &mut [Verdict],
) {
    if evaluator.uses_gpu() {
        let judged = evaluator.verdicts(positions, rules, with_threat);
        verdicts.copy_from_slice(&judged);
    } else {
        evaluator
            .cpu_backend()
            .judge_here(positions, rules, with_threat, verdicts);
    }
}

/// The score of each move of a batch, in its order.
pub fn scores(evaluator: &Evaluator, batch: &Batch, rules: &Rules) -> Vec<i32> {
    if evaluator.uses_gpu() {
        return evaluator.scores(batch, rules);
    }
    let mut scores = vec![0; batch.len()];
    evaluator
        .cpu_backend()
        .score_here(batch, rules, &mut scores);
    scores
}
