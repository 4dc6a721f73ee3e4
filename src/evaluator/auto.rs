//! Chooses between the CPU and a GPU by one short measurement.
//!
//! The CPU begins. A GPU pays only if it saves more time than opening it takes. So it is opened
//! in the background once the CPU has worked for about that long. Then its rate on the current
//! positions is compared with the CPU's rate so far.

use core::time::Duration;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};

use super::request::{Request, Sample, per_second};
use crate::Rules;
use crate::backend::{Backend, BackendError};

/// An opened GPU with its name; `None` if there is no real one.
pub(super) type Opened = Result<Option<(Arc<dyn Backend>, String)>, BackendError>;

pub(super) struct Auto {
    open: Arc<dyn Fn() -> Opened + Send + Sync>,
    /// How long the CPU works before a GPU is opened.
    patience: Duration,
    progress: Mutex<Progress>,
}

#[derive(Default)]
struct Progress {
    /// The CPU's answers and time, by unit.
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

/// An opened GPU with the sample to measure it on.
struct Candidate {
    gpu: Arc<dyn Backend>,
    name: String,
    sample: Sample,
    unit: &'static str,
}

/// A GPU with its rate and the CPU's, in answers per second.
pub(super) struct Measured {
    pub gpu: Arc<dyn Backend>,
    pub name: String,
    pub unit: &'static str,
    pub gpu_rate: f64,
    pub cpu_rate: f64,
}

impl Auto {
    /// Roughly the time to open a GPU, compile the shader and measure.
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

    /// Notes the CPU's time. Opens a GPU when it is time; `at_once` is how many answers it
    /// would be asked for at once. Returns the measurement once, when done; the caller's other
    /// threads wait meanwhile.
    pub fn note<Q: Request>(
        &self,
        request: Q,
        rules: &Rules,
        time: Duration,
        at_once: usize,
    ) -> Option<Result<Option<Measured>, BackendError>> {
        let mut progress = self.lock();
        let done = progress.done.entry(Q::UNIT).or_default();
        *done = (done.0 + request.answers(), done.1 + time);
        match core::mem::replace(&mut progress.stage, Stage::Over) {
            Stage::Waiting if progress.time() < self.patience => progress.stage = Stage::Waiting,
            Stage::Waiting => match self.begin(request, rules, at_once) {
                Ok(opening) => progress.stage = Stage::Opening(opening),
                // Without a thread for opening, stay on the CPU.
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

    /// Opens the GPU, and compiles the shader for this request.
    fn begin<Q: Request>(
        &self,
        request: Q,
        rules: &Rules,
        at_once: usize,
    ) -> std::io::Result<JoinHandle<Result<Option<Candidate>, BackendError>>> {
        let open = Arc::clone(&self.open);
        let sample = request.sample(rules, at_once.clamp(LEAST_MEASURED, MOST_MEASURED));
        thread::Builder::new().spawn(move || {
            let Some((gpu, name)) = open()? else {
                return Ok(None);
            };
            sample(&*gpu)?;
            Ok(Some(Candidate {
                gpu,
                name,
                sample,
                unit: Q::UNIT,
            }))
        })
    }
}

/// Limits on the answers to measure a GPU with: enough for a kernel to run at all, and as many
/// as fill the whole GPU.
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
            gpu_rate: (self.sample)(&*self.gpu)?,
            cpu_rate: per_second(answers, time),
            gpu: self.gpu,
            name: self.name,
            unit: self.unit,
        })
    }
}

impl Measured {
    /// Whether the GPU is faster; ties go to the CPU.
    pub fn takes_gpu(&self) -> bool {
        self.gpu_rate > self.cpu_rate
    }

    /// The choice and the reason, in one line.
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

/// Shows at least two digits.
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

/// Waits for the opening thread: the process must not end while it is in a driver.
impl Drop for Auto {
    fn drop(&mut self) {
        let stage = core::mem::replace(&mut self.lock().stage, Stage::Over);
        if let Stage::Opening(opening) = stage {
            // The result does not matter any more.
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
            gpu: Arc::new(Cpu::new()),
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
            // Impossible rates never choose the GPU.
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
