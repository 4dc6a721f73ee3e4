//! Temporary files, and those of runs that were killed.
//!
//! A run locks its temporary file, and the system unlocks it however the run ends. So one that is
//! not locked is left over. That is certain only if
//!
//! - a file has its lock before it has its name: it is made under another name first, which nobody
//!   looks for
//! - the lock is seen by whoever asks: another machine that shares the folder may have locks of its
//!   own. So names hold which system made them, since it was started, and files of others are not
//!   looked at. Where a system cannot be told from another one, none is found.

use std::collections::HashSet;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use parking_lot::Mutex;
use tempfile::NamedTempFile;

const PREFIX: &str = ".swaplist-";
const SUFFIX: &str = ".part";

/// Folders that this process has looked at. What it finds there later is its own, and a folder may
/// get thousands of outputs.
static SEEN: Mutex<Option<HashSet<PathBuf>>> = Mutex::new(None);

/// The beginning of names on this system, since it was started; `None` if it does not tell.
static OURS: LazyLock<Option<String>> = LazyLock::new(|| {
    let boot = fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
    let first = boot.trim().get(..8)?;
    Some(format!("{PREFIX}{first}-"))
});

/// Makes a hidden temporary file in a folder, and locks it as long as it is open.
#[cfg(unix)]
pub(super) fn create(folder: &Path, mode: u32) -> io::Result<NamedTempFile> {
    use std::os::unix::fs::OpenOptionsExt as _;
    builder().make_in(folder, |path| {
        let without_lock = path.with_extension("new");
        let file = File::options()
            .read(true)
            .write(true)
            .create_new(true)
            .mode(mode)
            .open(&without_lock)?;
        // This fails where there are no locks, as on some network file systems. There it also fails
        // for whoever looks for files that are left over, so nobody takes this one for one of them.
        let _ = file.try_lock();
        // Nobody else has this name, which is long and random.
        fs::rename(&without_lock, path).inspect_err(|_| drop(fs::remove_file(&without_lock)))?;
        Ok(file)
    })
}

/// Makes a hidden temporary file in a folder.
#[cfg(not(unix))]
pub(super) fn create(folder: &Path) -> io::Result<NamedTempFile> {
    builder().tempfile_in(folder)
}

fn builder() -> tempfile::Builder<'static, 'static> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(OURS.as_deref().unwrap_or(PREFIX));
    builder.suffix(SUFFIX).rand_bytes(12);
    builder
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
    let mut seen = SEEN.lock();
    if !seen.get_or_insert_default().insert(whole) {
        return Vec::new();
    }
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut found: Vec<PathBuf> = entries
        .filter(|entry| {
            let is_file = entry.file_type().is_ok_and(|kind| kind.is_file());
            is_file && is_ours(&entry.file_name().to_string_lossy())
        })
        .map(|entry| entry.path())
        .filter(|path| is_left(path))
        .collect();
    found.sort();
    found
}

/// Whether a file's name is that of a temporary file of this system.
fn is_ours(name: &str) -> bool {
    let ours = OURS.as_deref();
    ours.is_some_and(|ours| name.starts_with(ours) && name.ends_with(SUFFIX))
}

/// Whether nobody holds a temporary file. Several may ask at once.
fn is_left(path: &Path) -> bool {
    File::open(path).is_ok_and(|file| file.try_lock_shared().is_ok())
}
