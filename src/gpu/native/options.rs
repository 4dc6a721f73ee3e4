//! Settings of a GPU: sizes, a time limit, and the shaders' text.

use core::ops::RangeInclusive;
use core::time::Duration;
use std::borrow::Cow;

use crate::backend::BackendError;
use crate::gpu::program::limits::within;
use crate::gpu::program::{DeviceLimits, Grid, SHADER};

/// Settings of a [`Gpu`](super::Gpu). What is out of range, or beyond the device's limits, is an
/// error when the device is opened. Results do not depend on them.
///
/// ```
/// use swaplist::gpu::GpuOptions;
///
/// let options = GpuOptions { chunk: 1 << 16, ..GpuOptions::default() };
/// # let _ = options;
/// ```
#[derive(Clone, Debug)]
pub struct GpuOptions {
    /// The most moves or positions per chunk, 1 to 16,777,216 within the device's limits; 131,072
    /// by default. A device that takes longer than 60 ms for so many gets fewer. A chunk is
    /// uploaded, computed and read back as a whole. When scoring moves it holds at most 131,072
    /// positions.
    pub chunk: usize,
    /// How long to wait for a chunk before giving up the device; 30 seconds by default.
    pub timeout: Duration,
    /// The number of threads that serve a question, 1 to 64; by default one per core and another
    /// one that waits for the device, at most 8. Not more than four of them fill chunks at once.
    pub workers: Option<usize>,
    /// The most chunks in flight, 1 to 64; 12 by default. Each takes 6.5 MiB on the host and on the
    /// device with the default chunk.
    pub slots: usize,
    /// The number of invocations per workgroup, 32 to 1024 in steps of 32; 64 by default.
    /// Every device supports 32 to 128, most support 256.
    pub workgroup: u32,
    /// The number of list entries per invocation of a judging workgroup, 1 to 64; 4 by default.
    /// With more, lists overflow less often, but fewer workgroups share a processor.
    pub list: u32,
    /// The most workgroups in a row of a dispatch, 1 or more, within the device's limit.
    pub max_workgroups: u32,
    /// The WGSL that answers questions. Tests put a wrong one here, and see that its answers are
    /// noticed.
    pub shader: Cow<'static, str>,
}

impl GpuOptions {
    /// The values that [`GpuOptions::chunk`] may have, in moves or positions.
    pub const CHUNKS: RangeInclusive<usize> = 1..=1 << 24;
    const WORKERS: RangeInclusive<usize> = 1..=64;
    const SLOTS: RangeInclusive<usize> = 1..=64;

    /// The grid of these options. Fails if any option is out of range, or beyond the device's
    /// limits.
    pub(super) fn grid(&self, limits: &DeviceLimits) -> Result<Grid, BackendError> {
        within("chunk", &self.chunk, &GpuOptions::CHUNKS)?;
        let workers = self.workers.unwrap_or(1);
        within("number of workers", &workers, &GpuOptions::WORKERS)?;
        within("number of slots", &self.slots, &GpuOptions::SLOTS)?;
        let grid = Grid {
            workgroup: self.workgroup,
            list: self.list,
            max_workgroups: self.max_workgroups,
        };
        grid.fitted(limits)
    }
}

impl Default for GpuOptions {
    fn default() -> GpuOptions {
        GpuOptions {
            chunk: 1 << 17,
            timeout: Duration::from_secs(30),
            workers: None,
            slots: 12,
            workgroup: Grid::USUAL.workgroup,
            list: Grid::USUAL.list,
            max_workgroups: Grid::USUAL.max_workgroups,
            shader: Cow::Borrowed(SHADER),
        }
    }
}
