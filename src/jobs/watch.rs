//! What running jobs tell.

use std::ops::ControlFlow;

/// What a running job tells; see [`Job::watch`](super::Job::watch).
///
/// ```
/// use std::ops::ControlFlow;
/// use swaplist::jobs::{ErrorKind, Event, Input, Job, Options};
///
/// let fens = "4k3/8/8/8/8/8/8/4K3 w - -\n".repeat(10);
/// let job = Job::new(Input::reader("ten", std::io::Cursor::new(fens))?, Options::default())?;
/// let no_more_than_5 = |event: Event<'_>| match event {
///     Event::Progress { records: 6.., .. } => ControlFlow::Break(()),
///     _ => ControlFlow::Continue(()),
/// };
/// let error = job.watch(no_more_than_5).validate().unwrap_err();
/// assert_eq!(*error.kind(), ErrorKind::Cancelled);
/// # Ok::<(), swaplist::jobs::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub enum Event<'a> {
    /// A note to the user, such as fields that the target format cannot hold.
    Note(&'a str),
    /// A block is done. `Break` cancels the job.
    Progress {
        /// Records done.
        records: u64,
        /// Bytes of the input read so far, before decompression.
        bytes: u64,
    },
}

/// Receives events.
pub(super) type Watch<'a> = Box<dyn FnMut(Event<'_>) -> ControlFlow<()> + Send + 'a>;
