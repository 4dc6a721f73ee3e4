//! The GPU backend, through [wgpu]: Vulkan, Metal and Direct3D 12.
//!
//! A batch is cut into chunks. A chunk's positions (32 bytes each) and moves (4 bytes each) are
//! written into mapped memory, copied to the device, scored by one invocation per move and read
//! back (2 bytes each, or 4 if the piece values allow larger scores). For verdicts only the
//! positions are copied: a workgroup finds and scores the noisy moves of 64 sides and writes 16
//! bytes per position. Several chunks are in flight, each in a slot of buffers, so that filling,
//! computing and reading overlap: see `engine.rs`.
//!
//! Every result is checked: one that the shader did not write, or that is out of range, is
//! [`BackendError::Wrong`]. Driver errors should neither panic nor hang.
//!
//! | file | holds |
//! |---|---|
//! | `adapter.rs` | finding adapters, opening a device |
//! | `context.rs` | a device with its limits and its queue; making buffers, waiting |
//! | `program.rs` | a shader and what has been compiled of it |
//! | `engine.rs`, `slot.rs` | questions about positions in memory, chunk by chunk |
//! | `device_buffers.rs` | verdicts on positions that are on the device already |
//! | `errors.rs` | wgpu's errors as [`BackendError`] |

use core::any::Any;
use std::sync::Arc;

use wgpu::BufferUsages as Usage;

use super::program::Plan;
use super::program::layout::{POSITION_SIZE, RECORD_SIZE};
use super::program::plan::AnswerSlices;
use crate::backend::{Answers, Backend, BackendError, Question};
use crate::locks::Mutex;
use crate::{Rules, Sides, Verdict};

mod adapter;
mod context;
mod device_buffers;
mod engine;
mod errors;
mod options;
mod program;
mod slot;

pub use adapter::{AdapterSummary, adapters, usable_adapters};
pub use context::{Commands, Context, Submitted};
pub use options::GpuOptions;
pub use program::Program;
/// The wgpu that this crate is built on, for [`Gpu::from_device`].
pub use wgpu;

use device_buffers::Judging;
use engine::Engine;
use errors::Mailbox;

/// A GPU that scores batches and judges positions; usable from several threads. A clone is the same
/// device.
///
/// After an error it always returns that error: open another.
///
/// ```no_run
/// use swaplist::backend::{Backend, Question};
/// use swaplist::gpu::{Gpu, GpuOptions};
/// use swaplist::{Batch, Position, Rules, noisy_moves};
///
/// let position: Position = "1k1r4/1pp4p/p7/4p3/8/P5P1/1PP4P/2K1R3 w - - 0 1".parse()?;
/// let mut batch = Batch::new();
/// batch.push(position, noisy_moves(&position));
///
/// let gpu = Gpu::open(None, &GpuOptions::default())?;
/// let answers = gpu.answers(&Question::Scores(&batch), &Rules::SWAP)?;
/// assert_eq!(answers.scores, [100]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Gpu {
    adapter: Arc<AdapterSummary>,
    /// The engine, until an error; then that error, and the engine is dropped.
    engine: Arc<Mutex<Result<Arc<Engine>, BackendError>>>,
}

impl Gpu {
    /// Opens the best real GPU, or the best adapter whose name contains the text, ignoring case.
    /// A software adapter is opened only if it is named.
    ///
    /// # Errors
    ///
    /// [`BackendError::NoAdapter`] if there is none, or another error.
    pub fn open(name: Option<&str>, options: &GpuOptions) -> Result<Gpu, BackendError> {
        let adapters = adapter::usable(name)?;
        let (device, queue) = adapter::open(&adapters[0])?;
        let mailbox = Mailbox::for_device(&device);
        Gpu::on_device(device, queue, mailbox, options)
    }

    /// Uses your own device and queue, shared with your other work.
    ///
    /// The device's callbacks are not changed.
    ///
    /// # Errors
    ///
    /// A [`BackendError`] if the device refuses.
    pub fn from_device(
        device: wgpu::Device,
        queue: wgpu::Queue,
        options: &GpuOptions,
    ) -> Result<Gpu, BackendError> {
        Gpu::on_device(device, queue, Mailbox::default(), options)
    }

    /// Makes the pipelines and the first buffers. `mailbox` receives the device's asynchronous
    /// errors.
    fn on_device(
        device: wgpu::Device,
        queue: wgpu::Queue,
        mailbox: Mailbox,
        options: &GpuOptions,
    ) -> Result<Gpu, BackendError> {
        let adapter = AdapterSummary::new(device.adapter_info(), &device.limits());
        let context = Context::new(device, queue, mailbox, options)?;
        let engine = Engine::new(context, options)?;
        Ok(Gpu {
            adapter: Arc::new(adapter),
            engine: Arc::new(Mutex::new(Ok(Arc::new(engine)))),
        })
    }

    /// The adapter, with the limits of the device in use.
    pub fn adapter(&self) -> &AdapterSummary {
        &self.adapter
    }

