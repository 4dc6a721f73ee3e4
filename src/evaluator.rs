//! Chooses a backend, audits it against the CPU, falls back and says so.

use core::time::Duration;
use std::borrow::Cow;
use std::sync::atomic::AtomicUsize;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use crate::backend::{Backend, BackendError, Cpu};
use crate::{Batch, Bounds, CpuPath, Exceeds, Position, Rules, Verdict};

mod auto;
mod choice;
mod decision;
mod measure;
mod run;
#[cfg(test)]
mod tests;
mod work;

use auto::Auto;
pub use choice::Choice;
use work::{Judging, Scoring, Screening};

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
    /// What [`Choice::Auto`] took and why, with what was measured, once it did so.
    pub choice: Option<String>,
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
    /// Not there yet: the CPU, until it is decided.
    plan: OnceLock<Plan>,
    auto: Option<Auto>,
    /// How many threads of the caller's bring work at once.
    callers: Option<usize>,
    expected: Mutex<Option<Given>>,
    audit: usize,
    announce: Box<dyn Fn(&str) + Send + Sync>,
    quiet: bool,
    report: Mutex<Report>,
}

/// What does the work.
enum Plan {
    Cpu,
    Gpu(Box<dyn Backend>),
    Both(Shared),
}

/// A GPU that shares the work with the CPU.
struct Shared {
    gpu: Box<dyn Backend>,
    /// How many of the caller's threads it serves now.
    served: AtomicUsize,
}

/// What is given to a GPU.
#[derive(Clone, Copy)]
struct Given {
    threads: usize,
    /// By each of them, at a time.
    positions: usize,
}

impl Shared {
    fn new(gpu: Box<dyn Backend>) -> Shared {
        Shared {
            gpu,
            served: AtomicUsize::new(0),
        }
    }
}

impl Evaluator {
    /// On the CPU alone, all cores.
    #[must_use]
    pub fn cpu() -> Evaluator {
        Evaluator::with_backend(None)
    }

    /// On the backend chosen. A GPU that was asked for and cannot be had is
    /// announced on standard error, and the CPU takes over.
    ///
    /// With [`Choice::Auto`] the CPU begins, and nothing else is even looked for until
    /// it has been at work for 0.3 s. Then the best real GPU is opened in the
    /// background, and measured for about 0.2 s on the positions at hand. What is taken
    /// is announced in one line, unless there was nothing to choose.
    #[must_use]
    pub fn new(choice: &Choice) -> Evaluator {
        #[cfg(feature = "gpu")]
        if *choice == Choice::Auto {
            return Evaluator::with_auto(Auto::new(best_gpu, Auto::PATIENCE));
        }
        let plan = open(choice).map(|gpu| match (gpu, choice) {
            (None, _) => Plan::Cpu,
            (Some(gpu), Choice::Both(_)) => Plan::Both(Shared::new(gpu)),
            (Some(gpu), _) => Plan::Gpu(gpu),
        });
        match plan {
            Ok(plan) => Evaluator::with_plan(plan),
            Err(error) => {
                let evaluator = Evaluator::cpu();
                evaluator.fall_back(&error);
                evaluator
            }
        }
    }

    /// On a backend of your own, audited against the CPU; `None` for the CPU
    /// alone.
    #[must_use]
    pub fn with_backend(gpu: Option<Box<dyn Backend>>) -> Evaluator {
        Evaluator::with_plan(gpu.map_or(Plan::Cpu, Plan::Gpu))
    }

    /// On a backend of your own and the CPU together, each of which takes what comes
    /// next when it is free.
    #[must_use]
    pub fn with_both(gpu: Box<dyn Backend>) -> Evaluator {
        Evaluator::with_plan(Plan::Both(Shared::new(gpu)))
    }

    /// As [`Choice::Auto`], with what takes the place of the best real GPU and of its
    /// name, after so long on the CPU. For tests, on machines without a GPU.
    #[doc(hidden)]
    #[must_use]
    pub fn auto_with(
        open: impl Fn() -> Result<Option<(Box<dyn Backend>, String)>, BackendError>
        + Send
        + Sync
        + 'static,
        patience: Duration,
    ) -> Evaluator {
        Evaluator::with_auto(Auto::new(open, patience))
    }

    fn with_plan(plan: Plan) -> Evaluator {
        Evaluator::built(OnceLock::from(plan), None)
    }

    fn with_auto(auto: Auto) -> Evaluator {
        Evaluator::built(OnceLock::new(), Some(auto))
    }

