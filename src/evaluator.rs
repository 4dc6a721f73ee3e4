//! Chooses a backend, compares samples of its answers with the CPU's, and falls back to the CPU if
//! it fails.
//!
//! Whoever asks an [`Evaluator`] always gets the CPU's results: from the CPU itself, or from a GPU,
//! a sample of whose answers the CPU found as well (`evaluator/audit.rs`). By default the CPU
//! begins, and `evaluator/auto.rs` decides once whether a GPU goes on.
//!
//! # Three states
//!
//! ```text
//! the CPU alone      `gpu` is Some(None). Nothing is audited.
//! a GPU              `gpu` is Some(Some(_)). Answers are audited. The first error, of the device
//!                    or the audit, is noted as `fallback`; from then on `live_gpu` is None, and
//!                    the CPU works. There is no way back.
//! undecided          `gpu` is unset, only with BackendChoice::Auto. The CPU works, and its time is
//!                    noted until `auto` decides; then `gpu` is set, once, to one of the two above.
//! ```
//!
//! A question that a GPU fails at is answered again, as a whole, by the CPU: the caller never sees
//! the error, only the [`Report`] and the announcement.
//!
//! # What is compared
//!
//! Most questions come one at a time, so the GPU is tried on the positions of one of them
//! ([`Evaluator::answer`]). A job may instead filter a file of which a device takes the bytes
//! themselves. Then all the work from file to file is compared: the job notes what the CPU does
//! (`note_on_cpu`), gives the candidate a few batches and notes those (`note_on_gpu`). The time
//! of its single questions does not count (`answer_untimed`).

use core::fmt;
use core::str::FromStr;
use core::time::Duration;
use std::sync::{Arc, MutexGuard, OnceLock};
use std::time::Instant;

use crate::backend::{Answers, Backend, BackendError, Cpu, Question};
use crate::locks::Mutex;
use crate::{Batch, Bounds, BoundsExceeded, CpuPath, ParseError, Position, Rules, Sides, Verdict};

mod audit;
mod auto;

pub use audit::audit;
pub use auto::Progress;
use auto::{Auto, Decision, Step, Unit};

/// The default number of moves or positions of each batch that an [`Evaluator`] audits on the
/// CPU.
pub const DEFAULT_AUDIT: usize = 64;

/// The choice of a backend.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum BackendChoice {
    /// The CPU; after a while the faster of the CPU and the best real GPU, by one measurement.
    /// Never a software adapter.
    #[default]
    Auto,
    /// The CPU alone, with the best vector instructions that it has; no GPU is opened.
    Cpu,
    /// The best real GPU; with a text, the best adapter whose name contains it, ignoring case. A
    /// software adapter is used only if it is named.
    Gpu(Option<String>),
}

/// Parses `auto`, `cpu`, `gpu` or `gpu:NAME`.
impl FromStr for BackendChoice {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<BackendChoice, ParseError> {
        let gpu = text.strip_prefix("gpu:").filter(|name| !name.is_empty());
        match (text, gpu) {
            ("auto", _) => Ok(BackendChoice::Auto),
            ("cpu", _) => Ok(BackendChoice::Cpu),
            ("gpu", _) => Ok(BackendChoice::Gpu(None)),
            (_, Some(name)) => Ok(BackendChoice::Gpu(Some(name.to_owned()))),
            _ => Err(ParseError::new(format!(
                "unknown backend '{text}', expected auto, cpu, gpu or gpu:NAME"
            ))),
        }
    }
}

impl fmt::Display for BackendChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BackendChoice::Auto => f.write_str("auto"),
            BackendChoice::Cpu => f.write_str("cpu"),
            BackendChoice::Gpu(None) => f.write_str("gpu"),
            BackendChoice::Gpu(Some(name)) => write!(f, "gpu:{name}"),
        }
    }
}

