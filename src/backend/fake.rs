//! A device for tests: a function answers.

use super::{Answers, Backend, BackendError, Cpu, Question};
use crate::Rules;

type Answer = dyn Fn(&Question<'_>, &Rules, &mut Answers) -> Result<(), BackendError> + Send + Sync;

pub struct Fake(Box<Answer>);

impl Fake {
    pub fn new(
        answer: impl Fn(&Question<'_>, &Rules, &mut Answers) -> Result<(), BackendError>
        + Send
        + Sync
        + 'static,
    ) -> Fake {
        Fake(Box::new(answer))
    }

    /// Always fails.
    pub fn broken(error: BackendError) -> Fake {
        Fake::new(move |_, _, answers| {
            answers.scores.fill(7);
            Err(error.clone())
        })
    }

    /// The last answer to any question is wrong.
    pub fn lying() -> Fake {
        Fake::new(|question, rules, answers| {
            Cpu::new().answer(question, rules, answers)?;
            if let Some(score) = answers.scores.last_mut() {
                *score += 1;
            }
            if let Some(verdict) = answers.verdicts.last_mut() {
                verdict.noisy += 1;
            }
            if let Some(exceeds) = answers.exceeds.last_mut() {
                exceeds.see ^= true;
            }
            Ok(())
        })
    }
}

impl Backend for Fake {
    fn name(&self) -> String {
        "fake".to_owned()
    }

    fn answer(
        &self,
        question: &Question<'_>,
        rules: &Rules,
        answers: &mut Answers,
    ) -> Result<(), BackendError> {
        (self.0)(question, rules, answers)
    }
}
