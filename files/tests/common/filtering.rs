//! GPUs that filter files in a way of the tests' own.

use std::sync::Arc;

use swaplist::backend::Backend;
use swaplist::gpu::Gpu;
use swaplist_files::device::{GpuFilter, WithFileFilter};

/// A GPU with its filter, changed.
pub fn with(gpu: &Gpu, change: impl FnOnce(GpuFilter) -> GpuFilter) -> Arc<dyn Backend> {
    Arc::new(WithFileFilter {
        backend: Arc::new(gpu.clone()),
        filter: Arc::new(change(GpuFilter::new(gpu.clone()))),
    })
}

/// A GPU that filters at most so many records at a time.
pub fn in_batches(gpu: &Gpu, records: usize) -> Arc<dyn Backend> {
    with(gpu, |filter| filter.batch_records(records).unwrap())
}
