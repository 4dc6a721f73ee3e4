//! Chooses a backend, audits it against the CPU, falls back and says so.

use core::fmt;
use core::str::FromStr;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::backend::{Backend, BackendError, Cpu};
use crate::{Batch, Position, Rules, Verdict};

/// Which backend is asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Choice {
    /// A real GPU if there is one, else the CPU. A software adapter is never
    /// taken.
    #[default]
    Auto,
    /// The CPU.
    Cpu,
    /// A GPU, a software adapter too; the first whose name contains the text,
    /// upper or lower case, where there is one.
    Gpu(Option<String>),
}

/// As `auto`, `cpu`, `gpu` or `gpu:NAME`.
impl FromStr for Choice {
    type Err = String;

    fn from_str(text: &str) -> Result<Choice, String> {
        match text {
            "auto" => Ok(Choice::Auto),
            "cpu" => Ok(Choice::Cpu),
            "gpu" => Ok(Choice::Gpu(None)),
            _ => match text.strip_prefix("gpu:") {
                Some(name) if !name.is_empty() => Ok(Choice::Gpu(Some(name.to_owned()))),
                _ => Err(format!(
                    "unknown backend '{text}', expected auto, cpu, gpu or gpu:NAME"
                )),
            },
        }
    }
}

impl fmt::Display for Choice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Choice::Auto => f.write_str("auto"),
            Choice::Cpu => f.write_str("cpu"),
            Choice::Gpu(None) => f.write_str("gpu"),
            Choice::Gpu(Some(name)) => write!(f, "gpu:{name}"),
        }
    }
}

/// How many moves or positions of each batch an [`Evaluator`] takes again on the
/// CPU, unless told otherwise.
pub const DEFAULT_AUDIT: usize = 64;

/// What an [`Evaluator`] did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Moves scored, by whichever backend.
    pub scored: u64,
    /// Of those, scored again on the CPU and found equal.
    pub audited: u64,
    /// Why the GPU was given up, if it was.
    pub fallback: Option<String>,
}

/// Scores batches on the best backend and always gives the CPU's answer.
///
/// A GPU is audited: a sample of every batch is scored on the CPU too. When it is
/// missing, out of memory, lost or wrong, the batch and all later ones are scored
/// on the CPU; that is announced once and stands in the [`Report`].
///
/// ```
/// use swaplist::{Batch, Evaluator, Position, Rules, noisy_moves};
///
/// let position: Position = "1k1r4/1pp4p/p7/4p3/8/P5P1/1PP4P/2K1R3 w - - 0 1".parse()?;
/// let mut batch = Batch::new();
/// batch.push(position, noisy_moves(&position));
///
/// let evaluator = Evaluator::cpu();
/// assert_eq!(evaluator.scores(&batch, &Rules::SWAP), [100]); // Rxe5
/// # Ok::<(), swaplist::PositionError>(())
/// ```
pub struct Evaluator {
    cpu: Cpu,
    gpu: Option<Box<dyn Backend>>,
    audit: usize,
    announce: Box<dyn Fn(&str) + Send + Sync>,
    report: Mutex<Report>,
}

impl Evaluator {
    /// On the CPU alone, all cores.
    #[must_use]
    pub fn cpu() -> Evaluator {
        Evaluator::with_backend(None)
    }

    /// On the backend chosen. A GPU that was asked for and cannot be had is
    /// announced on standard error, and the CPU takes over.
    #[must_use]
    pub fn new(choice: &Choice) -> Evaluator {
        match Evaluator::open(choice) {
            Ok(gpu) => Evaluator::with_backend(gpu),
            Err(error) => {
                let evaluator = Evaluator::cpu();
                evaluator.fall_back(&error);
                evaluator
            }
        }
    }

    #[cfg(feature = "gpu")]
    fn open(choice: &Choice) -> Result<Option<Box<dyn Backend>>, BackendError> {
        use crate::backend::gpu::Gpu;
        match choice {
            Choice::Cpu => Ok(None),
            Choice::Auto => match Gpu::open_real() {
                Ok(gpu) => Ok(Some(Box::new(gpu))),
                Err(BackendError::NoAdapter(_)) => Ok(None),
                Err(error) => Err(error),
            },
            Choice::Gpu(name) => Ok(Some(Box::new(Gpu::open(name.as_deref())?))),
        }
    }

    #[cfg(not(feature = "gpu"))]
    fn open(choice: &Choice) -> Result<Option<Box<dyn Backend>>, BackendError> {
        match choice {
            Choice::Auto | Choice::Cpu => Ok(None),
            Choice::Gpu(_) => Err(BackendError::NoAdapter(
                "built without the feature gpu".to_owned(),
            )),
        }
    }

    /// On a backend of your own, audited against the CPU; `None` for the CPU
    /// alone.
    #[must_use]
    pub fn with_backend(gpu: Option<Box<dyn Backend>>) -> Evaluator {
        Evaluator {
            cpu: Cpu::new(),
            gpu,
            audit: DEFAULT_AUDIT,
            announce: Box::new(|message| eprintln!("swaplist: {message}")),
            report: Mutex::default(),
        }
    }