/// What an [`Evaluator`] has done so far: how much was audited and decoded, and whether and why the
/// backend changed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Report {
    /// Moves scored again, or positions compared with bounds again, on the CPU and found equal.
    pub audited: u64,
    /// Records that the GPU decoded from the file's own bytes.
    pub decoded: u64,
    /// Why the CPU took over from the GPU, in a line of text; `None` if it did not.
    pub fallback: Option<String>,
    /// What [`BackendChoice::Auto`] chose and why, with the measured rates, in a line of text;
    /// `None` before.
    pub choice: Option<String>,
}

/// What an [`Evaluator`] announces. As text it is a line without a line end.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Announcement {
    /// The GPU cannot be used, for this reason, and the CPU takes over.
    Fallback(String),
    /// What [`BackendChoice::Auto`] chose, with the measured rates.
    Choice(String),
}

impl fmt::Display for Announcement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Announcement::Fallback(why) => {
                write!(f, "{why}; the CPU takes over, with the same results")
            }
            Announcement::Choice(choice) => f.write_str(choice),
        }
    }
}

/// Answers questions on the best backend; results are always the CPU's.
///
/// A GPU is audited: a sample of the answers to each question is found on the CPU too. If the GPU
/// is missing, out of memory, lost or wrong, the CPU answers this question and all later ones. That
/// is [announced](Evaluator::announce) once and noted in the [`Report`].
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
#[must_use]
pub struct Evaluator {
    cpu: Cpu,
    /// Unset while undecided; `Some(None)` for the CPU alone. See the head of the file.
    gpu: OnceLock<Option<Arc<dyn Backend>>>,
    auto: Option<Auto>,
    /// The GPU that a job tries on its file; unset until one is open.
    candidate: OnceLock<Arc<dyn Backend>>,
    /// The number of the caller's threads that ask at the same time.
    callers: usize,
    /// How many moves or positions of each question are audited; 0 for none.
    audit: usize,
    /// Receives each announcement.
    announce: Box<dyn Fn(&Announcement) + Send + Sync>,
    report: Mutex<Report>,
}

impl Evaluator {
    /// Uses the CPU alone, on all cores.
    pub fn cpu() -> Evaluator {
        Evaluator {
            cpu: Cpu::new(),
            gpu: OnceLock::from(None),
            auto: None,
            candidate: OnceLock::new(),
            callers: 1,
            audit: DEFAULT_AUDIT,
            announce: Box::new(|_| ()),
            report: Mutex::default(),
        }
    }

    /// Uses this backend. If a GPU was asked for and cannot be opened, the CPU takes over; the
    /// [`Report`] says so, and [`Evaluator::announce`] announces it. With [`Evaluator::with_backend`]
    /// you open it yourself, and get the error.
    ///
    /// With [`BackendChoice::Auto`] the CPU begins alone. After 0.3 s of work the best real GPU is
    /// opened in the background, and measured once on the current positions. The choice is
    /// announced in one line, unless there is no GPU.
    pub fn new(choice: &BackendChoice) -> Evaluator {
        match choice {
            // Roughly the time to open a GPU, compile the shader and measure.
            #[cfg(feature = "gpu")]
            BackendChoice::Auto => Evaluator::auto_with(best_gpu, Duration::from_millis(300)),
            #[cfg(not(feature = "gpu"))]
            BackendChoice::Auto => Evaluator::cpu(),
            BackendChoice::Cpu => Evaluator::cpu(),
            BackendChoice::Gpu(name) => match open(name.as_deref()) {
                Ok(gpu) => Evaluator::with_backend(Some(gpu)),
                Err(error) => {
                    let evaluator = Evaluator::cpu();
                    evaluator.fall_back(&error);
                    evaluator
                }
            },
        }
    }

    /// Uses your own backend, audited against the CPU; `None` for the CPU alone.
    pub fn with_backend(gpu: Option<Arc<dyn Backend>>) -> Evaluator {
        Evaluator {
            gpu: OnceLock::from(gpu),
            ..Evaluator::cpu()
        }
    }

