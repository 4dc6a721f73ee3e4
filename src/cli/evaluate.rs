//! Evaluation inside a worker thread: the workers are the CPU's threads, as the
//! evaluator is told by `callers`.

use swaplist::{Batch, Evaluator, Position, Rules, Verdict};

pub fn verdicts(
    evaluator: &Evaluator,
    positions: &[Position],
    rules: &Rules,
    with_threat: bool,
) -> Vec<Verdict> {
    evaluator.verdicts(positions, rules, with_threat)
}

/// The score of each move of a batch, in its order.
pub fn scores(evaluator: &Evaluator, batch: &Batch, rules: &Rules) -> Vec<i32> {
    evaluator.scores(batch, rules)
}
