//! Compares samples of a device's answers with the CPU's.
//!
//! Of 131,072 answers, 64 samples are those with the numbers 0, 2048, 4096 and so on. Each is found
//! again by the scalar code, and must be equal in every field. So a device that answers everything
//! wrongly is noticed at once, and one that answers a part of a question wrongly if a sample falls
//! into that part; a single wrong answer may pass.

use core::fmt::Debug;

use crate::backend::{Answers, BackendError, Question};
use crate::{Bounds, BoundsExceeded, Position, Rules, Sides, Verdict};

/// Compares evenly spread samples of a device's answers with the CPU's, for hosts that run the
/// shader themselves.
///
/// Of the answers to the question, about `samples` are found again on the CPU; 0 compares none.
/// Returns how many moves or positions were compared: a verdict counts with all its noisy moves.
///
/// # Errors
///
/// [`BackendError::Wrong`] for the first answer that differs, and if answers are missing.
pub fn audit(
    question: &Question<'_>,
    rules: &Rules,
    answers: &Answers,
    samples: usize,
) -> Result<u64, BackendError> {
    let all = question.answers();
    match *question {
        Question::Scores(batch) => {
            complete(answers.scores.len(), all)?;
            // The position that move `i` belongs to; samples come in rising order.
            let mut owner = 0;
            spread(samples, all, |i| {
                while batch.range(owner).end <= i {
                    owner += 1;
                }
                let position = &batch.positions()[owner];
                let capture = batch.captures()[i];
                let see = rules.see(position, capture);
                equal(&answers.scores[i], &see, || {
                    format!("{capture} in '{position}' is")
                })
                .map(|()| 1)
            })
        }
        Question::Verdicts { positions, sides } => {
            complete(answers.verdicts.len(), all)?;
            spread(samples, all, |i| {
                same_verdict(&positions[i], rules, sides, &answers.verdicts[i])
            })
        }
        Question::Bounds { positions, bounds } => {
            complete(answers.exceeds.len(), all)?;
            spread(samples, all, |i| {
                same_bounds(&positions[i], rules, bounds, answers.exceeds[i])
            })
        }
    }
}

/// Fails unless there is an answer for each move or position of the question.
fn complete(answers: usize, expected: usize) -> Result<(), BackendError> {
    equal(&answers, &expected, || {
        "the number of answers is".to_owned()
    })
}

/// Fails if the device's answer is not the CPU's. The error begins with `subject`, such as `e4d5 in
/// '...' is`, and goes on with both.
fn equal<T: PartialEq + Debug>(
    gpu: &T,
    cpu: &T,
    subject: impl FnOnce() -> String,
) -> Result<(), BackendError> {
    if gpu == cpu {
        return Ok(());
    }
    let difference = format!("{} {gpu:?}, on the CPU {cpu:?}", subject());
    Err(BackendError::Wrong(difference))
}

/// Calls `compare` with about `samples` numbers from 0 to `answers`, at even distances and in
/// rising order, and adds up how many moves or positions it compared.
fn spread(
    samples: usize,
    answers: usize,
    mut compare: impl FnMut(usize) -> Result<u64, BackendError>,
) -> Result<u64, BackendError> {
    if samples == 0 || answers == 0 {
        return Ok(0);
    }
    let indices = (0..answers).step_by(answers.div_ceil(samples));
    indices.map(&mut compare).sum()
}

/// Compares a verdict with the CPU's. Returns the number of noisy moves that it covers.
fn same_verdict(
    position: &Position,
    rules: &Rules,
    sides: Sides,
    gpu: &Verdict,
) -> Result<u64, BackendError> {
    let cpu = rules.verdict(position, sides);
    equal(gpu, &cpu, || format!("the verdict on '{position}' is")).map(|()| cpu.noisy().into())
}

/// Compares the bounds that a position exceeds with what the CPU finds. Returns 1, for the
/// position.
fn same_bounds(
    position: &Position,
    rules: &Rules,
    bounds: Bounds,
    gpu: BoundsExceeded,
) -> Result<u64, BackendError> {
    let cpu = rules.exceeds(position, bounds);
    equal(&gpu, &cpu, || format!("what '{position}' exceeds is")).map(|()| 1)
}
