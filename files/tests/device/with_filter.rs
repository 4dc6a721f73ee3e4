//! Backends whose device filters files in a way of the tests' own.

use std::any::Any;
use std::sync::Arc;

use swaplist::Rules;
use swaplist::backend::{Answers, Backend, BackendError, Question};
use swaplist_files::device::FileFilter;

/// What filters files on a backend of the tests.
pub fn file_filter(backend: &Arc<dyn Backend>) -> Option<Arc<dyn FileFilter>> {
    let with_filter: &WithFileFilter = backend.as_any()?.downcast_ref()?;
    Some(Arc::clone(&with_filter.filter))
}

/// A backend whose device filters files in a way of the tests' own.
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
