//! The GPU backend, through [wgpu]: Vulkan, Metal and Direct3D 12.
//!
//! A batch is cut into chunks. A chunk's positions (32 bytes each) and moves (4
//! bytes each) are written into mapped memory, copied to the device, scored by one
//! invocation a move and read back (2 bytes each, or 4 where the piece values are so
//! large that a score may need them). For verdicts the positions alone
//! are copied: a workgroup finds the noisy moves of 64 sides and scores them, 16
//! bytes come back for each position. Several threads do this side by side, each
//! with three slots of buffers that take turns, so that filling, computing and
//! reading overlap.
//!
//! Every result is accounted for: one that the shader did not write, or that is
//! beyond all possible ones, is [`BackendError::Wrong`]. Nothing that a
//! driver does is meant to panic or to hang.
//!
//! Each file uses only those above it, and [`program`](super::program):
//!
//! 1. `errors`, `adapter`, `options`
//! 2. `context`: a device, its buffers, what is submitted and waited for
//! 3. `timing`, `pipelines`, `slot`: the buffers of one chunk
//! 4. `worker`: a thread's ring of slots; `engine`: all workers of a device
//! 5. `placed`: positions on the device already; `upload`; then this file

use core::time::Duration;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

use super::program::{Judging, Scoring, Workload};
use crate::backend::{Backend, BackendError};
use crate::{Batch, Position, Rules, Verdict};

mod adapter;
mod context;
mod engine;
mod errors;
mod options;
mod pipelines;
mod placed;
mod slot;
mod timing;
mod upload;
mod worker;

pub use adapter::{AdapterSummary, adapters};
pub use options::Options;
pub use upload::Upload;
/// The wgpu that this crate is built on, for [`Gpu::from_device`].
pub use wgpu;

use engine::Engine;
use errors::Mailbox;
use placed::Placed;
use timing::Stopwatch;

/// A GPU that scores batches and judges positions, for several threads at once.
///
/// After an error it is spent, and every further batch gives the same error: open
/// another.
///
/// ```no_run
/// use swaplist::{backend::Backend, gpu::Gpu};
/// use swaplist::{Batch, Position, Rules, noisy_moves};
///
/// let position: Position = "1k1r4/1pp4p/p7/4p3/8/P5P1/1PP4P/2K1R3 w - - 0 1".parse()?;
/// let mut batch = Batch::new();
/// batch.push(position, noisy_moves(&position));
///
/// let gpu = Gpu::open(None)?;
/// let mut scores = vec![0; batch.len()];
/// gpu.score(&batch, &Rules::SWAP, &mut scores)?;
/// assert_eq!(scores, [100]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Gpu {
    adapter: AdapterSummary,
    /// Or why it was given up.
    engine: RwLock<Result<Arc<Engine>, BackendError>>,
    kernel_time: Mutex<KernelTime>,
    timeout: Duration,
}

/// Of the work that was asked for last.
#[derive(Default)]
struct KernelTime {
    known: Option<Duration>,
    running: Option<Stopwatch>,
}

impl Gpu {
    /// The first adapter, software ones last, whose name contains the text.
    ///
    /// # Errors
    ///
    /// [`BackendError::NoAdapter`] if there is none, or another if it fails.
    pub fn open(name: Option<&str>) -> Result<Gpu, BackendError> {
        Gpu::open_with(name, &Options::default())
    }

    /// As [`Gpu::open`], with options.
    ///
    /// # Errors
    ///
    /// As [`Gpu::open`].
    pub fn open_with(name: Option<&str>, options: &Options) -> Result<Gpu, BackendError> {
        Gpu::on_adapter(&adapter::by_name(name)?, options)
    }

    /// The best real GPU: never a software adapter.
    ///
    /// # Errors
    ///
    /// As [`Gpu::open`].
    pub fn open_real() -> Result<Gpu, BackendError> {
        Gpu::on_adapter(&adapter::real()?, &Options::default())
    }

    /// On a device and queue of your own, shared with your other work.
    ///
    /// The device's callbacks are left alone. Timestamps need its feature
    /// `TIMESTAMP_QUERY`.
    ///
    /// # Errors
    ///
    /// A [`BackendError`] if the device refuses.
    pub fn from_device(
        device: wgpu::Device,
        queue: wgpu::Queue,
        options: &Options,
    ) -> Result<Gpu, BackendError> {
        Gpu::on_device(device, queue, Mailbox::default(), options)
    }

    fn on_adapter(adapter: &wgpu::Adapter, options: &Options) -> Result<Gpu, BackendError> {
        let (device, queue) = adapter::open(adapter, options.timestamps)?;
        let mailbox = Mailbox::of(&device);
        Gpu::on_device(device, queue, mailbox, options)
    }

    fn on_device(
        device: wgpu::Device,
        queue: wgpu::Queue,
        mailbox: Mailbox,
        options: &Options,
    ) -> Result<Gpu, BackendError> {
        let (features, limits) = (device.features(), device.limits());
        let adapter = AdapterSummary::new(device.adapter_info(), features, &limits);
        let engine = Engine::new(device, queue, mailbox, options)?;
        Ok(Gpu {
            adapter,
            engine: RwLock::new(Ok(Arc::new(engine))),
            kernel_time: Mutex::default(),
            timeout: options.timeout,
        })
    }

