//! What runs that were killed have left in a folder.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use super::output::{Output, folder_of};
use super::{resume, shown};

/// The folders that were looked into.
static SEEN: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// So many are named.
const MOST: usize = 20;

/// Names what is left in the folder of an output, but for what belongs to itself.
pub fn note_beside(output: &Output) {
    if let Some(target) = output.target() {
        let journal = output.beside("journal").ok();
        note_in(
            folder_of(target),
            journal.as_deref().and_then(Path::file_name),
        );
    }
}

/// Names what is left in a folder, once.
pub fn note_in(folder: &Path, own_journal: Option<&OsStr>) {
    let mut seen = SEEN.lock().unwrap_or_else(PoisonError::into_inner);
    if seen.iter().any(|other| other == folder) {
        return;
    }
    seen.push(folder.to_owned());
    let mut left = find(folder, own_journal);
    if left.is_empty() {
        return;
    }
    // A file that was just made is locked by now.
    std::thread::sleep(Duration::from_millis(20));
    left.retain(Left::is_nobodys);
    if !left.is_empty() {
        let _ = writeln!(io::stderr(), "swaplist: note: {}", describe(&left));
    }
}

/// Files of one run.
struct Left {
    /// The one that is locked while the run goes on.
    locked: PathBuf,
    journal: Option<PathBuf>,
}

impl Left {
    fn of(path: PathBuf, own_journal: Option<&OsStr>) -> Option<Left> {
        let name = path.file_name()?.to_str()?;
        if let Some(rest) = name.strip_prefix(".swaplist-") {
            let is_ours = rest.ends_with(".part") || rest.ends_with(".journal");
            return is_ours.then_some(Left {
                locked: path,
                journal: None,
            });
        }
        let is_others = name.ends_with(".journal") && own_journal != path.file_name();
        (is_others && resume::is_journal(&path)).then(|| Left {
            locked: path.with_extension("partial"),
            journal: Some(path),
        })
    }

    /// Whether no run writes it; not where that cannot be told.
    fn is_nobodys(&self) -> bool {
        let is_file = |path: &Path| fs::symlink_metadata(path).is_ok_and(|file| file.is_file());
        if !is_file(&self.locked) {
            return self.journal.as_deref().is_some_and(is_file);
        }
        File::open(&self.locked).is_ok_and(|file| file.try_lock_shared().is_ok())
    }
}

fn find(folder: &Path, own_journal: Option<&OsStr>) -> Vec<Left> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    paths.sort();
    let left = paths
        .into_iter()
        .filter_map(|path| Left::of(path, own_journal));
    left.filter(Left::is_nobodys).collect()
}

fn describe(left: &[Left]) -> String {
    let quoted = |path: &Path| format!("'{}'", shown::path(path).replace('\'', r"'\''"));
    let files = left
        .iter()
        .flat_map(|left| left.journal.iter().chain([&left.locked]));
    let files: Vec<_> = files
        .filter(|path| path.exists())
        .map(|path| quoted(path))
        .collect();
    let named = files[..files.len().min(MOST)].join(" ");
    let remove = if cfg!(windows) { "del" } else { "rm" };
    let mut text = format!("runs that were killed left files here; {remove} {named} removes them");
    if files.len() > MOST {
        text += &format!(", and there are {} more", files.len() - MOST);
    }
    if left.iter().any(|left| left.journal.is_some()) {
        text += "; with a .journal, the same command with --resume goes on instead";
    }
    text
}
