//! Chooses between the CPU and a GPU by one trial.
//!
//! The CPU begins. A GPU pays only if it saves more time than opening it takes, so it is opened in
//! the background once the CPU has worked for about that long. Then the GPU is tried, and its rate
//! is compared with what the CPU had meanwhile. The faster one goes on, and ties go to the CPU.
//!
//! ```text
//! CPU    |--- works 0.3 s ---|--- works on; its work and time are counted anew ---|
//! thread                     |--- opens the GPU, compiles the shader ---|
//! GPU                                                  warms up, then is measured |------|
//! ```
//!
//! The CPU's rate is counted anew from the moment the GPU is being opened, so both rates are about
//! nearly the same positions. The choice is made once and never looked at again. If the GPU fails
//! before that, or there is none, the CPU goes on.
//!
//! # Two kinds of work
//!
//! There is one trial, and whoever has work done notes how much there was and how long it took
//! ([`Progress`]).
//!
//! - *Questions from memory* count answers, and the time in which they were found. The GPU is tried
//!   on the positions of one question: it answers two chunks of them, twice, and the first time
//!   only warms up.
//! - *A file that a device can filter by itself* counts records, and all time from file to file,
//!   which is what the user waits for. There the GPU takes over a part of the job, so that nothing
//!   is done twice: it warms up with one batch and is measured with two more.
//!
//! # Where a GPU cannot pay
//!
//! What a device works on must come to it. The fastest bus of any card, `PCIe` 5 with 16 lanes,
//! carries 63 GB a second in one direction. Where device and host share their memory there is no
//! bus, but the four threads that write for the device do not store more than that either. A
//! question from memory has 32 bytes a position, and a file its own bytes. So if the CPU alone has
//! gone through more bytes a second than that, no GPU can win, however fast its kernels are, and
//! none is opened or looked for.
//! Software adapters are left out before they are opened (`gpu/native/adapter.rs`): they compute on
//! the CPU.

use core::ops::AddAssign;
use core::time::Duration;
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Instant;

use crate::backend::{Answers, Backend, BackendError, Question};
use crate::locks::Mutex;
use crate::{Batch, Position, Rules};

/// The result of opening a GPU: `None` if there is no real one.
pub(super) type OpenResult = Result<Option<Arc<dyn Backend>>, BackendError>;

/// Compiles what work needs on a GPU, and tells whether the GPU can do that work.
pub(super) type Prepare = Box<dyn FnOnce(&Arc<dyn Backend>) -> Result<bool, BackendError> + Send>;

/// The least amount of work that a rate is taken from: two chunks of the usual size.
const MEASURED: u64 = 1 << 18;

/// Bytes a second that no bus to a GPU carries in one direction; see the head of the file.
const FASTEST_BUS: f64 = 63e9;

/// What is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unit {
    /// The exact SEE of moves.
    Scores,
    /// Verdicts on positions.
    Verdicts,
    /// Positions compared with bounds.
    Positions,
    /// Records of a file.
    Records,
}

impl Unit {
    /// The unit of the answers to a question.
    const fn for_question(question: &Question<'_>) -> Unit {
        match question {
            Question::Scores(_) => Unit::Scores,
            Question::Verdicts { .. } => Unit::Verdicts,
            Question::Bounds { .. } => Unit::Positions,
        }
    }

    /// The unit's name in the plural.
    const fn name(self) -> &'static str {
        match self {
            Unit::Scores => "scores",
            Unit::Verdicts => "verdicts",
            Unit::Positions => "positions",
            Unit::Records => "records",
        }
    }
}

/// How much was done, and how long that took all threads together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// The number of answers or records.
    pub amount: u64,
    /// The bytes that a device would have to be sent for it.
    pub bytes: u64,
    /// The time that passed.
    pub time: Duration,
}

impl Progress {
    /// The answers to a question, after this time.
    fn for_question(question: &Question<'_>, time: Duration) -> Progress {
        Progress {
            amount: question.answers() as u64,
            bytes: size_of_val::<[Position]>(question.positions()) as u64,
            time,
        }
    }

