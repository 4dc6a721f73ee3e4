//! Progress and notes of running jobs.

use std::ops::ControlFlow;

/// The progress of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Progress {
    /// Records done.
    pub records: u64,
    /// Bytes of the input read so far, before decompression.
    pub bytes: u64,
}

/// Receives notes and progress while a job runs.
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
    /// A note to the user, such as fields that the target format cannot hold.
    fn note(&mut self, _text: &str) {}

    /// Called after each block; `Break` cancels the job.
    fn progress(&mut self, _progress: Progress) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

/// Ignores everything.
pub(super) struct Nobody;

impl Watch for Nobody {}
