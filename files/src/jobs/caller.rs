//! What every job, a mix among them, shares with whoever started it: the callback for notes and
//! progress, what cancels the job, the files that are read and written, and side files made from the
//! summary.

use std::ops::ControlFlow;
use std::path::Path;

use super::cancel::Cancel;
use super::error::{Error, Result};
use super::options::Options;
use super::output::{Files, Output};
use super::pass::Pass;
use parking_lot::Mutex;

/// What a running job tells; see [`Job::watch`](super::Job::watch) and
/// [`Mix::watch`](crate::mix::Mix::watch).
///
/// ```
/// use std::ops::ControlFlow;
/// use swaplist_files::jobs::{ErrorKind, Event, Input, Job, Options};
///
/// let fens = "4k3/8/8/8/8/8/8/4K3 w - -\n".repeat(10);
/// let job = Job::new(Input::reader("ten", std::io::Cursor::new(fens))?, Options::default())?;
/// let no_more_than_5 = |event: Event<'_>| match event {
///     Event::Progress { records: 6.., .. } => ControlFlow::Break(()),
///     _ => ControlFlow::Continue(()),
/// };
/// let error = job.watch(no_more_than_5).validate().unwrap_err();
/// assert_eq!(*error.kind(), ErrorKind::Cancelled);
/// # Ok::<(), swaplist_files::jobs::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Event<'a> {
    /// A note to the user, such as fields that the target format cannot hold.
    Note(&'a str),
    /// A block is done. `Break` cancels the job.
    Progress {
        /// The pass over the data that a mix is in; `None` for other jobs, which have only one.
        pass: Option<Pass>,
        /// Valid records read, compared or written so far in this pass; none while a mix only
        /// measures its inputs.
        records: u64,
        /// Bytes done so far: of the inputs before decompression, or of a mix's temporary files.
        bytes: u64,
        /// How many bytes there are; 0 if that is not known.
        of: u64,
    },
}

type Watch<'a> = Box<dyn FnMut(Event<'_>) -> ControlFlow<()> + Send + 'a>;

/// Makes the content of a side file from a summary.
type Make<'a, S> = Box<dyn FnOnce(&S) -> String + 'a>;

/// Tells notes and progress, from whichever thread has them.
pub(crate) struct Teller<'a> {
    watch: Mutex<Watch<'a>>,
    cancel: Cancel,
}

impl Teller<'_> {
    /// Tells a note. What the callback answers does not matter.
    pub fn note(&self, text: &str) {
        let _ = self.watch.lock()(Event::Note(text));
    }

    /// Tells progress.
    ///
    /// # Errors
    ///
    /// If the job is cancelled, by the callback or by whoever else may.
    pub fn tell(&self, progress: Event<'_>) -> Result<()> {
        if self.watch.lock()(progress).is_break() || self.cancel.is_cancelled() {
            return Err(Error::cancelled());
        }
        Ok(())
    }
}

/// What a job shares with whoever started it. `S` is the job's summary.
pub(crate) struct Caller<'a, S> {
    pub teller: Teller<'a>,
    pub files: Files,
    beside: Vec<(Output, Make<'a, S>)>,
    /// The level of compressed outputs.
    level: Option<u32>,
}

impl<'a, S> Caller<'a, S> {
    /// Nobody watches yet, and there are no files.
    pub fn new(options: &Options) -> Caller<'a, S> {
        Caller {
            teller: Teller {
                watch: Mutex::new(Box::new(|_| ControlFlow::Continue(()))),
                cancel: options.cancel.clone(),
            },
            files: Files::new(options),
            beside: Vec::new(),
            level: options.level,
        }
    }

    /// Sets the callback for notes and progress.
    pub fn watch(&mut self, watch: impl FnMut(Event<'_>) -> ControlFlow<()> + Send + 'a) {
        self.teller.watch = Mutex::new(Box::new(watch));
    }

    /// Creates an output; `None` and `-` are standard output.
    pub fn create(&mut self, path: Option<&Path>) -> Result<Output> {
        self.files.create(path, self.level)
    }

    /// Creates an output beside the main one, which has the same level if it is compressed too.
    pub fn side(&mut self, path: &Path) -> Result<Output> {
        let level = self.level.filter(|_| Output::would_compress(path));
        let output = self.files.create(Some(path), level)?;
        self.note_leftovers();
        Ok(output)
    }

    /// Creates a side file whose content is made from the summary.
    pub fn beside(&mut self, path: &Path, make: impl FnOnce(&S) -> String + 'a) -> Result<()> {
        let output = self.side(path)?;
        self.beside.push((output, Box::new(make)));
        Ok(())
    }

    /// Notes the temporary files beside the outputs that earlier runs left.
    pub fn note_leftovers(&mut self) {
        if let Some(note) = self.files.leftovers_note() {
            self.teller.note(&note);
        }
    }

    /// Writes the side files, and gives all outputs their names. A side file that cannot be written
    /// does not undo the job: the error says so by ending with `is_done`.
    pub fn finish(self, mut outputs: Vec<Output>, summary: &S, is_done: &str) -> Result<()> {
        let mut side = Ok(());
        for (mut output, make) in self.beside {
            match output.write(make(summary).as_bytes()) {
                Ok(()) => outputs.push(output),
                Err(error) => side = Err(error.and(is_done)),
            }
        }
        self.files.finish(outputs)?;
        side
    }
}