    /// Millions a second.
    fn rate(&self) -> f64 {
        per_second(self.amount, self.time) / 1e6
    }

    /// Whether no bus could carry as much to a device.
    fn outruns_any_bus(&self) -> bool {
        per_second(self.bytes, self.time) > FASTEST_BUS
    }
}

impl AddAssign for Progress {
    fn add_assign(&mut self, more: Progress) {
        self.amount += more.amount;
        self.bytes += more.bytes;
        self.time += more.time;
    }
}

#[allow(clippy::cast_precision_loss)] // compared and shown rounded
fn per_second(count: u64, time: Duration) -> f64 {
    count as f64 / time.as_secs_f64().max(1e-9)
}

/// The outcome of the trial. By default the CPU, without a word: there was no GPU to choose.
#[derive(Default)]
pub(super) struct Decision {
    /// The GPU to use; `None` for the CPU.
    pub gpu: Option<Arc<dyn Backend>>,
    /// What was chosen and why, in a line of text; `None` if there was no choice.
    pub sentence: Option<String>,
    /// Whether the user is not told, as no GPU was looked for.
    pub is_silent: bool,
}

/// What comes next after some work.
pub(super) enum Step {
    /// This GPU is to do a part of the work.
    Try(Arc<dyn Backend>),
    /// The trial is over.
    Decided(Decision),
}

/// The automatic choice of a backend.
pub(super) struct Auto {
    open: Arc<dyn Fn() -> OpenResult + Send + Sync>,
    /// How long the CPU works before a GPU is opened.
    patience: Duration,
    stage: Mutex<Stage>,
}

/// How far the trial is.
enum Stage {
    /// The CPU works.
    Cpu {
        /// What it has done, counted anew once a GPU is being opened.
        work: Progress,
        /// `None` before a GPU is being opened.
        opening: Option<Opening>,
    },
    /// The GPU works.
    Gpu {
        gpu: Arc<dyn Backend>,
        /// The unit of the work.
        unit: Unit,
        /// How fast the CPU was.
        cpu: CpuSpeed,
        /// What the GPU has done, counted anew once it is warm.
        work: Progress,
        is_warm: bool,
    },
    /// Nothing is left to do here.
    Decided,
}

/// A GPU that is opened in the background.
struct Opening {
    /// The unit of the work for which it is opened: other work does not count.
    unit: Unit,
    /// The thread that opens it; `None` once that has ended.
    thread: Option<JoinHandle<OpenResult>>,
    /// The GPU, once it is open.
    gpu: Option<Arc<dyn Backend>>,
}

/// How fast the CPU was.
#[derive(Clone, Copy)]
struct CpuSpeed {
    threads: usize,
    /// Millions of answers or records a second, of all threads together.
    rate: f64,
}

impl Auto {
    pub fn new(open: impl Fn() -> OpenResult + Send + Sync + 'static, patience: Duration) -> Auto {
        Auto {
            open: Arc::new(open),
            patience,
            stage: Mutex::new(Stage::Cpu {
                work: Progress::default(),
                opening: None,
            }),
        }
    }

    /// Notes work that the CPU did on `threads` threads. Opens a GPU in the background when the CPU
    /// has worked long enough, lets the result of `prepare` compile what the work needs there, and
    /// returns the GPU once, if it can do this work.
    pub fn note_on_cpu(
        &self,
        unit: Unit,
        work: Progress,
        threads: usize,
        prepare: impl FnOnce() -> Prepare,
    ) -> Option<Result<Step, BackendError>> {
        let mut stage = self.stage.lock();
        self.next_on_cpu(&mut stage, unit, work, threads, prepare)
    }

    /// Notes work that was done after [`Step::Try`] gave it to a GPU, which works on `batch` of it
    /// at a time. Returns the decision once.
    pub fn note_on_gpu(&self, unit: Unit, work: Progress, batch: u64) -> Option<Decision> {
        self.stage.lock().next_on_gpu(unit, work, batch)
    }

