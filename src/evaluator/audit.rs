//! Compares samples of a device's answers with the CPU's.

use core::fmt::Debug;

use crate::backend::{Answers, BackendError, Question};
use crate::{Bounds, BoundsExceeded, Position, Rules, Verdict};

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
            let mut owner = 0;
            spread(samples, all, |i| {
                while batch.range(owner).end <= i {
                    owner += 1;
                }
                let position = &batch.positions()[owner];
                let capture = batch.captures()[i];
                let see = rules.see(position, capture);
                let what = || format!("{capture} in '{position}' is");
                equal(&answers.scores[i], &see, what).map(|()| 1)
            })
        }
        Question::Verdicts {
            positions,
            with_threat,
        } => {
            complete(answers.verdicts.len(), all)?;
            spread(samples, all, |i| {
                same_verdict(&positions[i], rules, with_threat, &answers.verdicts[i])
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

/// Whether there are as many answers as were asked for.
fn complete(answers: usize, all: usize) -> Result<(), BackendError> {
    equal(&answers, &all, || "the number of answers is".to_owned())
}

/// Fails with `what` if the two differ.
fn equal<T: PartialEq + Debug>(
    gpu: &T,
    cpu: &T,
    what: impl FnOnce() -> String,
) -> Result<(), BackendError> {
    if gpu == cpu {
        return Ok(());
    }
    let what = format!("{} {gpu:?}, on the CPU {cpu:?}", what());
    Err(BackendError::Wrong(what))
}

/// Compares about `samples` of the answers, at even distances, by a function that returns how much
/// it compared.
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

/// The number of moves compared; an error if the CPU's verdict is another one.
fn same_verdict(
    position: &Position,
    rules: &Rules,
    with_threat: bool,
    gpu: &Verdict,
) -> Result<u64, BackendError> {
    let cpu = rules.verdict(position, with_threat);
    let what = || format!("the verdict on '{position}' is");
    equal(gpu, &cpu, what).map(|()| cpu.noisy().into())
}

/// One position compared; an error if the CPU finds that it exceeds other bounds.
fn same_bounds(
    position: &Position,
    rules: &Rules,
    bounds: Bounds,
    gpu: BoundsExceeded,
) -> Result<u64, BackendError> {
    let what = || format!("what '{position}' exceeds is");
    equal(&gpu, &rules.exceeds(position, bounds), what).map(|()| 1)
}
