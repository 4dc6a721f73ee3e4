//! A wrong backend, to test that comparisons detect it.

use swaplist::Rules;
use swaplist::backend::{Answers, Backend, BackendError, Cpu, Question};

/// Every n-th answer is wrong, or nothing is written.
pub struct Liar(pub Option<usize>);

impl Backend for Liar {
    fn name(&self) -> String {
        "liar".to_owned()
    }

    fn answer(
        &self,
        question: &Question<'_>,
        rules: &Rules,
        answers: &mut Answers,
    ) -> Result<(), BackendError> {
        if let Some(every) = self.0 {
            Cpu::new().answer(question, rules, answers)?;
            let wrong = answers.scores.iter_mut().step_by(every);
            wrong.for_each(|score| *score += 1);
            let wrong = answers.verdicts.iter_mut().step_by(every);
            wrong.for_each(|verdict| verdict.noisy += 1);
        }
        Ok(())
    }
}