    fn built(plan: OnceLock<Plan>, auto: Option<Auto>) -> Evaluator {
        Evaluator {
            cpu: Cpu::new(),
            plan,
            auto,
            callers: None,
            expected: Mutex::default(),
            audit: DEFAULT_AUDIT,
            announce: Box::new(|message| eprintln!("swaplist: {message}")),
            quiet: false,
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

    /// Work comes from so many threads of yours at once, which are as many as the CPU
    /// is to work with: what is done on the CPU is done on the thread that brings it.
    #[must_use]
    pub fn callers(mut self, threads: usize) -> Evaluator {
        self.callers = Some(threads.max(1));
        self
    }

    /// Once [`Evaluator::uses_gpu`], so many threads will bring so many positions each
    /// at a time: that is what [`Choice::Auto`] measures a GPU with. Otherwise it takes
    /// what is brought now, which may be good for the CPU's cache, but far too little
    /// for a GPU. Scores are measured with the batches at hand anyway.
    pub fn expect(&self, threads: usize, positions: usize) {
        *self.expected() = Some(Given {
            threads: threads.max(1),
            positions,
        });
    }

    /// The code path of the CPU backend, instead of the fastest.
    ///
    /// # Errors
    ///
    /// [`BackendError::Device`] if this machine does not have it.
    pub fn cpu_path(mut self, path: CpuPath) -> Result<Evaluator, BackendError> {
        self.cpu = self.cpu.with_path(path)?;
        Ok(self)
    }

    /// The CPU backend, which takes over from a GPU that fails.
    #[must_use]
    pub fn cpu_backend(&self) -> &Cpu {
        &self.cpu
    }

    /// Where a fallback is announced, and what [`Choice::Auto`] takes, in place of
    /// standard error.
    #[must_use]
    pub fn announce(mut self, announce: impl Fn(&str) + Send + Sync + 'static) -> Evaluator {
        self.announce = Box::new(announce);
        self
    }

    /// Whether to keep to oneself what [`Choice::Auto`] takes; it stands in the
    /// [`Report`] anyway.
    #[must_use]
    pub fn quiet(mut self, quiet: bool) -> Evaluator {
        self.quiet = quiet;
        self
    }

    /// What the next batch goes to, for people.
    #[must_use]
    pub fn name(&self) -> String {
        match (self.live_gpu(), self.plan.get()) {
            (None, _) => self.cpu.name(),
            (Some(gpu), Some(Plan::Both(_))) => format!("{} and {}", gpu.name(), self.cpu.name()),
            (Some(gpu), _) => gpu.name(),
        }
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
        self.evaluate(&Scoring {
            batch: Cow::Borrowed(batch),
            rules: *rules,
        })
    }

    /// The verdict on each position, with the opponent's threat if asked for.
    #[must_use]
    pub fn verdicts(
        &self,
        positions: &[Position],
        rules: &Rules,
        with_threat: bool,
    ) -> Vec<Verdict> {
        self.evaluate(&Judging {
            positions: Cow::Borrowed(positions),
            rules: *rules,
            with_threat,
        })
    }

    /// What is beyond the bounds in each position: less than a verdict tells, and on
    /// the CPU sooner known. It does not count as scored in the [`Report`].
    ///
    /// # Panics
    ///
    /// If `exceeds` and `positions` differ in length.
    pub fn exceeds(
        &self,
        positions: &[Position],
        rules: &Rules,
        bounds: Bounds,
        exceeds: &mut [Exceeds],
    ) {
        assert_eq!(positions.len(), exceeds.len(), "one answer a position");
        let work = Screening {
            positions: Cow::Borrowed(positions),
            rules: *rules,
            bounds,
        };
        self.evaluate_into(&work, exceeds);
    }

    fn live_gpu(&self) -> Option<&dyn Backend> {
        let gpu = match self.plan.get()? {
            Plan::Cpu => None,
            Plan::Gpu(gpu) => Some(&**gpu),
            Plan::Both(shared) => Some(&*shared.gpu),
        };
        gpu.filter(|_| !self.has_fallen_back())
    }

    fn has_fallen_back(&self) -> bool {
        self.lock().fallback.is_some()
    }

    fn fall_back(&self, error: &BackendError) {
        let first = self.lock().fallback.replace(error.to_string()).is_none();
        if first {
            (self.announce)(&format!(
                "{error}; the CPU takes over, with the same results"
            ));
        }
    }

    fn expected(&self) -> MutexGuard<'_, Option<Given>> {
        self.expected.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn lock(&self) -> MutexGuard<'_, Report> {
        self.report.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The best real GPU, and its name.
#[cfg(feature = "gpu")]
fn best_gpu() -> auto::Opened {
    use crate::backend::gpu::Gpu;
    match Gpu::open_real() {
        Ok(gpu) => {
            let name = gpu.adapter().name.clone();
            Ok(Some((Box::new(gpu), name)))
        }
        Err(BackendError::NoAdapter(_)) => Ok(None),
        Err(error) => Err(error),
    }
}

#[cfg(feature = "gpu")]
fn open(choice: &Choice) -> Result<Option<Box<dyn Backend>>, BackendError> {
    use crate::backend::gpu::Gpu;
    match choice {
        Choice::Auto | Choice::Cpu => Ok(None),
        Choice::Gpu(name) | Choice::Both(name) => Ok(Some(Box::new(Gpu::open(name.as_deref())?))),
    }
}

#[cfg(not(feature = "gpu"))]
fn open(choice: &Choice) -> Result<Option<Box<dyn Backend>>, BackendError> {
    match choice {
        Choice::Auto | Choice::Cpu => Ok(None),
        Choice::Gpu(_) | Choice::Both(_) => Err(BackendError::NoAdapter(
            "built without the feature gpu".to_owned(),
        )),
    }
}
