//! Jobs that end early, and leave nothing unfinished.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::error::{Error, Result};

/// Ends jobs from any thread. Clones are one and the same.
///
/// A job looks at it once a block; what jobs have begun to write is removed at once.
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<Mutex<State>>);

#[derive(Debug, Default)]
struct State {
    is_cancelled: bool,
    /// Files that are being written.
    files: Vec<PathBuf>,
    /// Temporary folders.
    folders: Vec<PathBuf>,
}

impl Cancel {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends all jobs that were given it, and says whether files had been begun. From now
    /// on none is begun or gets its name. Not to be called in a signal handler itself.
    #[allow(clippy::must_use_candidate)] // not what it is called for
    pub fn cancel(&self) -> bool {
        let mut state = self.state();
        state.is_cancelled = true;
        for path in &state.files {
            let _ = fs::remove_file(path);
        }
        for folder in &state.folders {
            let _ = fs::remove_dir_all(folder);
        }
        !state.files.is_empty()
    }

    /// Whether it was.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.state().is_cancelled
    }

    /// Makes a temporary folder that goes, too.
    ///
    /// # Errors
    ///
    /// Those of `make`, and one if it was cancelled.
    pub fn folder<T: AsRef<Path>>(&self, make: impl FnOnce() -> io::Result<T>) -> Result<T> {
        let mut state = self.live()?;
        let folder = make()?;
        state.folders.push(folder.as_ref().to_owned());
        Ok(folder)
    }

    /// Makes a file that goes unless it gets its name.
    pub(super) fn file<T>(
        &self,
        make: impl FnOnce() -> io::Result<T>,
        path: impl FnOnce(&T) -> &Path,
    ) -> Result<T> {
        let mut state = self.live()?;
        let file = make()?;
        state.files.push(path(&file).to_owned());
        Ok(file)
    }

    /// Gives files their names: it is cancelled before or after, not amid.
    pub(super) fn name(&self, paths: &[PathBuf], name: impl FnOnce() -> Result<()>) -> Result<()> {
        let mut state = self.live()?;
        state.files.retain(|path| !paths.contains(path));
        name()
    }

    fn live(&self) -> Result<MutexGuard<'_, State>> {
        let state = self.state();
        if state.is_cancelled {
            return Err(Error::cancelled());
        }
        Ok(state)
    }
}

/// The folder that a file is in.
#[must_use]
pub(super) fn folder_of(path: &Path) -> &Path {
    let folder = path.parent();
    folder
        .filter(|folder| !folder.as_os_str().is_empty())
        .unwrap_or(Path::new("."))
}

/// While a job goes on, others see by the lock that a file is not left over. Where files
/// cannot be locked, nobody looks.
pub(super) fn lock(file: &File) {
    let _ = file.lock();
}