    /// Like [`BackendChoice::Auto`], with a backend of your own instead of the best real GPU,
    /// opened after this time of work on the CPU; `None` if there is none.
    pub fn auto_with(
        open: impl Fn() -> auto::OpenResult + Send + Sync + 'static,
        patience: Duration,
    ) -> Evaluator {
        Evaluator {
            gpu: OnceLock::new(),
            auto: Some(Auto::new(open, patience)),
            ..Evaluator::cpu()
        }
    }

    /// How many moves or positions of each question are audited on the CPU; 0 for none. By default
    /// [`DEFAULT_AUDIT`].
    pub fn audit(mut self, samples: usize) -> Evaluator {
        self.audit = samples;
        self
    }

    /// The number of your threads that will call this evaluator at the same time, at least 1. Work
    /// on the CPU is then done on the calling thread. Not needed where
    /// [`Evaluator::answer_from`] tells the number of threads.
    pub fn callers(mut self, threads: usize) -> Evaluator {
        self.callers = threads.max(1);
        self.cpu = self.cpu.on_calling_thread();
        self
    }

    /// Uses this code path of the CPU instead of the fastest.
    ///
    /// # Errors
    ///
    /// [`BackendError::NoCpuPath`] if this machine does not have it.
    pub fn cpu_path(mut self, path: CpuPath) -> Result<Evaluator, BackendError> {
        self.cpu = self.cpu.with_path(path)?;
        Ok(self)
    }

    /// Sets the callback for fallbacks and the choice of [`BackendChoice::Auto`]. By default
    /// nothing is announced. A fallback that happened before, in [`Evaluator::new`], is announced at
    /// once.
    pub fn announce(
        mut self,
        announce: impl Fn(&Announcement) + Send + Sync + 'static,
    ) -> Evaluator {
        self.announce = Box::new(announce);
        if let Some(why) = self.report().fallback {
            (self.announce)(&Announcement::Fallback(why));
        }
        self
    }

    /// The name of the backend that gets the next question, such as `CPU, 2 threads, avx2`.
    pub fn name(&self) -> String {
        let gpu = self.live_gpu();
        gpu.map_or_else(|| self.cpu.name(), |gpu| gpu.name())
    }

    /// Whether the next question goes to a GPU. Then large batches pay, since a GPU computes as
    /// many answers at once as fit a chunk, 131,072 by default.
    pub fn uses_gpu(&self) -> bool {
        self.live_gpu().is_some()
    }

    /// What it did so far: audits, a fallback, an automatic choice.
    pub fn report(&self) -> Report {
        self.lock().clone()
    }

    /// The exact SEE of every move of a batch, in the order of [`Batch::captures`], in the unit of
    /// the piece values.
    pub fn scores(&self, batch: &Batch, rules: &Rules) -> Vec<i32> {
        self.answers(&Question::Scores(batch), rules).scores
    }

    /// The verdict on each position, in the order of the positions. With [`Sides::Both`] a
    /// verdict also has the opponent's best noisy move, as if the opponent were to move.
    pub fn verdicts(&self, positions: &[Position], rules: &Rules, sides: Sides) -> Vec<Verdict> {
        let question = Question::Verdicts { positions, sides };
        self.answers(&question, rules).verdicts
    }

    /// Which bounds each position exceeds, in the order of the positions. The CPU finds this faster
    /// than a verdict.
    pub fn exceeds(
        &self,
        positions: &[Position],
        rules: &Rules,
        bounds: Bounds,
    ) -> Vec<BoundsExceeded> {
        let question = Question::Bounds { positions, bounds };
        self.answers(&question, rules).exceeds
    }

    /// Answers a question in new columns.
    fn answers(&self, question: &Question<'_>, rules: &Rules) -> Answers {
        let mut answers = Answers::default();
        self.answer(question, rules, &mut answers);
        answers
    }

