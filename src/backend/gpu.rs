//! The GPU backend, through [wgpu]: Vulkan, Metal and Direct3D 12.
//!
//! A batch is cut into chunks. A chunk's positions (32 bytes each) and moves (4
//! bytes each) are written into mapped memory, copied to the device, scored by one
//! invocation a move and read back (4 bytes each). Several threads do this side by
//! side, each with three slots of buffers that take turns, so that filling,
//! computing and reading overlap.
//!
//! Every result is accounted for: a word that the shader did not write, or that
//! is beyond all possible scores, is [`BackendError::Wrong`]. Nothing that a
//! driver does is meant to panic or to hang.

use core::time::Duration;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::{Backend, BackendError};
use crate::{Batch, Rules};

mod adapter;
mod chunks;
mod engine;
mod errors;
mod lane;
mod options;
mod pipelines;
#[cfg(test)]
mod reflection;
mod shader;
mod sizes;
mod slot;

pub use adapter::{AdapterSummary, adapters};
pub use options::Options;
#[doc(hidden)]
pub use shader::{SHADER, WORKGROUP_SIZE};
/// The wgpu that this crate is built on, for [`Gpu::from_device`].
pub use wgpu;

use engine::Engine;
use errors::Mailbox;

/// A GPU that scores batches.
///
/// After an error it is spent, and every further batch gives the same error: open
/// another.
///
/// ```no_run
/// use swaplist::backend::{Backend, gpu::Gpu};
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
    state: Mutex<State>,
}

struct State {
    /// None once it was given up.
    engine: Option<Engine>,
    spent: Option<BackendError>,
    kernel_time: Option<Duration>,
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
        let state = State {
            engine: Some(Engine::new(device, queue, mailbox, options)?),
            spent: None,
            kernel_time: None,
        };
        Ok(Gpu {
            adapter,
            state: Mutex::new(state),
        })
    }

    /// The adapter; its limits and features are those of the device in use.
    #[must_use]
    pub fn adapter(&self) -> &AdapterSummary {
        &self.adapter
    }

    /// How long the kernels of the last batch took on the device, without any
    /// transfer: the sum over its chunks, which may overlap unless
    /// [`Options::threads`] is 1. `None` where [`Options::timestamps`] is off or
    /// not to be had.
    #[must_use]
    pub fn kernel_time(&self) -> Option<Duration> {
        self.lock().kernel_time
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Backend for Gpu {
    fn name(&self) -> String {
        self.adapter.to_string()
    }

    fn score(&self, batch: &Batch, rules: &Rules, scores: &mut [i32]) -> Result<(), BackendError> {
        assert_eq!(scores.len(), batch.len(), "one score a move");
        let mut state = self.lock();
        state.kernel_time = None;
        let Some(engine) = &mut state.engine else {
            return Err(state.spent.clone().unwrap_or(BackendError::Timeout));
        };
        match engine.score(batch, rules, scores) {
            Ok(kernel_time) => {
                state.kernel_time = kernel_time;
                Ok(())
            }
            Err(error) => {
                state.give_up(&error);
                Err(error)
            }
        }
    }
}

impl State {
    fn give_up(&mut self, error: &BackendError) {
        self.spent = Some(error.clone());
        let engine = self.engine.take();
        if *error == BackendError::Timeout {
            // To drop a queue is to wait for its work, which may never end.
            core::mem::forget(engine);
        }
    }
}
