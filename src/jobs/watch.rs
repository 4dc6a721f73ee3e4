//! Who looks on while a job goes on.

use std::ops::ControlFlow;

/// How far a job is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Progress {
    /// Records that are done.
    pub records: u64,
    /// Bytes of the input that were read, compressed if it is.
    pub bytes: u64,
}

/// Who looks on while a job goes on.
///
/// ```
/// use std::ops::ControlFlow;
/// use swaplist::jobs::{ErrorKind, Input, Job, Progress, Watch};
///
/// struct NoMoreThan(u64);
///
/// impl Watch for NoMoreThan {
///     fn progress(&mut self, progress: Progress) -> ControlFlow<()> {
///         if progress.records > self.0 {
///             return ControlFlow::Break(());
///         }
///         ControlFlow::Continue(())
///     }
/// }
///
/// let fens = "4k3/8/8/8/8/8/8/4K3 w - -\n".repeat(10);
/// let job = Job::new(Input::reader("ten", std::io::Cursor::new(fens))?, None)?;
/// let error = job.watch(NoMoreThan(5)).validate().unwrap_err();
/// assert_eq!(*error.kind(), ErrorKind::Cancelled);
/// # Ok::<(), swaplist::jobs::Error>(())
/// ```
pub trait Watch: Send {
    /// Something that is worth saying: what gets lost, what was not there.
    fn note(&mut self, _text: &str) {}

    /// After each block; the job is cancelled if this breaks off.
    fn progress(&mut self, _progress: Progress) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

/// Nobody looks on.
pub(super) struct Nobody;

impl Watch for Nobody {}
