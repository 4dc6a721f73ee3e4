//! Settings of a GPU: sizes, a time limit, and the shaders' text.

use core::ops::RangeInclusive;
use core::time::Duration;

use crate::backend::BackendError;
use crate::gpu::program::limits::within;
use crate::gpu::program::{DeviceLimits, Shape};

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
    /// WGSL of your own: texts, each with what stands in its place in every shader that is compiled
    /// for the device, [`SHADER`](crate::gpu::program::SHADER) and those of
    /// [`Context::program`](super::Context::program). A text may be a line or a whole shader. So
    /// kernels can be tried out on a device; answers are checked and audited as ever.
    pub replaced: Vec<(String, String)>,
}

impl GpuOptions {
    /// The values that [`GpuOptions::chunk`] may have.
    const CHUNKS: RangeInclusive<usize> = 1..=1 << 24;
    const WORKERS: RangeInclusive<usize> = 1..=64;
    const SLOTS: RangeInclusive<usize> = 1..=64;

    /// The shape of these options. Fails if any option is out of range, or beyond the device's
    /// limits.
    pub(super) fn shape(&self, limits: &DeviceLimits) -> Result<Shape, BackendError> {
        within("chunk", &self.chunk, &GpuOptions::CHUNKS)?;
        let workers = self.workers.unwrap_or(1);
        within("number of workers", &workers, &GpuOptions::WORKERS)?;
        within("number of slots", &self.slots, &GpuOptions::SLOTS)?;
        let shape = Shape {
            workgroup: self.workgroup,
            list: self.list,
            max_workgroups: self.max_workgroups,
            ..Shape::default()
        };
        shape.fitted(limits, self.chunk)
    }
}

impl Default for GpuOptions {
    fn default() -> GpuOptions {
        let shape = Shape::default();
        GpuOptions {
            chunk: 1 << 17,
            timeout: Duration::from_secs(30),
            workers: None,
            slots: 12,
            workgroup: shape.workgroup,
            list: shape.list,
            max_workgroups: shape.max_workgroups,
            replaced: Vec::new(),
        }
    }
}
