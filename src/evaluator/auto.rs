//! Chooses between the CPU and a GPU by one measurement.
//!
//! The CPU begins. A GPU pays only if it saves more time than opening it takes, so it is opened in
//! the background once the CPU has worked for about that long. Then the GPU answers about the
//! current positions, and its rate is compared with what the CPU had meanwhile. A job on a file
//! that a device can filter by itself compares what its user waits for instead: records per second,
//! from file to file, on all threads.
//!
//! ```text
//! CPU    |--- works 0.3 s ---|--- works on; its answers and time are counted anew ---|
//! thread                     |--- opens the GPU, compiles the shader ---|
//! then   the next question: the GPU answers two chunks of it, twice; the faster one goes on
//! ```
//!
//! The CPU's rate is counted anew from the moment the GPU is being opened, so both rates are about
//! nearly the same positions.

use core::time::Duration;
use std::io;
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Instant;

use crate::backend::{Answers, Backend, BackendError, Question};
use crate::locks::Mutex;
use crate::{Batch, Rules};

/// The result of opening a GPU: `None` if there is no real one.
pub(super) type OpenResult = Result<Option<Arc<dyn Backend>>, BackendError>;

/// The outcome of the choice. By default the CPU, without a word: there was no GPU to choose.
#[derive(Default)]
pub(super) struct Decision {
    /// The GPU to use; `None` for the CPU.
    pub gpu: Option<Arc<dyn Backend>>,
    /// What was chosen, with both rates, in a line of text; `None` if there was no choice.
    pub sentence: Option<String>,
}

/// The number of answers that a GPU is measured with: two chunks of the usual size.
const MEASURED_ANSWERS: usize = 1 << 18;

/// The automatic choice of a backend.
pub(super) struct Auto {
    open: Arc<dyn Fn() -> OpenResult + Send + Sync>,
    /// How long the CPU works before a GPU is opened.
    patience: Duration,
    /// `None` once a GPU was opened or was found missing: then nothing is left to do here.
    stage: Mutex<Option<Stage>>,
}

/// What is known before the decision.
#[derive(Default)]
struct Stage {
    /// The time that the CPU has worked, counted anew once a GPU is being opened.
    time: Duration,
    /// The number of answers that the CPU gave in that time.
    answers: usize,
    /// The thread that opens a GPU; `None` before it was started.
    opening: Option<JoinHandle<OpenResult>>,
}

impl Auto {
    pub fn new(open: impl Fn() -> OpenResult + Send + Sync + 'static, patience: Duration) -> Auto {
        Auto {
            open: Arc::new(open),
            patience,
            stage: Mutex::new(Some(Stage::default())),
        }
    }

    /// Notes the CPU's time on a question, which it answered on `threads` threads. Opens a GPU when
    /// the CPU has worked long enough. Returns the decision once; the caller's other threads wait
    /// here while the GPU is measured, since it holds the lock.
    pub fn note(
        &self,
        question: &Question<'_>,
        rules: &Rules,
        time: Duration,
        threads: usize,
    ) -> Option<Result<Decision, BackendError>> {
        let mut guard = self.stage.lock();
        let stage = guard.as_mut()?;
        stage.time += time;
        stage.answers += question.answers();
        if let Some(thread) = stage.opening.take_if(|thread| thread.is_finished()) {
            let cpu = CpuSpeed {
                threads,
                rate: millions_per_second(stage.answers, stage.time),
            };
            *guard = None;
            return Some(decide(thread, question, rules, cpu));
        }
        if stage.opening.is_none() && stage.time >= self.patience {
            *stage = Stage {
                // Without a thread it is tried again after as much work.
                opening: self.start_opening(question, rules).ok(),
                ..Stage::default()
            };
        }
        None
    }

    /// For [`Evaluator::candidate`](super::Evaluator::candidate): opens a GPU in the background once
    /// the host has worked for long enough, and lets `prepare` compile its kernels. `None` until
    /// that is done. Returns the GPU once, if it can do the work.
    pub fn candidate(
        &self,
        elapsed: Duration,
        prepare: impl FnOnce(&Arc<dyn Backend>) -> Result<bool, BackendError> + Send + 'static,
    ) -> Option<OpenResult> {
        let mut guard = self.stage.lock();
        let stage = guard.as_mut()?;
        if let Some(thread) = stage.opening.take_if(|thread| thread.is_finished()) {
            *guard = None;
            return Some(join(thread));
        }
        if stage.opening.is_none() && elapsed >= self.patience {
            let open = Arc::clone(&self.open);
            let opening = thread::Builder::new().spawn(move || match open()? {
                Some(gpu) if prepare(&gpu)? => Ok(Some(gpu)),
                _ => Ok(None),
            });
            stage.opening = opening.ok();
        }
        None
    }

