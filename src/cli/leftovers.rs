//! Finds temporary files left by killed runs.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use swaplist::jobs::shown;

/// The most files named.
const MOST: usize = 20;

/// Notes temporary files left beside the outputs, unless quiet.
pub fn note<'a>(outputs: impl IntoIterator<Item = &'a Path>, quiet: bool) {
    if quiet {
        return;
    }
    let folder = |path: &Path| {
        let folder = path
            .parent()
            .filter(|folder| !folder.as_os_str().is_empty());
        let folder = folder.unwrap_or(Path::new("."));
        fs::canonicalize(folder).unwrap_or_else(|_| folder.to_owned())
    };
    let folders: BTreeSet<PathBuf> = outputs.into_iter().map(folder).collect();
    let mut left: Vec<PathBuf> = folders.iter().flat_map(|folder| look(folder)).collect();
    if left.is_empty() {
        return;
    }
    // Files of running jobs are locked.
    std::thread::sleep(Duration::from_millis(20));
    left.retain(|path| is_nobodys(path));
    if !left.is_empty() {
        let _ = writeln!(io::stderr(), "swaplist: note: {}", describe(&left));
    }
}

fn look(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let paths = entries.map(|entry| entry.path());
    let mut left: Vec<PathBuf> = paths
        .filter(|path| is_unfinished(path) && is_nobodys(path))
        .collect();
    left.sort();
    left
}

/// Whether this is the name of a temporary file.
fn is_unfinished(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str());
    let is_ours = name.is_some_and(|name| name.starts_with(".swaplist-"));
    is_ours && path.extension().is_some_and(|ending| ending == "part")
}

/// Whether no running job has locked it; false if that cannot be found out.
fn is_nobodys(path: &Path) -> bool {
    let is_file = fs::symlink_metadata(path).is_ok_and(|file| file.is_file());
    is_file && File::open(path).is_ok_and(|file| file.try_lock_shared().is_ok())
}

fn describe(left: &[PathBuf]) -> String {
    let here = std::env::current_dir().and_then(fs::canonicalize).ok();
    let quoted = |path: &PathBuf| {
        let inside = here.as_ref().and_then(|here| path.strip_prefix(here).ok());
        let path = inside.map_or_else(|| path.clone(), |inside| Path::new(".").join(inside));
        format!("'{}'", shown::path(&path).replace('\'', r"'\''"))
    };
    let files: Vec<_> = left.iter().map(quoted).collect();
    let named = files[..files.len().min(MOST)].join(" ");
    let remove = if cfg!(windows) { "del" } else { "rm" };
    let mut text = format!("killed runs left files behind; {remove} {named} removes them");
    if files.len() > MOST {
        let _ = write!(text, ", and there are {} more", files.len() - MOST);
    }
    text
}
