//! How a GPU is to be used.

use core::ops::RangeInclusive;
use core::time::Duration;
use std::borrow::Cow;

use super::shader::{self, Shape};
use crate::backend::BackendError;

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
    pub(super) lanes: Option<usize>,
    pub(super) shape: Shape,
    pub(super) timestamps: bool,
    pub(super) max_workgroups: u32,
    pub(super) shader: Cow<'static, str>,
}

impl Options {
    /// What [`Options::chunk`] may be.
    pub const CHUNKS: RangeInclusive<usize> = 1..=1 << 24;
    /// What [`Options::lanes`] may be.
    pub const LANES: RangeInclusive<usize> = 1..=64;
    /// What [`Options::workgroup`] may be, in steps of 32.
    pub const WORKGROUPS: RangeInclusive<u32> = 32..=1024;
    /// What [`Options::list`] may be.
    pub const LISTS: RangeInclusive<u32> = 1..=64;

    /// Chunks of 131,072 moves or positions, half a minute for each, a lane a core but
    /// 8 at most, workgroups of 64, lists of 4 entries for each of these, no timestamps.
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

    /// How many lanes a device gets; one a core, but 8 at most, unless told otherwise.
    /// A lane is a thread that fills and reads three chunks in turns, so that three
    /// times as many are in flight. One lane cannot keep up with a fast device; each
    /// takes 24 MiB on either side of the bus, in chunks of the usual size.
    #[must_use]
    pub fn lanes(mut self, lanes: usize) -> Options {
        self.lanes = Some(lanes);
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
    pub(super) fn check(&self, limits: &wgpu::Limits) -> Result<(), BackendError> {
        let Shape { workgroup, list } = self.shape;
        within("chunk", &self.chunk, &Options::CHUNKS)?;
        within("number of lanes", &self.lanes.unwrap_or(1), &Options::LANES)?;
        within("workgroup", &workgroup, &Options::WORKGROUPS)?;
        within("list", &list, &Options::LISTS)?;
        if !workgroup.is_multiple_of(32) {
            return Err(refused(format!(
                "a workgroup of {workgroup} is no multiple of 32"
            )));
        }
        let most = limits.max_compute_invocations_per_workgroup;
        let most = most.min(limits.max_compute_workgroup_size_x);
        if workgroup > most {
            let text = format!("a workgroup of {workgroup} is too large, the device takes {most}");
            return Err(refused(text));
        }
        let (bytes, has) = (
            self.shape.bytes(),
            limits.max_compute_workgroup_storage_size,
        );
        if bytes > has {
            return Err(refused(format!(
                "a workgroup of {workgroup} with lists of {list} entries for each takes {bytes} \
                 bytes of workgroup memory, the device has {has}"
            )));
        }
        Ok(())
    }
}

fn within<T: PartialOrd + core::fmt::Display>(
    what: &str,
    value: &T,
    range: &RangeInclusive<T>,
) -> Result<(), BackendError> {
    if range.contains(value) {
        return Ok(());
    }
    let (least, most) = (range.start(), range.end());
    let text = format!("the {what} is {value}, it can be {least} to {most}");
    Err(refused(text))
}

fn refused(text: String) -> BackendError {
    BackendError::Device(text)
}

impl Default for Options {
    fn default() -> Options {
        Options {
            chunk: 1 << 17,
            timeout: Duration::from_secs(30),
            lanes: None,
            shape: Shape::USUAL,
            timestamps: false,
            max_workgroups: u32::MAX,
            shader: Cow::Borrowed(shader::SHADER),
        }
    }
}
