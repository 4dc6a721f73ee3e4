//! How a GPU is to be used.

use core::time::Duration;
use std::borrow::Cow;

use super::shader;

/// How a [`Gpu`](super::Gpu) is to be used.
///
/// ```
/// use std::time::Duration;
/// use swaplist::backend::gpu::Options;
///
/// let options = Options::new().chunk(1 << 16).timeout(Duration::from_secs(5));
/// # let _ = options;
/// ```
#[derive(Clone, Debug)]
pub struct Options {
    pub(super) chunk: usize,
    pub(super) timeout: Duration,
    pub(super) threads: Option<usize>,
    pub(super) timestamps: bool,
    pub(super) max_workgroups: u32,
    pub(super) shader: Cow<'static, str>,
}

impl Options {
    /// Chunks of 131,072 moves, half a minute for each, a thread a core but 8 at
    /// most, no timestamps.
    #[must_use]
    pub fn new() -> Options {
        Options::default()
    }

    /// How many moves a chunk holds, as far as the device allows. A chunk is what
    /// is uploaded, scored or judged, and read back at once, three of them a thread;
    /// it holds as many positions, 131,072 at most.
    #[must_use]
    pub fn chunk(mut self, moves: usize) -> Options {
        self.chunk = moves.max(1);
        self
    }

    /// How long to wait for a chunk before the device is given up.
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Options {
        self.timeout = timeout;
        self
    }

    /// How many threads fill and read chunks, where a batch has several. One cannot
    /// keep up with a fast device; each takes 20 MiB on either side of the bus, in
    /// chunks of the usual size.
    #[must_use]
    pub fn threads(mut self, threads: usize) -> Options {
        self.threads = Some(threads.max(1));
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
}

impl Default for Options {
    fn default() -> Options {
        Options {
            chunk: 1 << 17,
            timeout: Duration::from_secs(30),
            threads: None,
            timestamps: false,
            max_workgroups: u32::MAX,
            shader: Cow::Borrowed(shader::SHADER),
        }
    }
}
