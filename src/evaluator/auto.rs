//! Chooses between the CPU and a GPU by one measurement.
//!
//! The CPU begins. A GPU pays only if it saves more time than opening it takes, so it is opened in
//! the background once the CPU has worked for about that long. Then the GPU answers about the
//! current positions, and its rate is compared with what the CPU had meanwhile. A job on a file
//! that a device can do whole compares what its user waits for instead: records per second, from
//! file to file, on all threads.

use core::time::Duration;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Instant;

use crate::backend::{Answers, Backend, BackendError, Question};
use crate::{Batch, Rules};

/// The result of opening a GPU: `None` if there is no real one.
pub(super) type OpenResult = Result<Option<Arc<dyn Backend>>, BackendError>;

/// The GPU to use, if any, and the reason in one line if there was a choice.
pub(super) type Decision = (Option<Arc<dyn Backend>>, Option<String>);

/// The number of answers that a GPU is measured with: two chunks.
const MEASURED: usize = 1 << 18;

/// The choice, while it is open and after.
pub(super) struct Auto {
    open: Arc<dyn Fn() -> OpenResult + Send + Sync>,
    /// How long the CPU works before a GPU is opened.
    patience: Duration,
    /// `None` once it is decided.
    stage: Mutex<Option<Stage>>,
}

#[derive(Default)]
/// What is known before the decision.
struct Stage {
    /// The time that the CPU has worked, counted anew once a GPU is being opened.
    time: Duration,
    /// The answers that it gave in that time.
    answers: usize,
    /// The thread that opens a GPU, once it has begun.
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
    /// it is time. Returns the decision once; the caller's other threads wait while the GPU is
    /// measured.
    pub fn note(
        &self,
        question: &Question<'_>,
        rules: &Rules,
        time: Duration,
        threads: usize,
    ) -> Option<Result<Decision, BackendError>> {
        let mut guard = self.stage.lock().unwrap_or_else(PoisonError::into_inner);
        let stage = guard.as_mut()?;
        stage.time += time;
        stage.answers += question.answers();
        if let Some(thread) = stage.opening.take_if(|thread| thread.is_finished()) {
            let cpu_rate = millions_per_second(stage.answers, stage.time);
            *guard = None;
            let cpu = CpuSpeed {
                threads,
                rate: cpu_rate,
            };
            return Some(decide(thread, question, rules, cpu));
        }
        if stage.opening.is_none() && stage.time >= self.patience {
            *stage = Stage {
                opening: self.begin(question, rules).ok(),
                ..Stage::default()
            };
        }
        None
    }

    /// For a job that a device can do whole: opens a GPU in the background once the job has run for
    /// long enough, and lets `prepare` compile its kernels. Returns it once; the caller compares it
    /// with the CPU.
    #[cfg(feature = "files")]
    pub fn candidate(
        &self,
        elapsed: Duration,
        prepare: impl FnOnce(&dyn Backend) -> Result<(), BackendError> + Send + 'static,
    ) -> Option<OpenResult> {
        let mut guard = self.stage.lock().unwrap_or_else(PoisonError::into_inner);
        let stage = guard.as_mut()?;
        if let Some(thread) = stage.opening.take_if(|thread| thread.is_finished()) {
            *guard = None;
            return Some(opened(thread));
        }
        if stage.opening.is_none() && elapsed >= self.patience {
            let open = Arc::clone(&self.open);
            let opening = thread::Builder::new().spawn(move || {
                let opened = open()?;
                if let Some(gpu) = &opened {
                    prepare(&**gpu)?;
                }
                Ok(opened)
            });
            stage.opening = opening.ok();
        }
        None
    }

    /// Opens the GPU, and compiles the shader for this question.
    fn begin(&self, question: &Question<'_>, rules: &Rules) -> io::Result<JoinHandle<OpenResult>> {
        static NOTHING: Batch = Batch::new();
        let open = Arc::clone(&self.open);
        let rules = *rules;
        let kind = question.about(&NOTHING);
        let batch = repeated(question, 1);
        thread::Builder::new().spawn(move || {
            let opened = open()?;
            if let Some(gpu) = &opened {
                gpu.answers(&kind.about(&batch), &rules)?;
            }
            Ok(opened)
        })
    }
}

/// How fast the CPU was.
#[derive(Clone, Copy)]
struct CpuSpeed {
    threads: usize,
    /// In millions of answers per second.
    rate: f64,
}

/// Decides for the GPU if it answers faster than the CPU did.
fn decide(
    opening: JoinHandle<OpenResult>,
    question: &Question<'_>,
    rules: &Rules,
    cpu: CpuSpeed,
) -> Result<Decision, BackendError> {
    let Some(gpu) = opened(opening)? else {
        return Ok((None, None));
    };
    let batch = repeated(question, MEASURED);
    let measured = question.about(&batch);
    let mut answers = Answers::default();
    let mut best = Duration::MAX;
    // The better of two times counts.
    for _ in 0..2 {
        let begin = Instant::now();
        gpu.answer(&measured, rules, &mut answers)?;
        best = best.min(begin.elapsed());
    }
    let gpu_rate = millions_per_second(measured.answers(), best);
    let unit = match question {
        Question::Scores(_) => "scores",
        Question::Verdicts { .. } => "verdicts",
        _ => "positions",
    };
    let sentence = sentence(&gpu.name(), gpu_rate, cpu.threads, cpu.rate, unit);
    // Ties go to the CPU.
    let chosen = (gpu_rate > cpu.rate).then_some(gpu);
    Ok((chosen, Some(sentence)))
}

/// One line of text on what was chosen, and why. The rates are in millions of `unit` per second.
pub(super) fn sentence(
    gpu: &str,
    gpu_rate: f64,
    threads: usize,
    cpu_rate: f64,
    unit: &str,
) -> String {
    let s = if threads == 1 { "" } else { "s" };
    let cpu = format!("{threads} CPU thread{s}");
    if gpu_rate > cpu_rate {
        let rates = format!("{gpu_rate:.1} M {unit}/s against {cpu_rate:.1} M/s on {cpu}");
        format!("backend: GPU ({gpu}, {rates})")
    } else {
        let rates = format!("{cpu_rate:.1} M {unit}/s against {gpu_rate:.1} M/s on {gpu}");
        format!("backend: CPU ({cpu}, {rates})")
    }
}

/// The GPU that a thread has opened. Waits for the thread to end.
fn opened(opening: JoinHandle<OpenResult>) -> OpenResult {
    let panicked = |_| Err(BackendError::Device("a thread panicked".to_owned()));
    opening.join().unwrap_or_else(panicked)
}

/// The question's positions, repeated up to `many` times in all, with their moves if scores are
/// asked for.
fn repeated(question: &Question<'_>, many: usize) -> Batch {
    let mut batch = Batch::new();
    let positions = question.positions().iter().enumerate().cycle();
    for (i, &position) in positions.take(many) {
        let captures = match question {
            Question::Scores(moves) => &moves.captures()[moves.range(i)],
            _ => &[],
        };
        batch.push(position, captures.iter().copied());
        // A position from a text line may have many thousands of moves.
        if batch.len() >= many {
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
        let stage = self.stage.get_mut().unwrap_or_else(PoisonError::into_inner);
        // The result does not matter any more.
        let _ = stage.take().and_then(|stage| Some(stage.opening?.join()));
    }
}
