//! A device of the tests' own: a function answers.

use swaplist::backend::{Answers, Backend, BackendError, Cpu, Question};
use swaplist::{BoundsExceeded, Rules, Verdict};

/// The bit of an answer that says whether a noisy move exceeds the bound on the SEE.
const SEE: u8 = 1 << 1;

type Answer = dyn Fn(&Question<'_>, &Rules, &mut Answers) -> Result<(), BackendError> + Send + Sync;

pub struct Fake(Box<Answer>);

/// A wrong verdict.
pub fn one_move_more(verdict: &Verdict) -> Verdict {
    Verdict::new(verdict.in_check(), verdict.noisy() + 1, verdict.best())
        .with_threat(verdict.threat(), verdict.threats().into())
}

impl Fake {
    pub fn new(
        answer: impl Fn(&Question<'_>, &Rules, &mut Answers) -> Result<(), BackendError>
        + Send
        + Sync
        + 'static,
    ) -> Fake {
        Fake(Box::new(answer))
    }

    /// Writes nothing.
    pub fn silent() -> Fake {
        Fake::new(|_, _, _| Ok(()))
    }

    /// Always fails.
    #[allow(dead_code)]
    pub fn broken(error: BackendError) -> Fake {
        Fake::new(move |_, _, answers| {
            answers.scores.fill(7);
            Err(error.clone())
        })
    }

    /// One answer in `every` is wrong, to any question: the last one, and so on back.
    pub fn lying(every: usize) -> Fake {
        Fake::new(move |question, rules, answers| {
            Cpu::new().answer(question, rules, answers)?;
            for score in answers.scores.iter_mut().rev().step_by(every) {
                *score += 1;
            }
            for verdict in answers.verdicts.iter_mut().rev().step_by(every) {
                *verdict = one_move_more(verdict);
            }
            for exceeds in answers.exceeds.iter_mut().rev().step_by(every) {
                *exceeds = BoundsExceeded::from_bits(exceeds.to_bits() ^ SEE);
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
