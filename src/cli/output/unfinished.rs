//! What is not finished, and what becomes of it when the command is interrupted.

use std::fs::{self, File};
use std::io::{self, IsTerminal as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use anyhow::{Context as _, Result};
use tempfile::TempDir;

static UNFINISHED: Mutex<Unfinished> = Mutex::new(Unfinished {
    paths: Vec::new(),
    folders: Vec::new(),
});

pub(super) struct Unfinished {
    /// Files that are being written, to be removed if the command is interrupted.
    pub paths: Vec<PathBuf>,
    /// Temporary folders, to be removed likewise.
    folders: Vec<PathBuf>,
}

pub(super) fn unfinished() -> MutexGuard<'static, Unfinished> {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// From now on Ctrl-C removes unfinished files and ends the command with 130.
pub fn remove_on_interrupt() -> Result<()> {
    ctrlc::set_handler(|| {
        // Held to the end, so that nothing is begun or finished meanwhile.
        let unfinished = unfinished();
        for path in &unfinished.paths {
            let _ = fs::remove_file(path);
        }
        for folder in &unfinished.folders {
            let _ = fs::remove_dir_all(folder);
        }
        let line = interrupted(!unfinished.paths.is_empty());
        let _ = writeln!(io::stderr(), "{line}");
        std::process::exit(130);
    })
    .context("cannot set the interrupt handler")
}

/// Makes a temporary folder that Ctrl-C removes too.
pub fn temporary_folder(make: impl FnOnce() -> io::Result<TempDir>) -> io::Result<TempDir> {
    // An interrupt waits, and then knows of the folder.
    let mut unfinished = unfinished();
    let folder = make()?;
    unfinished.folders.push(folder.path().to_owned());
    Ok(folder)
}

/// What is said then, on a line of its own behind a terminal's `^C`.
fn interrupted(writing: bool) -> String {
    let line = if io::stderr().is_terminal() {
        "
"
    } else {
        ""
    };
    let files = if writing {
        ", no incomplete output file is left"
    } else {
        ""
    };
    format!("{line}swaplist: interrupted{files}")
}

pub fn folder_of(path: &Path) -> &Path {
    let folder = path.parent();
    folder
        .filter(|folder| !folder.as_os_str().is_empty())
        .unwrap_or(Path::new("."))
}

/// While a run goes on, others see by the lock that a file is not left over. Where files
/// cannot be locked, nobody looks.
pub(super) fn lock(file: &File) {
    let _ = file.lock();
}