    /// Judges positions that are already on the device, and leaves the verdicts there.
    ///
    /// `positions` starts with `count` positions of 32 bytes each, laid out like
    /// [`Position`](crate::Position) in memory; it needs the usage `STORAGE`. `verdicts` receives a
    /// record of 16 bytes for each, from its beginning; it needs the usages `STORAGE` and
    /// `COPY_DST`. If it is `None`, a buffer is made that also has `COPY_SRC`. The buffer is
    /// returned.
    ///
    /// A record is a [`Verdict`] in memory, in four little-endian words.
    ///
    /// The work is submitted to the queue, and its last submission is not waited for: later
    /// submissions, and [`Gpu::read_verdicts`], see the records.
    ///
    /// As a system may reset a device that does not answer for two seconds, no submission has more
    /// positions than the device judges in some 60 ms. The first one has 16,384 positions, and the
    /// time of each tells how many the next one has. If one submission is not enough, the call
    /// first waits for the work that you submitted before, and then for each submission but the
    /// last one; it polls the device meanwhile, and waits for none longer than
    /// [`GpuOptions::timeout`]. Limit the time of your own work on the device yourself.
    ///
    /// # Errors
    ///
    /// A [`BackendError`] if a buffer is too small or lacks a usage (then nothing has changed),
    /// or if the device fails.
    pub fn judge_buffer(
        &self,
        positions: &wgpu::Buffer,
        count: usize,
        rules: &Rules,
        sides: Sides,
        verdicts: Option<wgpu::Buffer>,
    ) -> Result<wgpu::Buffer, BackendError> {
        let positions_size = device_buffers::size_of_all(count, POSITION_SIZE);
        device_buffers::check("positions", positions, positions_size, Usage::STORAGE)?;
        let verdicts = match verdicts {
            Some(verdicts) => verdicts,
            None => {
                self.with_engine(|engine| device_buffers::new_verdicts(&engine.context, count))?
            }
        };
        let usage = Usage::STORAGE | Usage::COPY_DST;
        let verdicts_size = device_buffers::size_of_all(count, RECORD_SIZE);
        device_buffers::check("verdicts", &verdicts, verdicts_size, usage)?;
        if count > 0 {
            let judging = Judging {
                positions,
                verdicts: &verdicts,
                rules,
                sides,
            };
            self.with_engine(|engine| judging.run(engine, count))?;
        }
        Ok(verdicts)
    }

    /// Reads verdicts from the beginning of a buffer of [`judge_buffer`](Gpu::judge_buffer),
    /// which needs the usage `COPY_SRC`.
    ///
    /// # Errors
    ///
    /// [`BackendError::Wrong`] if one of them was not written, or another error if the buffer
    /// is too small or lacks the usage, or the device fails.
    pub fn read_verdicts(
        &self,
        buffer: &wgpu::Buffer,
        verdicts: &mut [Verdict],
    ) -> Result<(), BackendError> {
        let size = device_buffers::size_of_all(verdicts.len(), RECORD_SIZE);
        device_buffers::check("verdicts", buffer, size, Usage::COPY_SRC)?;
        if verdicts.is_empty() {
            return Ok(());
        }
        self.with_engine(|engine| device_buffers::read(&engine.context, buffer, verdicts))
    }

    /// Lends the device for work of your own, such as kernels between swaplist's. An error that the
    /// work returns is this GPU's from then on.
    ///
    /// # Errors
    ///
    /// The work's own, that of an earlier failure, or what the device itself has reported.
    pub fn with_context<R>(
        &self,
        work: impl FnOnce(&Arc<Context>) -> Result<R, BackendError>,
    ) -> Result<R, BackendError> {
        self.with_engine(|engine| work(&engine.context))
    }

    /// Calls `action` with the engine, and drops the engine after an error. Returns the device's
    /// own report of the error, if there is one.
    fn with_engine<R>(
        &self,
        action: impl FnOnce(&Arc<Engine>) -> Result<R, BackendError>,
    ) -> Result<R, BackendError> {
        let engine = {
            let engine = self.engine.lock();
            engine.clone()?
        };
        let result = engine.context.explained(action(&engine));
        let Err(error) = result else { return result };
        if error == BackendError::Timeout {
            // Dropping a queue waits for its work, which may never end.
            core::mem::forget(engine);
        }
        // Another thread may have had an error before: all threads return the first one.
        let mut current = self.engine.lock();
        let first = current.as_ref().err().cloned().unwrap_or(error);
        *current = Err(first.clone());
        Err(first)
    }
}

impl Backend for Gpu {
    fn name(&self) -> String {
        self.adapter.to_string()
    }

    /// For verdicts and bounds only positions are sent: the device finds the noisy moves.
    fn answer(
        &self,
        question: &Question<'_>,
        rules: &Rules,
        answers: &mut Answers,
    ) -> Result<(), BackendError> {
        answers.fit(question);
        self.with_engine(|engine| {
            let plan = Plan::new(*question, rules, &engine.context.shape);
            engine.run(&plan, question.answers(), AnswerSlices::new(answers))
        })
    }

    fn as_any(&self) -> Option<&dyn Any> {
        Some(self)
    }
}
