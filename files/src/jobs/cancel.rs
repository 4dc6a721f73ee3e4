//! Cancelling jobs and removing their unfinished files.

use std::fs;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use parking_lot::{Mutex, MutexGuard};
use tempfile::NamedTempFile;

use super::error::{Error, Result};

/// Cancels jobs from any thread. Clones share one state.
///
/// A job checks it once a block; unfinished files are removed at once.
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<Mutex<State>>);

#[derive(Debug, Default)]
struct State {
    is_cancelled: bool,
    /// Files that are being written.
    files: Vec<PathBuf>,
}

impl Cancel {
    /// Cancels all jobs that were given it. From now on no file is created or renamed. Do not call
    /// it in a signal handler itself: it locks.
    pub fn cancel(&self) {
        let mut state = self.0.lock();
        state.is_cancelled = true;
        for path in &state.files {
            let _ = fs::remove_file(path);
        }
    }

    /// Whether [`cancel`](Cancel::cancel) was called, on this value or a clone of it.
    pub(crate) fn is_cancelled(&self) -> bool {
        self.0.lock().is_cancelled
    }

    /// Makes a file, removed when cancelled before [`name`](Cancel::name).
    pub(crate) fn file(
        &self,
        make: impl FnOnce() -> io::Result<NamedTempFile>,
    ) -> Result<NamedTempFile> {
        let mut state = self.live()?;
        let file = make()?;
        state.files.push(file.path().to_owned());
        Ok(file)
    }

    /// Renames temporary files, with cancelling deferred until all have their names.
    pub(crate) fn name(&self, paths: &[PathBuf], name: impl FnOnce() -> Result<()>) -> Result<()> {
        let mut state = self.live()?;
        state.files.retain(|path| !paths.contains(path));
        name()
    }

    fn live(&self) -> Result<MutexGuard<'_, State>> {
        let state = self.0.lock();
        if state.is_cancelled {
            return Err(Error::cancelled());
        }
        Ok(state)
    }
}
