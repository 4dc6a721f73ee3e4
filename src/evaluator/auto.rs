//! The choice between the CPU and a GPU by one short measurement.
//!
//! The CPU begins. Only a GPU that saves more than it costs to open is worth it, so
//! it is opened, on a thread of its own while the CPU goes on, once the CPU has
//! been at work for about as long as opening takes. Then its rate is measured on the
//! positions at hand, and compared with the CPU's so far.

use core::time::Duration;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};

use super::question::{Question, Sample, per_second};
use crate::backend::{Backend, BackendError};

/// A GPU that was opened, and what it is called; none where there is no real one.
pub(super) type Opened = Result<Option<(Box<dyn Backend>, String)>, BackendError>;

pub(super) struct Auto {
    open: Arc<dyn Fn() -> Opened + Send + Sync>,
    /// How long the CPU works before.
    patience: Duration,
    progress: Mutex<Progress>,
}

#[derive(Default)]
struct Progress {
    /// What the CPU did, by its unit, and how long that took.
    done: HashMap<&'static str, (usize, Duration)>,
    stage: Stage,
}

#[derive(Default)]
enum Stage {
    #[default]
    Waiting,
    Opening(JoinHandle<Result<Option<Candidate>, BackendError>>),
    Over,
}

/// A GPU that was opened, and what it was warmed up with and is measured with.
struct Candidate {
    gpu: Box<dyn Backend>,
    name: String,
    sample: Sample,
    unit: &'static str,
}

/// A GPU, and how many answers a second it and the CPU give.
pub(super) struct Measured {
    pub gpu: Box<dyn Backend>,
    pub name: String,
    pub unit: &'static str,
    pub gpu_rate: f64,
    pub cpu_rate: f64,
}

impl Auto {
    /// About what it takes to open a GPU, to compile the shader and to measure.
    #[cfg(feature = "gpu")]
    pub const PATIENCE: Duration = Duration::from_millis(300);