    /// The adapter; its limits and features are those of the device in use.
    #[must_use]
    pub fn adapter(&self) -> &AdapterSummary {
        &self.adapter
    }

    /// How long the kernels of the last batch took on the device, without any
    /// transfer: the sum over its chunks, which may overlap unless
    /// [`Options::workers`] is 1. `None` where [`Options::timestamps`] is off or
    /// not to be had.
    ///
    /// After [`judge_buffer`](Gpu::judge_buffer) this waits for that work to end.
    #[must_use]
    pub fn kernel_time(&self) -> Option<Duration> {
        let mut time = self.lock_time();
        if let Some(stopwatch) = time.running.take() {
            time.known = stopwatch.time(self.timeout);
        }
        time.known
    }

    /// The verdicts on positions that are on the device already, which stay there.
    ///
    /// `positions` holds `count` positions from its beginning on, 32 bytes each, as
    /// [`Position`] lies in memory; it needs the usage `STORAGE`. The verdicts go into
    /// `verdicts` from its beginning on, a [`VerdictRecord`](super::VerdictRecord) of 16 bytes each; it needs
    /// the usages `STORAGE` and `COPY_DST`. Without one a buffer is made, which can be
    /// copied from too. Either way it is given back.
    ///
    /// The work is submitted to the queue, and not waited for: what is submitted
    /// behind it finds the records written, as does [`Gpu::read_verdicts`].
    ///
    /// # Errors
    ///
    /// A [`BackendError`] if a buffer is too small or lacks a usage, which leaves all
    /// as it was, or if the device cannot go on.
    pub fn judge_buffer(
        &self,
        positions: &wgpu::Buffer,
        count: usize,
        rules: &Rules,
        with_threat: bool,
        verdicts: Option<wgpu::Buffer>,
    ) -> Result<wgpu::Buffer, BackendError> {
        placed::check_positions(positions, count)?;
        let verdicts = match verdicts {
            Some(verdicts) => verdicts,
            None => self.with_engine(|engine| engine.new_verdicts(count))?,
        };
        let placed = Placed {
            positions,
            count,
            verdicts: &verdicts,
        };
        placed.check()?;
        let running = if count > 0 {
            self.with_engine(|engine| engine.judge_placed(&placed, rules, with_threat))?
        } else {
            None
        };
        *self.lock_time() = KernelTime {
            known: None,
            running,
        };
        Ok(verdicts)
    }

    /// Reads verdicts from the beginning of a buffer of
    /// [`judge_buffer`](Gpu::judge_buffer), which needs the usage `COPY_SRC`.
    ///
    /// # Errors
    ///
    /// [`BackendError::Wrong`] if one of them was not written, or another if the
    /// buffer is too small or lacks the usage, or the device cannot go on.
    pub fn read_verdicts(
        &self,
        buffer: &wgpu::Buffer,
        verdicts: &mut [Verdict],
    ) -> Result<(), BackendError> {
        placed::check_records(buffer, verdicts.len())?;
        if verdicts.is_empty() {
            return Ok(());
        }
        self.with_engine(|engine| engine.read_placed(buffer, verdicts))
    }

    fn run<W: Workload>(
        &self,
        work: &W,
        rules: &Rules,
        answers: &mut [W::Answer],
    ) -> Result<(), BackendError> {
        let time = self.with_engine(|engine| engine.run(work, rules, answers));
        *self.lock_time() = KernelTime {
            known: time.as_ref().ok().copied().flatten(),
            running: None,
        };
        time.map(|_| ())
    }

    /// Does something with the engine, which is given up after an error.
    fn with_engine<R>(
        &self,
        work: impl FnOnce(&Engine) -> Result<R, BackendError>,
    ) -> Result<R, BackendError> {
        let engine = {
            let engine = self.engine.read().unwrap_or_else(PoisonError::into_inner);
            engine.clone()?
        };
        let result = work(&engine);
        let Err(error) = result else { return result };
        if error == BackendError::Timeout {
            // To drop a queue is to wait for its work, which may never end.
            core::mem::forget(engine);
        }
        Err(self.give_up(error))
    }

    /// The error that others met first, or else this one.
    fn give_up(&self, error: BackendError) -> BackendError {
        let mut engine = self.engine.write().unwrap_or_else(PoisonError::into_inner);
        let error = engine.as_ref().err().cloned().unwrap_or(error);
        *engine = Err(error.clone());
        error
    }

    fn lock_time(&self) -> MutexGuard<'_, KernelTime> {
        let time = self.kernel_time.lock();
        time.unwrap_or_else(PoisonError::into_inner)
    }
}

impl Backend for Gpu {
    fn name(&self) -> String {
        self.adapter.to_string()
    }

    fn score(&self, batch: &Batch, rules: &Rules, scores: &mut [i32]) -> Result<(), BackendError> {
        assert_eq!(scores.len(), batch.len(), "one score a move");
        self.run(&Scoring::new(batch, rules), rules, scores)
    }

    /// From the positions alone: the device finds the noisy moves and scores them.
    fn judge(
        &self,
        positions: &[Position],
        rules: &Rules,
        with_threat: bool,
        verdicts: &mut [Verdict],
    ) -> Result<(), BackendError> {
        assert_eq!(verdicts.len(), positions.len(), "one verdict a position");
        let judging = Judging {
            positions,
            with_threat,
        };
        self.run(&judging, rules, verdicts)
    }
}