    /// Answers a question, in the columns that it asks for; their memory is reused.
    pub fn answer(&self, question: &Question<'_>, rules: &Rules, answers: &mut Answers) {
        self.answer_with(self.callers, &self.cpu, question, rules, answers);
    }

    /// Answers a question that one of `threads` threads of yours asks. All of them ask at the same
    /// time, so the CPU works on each question in the asking thread alone.
    pub fn answer_from(
        &self,
        threads: usize,
        question: &Question<'_>,
        rules: &Rules,
        answers: &mut Answers,
    ) {
        let cpu = self.cpu.copy_on_calling_thread();
        self.answer_with(threads.max(self.callers), &cpu, question, rules, answers);
    }

    /// Asks the GPU, if there is one in use, or else this CPU, whose time is noted while the choice
    /// is open. `callers` threads ask at the same time.
    fn answer_with(
        &self,
        callers: usize,
        cpu: &Cpu,
        question: &Question<'_>,
        rules: &Rules,
        answers: &mut Answers,
    ) {
        if let Some(gpu) = self.live_gpu() {
            let result = gpu
                .answer(question, rules, answers)
                .and_then(|()| audit(question, rules, answers, self.audit));
            match result {
                Ok(sample_size) => {
                    self.lock().audited += sample_size;
                    return;
                }
                Err(error) => self.fall_back(&error),
            }
        }
        let begin = Instant::now();
        cpu.fill(question, rules, answers);
        if let Some(auto) = self.undecided()
            && question.answers() > 0
        {
            // Each caller works on its own thread; a single caller's CPU may have several.
            let threads = callers.max(cpu.threads());
            // While this thread answered, the other callers answered as many positions as well.
            let share = u32::try_from(callers).unwrap_or(u32::MAX);
            let decision = auto.note_answers(question, rules, begin.elapsed() / share, threads);
            if let Some(decision) = decision {
                self.decide(decision);
            }
        }
    }

    /// The automatic choice, while it is open.
    fn undecided(&self) -> Option<&Auto> {
        let is_open = self.gpu.get().is_none() && self.lock().fallback.is_none();
        self.auto.as_ref().filter(|_| is_open)
    }

    /// The GPU that works for a host that does more with it than to ask: the one in use, or the one
    /// that is tried to choose between it and the CPU ([`Evaluator::note_on_cpu`]). `None` if the
    /// CPU works alone. [`Backend::as_any`] tells what it is.
    pub fn device(&self) -> Option<&Arc<dyn Backend>> {
        self.live_gpu()
            .or_else(|| self.candidate.get().filter(|_| self.undecided().is_some()))
    }

    /// The GPU in use; `None` if the CPU works.
    fn live_gpu(&self) -> Option<&Arc<dyn Backend>> {
        let gpu = self.gpu.get()?.as_ref();
        gpu.filter(|_| self.lock().fallback.is_none())
    }

    /// As [`Evaluator::answer_from`], for a host that compares all that a GPU and the CPU do for it
    /// ([`Evaluator::note_on_cpu`]): the time that this answer takes decides nothing.
    pub fn answer_untimed(
        &self,
        threads: usize,
        question: &Question<'_>,
        rules: &Rules,
        answers: &mut Answers,
    ) {
        if self.live_gpu().is_some() {
            return self.answer_from(threads, question, rules, answers);
        }
        let cpu = self.cpu.copy_on_calling_thread();
        cpu.fill(question, rules, answers);
    }

