//! Chooses between the CPU and a GPU by one short measurement.
//!
//! The CPU begins. A GPU pays only if it saves more time than opening it takes. So it is opened
//! in the background once the CPU has worked for about that long. Then its rate on the current
//! positions is compared with the CPU's meanwhile.

use core::mem::discriminant;
use core::time::Duration;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Instant;

use crate::backend::{Answers, Backend, BackendError, Question};
use crate::{Batch, Rules};

/// An opened GPU with its name; `None` if there is no real one.
pub(super) type Opened = Result<Option<(Arc<dyn Backend>, String)>, BackendError>;

/// The GPU to use, if any, and the reason in one line.
pub(super) type BackendChoice = (Option<Arc<dyn Backend>>, String);

/// Answers to measure a GPU with: two chunks.
const MEASURED: usize = 1 << 18;

/// Measuring starts no new round after this time.
const WINDOW: Duration = Duration::from_millis(40);

pub(super) struct Auto {
    open: Arc<dyn Fn() -> Opened + Send + Sync>,
    /// How long the CPU works before a GPU is opened.
    patience: Duration,
    stage: Mutex<Stage>,
}

enum Stage {
    /// The CPU has worked for so long.
    Waiting(Duration),
    Opening(Opening),
    Over,
}

/// A GPU being opened, and the CPU's work meanwhile on the question to measure it with.
struct Opening {
    thread: JoinHandle<Opened>,
    sample: Arc<Sample>,
    answers: usize,
    time: Duration,
}

/// Positions to ask about, with their moves if scores are asked for.
struct Sample {
    batch: Batch,
    rules: Rules,
    question: Box<dyn Fn(&Batch) -> Question<'_> + Send + Sync>,
}

impl Auto {
    /// Roughly the time to open a GPU, compile the shader and measure.
    #[cfg(feature = "gpu")]
    pub const PATIENCE: Duration = Duration::from_millis(300);

