//! How far the choice of a backend by itself has come.
//!
//! The CPU begins. Only a GPU that saves more than it costs to open is worth it, so
//! it is opened, on a thread of its own while the CPU goes on, once the CPU has
//! been at work for about as long as opening takes. Then its rate is measured on the
//! positions at hand, and compared with the CPU's so far.

use core::time::Duration;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};

use super::work::Work;
use crate::backend::{Backend, BackendError};

/// A GPU that was opened, and what it is called.
pub(super) type Candidate = (Box<dyn Backend>, String);

/// What came of opening one; none where there is no real one.
pub(super) type Opened = Result<Option<Candidate>, BackendError>;

pub(super) struct Auto {
    open: Arc<dyn Fn() -> Opened + Send + Sync>,
    /// How long the CPU works before.
    patience: Duration,
    progress: Mutex<Progress>,
}

#[derive(Default)]
pub(super) struct Progress {
    /// By the kind of work.
    done: HashMap<&'static str, Done>,
    stage: Stage,
}

/// What the CPU did, and how long that took.
#[derive(Clone, Copy, Default)]
struct Done {
    times: usize,
    results: usize,
    time: Duration,
}

#[derive(Default)]
enum Stage {
    #[default]
    Waiting,
    Opening(JoinHandle<Opened>),
    Over,
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

    pub fn lock(&self) -> MutexGuard<'_, Progress> {
        self.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes what the CPU did; what came of opening a GPU, once, when that is done.
    pub fn next<W: Work>(
        &self,
        progress: &mut Progress,
        work: &W,
        time: Duration,
    ) -> Option<Opened> {
        let done = progress.done.entry(W::UNIT).or_default();
        done.times += 1;
        done.results += work.results();
        done.time += time;
        // A device shall not be judged by the rest of a batch.
        let is_usual = 2 * work.results() * done.times >= done.results;
        let stage = core::mem::replace(&mut progress.stage, Stage::Over);
        let (stage, opened) = match stage {
            Stage::Waiting if progress.time() < self.patience => (Stage::Waiting, None),
            Stage::Waiting => match self.begin(work) {
                Ok(opening) => (Stage::Opening(opening), None),
                // No thread is to be had: no time for experiments.
                Err(_) => (Stage::Over, Some(Ok(None))),
            },
            Stage::Opening(opening) if !(is_usual && opening.is_finished()) => {
                (Stage::Opening(opening), None)
            }
            Stage::Opening(opening) => {
                let panicked = |_| Err(BackendError::Device("a thread panicked".to_owned()));
                (Stage::Over, Some(opening.join().unwrap_or_else(panicked)))
            }
            Stage::Over => (Stage::Over, None),
        };
        progress.stage = stage;
        opened
    }

    /// Opens the GPU, and has it compile what this work needs.
    fn begin<W: Work>(&self, work: &W) -> std::io::Result<JoinHandle<Opened>> {
        let open = Arc::clone(&self.open);
        let sample = work.sample(WARM_UP);
        thread::Builder::new().spawn(move || {
            let opened = open()?;
            if let Some((gpu, _)) = &opened {
                let mut outputs = vec![Default::default(); sample.results()];
                sample.on(&**gpu, &mut outputs, 0)?;
            }
            Ok(opened)
        })
    }
}

/// Positions that warm a GPU up.
pub(super) const WARM_UP: usize = 1 << 12;

impl Progress {
    fn time(&self) -> Duration {
        self.done.values().map(|done| done.time).sum()
    }

    /// What the CPU did a second.
    pub fn cpu_rate<W: Work>(&self) -> f64 {
        let done = self.done.get(W::UNIT).copied().unwrap_or_default();
        per_second(done.results, done.time)
    }
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

#[allow(clippy::cast_precision_loss)] // for people
pub(super) fn per_second(results: usize, time: Duration) -> f64 {
    results as f64 / time.as_secs_f64().max(1e-9)
}
