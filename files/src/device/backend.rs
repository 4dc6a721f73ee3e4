//! Finds what filters files in a backend.

use std::sync::Arc;

use swaplist::backend::Backend;

use super::FileFilter;

/// What filters files on this backend's device; `None` if it only answers questions.
pub fn file_filter(backend: &Arc<dyn Backend>) -> Option<Arc<dyn FileFilter>> {
    #[cfg(all(test, feature = "zstd"))]
    if let Some(filter) = crate::device_tests::file_filter(backend) {
        return Some(filter);
    }
    gpu_filter(backend)
}

#[cfg(feature = "gpu")]
fn gpu_filter(backend: &Arc<dyn Backend>) -> Option<Arc<dyn FileFilter>> {
    let gpu: &swaplist::gpu::Gpu = backend.as_any()?.downcast_ref()?;
    Some(Arc::new(super::GpuFilter::new(gpu.clone())))
}

#[cfg(not(feature = "gpu"))]
fn gpu_filter(_: &Arc<dyn Backend>) -> Option<Arc<dyn FileFilter>> {
    None
}
