//! Temporary files of runs that were killed.
//!
//! A run locks its temporary file, and the system unlocks it however the run ends. So one that is
//! not locked is left over. On systems without such locks none is found.

use std::collections::HashSet;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

pub(super) const PREFIX: &str = ".swaplist-";
pub(super) const SUFFIX: &str = ".part";

/// Folders that this process has looked at. What it finds there later is its own, and a folder may
/// get thousands of outputs.
static SEEN: Mutex<Option<HashSet<PathBuf>>> = Mutex::new(None);

/// Marks a temporary file as one in use, as long as it is open.
pub(super) fn hold(file: &File) {
    if cfg!(unix) {
        // Without locks, as on some network file systems, it is not told from one left over.
        let _ = file.try_lock();
    }
}

/// The temporary files that were left in the folder of an output, the first time that it is asked
/// for.
pub(super) fn in_folder_of(target: &Path) -> Vec<PathBuf> {
    let parent = target
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    let folder = parent.unwrap_or(Path::new("."));
    let Ok(whole) = fs::canonicalize(folder) else {
        return Vec::new();
    };
    let mut seen = SEEN.lock().unwrap_or_else(PoisonError::into_inner);
    if !seen.get_or_insert_default().insert(whole) {
        return Vec::new();
    }
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut found: Vec<PathBuf> = entries
        .filter(|entry| {
            let file_name = entry.file_name();
            let name = file_name.to_string_lossy();
            let is_file = entry.file_type().is_ok_and(|kind| kind.is_file());
            is_file && name.starts_with(PREFIX) && name.ends_with(SUFFIX)
        })
        .map(|entry| entry.path())
        .filter(|path| is_left(path))
        .collect();
    found.sort();
    found
}

/// Whether nobody holds a temporary file.
fn is_left(path: &Path) -> bool {
    cfg!(unix) && File::open(path).is_ok_and(|file| file.try_lock().is_ok())
}