    /// Notes records of a host that compares a GPU with the CPU by all that they do for it, from
    /// input to output, while [`BackendChoice::Auto`] is open. The CPU did this work, on `threads`
    /// threads.
    ///
    /// Once that took 0.3 s, a GPU is opened in the background. There the result of `prepare`
    /// compiles what the host needs, and tells whether this GPU can do the work. If so, it becomes
    /// the [`Evaluator::device`]; if not, or if there is none or it failed, the CPU is the choice.
    pub fn note_on_cpu<P>(&self, work: Progress, threads: usize, prepare: impl FnOnce() -> P)
    where
        P: FnOnce(&Arc<dyn Backend>) -> Result<bool, BackendError> + Send + 'static,
    {
        let Some(auto) = self.undecided() else {
            return;
        };
        match auto.note_on_cpu(Unit::Records, work, threads, || Box::new(prepare())) {
            // `auto` returns the GPU once, so the cell is not set already.
            Some(Ok(Step::Try(gpu))) => _ = self.candidate.set(gpu),
            Some(Ok(Step::Decided(decision))) => self.decide(Ok(decision)),
            Some(Err(error)) => self.decide(Err(error)),
            None => {}
        }
    }

    /// Notes records that were done since the host has given work to the
    /// [device](Evaluator::device) that is tried, which takes `batch` of them at a time. The first
    /// batch warms up; after two more it is decided who goes on.
    pub fn note_on_gpu(&self, work: Progress, batch: u64) {
        let decision = self
            .undecided()
            .and_then(|auto| auto.note_on_gpu(Unit::Records, work, batch));
        if let Some(decision) = decision {
            self.decide(Ok(decision));
        }
    }

    /// Notes in the [`Report`] records that a GPU has decoded and judged by itself, and how many of
    /// them were audited.
    pub fn note_filtered(&self, records: u64, audited: u64) {
        let mut report = self.lock();
        report.decoded += records;
        report.audited += audited;
    }

    /// How many moves or positions of each question are audited.
    pub const fn samples(&self) -> usize {
        self.audit
    }

    /// Notes that the GPU has failed, for a host whose work does not go through
    /// [`Evaluator::answer`]: the CPU does the rest, and that is announced.
    pub fn fail(&self, error: &BackendError) {
        self.fall_back(error);
    }

    /// Goes on with the backend that was decided for, and announces it. An error is that of the
    /// GPU, and means the CPU.
    fn decide(&self, decision: Result<Decision, BackendError>) {
        let decision = decision.unwrap_or_else(|error| {
            self.fall_back(&error);
            Decision::default()
        });
        if let Some(sentence) = decision.sentence {
            self.note_choice(sentence, decision.is_silent);
        }
        // `auto` decides once, so `gpu` is unset.
        let _ = self.gpu.set(decision.gpu);
    }

    /// Hands all further work to the CPU, and announces that the first time.
    fn fall_back(&self, error: &BackendError) {
        let why = error.to_string();
        {
            let mut report = self.lock();
            // Another thread's question may have failed on the same device meanwhile.
            if report.fallback.is_some() {
                return;
            }
            report.fallback = Some(why.clone());
        }
        (self.announce)(&Announcement::Fallback(why));
    }

    /// Announces what was chosen, unless it is to be silent, and notes it in the [`Report`].
    fn note_choice(&self, sentence: String, is_silent: bool) {
        if !is_silent {
            (self.announce)(&Announcement::Choice(sentence.clone()));
        }
        self.lock().choice = Some(sentence);
    }

    fn lock(&self) -> MutexGuard<'_, Report> {
        self.report.lock()
    }
}

/// The best real GPU; `None` if there is none.
#[cfg(feature = "gpu")]
fn best_gpu() -> auto::OpenResult {
    match open(None) {
        Ok(gpu) => Ok(Some(gpu)),
        Err(BackendError::NoAdapter(_)) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Opens the best real GPU, or the best adapter whose name contains the given one.
#[cfg(feature = "gpu")]
fn open(name: Option<&str>) -> Result<Arc<dyn Backend>, BackendError> {
    let options = crate::gpu::GpuOptions::default();
    Ok(Arc::new(crate::gpu::Gpu::open(name, &options)?))
}

#[cfg(not(feature = "gpu"))]
fn open(_: Option<&str>) -> Result<Arc<dyn Backend>, BackendError> {
    let what = "built without the feature gpu".to_owned();
    Err(BackendError::NoAdapter(what))
}