    /// Starts a thread that opens the GPU and asks it the same question about one position, which
    /// compiles the shader.
    fn start_opening(
        &self,
        question: &Question<'_>,
        rules: &Rules,
    ) -> io::Result<JoinHandle<OpenResult>> {
        // The thread outlives the question's positions: it gets its kind, and one position of its
        // own.
        static NOTHING: Batch = Batch::new();
        let open = Arc::clone(&self.open);
        let rules = *rules;
        let kind = question.about(&NOTHING);
        let batch = repeated(question, 1);
        thread::Builder::new().spawn(move || {
            let gpu = open()?;
            if let Some(gpu) = &gpu {
                gpu.answers(&kind.about(&batch), &rules)?;
            }
            Ok(gpu)
        })
    }
}

/// How fast the CPU was.
#[derive(Clone, Copy)]
pub(super) struct CpuSpeed {
    pub threads: usize,
    /// Millions of answers or records per second, of all threads together.
    pub rate: f64,
}

/// Decides for the GPU if it answers faster than the CPU did.
fn decide(
    opening: JoinHandle<OpenResult>,
    question: &Question<'_>,
    rules: &Rules,
    cpu: CpuSpeed,
) -> Result<Decision, BackendError> {
    let Some(gpu) = join(opening)? else {
        return Ok(Decision::default());
    };
    let batch = repeated(question, MEASURED_ANSWERS);
    let sample = question.about(&batch);
    let mut answers = Answers::default();
    let mut best = Duration::MAX;
    // The better of two times counts.
    for _ in 0..2 {
        let begin = Instant::now();
        gpu.answer(&sample, rules, &mut answers)?;
        best = best.min(begin.elapsed());
    }
    let gpu_rate = millions_per_second(sample.answers(), best);
    let unit = match question {
        Question::Scores(_) => "scores",
        Question::Verdicts { .. } => "verdicts",
        _ => "positions",
    };
    let comparison = Comparison {
        gpu: &gpu.name(),
        gpu_rate,
        cpu,
        unit,
    };
    let sentence = comparison.sentence();
    // Ties go to the CPU.
    let chosen = (gpu_rate > cpu.rate).then_some(gpu);
    Ok(Decision {
        gpu: chosen,
        sentence: Some(sentence),
    })
}

/// A GPU's rate beside the CPU's.
pub(super) struct Comparison<'a> {
    /// The name of the GPU.
    pub gpu: &'a str,
    /// Millions of `unit` per second, as is the CPU's rate.
    pub gpu_rate: f64,
    pub cpu: CpuSpeed,
    /// What is counted, in the plural: `scores`, `records`.
    pub unit: &'a str,
}

impl Comparison<'_> {
    /// The faster backend and both rates in a line of text, such as `backend: CPU (2 CPU threads,
    /// 80.1 M records/s against 61.0 M/s on NVIDIA H100)`.
    pub fn sentence(&self) -> String {
        let Comparison {
            gpu,
            gpu_rate,
            cpu,
            unit,
        } = self;
        let cpu_rate = cpu.rate;
        let s = if cpu.threads == 1 { "" } else { "s" };
        let threads = format!("{} CPU thread{s}", cpu.threads);
        if *gpu_rate > cpu_rate {
            let rates = format!("{gpu_rate:.1} M {unit}/s against {cpu_rate:.1} M/s on {threads}");
            format!("backend: GPU ({gpu}, {rates})")
        } else {
            let rates = format!("{cpu_rate:.1} M {unit}/s against {gpu_rate:.1} M/s on {gpu}");
            format!("backend: CPU ({threads}, {rates})")
        }
    }
}

/// Waits for the thread that opens the GPU, and returns what it opened.
fn join(opening: JoinHandle<OpenResult>) -> OpenResult {
    let panicked = |_| Err(BackendError::Device("a thread panicked".to_owned()));
    opening.join().unwrap_or_else(panicked)
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

#[allow(clippy::cast_precision_loss)] // shown rounded
fn millions_per_second(answers: usize, time: Duration) -> f64 {
    answers as f64 / time.as_secs_f64().max(1e-9) / 1e6
}

/// Waits for the opening thread: the process must not end while it is in a driver.
impl Drop for Auto {
    fn drop(&mut self) {
        let stage = self.stage.get_mut();
        // Nobody will use the GPU, or hear of an error.
        let _ = stage.take().and_then(|stage| Some(stage.opening?.join()));
    }
}
