//! What a running mix tells its caller: notes, and the progress of each pass.
//! The caller answers whether the mix goes on.

use std::ops::ControlFlow;

use crate::jobs::Cancel;
use crate::jobs::error::{Error, Result};
use swaplist::locks::Mutex;

/// What a mix does with the data at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Pass {
    /// Reads compressed inputs to measure them, as they are interleaved by size.
    Measure,
    /// Reads the files whose positions are left out.
    Exclude,
    /// Reads all inputs to find duplicates.
    Duplicates,
    /// Compares what that pass has put into temporary files.
    Compare,
    /// Reads all inputs and puts what is kept into temporary files.
    Deal,
    /// Reads the temporary files, and writes the outputs.
    Write,
    /// Reads all inputs and writes the outputs.
    Interleave,
}

impl Pass {
    /// What it does, in a word or two.
    pub const fn name(self) -> &'static str {
        match self {
            Pass::Measure => "measuring",
            Pass::Exclude => "reading what is excluded",
            Pass::Duplicates => "finding duplicates",
            Pass::Compare => "comparing",
            Pass::Deal => "reading",
            Pass::Write => "writing",
            Pass::Interleave => "interleaving",
        }
    }
}

/// What a running mix tells; see [`Mix::watch`](super::Mix::watch).
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Event<'a> {
    /// A note to the user, such as fields that the target format cannot hold.
    Note(&'a str),
    /// How far a pass is. `Break` cancels the mix.
    Progress {
        /// The pass that the mix is in.
        pass: Pass,
        /// Records read, compared or written in this pass; none where it only measures.
        records: u64,
        /// Bytes done, of the inputs before decompression or of temporary files.
        bytes: u64,
        /// Of so many; 0 if that is not known.
        of: u64,
    },
}

type Watch<'a> = Box<dyn FnMut(Event<'_>) -> ControlFlow<()> + Send + 'a>;

/// Tells notes and progress, and whether to go on.
pub struct Teller<'a> {
    pub watch: Mutex<Watch<'a>>,
    pub cancel: Cancel,
}

impl Teller<'_> {
    pub fn tell(&self, event: Event<'_>) -> Result<()> {
        let mut watch = self.watch.lock();
        if watch(event).is_break() || self.cancel.is_cancelled() {
            return Err(Error::cancelled());
        }
        Ok(())
    }

    pub fn note(&self, text: &str) -> Result<()> {
        self.tell(Event::Note(text))
    }
}
