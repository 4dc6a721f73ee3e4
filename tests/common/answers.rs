//! Answers of a backend, into poisoned memory.

use swaplist::backend::{Answers, Backend, BackendError, Question};
use swaplist::{Batch, Bounds, BoundsExceeded, Position, Rules, Sides, Verdict};

fn answered(
    backend: &dyn Backend,
    question: &Question<'_>,
    rules: &Rules,
) -> Result<Answers, BackendError> {
    let mut answers = Answers::default();
    answers.fit(question);
    answers.scores.fill(i32::MAX);
    answers
        .verdicts
        .fill(Verdict::new(true, u16::MAX.into(), None));
    answers.exceeds.fill(BoundsExceeded::from_bits(15));
    backend.answer(question, rules, &mut answers)?;
    Ok(answers)
}

pub fn scores(
    backend: &dyn Backend,
    batch: &Batch,
    rules: &Rules,
) -> Result<Vec<i32>, BackendError> {
    answered(backend, &Question::Scores(batch), rules).map(|answers| answers.scores)
}

/// Tells the first score that is not the expected one.
pub fn assert_scores(who: &str, rules: &Rules, batch: &Batch, scores: &[i32], expected: &[i32]) {
    assert_eq!(scores.len(), expected.len());
    if let Some(at) = (0..scores.len()).find(|&at| scores[at] != expected[at]) {
        let holds = |&i: &usize| batch.range(i).contains(&at);
        let owner = (0..batch.positions().len()).find(holds).unwrap();
        let planes = batch.positions()[owner].planes();
        let capture = batch.captures()[at];
        let score = scores[at];
        let expected = expected[at];
        panic!("{who}: {capture} in {planes:#018x?} under {rules} is {score}, not {expected}");
    }
}

pub fn verdicts(
    backend: &dyn Backend,
    positions: &[Position],
    rules: &Rules,
    sides: Sides,
) -> Result<Vec<Verdict>, BackendError> {
    let question = Question::Verdicts { positions, sides };
    answered(backend, &question, rules).map(|answers| answers.verdicts)
}

pub fn exceeds(
    backend: &dyn Backend,
    positions: &[Position],
    rules: &Rules,
    bounds: Bounds,
) -> Result<Vec<BoundsExceeded>, BackendError> {
    let question = Question::Bounds { positions, bounds };
    answered(backend, &question, rules).map(|answers| answers.exceeds)
}
