//! Finds what filters files in a backend.

use std::sync::Arc;

use swaplist::backend::Backend;

use super::FileFilter;

/// What filters files on this backend's device; `None` if it only answers questions.
pub fn file_filter(backend: &Arc<dyn Backend>) -> Option<Arc<dyn FileFilter>> {
    let any = backend.as_any()?;
    #[cfg(feature = "gpu")]
    if let Some(gpu) = any.downcast_ref::<swaplist::gpu::Gpu>() {
        return Some(Arc::new(super::GpuFilter::new(gpu.clone())));
    }
    // The devices of tests.
    #[cfg(all(test, feature = "zstd"))]
    if let Some(with_filter) = any.downcast_ref::<crate::device_tests::WithFileFilter>() {
        return Some(Arc::clone(&with_filter.filter));
    }
    None
}