    /// How many moves or positions of each batch are taken again on the CPU; 0 for
    /// none.
    #[must_use]
    pub fn audit(mut self, scores: usize) -> Evaluator {
        self.audit = scores;
        self
    }

    /// Where a fallback is announced, in place of standard error.
    #[must_use]
    pub fn announce(mut self, announce: impl Fn(&str) + Send + Sync + 'static) -> Evaluator {
        self.announce = Box::new(announce);
        self
    }

    /// The backend that the next batch goes to, for people.
    #[must_use]
    pub fn name(&self) -> String {
        self.live_gpu()
            .map_or_else(|| self.cpu.name(), Backend::name)
    }

    /// Whether the next batch goes to a GPU, where large batches pay.
    #[must_use]
    pub fn uses_gpu(&self) -> bool {
        self.live_gpu().is_some()
    }

    /// What was done so far.
    #[must_use]
    pub fn report(&self) -> Report {
        self.lock().clone()
    }

    /// The exact SEE of every move of a batch, in its order.
    #[must_use]
    pub fn scores(&self, batch: &Batch, rules: &Rules) -> Vec<i32> {
        let mut scores = vec![0; batch.len()];
        let audited = self.live_gpu().and_then(|gpu| {
            let outcome = gpu.score(batch, rules, &mut scores);
            self.or_fall_back(outcome.and_then(|()| self.audit_scores(batch, rules, &scores)))
        });
        if audited.is_none() {
            self.cpu.score_all(batch, rules, &mut scores);
        }
        self.count(batch.len() as u64, audited);
        scores
    }

    /// The verdict on each position, with the opponent's threat if asked for.
    #[must_use]
    pub fn verdicts(
        &self,
        positions: &[Position],
        rules: &Rules,
        with_threat: bool,
    ) -> Vec<Verdict> {
        let mut verdicts = vec![Verdict::default(); positions.len()];
        let audited = self.live_gpu().and_then(|gpu| {
            let outcome = gpu.judge(positions, rules, with_threat, &mut verdicts);
            let audit = || self.audit_verdicts(positions, rules, with_threat, &verdicts);
            self.or_fall_back(outcome.and_then(|()| audit()))
        });
        if audited.is_none() {
            self.cpu
                .judge_all(positions, rules, with_threat, &mut verdicts);
        }
        let noisy: u64 = verdicts
            .iter()
            .map(|verdict| u64::from(verdict.noisy))
            .sum();
        self.count(noisy, audited);
        verdicts
    }

    fn or_fall_back(&self, outcome: Result<u64, BackendError>) -> Option<u64> {
        outcome.inspect_err(|error| self.fall_back(error)).ok()
    }

    fn count(&self, scored: u64, audited: Option<u64>) {
        let mut report = self.lock();
        report.scored += scored;
        report.audited += audited.unwrap_or(0);
    }

    /// Judges evenly spread positions again; how many moves that were.
    fn audit_verdicts(
        &self,
        positions: &[Position],
        rules: &Rules,
        with_threat: bool,
        verdicts: &[Verdict],
    ) -> Result<u64, BackendError> {
        if self.audit == 0 || positions.is_empty() {
            return Ok(0);
        }
        let mut audited = 0;
        for i in (0..positions.len()).step_by(positions.len().div_ceil(self.audit)) {
            let (gpu, cpu) = (verdicts[i], rules.verdict(&positions[i], with_threat));
            if gpu != cpu {
                let what = format!(
                    "the verdict on '{}' is {gpu:?}, on the CPU {cpu:?}",
                    positions[i]
                );
                return Err(BackendError::Wrong(what));
            }
            audited += u64::from(cpu.noisy);
        }
        Ok(audited)
    }

    /// Scores evenly spread moves again; how many, or the first that differs.
    fn audit_scores(
        &self,
        batch: &Batch,
        rules: &Rules,
        scores: &[i32],
    ) -> Result<u64, BackendError> {
        if self.audit == 0 || batch.is_empty() {
            return Ok(0);
        }
        let step = batch.len().div_ceil(self.audit);
        let mut audited = 0;
        let mut next = 0;
        for (i, (position, captures)) in batch.iter().enumerate() {
            let range = batch.range(i);
            while next < range.end {
                let capture = captures[next - range.start];
                let (gpu, cpu) = (scores[next], rules.see(position, capture));
                if gpu != cpu {
                    let what = format!("{capture} in '{position}' is {gpu}, on the CPU {cpu}");
                    return Err(BackendError::Wrong(what));
                }
                audited += 1;
                next += step;
            }
        }
        Ok(audited)
    }

    fn live_gpu(&self) -> Option<&dyn Backend> {
        let given_up = self.lock().fallback.is_some();
        self.gpu.as_deref().filter(|_| !given_up)
    }

    fn fall_back(&self, error: &BackendError) {
        let first = self.lock().fallback.replace(error.to_string()).is_none();
        if first {
            (self.announce)(&format!(
                "{error}; the CPU takes over, with the same results"
            ));
        }
    }

