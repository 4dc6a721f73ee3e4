//! Finds what filters files in a backend.

use std::any::Any;
use std::sync::Arc;

use swaplist::Rules;
use swaplist::backend::{Answers, Backend, BackendError, Question};

use super::FileFilter;

/// What filters files on this backend's device; `None` if it only answers questions.
pub fn file_filter(backend: &Arc<dyn Backend>) -> Option<Arc<dyn FileFilter>> {
    let any = backend.as_any()?;
    if let Some(with_filter) = any.downcast_ref::<WithFileFilter>() {
        return Some(Arc::clone(&with_filter.filter));
    }
    #[cfg(feature = "gpu")]
    if let Some(gpu) = any.downcast_ref::<swaplist::gpu::Gpu>() {
        return Some(Arc::new(super::GpuFilter::new(gpu.clone())));
    }
    None
}

/// A backend whose device filters files in a way of your own.
pub struct WithFileFilter {
    /// Answers questions.
    pub backend: Arc<dyn Backend>,
    /// Filters files.
    pub filter: Arc<dyn FileFilter>,
}

impl WithFileFilter {
    /// A device that does both.
    pub fn new(device: Arc<impl Backend + FileFilter + 'static>) -> WithFileFilter {
        WithFileFilter {
            backend: Arc::clone(&device) as Arc<dyn Backend>,
            filter: device,
        }
    }
}

impl Backend for WithFileFilter {
    fn name(&self) -> String {
        self.backend.name()
    }

    fn answer(
        &self,
        question: &Question<'_>,
        rules: &Rules,
        answers: &mut Answers,
    ) -> Result<(), BackendError> {
        self.backend.answer(question, rules, answers)
    }

    fn as_any(&self) -> Option<&dyn Any> {
        Some(self)
    }
}
