//! What is not finished, and what becomes of it when the command is interrupted.

use std::fs::{self, File};
use std::io::{self, IsTerminal as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use anyhow::{Context as _, Result};
use tempfile::TempDir;

use crate::cli::summary::grouped;

static UNFINISHED: Mutex<Unfinished> = Mutex::new(Unfinished {
    paths: Vec::new(),
    folders: Vec::new(),
    kept: None,
});

pub(super) struct Unfinished {
    /// Files that are being written, to be removed if the command is interrupted.
    pub paths: Vec<PathBuf>,
    /// Temporary folders, to be removed likewise.
    folders: Vec<PathBuf>,
    pub kept: Option<Kept>,
}

/// What stays if the command is interrupted, so that it can be gone on with.
pub(super) struct Kept {
    pub journal: PathBuf,
    pub partials: Vec<PathBuf>,
    /// How many records the journal tells of.
    records: u64,
}

impl Unfinished {
    fn writing(&self) -> bool {
        self.kept.is_some() || !self.paths.is_empty()
    }

    /// Removes what is not worth keeping; returns how many records stay done.
    fn give_up(&self) -> Option<u64> {
        let kept = self.kept.as_ref()?;
        if kept.records > 0 {
            return Some(kept.records);
        }
        // The journal last: without it the others would be in the way.
        for path in kept.partials.iter().chain([&kept.journal]) {
            let _ = fs::remove_file(path);
        }
        None
    }
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
        let kept = unfinished.give_up();
        let line = interrupted(unfinished.writing(), kept);
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
fn interrupted(writing: bool, kept: Option<u64>) -> String {
    let line = if io::stderr().is_terminal() { "\n" } else { "" };
    let files = match kept.map(grouped) {
        Some(records) => {
            format!(" after {records} records; the same command goes on from there")
        }
        None if writing => ", no incomplete output file is left".to_owned(),
        None => String::new(),
    };
    format!("{line}swaplist: interrupted{files}")
}

/// The command fails: nothing stays that nobody can go on with. Returns how many
/// records stay done.
pub fn give_up() -> Option<u64> {
    unfinished().give_up()
}

/// From now on these files stay if the command is interrupted.
pub fn keep(journal: PathBuf, partials: Vec<PathBuf>, records: u64) {
    unfinished().kept = Some(Kept {
        journal,
        partials,
        records,
    });
}

/// Replaces the journal, which tells of so many records, as a whole.
pub fn save_journal(path: &Path, text: &[u8], records: u64) -> io::Result<()> {
    // An interrupt waits, and then says what the new journal tells.
    let mut unfinished = unfinished();
    // A name of nobody else's; the file goes if it cannot be written.
    let mut new = tempfile::Builder::new()
        .prefix(".swaplist-")
        .suffix(".journal")
        .tempfile_in(folder_of(path))?;
    lock(new.as_file());
    new.write_all(text)?;
    new.as_file().sync_data()?;
    new.persist(path)?;
    if let Some(kept) = &mut unfinished.kept {
        kept.records = records;
    }
    Ok(())
}

/// While a run goes on, others see by the lock that a file is not left over. Where files
/// cannot be locked, nobody looks.
pub(super) fn lock(file: &File) {
    let _ = file.lock();
}

/// Where a file is.
pub fn folder_of(path: &Path) -> &Path {
    let folder = path.parent();
    folder
        .filter(|folder| !folder.as_os_str().is_empty())
        .unwrap_or(Path::new("."))
}

/// With one more ending.
pub(super) fn with_ending(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".");
    name.push(ending);
    name.into()
}