    /// Notes the CPU's time on a question, which it answered on `threads` threads. If a GPU is open
    /// then, it is tried at once; the caller's other threads wait here meanwhile, since this one
    /// holds the lock. Returns the decision once.
    pub fn note_answers(
        &self,
        question: &Question<'_>,
        rules: &Rules,
        time: Duration,
        threads: usize,
    ) -> Option<Result<Decision, BackendError>> {
        let mut stage = self.stage.lock();
        let unit = Unit::for_question(question);
        let work = Progress::for_question(question, time);
        let step = self.next_on_cpu(&mut stage, unit, work, threads, || {
            // The thread may outlive the question's positions: it gets the question's kind, and a
            // copy of one position.
            static NOTHING: Batch = Batch::new();
            let kind = question.about(&NOTHING);
            let batch = repeated(question, 1);
            let rules = *rules;
            Box::new(move |gpu| gpu.answers(&kind.about(&batch), &rules).map(|_| true))
        });
        match step? {
            Ok(Step::Try(gpu)) => Some(stage.measure(&*gpu, question, rules)),
            Ok(Step::Decided(decision)) => Some(Ok(decision)),
            Err(error) => Some(Err(error)),
        }
    }

    fn next_on_cpu(
        &self,
        stage: &mut Stage,
        unit: Unit,
        done: Progress,
        threads: usize,
        prepare: impl FnOnce() -> Prepare,
    ) -> Option<Result<Step, BackendError>> {
        let Stage::Cpu { work, opening } = stage else {
            return None;
        };
        let Some(opened) = opening else {
            *work += done;
            if work.time < self.patience {
                return None;
            }
            if work.outruns_any_bus() {
                let cpu = CpuSpeed {
                    threads,
                    rate: work.rate(),
                };
                *stage = Stage::Decided;
                return Some(Ok(Step::Decided(Decision {
                    gpu: None,
                    sentence: Some(outran(cpu, unit)),
                    is_silent: true,
                })));
            }
            *work = Progress::default();
            // If no thread can be started, that is tried again after as much work.
            *opening = self.start_opening(unit, prepare());
            return None;
        };
        if opened.unit != unit {
            return None;
        }
        *work += done;
        if let Some(thread) = opened.thread.take_if(|thread| thread.is_finished()) {
            opened.gpu = match join(thread) {
                Ok(Some(gpu)) => Some(gpu),
                none_or_error => {
                    *stage = Stage::Decided;
                    return Some(none_or_error.map(|_| Step::Decided(Decision::default())));
                }
            };
        }
        if work.amount < MEASURED {
            return None;
        }
        let gpu = opened.gpu.take()?;
        let cpu = CpuSpeed {
            threads,
            rate: work.rate(),
        };
        *stage = Stage::Gpu {
            gpu: Arc::clone(&gpu),
            unit,
            cpu,
            work: Progress::default(),
            is_warm: false,
        };
        Some(Ok(Step::Try(gpu)))
    }

    /// Starts a thread that opens a GPU and prepares it; `None` if there is no thread to be had.
    fn start_opening(&self, unit: Unit, prepare: Prepare) -> Option<Opening> {
        let open = Arc::clone(&self.open);
        let thread = thread::Builder::new().spawn(move || match open()? {
            Some(gpu) if prepare(&gpu)? => Ok(Some(gpu)),
            _ => Ok(None),
        });
        Some(Opening {
            unit,
            thread: Some(thread.ok()?),
            gpu: None,
        })
    }
}

impl Stage {
    /// Counts what was done since the GPU has the work, and decides once that is enough.
    fn next_on_gpu(&mut self, noted: Unit, done: Progress, batch: u64) -> Option<Decision> {
        let Stage::Gpu {
            gpu,
            unit,
            cpu,
            work,
            is_warm,
        } = self
        else {
            return None;
        };
        if *unit != noted {
            return None;
        }
        *work += done;
        if !*is_warm {
            if work.amount >= batch {
                *work = Progress::default();
                *is_warm = true;
            }
            return None;
        }
        if work.amount < 2 * batch {
            return None;
        }
        let gpu_rate = work.rate();
        let sentence = compared(&gpu.name(), gpu_rate, *cpu, *unit);
        let chosen = (gpu_rate > cpu.rate).then(|| Arc::clone(gpu));
        *self = Stage::Decided;
        Some(Decision {
            gpu: chosen,
            sentence: Some(sentence),
            is_silent: false,
        })
    }