    pub fn new(open: impl Fn() -> Opened + Send + Sync + 'static, patience: Duration) -> Auto {
        Auto {
            open: Arc::new(open),
            patience,
            stage: Mutex::new(Stage::Waiting(Duration::ZERO)),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Stage> {
        self.stage.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes the CPU's time on a question, on so many threads. Opens a GPU when it is time.
    /// Returns the choice once, or `None` inside without a GPU; the caller's other threads wait
    /// while it is measured.
    pub fn note(
        &self,
        question: &Question<'_>,
        rules: &Rules,
        time: Duration,
        threads: usize,
    ) -> Option<Result<Option<BackendChoice>, BackendError>> {
        let mut stage = self.lock();
        match core::mem::replace(&mut *stage, Stage::Over) {
            Stage::Waiting(all) if all + time < self.patience => {
                *stage = Stage::Waiting(all + time);
            }
            Stage::Waiting(_) => match self.begin(question, rules) {
                Ok(opening) => *stage = Stage::Opening(opening),
                // Without a thread for opening, stay on the CPU.
                Err(_) => return Some(Ok(None)),
            },
            Stage::Opening(mut opening) => {
                if discriminant(&opening.sample.question()) == discriminant(question) {
                    opening.answers += question.answers();
                    opening.time += time;
                }
                if opening.answers > 0 && opening.thread.is_finished() {
                    return Some(opening.measured(threads));
                }
                *stage = Stage::Opening(opening);
            }
            Stage::Over => {}
        }
        None
    }

    /// Opens the GPU, and compiles the shader for this question.
    fn begin(&self, question: &Question<'_>, rules: &Rules) -> std::io::Result<Opening> {
        let (open, sample) = (
            Arc::clone(&self.open),
            Arc::new(Sample::of(question, rules)),
        );
        let measured = Arc::clone(&sample);
        let thread = thread::Builder::new().spawn(move || {
            let opened = open()?;
            if let Some((gpu, _)) = &opened {
                measured.rate(&**gpu)?;
            }
            Ok(opened)
        })?;
        Ok(Opening {
            thread,
            sample,
            answers: 0,
            time: Duration::ZERO,
        })
    }
}

impl Opening {
    fn measured(self, threads: usize) -> Result<Option<BackendChoice>, BackendError> {
        let panicked = |_| Err(BackendError::Device("a thread panicked".to_owned()));
        let Some((gpu, name)) = self.thread.join().unwrap_or_else(panicked)? else {
            return Ok(None);
        };
        let rates = [
            per_second(self.answers, self.time),
            self.sample.rate(&*gpu)?,
        ];
        let [cpu_rate, gpu_rate] = rates.map(|rate| {
            let millions = rate / 1e6;
            let digits = usize::from(millions < 10.0) + usize::from(millions < 1.0);
            format!("{millions:.digits$} M")
        });
        let unit = match self.sample.question() {
            Question::Scores(_) => "scores",
            Question::Verdicts { .. } => "verdicts",
            _ => "positions",
        };
        let s = if threads == 1 { "" } else { "s" };
        let cpu = format!("{threads} CPU thread{s}");
        // Ties go to the CPU.
        Ok(Some(if rates[1] > rates[0] {
            let why = format!("GPU ({name}, {gpu_rate} {unit}/s against {cpu_rate}/s on {cpu})");
            (Some(gpu), format!("backend: {why}"))
        } else {
            let why = format!("CPU ({cpu}, {cpu_rate} {unit}/s against {gpu_rate}/s on {name})");
            (None, format!("backend: {why}"))
        }))
    }
}

impl Sample {
    /// The question's positions over and over.
    fn of(question: &Question<'_>, rules: &Rules) -> Sample {
        let mut batch = Batch::new();
        let (positions, moves) = match *question {
            Question::Scores(moves) => (moves.positions(), Some(moves)),
            Question::Verdicts { positions, .. } | Question::Bounds { positions, .. } => {
                (positions, None)
            }
            Question::Records(..) => (&[][..], None),
        };
        for i in (0..positions.len()).cycle().take(MEASURED) {
            // A position from a text line may have many thousands of moves.
            if batch.len() >= MEASURED {
                break;
            }
            let captures = moves.map_or(&[][..], |moves| &moves.captures()[moves.range(i)]);
            batch.push(positions[i], captures.iter().copied());
        }
        let question: Box<dyn Fn(&Batch) -> Question<'_> + Send + Sync> = match *question {
            Question::Verdicts { with_threat, .. } => Box::new(move |batch| Question::Verdicts {
                positions: batch.positions(),
                with_threat,
            }),
            Question::Bounds { bounds, .. } => Box::new(move |batch| Question::Bounds {
                positions: batch.positions(),
                bounds,
            }),
            #[allow(clippy::redundant_closure)] // the function is for one lifetime only
            _ => Box::new(|batch| Question::Scores(batch)),
        };
        Sample {
            batch,
            rules: *rules,
            question,
        }
    }

    fn question(&self) -> Question<'_> {
        (self.question)(&self.batch)
    }

    fn rate(&self, gpu: &dyn Backend) -> Result<f64, BackendError> {
        let (question, mut answers) = (self.question(), Answers::default());
        let (mut rounds, begin) = (0, Instant::now());
        while rounds == 0 || begin.elapsed() < WINDOW {
            gpu.answer(&question, &self.rules, &mut answers)?;
            rounds += 1;
        }
        Ok(per_second(rounds * question.answers(), begin.elapsed()))
    }
}

#[allow(clippy::cast_precision_loss)] // shown rounded
fn per_second(answers: usize, time: Duration) -> f64 {
    answers as f64 / time.as_secs_f64().max(1e-9)
}

/// Waits for the opening thread: the process must not end while it is in a driver.
impl Drop for Auto {
    fn drop(&mut self) {
        let stage = core::mem::replace(&mut *self.lock(), Stage::Over);
        if let Stage::Opening(opening) = stage {
            // The result does not matter any more.
            let _ = opening.thread.join();
        }
    }
}