    pub fn new(open: impl Fn() -> Opened + Send + Sync + 'static, patience: Duration) -> Auto {
        Auto {
            open: Arc::new(open),
            patience,
            progress: Mutex::default(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Progress> {
        self.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes how long the CPU took. When it is time, opens a GPU, which would be asked
    /// for so many answers at once. Once that is open, tells what was measured, one time,
    /// while the caller's other threads wait.
    pub fn note<Q: Question>(
        &self,
        question: Q,
        time: Duration,
        at_once: usize,
    ) -> Option<Result<Option<Measured>, BackendError>> {
        let mut progress = self.lock();
        let done = progress.done.entry(Q::UNIT).or_default();
        *done = (done.0 + question.answers(), done.1 + time);
        match core::mem::replace(&mut progress.stage, Stage::Over) {
            Stage::Waiting if progress.time() < self.patience => progress.stage = Stage::Waiting,
            Stage::Waiting => match self.begin(question, at_once) {
                Ok(opening) => progress.stage = Stage::Opening(opening),
                // No thread is to be had: no time for experiments.
                Err(_) => return Some(Ok(None)),
            },
            Stage::Opening(opening) if !opening.is_finished() => {
                progress.stage = Stage::Opening(opening);
            }
            Stage::Opening(opening) => {
                let panicked = |_| Err(BackendError::Device("a thread panicked".to_owned()));
                let opened = opening.join().unwrap_or_else(panicked);
                let measure = |found: Candidate| found.measure(&progress.done);
                return Some(opened.and_then(|found| found.map(measure).transpose()));
            }
            Stage::Over => {}
        }
        None
    }

    /// Opens the GPU, and has it compile what this question needs.
    fn begin<Q: Question>(
        &self,
        question: Q,
        at_once: usize,
    ) -> std::io::Result<JoinHandle<Result<Option<Candidate>, BackendError>>> {
        let open = Arc::clone(&self.open);
        let sample = question.sample(at_once.clamp(LEAST_MEASURED, MOST_MEASURED));
        thread::Builder::new().spawn(move || {
            let Some((gpu, name)) = open()? else {
                return Ok(None);
            };
            sample.rate(&*gpu)?;
            Ok(Some(Candidate {
                gpu,
                name,
                sample,
                unit: Q::UNIT,
            }))
        })
    }
}

/// Answers that a GPU is measured with: enough for it to be at work at all, and as
/// many as keep all of it busy.
pub(super) const LEAST_MEASURED: usize = 1 << 12;
const MOST_MEASURED: usize = 1 << 20;

impl Progress {
    fn time(&self) -> Duration {
        self.done.values().map(|(_, time)| *time).sum()
    }
}

impl Candidate {
    fn measure(self, done: &HashMap<&str, (usize, Duration)>) -> Result<Measured, BackendError> {
        let (answers, time) = done.get(self.unit).copied().unwrap_or_default();
        Ok(Measured {
            gpu_rate: self.sample.rate(&*self.gpu)?,
            cpu_rate: per_second(answers, time),
            gpu: self.gpu,
            name: self.name,
            unit: self.unit,
        })
    }
}

impl Measured {
    /// Whether the GPU is the faster one; of equals the CPU is taken.
    pub fn takes_gpu(&self) -> bool {
        self.gpu_rate > self.cpu_rate
    }

    /// What is taken and why, in one line.
    pub fn sentence(&self, threads: usize) -> String {
        let Measured { name, unit, .. } = self;
        let [by_cpu, on_device] = [self.cpu_rate, self.gpu_rate].map(millions);
        let threads = match threads {
            1 => "1 CPU thread".to_owned(),
            threads => format!("{threads} CPU threads"),
        };
        if self.takes_gpu() {
            format!("backend: GPU ({name}, {on_device} {unit}/s against {by_cpu}/s on {threads})")
        } else {
            format!("backend: CPU ({threads}, {by_cpu} {unit}/s against {on_device}/s on {name})")
        }
    }
}

/// With two digits at least.
fn millions(rate: f64) -> String {
    let millions = rate / 1e6;
    let digits = match millions {
        ..0.1 => 3,
        ..1.0 => 2,
        ..10.0 => 1,
        _ => 0,
    };
    format!("{millions:.digits$} M")
}

/// The thread may be in the midst of a driver, which must not see the process end.
impl Drop for Auto {
    fn drop(&mut self) {
        let stage = core::mem::replace(&mut self.lock().stage, Stage::Over);
        if let Stage::Opening(opening) = stage {
            // What came of it matters no more.
            let _ = opening.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::Cpu;

    fn measured(cpu_rate: f64, gpu_rate: f64) -> Measured {
        Measured {
            gpu: Box::new(Cpu::new()),
            name: "NVIDIA H100".to_owned(),
            unit: "verdicts",
            gpu_rate,
            cpu_rate,
        }
    }

    #[test]
    fn the_fastest_is_taken() {
        for (cpu, gpu, takes_gpu) in [
            (21e6, 812e6, true),
            (21e6, 9e6, false),
            (21e6, 21e6, false),
            (21e6, 21.1e6, true),
            // What cannot be: never a GPU for it.
            (21e6, 0.0, false),
            (21e6, f64::NAN, false),
        ] {
            assert_eq!(measured(cpu, gpu).takes_gpu(), takes_gpu, "{cpu} {gpu}");
        }
    }

    #[test]
    fn the_sentence_says_what_and_why() {
        for (cpu, gpu, threads, sentence) in [
            (
                21e6,
                812.4e6,
                2,
                "backend: GPU (NVIDIA H100, 812 M verdicts/s against 21 M/s on 2 CPU threads)",
            ),
            (
                21e6,
                9.06e6,
                1,
                "backend: CPU (1 CPU thread, 21 M verdicts/s against 9.1 M/s on NVIDIA H100)",
            ),
            (
                30e6,
                0.02e6,
                16,
                "backend: CPU (16 CPU threads, 30 M verdicts/s against 0.020 M/s on NVIDIA H100)",
            ),
        ] {
            assert_eq!(measured(cpu, gpu).sentence(threads), sentence);
        }
    }
}
