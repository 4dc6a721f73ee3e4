//! What runs that were killed have left in a folder.

use std::ffi::{OsStr, OsString};
use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::output::{Output, folder_of};
use super::{resume, shown};

/// Where something is written.
static FOLDERS: Mutex<Vec<Folder>> = Mutex::new(Vec::new());

struct Folder {
    path: PathBuf,
    /// The names of this run's own journals.
    journals: Vec<OsString>,
    looked_into: bool,
}

/// So many are named.
const MOST: usize = 20;

/// An output was opened: its folder is one to look into.
pub fn will_look_beside(output: &Output) {
    if let Some(target) = output.target() {
        let journal = output.beside("journal").ok();
        let journal = journal.as_deref().and_then(Path::file_name);
        will_look_in(folder_of(target), journal);
    }
}

/// The same of a folder.
pub fn will_look_in(folder: &Path, journal: Option<&OsStr>) {
    let path = fs::canonicalize(folder).unwrap_or_else(|_| folder.to_owned());
    let mut folders = folders();
    let journal = journal.map(OsStr::to_owned);
    match folders.iter_mut().find(|folder| folder.path == path) {
        Some(folder) => folder.journals.extend(journal),
        None => folders.push(Folder {
            path,
            journals: Vec::from_iter(journal),
            looked_into: false,
        }),
    }
}

/// Names what is left in all of these folders, once, unless nothing is to be said.
pub fn note(quiet: bool) {
    if quiet {
        return;
    }
    let mut folders = folders();
    let new = folders.iter_mut().filter(|folder| !folder.looked_into);
    let mut left: Vec<Left> = new.flat_map(Folder::look).collect();
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

fn folders() -> MutexGuard<'static, Vec<Folder>> {
    FOLDERS.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Folder {
    fn look(&mut self) -> Vec<Left> {
        self.looked_into = true;
        let entries = fs::read_dir(&self.path).into_iter().flatten().flatten();
        let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
        paths.sort();
        let left = paths
            .into_iter()
            .filter_map(|path| Left::of(path, &self.journals));
        left.filter(Left::is_nobodys).collect()
    }
}

/// Files of one run.
struct Left {
    /// The one that is locked while the run goes on.
    locked: PathBuf,
    journal: Option<PathBuf>,
}

impl Left {
    fn of(path: PathBuf, own: &[OsString]) -> Option<Left> {
        let name = path.file_name()?.to_str()?;
        let ending = path.extension()?;
        if name.starts_with(".swaplist-") {
            let is_ours = ending == "part" || ending == "journal";
            return is_ours.then_some(Left {
                locked: path,
                journal: None,
            });
        }
        let is_others = ending == "journal" && !own.iter().any(|own| own == name);
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

fn describe(left: &[Left]) -> String {
    let here = std::env::current_dir().and_then(fs::canonicalize).ok();
    let quoted = |path: &PathBuf| {
        let inside = here.as_ref().and_then(|here| path.strip_prefix(here).ok());
        let path = inside.map_or_else(|| path.clone(), |inside| Path::new(".").join(inside));
        format!("'{}'", shown::path(&path).replace('\'', r"'\''"))
    };
    let files = left
        .iter()
        .flat_map(|left| left.journal.iter().chain([&left.locked]));
    let files: Vec<_> = files.filter(|path| path.exists()).map(quoted).collect();
    let named = files[..files.len().min(MOST)].join(" ");
    let remove = if cfg!(windows) { "del" } else { "rm" };
    let mut text = format!("killed runs left files behind; {remove} {named} removes them");
    if files.len() > MOST {
        let _ = write!(text, ", and there are {} more", files.len() - MOST);
    }
    if left.iter().any(|left| left.journal.is_some()) {
        text += "; or, where there is a .journal, the same command with --resume goes on";
    }
    text
}
