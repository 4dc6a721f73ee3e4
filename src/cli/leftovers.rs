//! What runs that were killed have left in a folder.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use super::output::{Output, folder_of};
use super::shown;

/// The folders that were looked into.
static SEEN: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// So many are named.
const MOST: usize = 20;

/// Names what is left in the folder of an output.
pub fn note_beside(output: &Output) {
    if let Some(target) = output.target() {
        note_in(folder_of(target));
    }
}

/// Names what is left in a folder, once.
pub fn note_in(folder: &Path) {
    let mut seen = SEEN.lock().unwrap_or_else(PoisonError::into_inner);
    if seen.iter().any(|other| other == folder) {
        return;
    }
    seen.push(folder.to_owned());
    let mut left = find(folder);
    if left.is_empty() {
        return;
    }
    // A file that was just made is locked by now.
    std::thread::sleep(Duration::from_millis(20));
    left.retain(|path| is_nobodys(path));
    if !left.is_empty() {
        let _ = writeln!(io::stderr(), "swaplist: note: {}", describe(&left));
    }
}

/// Whether a name is one that outputs have until they are complete.
fn is_unfinished(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str());
    name.is_some_and(|name| name.starts_with(".swaplist-") && name.ends_with(".part"))
}

/// Whether no run writes it; not where that cannot be told.
fn is_nobodys(path: &Path) -> bool {
    let is_file = fs::symlink_metadata(path).is_ok_and(|file| file.is_file());
    is_file && File::open(path).is_ok_and(|file| file.try_lock_shared().is_ok())
}

fn find(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let paths = entries.map(|entry| entry.path());
    let mut left: Vec<PathBuf> = paths
        .filter(|path| is_unfinished(path) && is_nobodys(path))
        .collect();
    left.sort();
    left
}

fn describe(left: &[PathBuf]) -> String {
    let quoted = |path: &PathBuf| format!("'{}'", shown::path(path).replace('\'', r"'\''"));
    let files: Vec<_> = left.iter().map(quoted).collect();
    let named = files[..files.len().min(MOST)].join(" ");
    let remove = if cfg!(windows) { "del" } else { "rm" };
    let mut text = format!("runs that were killed left files here; {remove} {named} removes them");
    if files.len() > MOST {
        text += &format!(", and there are {} more", files.len() - MOST);
    }
    text
}