    /// Tries the GPU on the positions of a question, until that decides.
    fn measure(
        &mut self,
        gpu: &dyn Backend,
        question: &Question<'_>,
        rules: &Rules,
    ) -> Result<Decision, BackendError> {
        let batch = repeated(question, usize::try_from(MEASURED).unwrap_or(usize::MAX));
        let sample = question.about(&batch);
        let unit = Unit::for_question(question);
        let mut answers = Answers::default();
        loop {
            let begin = Instant::now();
            gpu.answer(&sample, rules, &mut answers)
                .inspect_err(|_| *self = Stage::Decided)?;
            let work = Progress::for_question(&sample, begin.elapsed());
            // The sample is two batches: the first time they warm up the GPU, then they decide.
            if let Some(decision) = self.next_on_gpu(unit, work, work.amount / 2) {
                return Ok(decision);
            }
        }
    }
}

/// The faster backend and both rates in a line of text, such as `backend: CPU (2 CPU threads,
/// 80.1 M records/s against 61.0 M/s on NVIDIA H100)`.
fn compared(gpu: &str, gpu_rate: f64, cpu: CpuSpeed, unit: Unit) -> String {
    let threads = cpu.threads();
    let cpu_rate = cpu.rate;
    let unit = unit.name();
    if gpu_rate > cpu_rate {
        let rates = format!("{gpu_rate:.1} M {unit}/s against {cpu_rate:.1} M/s on {threads}");
        format!("backend: GPU ({gpu}, {rates})")
    } else {
        let rates = format!("{cpu_rate:.1} M {unit}/s against {gpu_rate:.1} M/s on {gpu}");
        format!("backend: CPU ({threads}, {rates})")
    }
}

/// That the CPU is faster than any bus, in a line of text.
fn outran(cpu: CpuSpeed, unit: Unit) -> String {
    let threads = cpu.threads();
    let rate = cpu.rate;
    let unit = unit.name();
    format!("backend: CPU ({threads}, {rate:.1} M {unit}/s, more than any bus carries to a GPU)")
}

impl CpuSpeed {
    /// Such as `2 CPU threads`.
    fn threads(self) -> String {
        let s = if self.threads == 1 { "" } else { "s" };
        format!("{} CPU thread{s}", self.threads)
    }
}

/// Waits for the thread that opens the GPU, and returns what it opened.
fn join(thread: JoinHandle<OpenResult>) -> OpenResult {
    thread
        .join()
        .unwrap_or_else(|_| Err(BackendError::Device("a thread panicked".to_owned())))
}

/// A batch of the question's positions, over and over until it has `size` positions, or moves if
/// scores are asked for.
fn repeated(question: &Question<'_>, size: usize) -> Batch {
    let mut batch = Batch::new();
    let positions = question.positions().iter().enumerate().cycle();
    for (i, &position) in positions.take(size) {
        let captures = match question {
            Question::Scores(moves) => &moves.captures()[moves.range(i)],
            _ => &[],
        };
        batch.push(position, captures.iter().copied());
        // A position from a text line may have many thousands of moves.
        if batch.len() >= size {
            break;
        }
    }
    batch
}

/// Waits for the opening thread: the process must not end while it is in a driver.
impl Drop for Auto {
    fn drop(&mut self) {
        if let Stage::Cpu { opening, .. } = self.stage.get_mut()
            && let Some(thread) = opening.take().and_then(|opening| opening.thread)
        {
            // Nobody will use the GPU, or hear of an error.
            let _ = thread.join();
        }
    }
}