    fn lock(&self) -> MutexGuard<'_, Report> {
        self.report.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::noisy_moves;

    /// A device that fails, or lies about one score.
    struct Broken(Option<BackendError>);

    impl Backend for Broken {
        fn name(&self) -> String {
            "broken".to_owned()
        }

        fn score(
            &self,
            batch: &Batch,
            rules: &Rules,
            scores: &mut [i32],
        ) -> Result<(), BackendError> {
            if let Some(error) = &self.0 {
                scores.fill(7);
                return Err(error.clone());
            }
            Cpu::new().score(batch, rules, scores)?;
            *scores.last_mut().unwrap() += 1;
            Ok(())
        }

        fn judge(
            &self,
            positions: &[Position],
            rules: &Rules,
            with_threat: bool,
            verdicts: &mut [Verdict],
        ) -> Result<(), BackendError> {
            if let Some(error) = &self.0 {
                verdicts.fill(Verdict::default());
                return Err(error.clone());
            }
            Cpu::new().judge(positions, rules, with_threat, verdicts)?;
            verdicts.last_mut().unwrap().noisy += 1;
            Ok(())
        }
    }

    fn batch() -> Batch {
        let mut batch = Batch::new();
        for fen in [
            "1k1r4/1pp4p/p7/4p3/8/P5P1/1PP4P/2K1R3 w - - 0 1",
            "4k3/8/8/8/8/8/8/4K3 w - - 0 1",
            "1k1r3q/1ppn3p/p4b2/4p3/8/P2N2P1/1PP1R1BP/2K1Q3 w - - 0 1",
        ] {
            let position = fen.parse().unwrap();
            batch.push(position, noisy_moves(&position));
        }
        batch
    }

    #[test]
    fn a_failing_or_lying_device_is_announced_once_and_the_cpu_takes_over() {
        let right = Evaluator::cpu().scores(&batch(), &Rules::SWAP);
        for broken in [
            None,
            Some(BackendError::Lost("unplugged".to_owned())),
            Some(BackendError::OutOfMemory("full".to_owned())),
            Some(BackendError::Timeout),
        ] {
            let (sender, announced) = std::sync::mpsc::channel();
            let evaluator = Evaluator::with_backend(Some(Box::new(Broken(broken))))
                .announce(move |message| sender.send(message.to_owned()).unwrap());
            assert_eq!(evaluator.name(), "broken");
            assert_eq!(evaluator.scores(&batch(), &Rules::SWAP), right);
            assert_eq!(evaluator.scores(&batch(), &Rules::SWAP), right);
            assert_eq!(announced.try_iter().count(), 1);
            assert!(evaluator.report().fallback.is_some());
            assert_eq!(evaluator.report().scored, 2 * right.len() as u64);
            assert!(evaluator.name().starts_with("CPU"));
        }
    }

    #[test]
    fn a_failing_or_lying_judge_is_no_other() {
        let positions: Vec<_> = batch().positions().to_vec();
        let right = Evaluator::cpu().verdicts(&positions, &Rules::SWAP, true);
        for broken in [None, Some(BackendError::Timeout)] {
            let evaluator =
                Evaluator::with_backend(Some(Box::new(Broken(broken)))).announce(|_| ());
            assert_eq!(evaluator.verdicts(&positions, &Rules::SWAP, true), right);
            assert!(evaluator.report().fallback.is_some());
            let moves = batch().len() as u64;
            assert_eq!(evaluator.report().scored, moves, "of the right verdicts");
        }
        let unaudited = Evaluator::with_backend(Some(Box::new(Broken(None)))).audit(0);
        let lies = unaudited.verdicts(&positions, &Rules::SWAP, true);
        assert_ne!(lies, right, "the test above can fail");
    }

    #[test]
    fn without_the_audit_a_lie_goes_unseen() {
        let right = Evaluator::cpu().scores(&batch(), &Rules::SWAP);
        let evaluator = Evaluator::with_backend(Some(Box::new(Broken(None)))).audit(0);
        assert_ne!(
            evaluator.scores(&batch(), &Rules::SWAP),
            right,
            "the test above can fail"
        );
    }

    #[test]
    fn verdicts_through_a_backend_are_the_cpus() {
        let positions: Vec<_> = batch().positions().to_vec();
        let shared = std::sync::Arc::new(Cpu::new());
        let through = Evaluator::with_backend(Some(Box::new(shared)));
        for with_threat in [false, true] {
            assert_eq!(
                through.verdicts(&positions, &Rules::SWAP, with_threat),
                Evaluator::cpu().verdicts(&positions, &Rules::SWAP, with_threat)
            );
        }
        assert_eq!(through.report().audited, through.report().scored);
    }

    #[test]
    fn choices_are_named() {
        for text in ["auto", "cpu", "gpu", "gpu:llvmpipe"] {
            assert_eq!(text.parse::<Choice>().unwrap().to_string(), text);
        }
        assert!("gpu:".parse::<Choice>().is_err());
        assert!("cuda".parse::<Choice>().is_err());
    }
}
