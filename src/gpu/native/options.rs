//! Settings of a GPU.

use core::ops::RangeInclusive;
use core::time::Duration;
use std::borrow::Cow;

use crate::backend::BackendError;
use crate::gpu::program::{DECODER, Limits, SHADER, Shape, within};

/// Settings of a [`Gpu`](super::Gpu). What is out of range, or beyond the device's limits, is an
/// error when the device is opened.
///
/// ```
/// use std::time::Duration;
/// use swaplist::gpu::Options;
///
/// let options = Options::new().chunk(1 << 16).timeout(Duration::from_secs(5));
/// # let _ = options;
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct Options {
    pub(super) chunk: usize,
    pub(super) timeout: Duration,
    pub(super) workers: Option<usize>,
    pub(super) shape: Shape,
    pub(super) timestamps: bool,
    pub(super) max_workgroups: u32,
    pub(super) shader: Cow<'static, str>,
    pub(super) decoder: Cow<'static, str>,
}

impl Options {
    /// Range of [`Options::chunk`].
    pub const CHUNKS: RangeInclusive<usize> = 1..=1 << 24;
    /// Range of [`Options::workers`].
    const WORKERS: RangeInclusive<usize> = 1..=64;

    /// Chunks of 131,072 moves or positions, 30 seconds for each, two workers per core but at
    /// most 16, workgroups of 64, lists of 4 entries per invocation, no timestamps.
    pub fn new() -> Options {
        Options::default()
    }

    /// The number of moves or positions per chunk, 1 to 16,777,216 within the device's limits;
    /// 131,072 by default. A chunk is uploaded, computed and read back as a whole. When scoring moves it
    /// holds at most 131,072 positions.
    pub fn chunk(mut self, results: usize) -> Options {
        self.chunk = results;
        self
    }

    /// How long to wait for a chunk before giving up the device.
    pub fn timeout(mut self, timeout: Duration) -> Options {
        self.timeout = timeout;
        self
    }

    /// The number of threads that feed a device, 1 to 64; by default two per core, at most 16.
    /// Each has one chunk in flight: while one waits for the device, others fill or read. Each
    /// takes 8 MiB on the host and on the device with the default chunk.
    pub fn workers(mut self, threads: usize) -> Options {
        self.workers = Some(threads);
        self
    }

    /// The number of invocations per workgroup, 32 to 1024 in steps of 32; 64 by default.
    /// Results do not depend on it.
    /// Every device supports 32 to 128, most support 256.
    pub fn workgroup(mut self, invocations: u32) -> Options {
        self.shape.workgroup = invocations;
        self
    }

    /// The number of list entries per invocation of a judging workgroup, 1 to 64; 4 by default. With
    /// more, lists overflow less often, but fewer workgroups share a processor. Results do not
    /// depend on it.
    pub fn list(mut self, entries: u32) -> Options {
        self.shape.list = entries;
        self
    }

    /// Whether to time the kernels, if the device can. See
    /// [`Gpu::kernel_time`](super::Gpu::kernel_time).
    pub fn timestamps(mut self, timestamps: bool) -> Options {
        self.timestamps = timestamps;
        self
    }

    /// Limits the workgroups in a row of a dispatch below the device's limit. For tests.
    #[doc(hidden)]
    pub fn max_workgroups(mut self, groups: u32) -> Options {
        self.max_workgroups = groups.max(1);
        self
    }

    /// Uses another shader. For tests that detect a wrong one.
    #[doc(hidden)]
    pub fn shader(mut self, wgsl: impl Into<Cow<'static, str>>) -> Options {
        self.shader = wgsl.into();
        self
    }

    /// Uses another shader to decode files. For tests that detect a wrong one.
    #[doc(hidden)]
    pub fn decoder(mut self, wgsl: impl Into<Cow<'static, str>>) -> Options {
        self.decoder = wgsl.into();
        self
    }

    /// Refuses values out of range, or beyond the device's limits.
    pub(super) fn check(&self, limits: &Limits) -> Result<(), BackendError> {
        within("chunk", &self.chunk, &Options::CHUNKS)?;
        let workers = self.workers.unwrap_or(1);
        within("number of workers", &workers, &Options::WORKERS)?;
        self.shape.check(limits)
    }
}

impl Default for Options {
    fn default() -> Options {
        Options {
            chunk: 1 << 17,
            timeout: Duration::from_secs(30),
            workers: None,
            shape: Shape::USUAL,
            timestamps: false,
            max_workgroups: u32::MAX,
            shader: Cow::Borrowed(SHADER),
            decoder: Cow::Borrowed(DECODER),
        }
    }
}
