//! How a GPU is to be used.

use core::ops::RangeInclusive;
use core::time::Duration;
use std::borrow::Cow;

use crate::backend::BackendError;
use crate::gpu::program::{Limits, SHADER, Shape, within};

/// How a [`Gpu`](super::Gpu) is to be used.
///
/// ```
/// use std::time::Duration;
/// use swaplist::gpu::Options;
///
/// let options = Options::new().chunk(1 << 16).timeout(Duration::from_secs(5));
/// # let _ = options;
/// ```
#[derive(Clone, Debug)]
pub struct Options {
    pub(super) chunk: usize,
    pub(super) timeout: Duration,
    pub(super) workers: Option<usize>,
    pub(super) shape: Shape,
    pub(super) timestamps: bool,
    pub(super) max_workgroups: u32,
    pub(super) shader: Cow<'static, str>,
}

impl Options {
    /// What [`Options::chunk`] may be.
    pub const CHUNKS: RangeInclusive<usize> = 1..=1 << 24;
    /// What [`Options::workers`] may be.
    pub const WORKERS: RangeInclusive<usize> = 1..=64;
    /// What [`Options::workgroup`] may be, in steps of 32.
    pub const WORKGROUPS: RangeInclusive<u32> = Shape::WORKGROUPS;
    /// What [`Options::list`] may be.
    pub const LISTS: RangeInclusive<u32> = Shape::LISTS;

    /// Chunks of 131,072 moves or positions, half a minute for each, a worker a core
    /// but 8 at most, workgroups of 64, lists of 4 entries for each of these, no timestamps.
    #[must_use]
    pub fn new() -> Options {
        Options::default()
    }

    /// How many moves or positions a chunk holds, as far as the device allows; 131,072
    /// unless told otherwise. A chunk is what is uploaded, scored or judged, and read
    /// back at once. With moves to be scored it holds 131,072 positions at most.
    #[must_use]
    pub fn chunk(mut self, results: usize) -> Options {
        self.chunk = results;
        self
    }

    /// How long to wait for a chunk before the device is given up.
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Options {
        self.timeout = timeout;
        self
    }

    /// How many threads feed a device; one a core, but 8 at most, unless told otherwise.
    /// Each fills and reads three chunks in turns, so that three times as many are in
    /// flight. One alone cannot keep up with a fast device; each takes 24 MiB on either
    /// side of the bus, in chunks of the usual size.
    #[must_use]
    pub fn workers(mut self, threads: usize) -> Options {
        self.workers = Some(threads);
        self
    }

    /// How many invocations a workgroup has, 64 unless told otherwise. The results do
    /// not depend on it. Every device takes 32 to 128, most take 256.
    #[must_use]
    pub fn workgroup(mut self, invocations: u32) -> Options {
        self.shape.workgroup = invocations;
        self
    }

    /// How many entries the lists of a workgroup that judges have for each of its
    /// invocations, 4 unless told otherwise: more of them overflow less often, but
    /// fewer workgroups share a processor. The results do not depend on it.
    #[must_use]
    pub fn list(mut self, entries: u32) -> Options {
        self.shape.list = entries;
        self
    }

    /// Whether to measure the time of the kernels, where the device can. See
    /// [`Gpu::kernel_time`](super::Gpu::kernel_time).
    #[must_use]
    pub fn timestamps(mut self, timestamps: bool) -> Options {
        self.timestamps = timestamps;
        self
    }

    /// Folds a dispatch at fewer workgroups than the device's limit. For tests.
    #[doc(hidden)]
    #[must_use]
    pub fn max_workgroups(mut self, groups: u32) -> Options {
        self.max_workgroups = groups.max(1);
        self
    }

    /// Another shader. For tests that a wrong one is found out.
    #[doc(hidden)]
    #[must_use]
    pub fn shader(mut self, wgsl: impl Into<Cow<'static, str>>) -> Options {
        self.shader = wgsl.into();
        self
    }

    /// Refuses what is out of range, or beyond a device.
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
        }
    }
}
