//! Where an output's path leads if it is a symbolic link.
//!
//! In a folder in which everybody may write, such as `/tmp`, somebody can lay a link where another
//! one is going to write. Linux does not follow it (`fs.protected_symlinks`) if a file is opened
//! through it. An output is renamed to the place that a link names, so the same rule is kept here,
//! also where the system has none.

use std::fs::{self, Metadata};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

/// The most links that are followed, as in Linux.
const LINKS: usize = 40;

/// The file that a symbolic link names, which may not exist yet; the path itself if it is no link.
///
/// # Errors
///
/// If a link is not to be trusted, or there are too many.
pub(super) fn followed(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_owned();
    for _ in 0..LINKS {
        let link = match fs::symlink_metadata(&path) {
            Ok(metadata) if metadata.is_symlink() => metadata,
            // What is wrong with the path itself is told when it is used.
            _ => return Ok(path),
        };
        let parent = path.parent();
        let folder = parent.filter(|folder| !folder.as_os_str().is_empty());
        let folder = folder.unwrap_or(Path::new("."));
        if is_foreign(&link, &fs::metadata(folder)?) {
            let message = "it is a link that another user has laid in a shared folder";
            return Err(io::Error::new(ErrorKind::PermissionDenied, message));
        }
        let target = fs::read_link(&path)?;
        // From the link's folder, unless it is absolute.
        path.pop();
        path.push(target);
    }
    Err(io::Error::new(ErrorKind::InvalidInput, "too many links"))
}

/// Whether a link in a folder in which everybody may write, but only remove what is his own,
/// belongs neither to this user nor to the folder's owner.
#[cfg(unix)]
fn is_foreign(link: &Metadata, folder: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    /// Sticky, and writable by all.
    const SHARED: u32 = 0o1002;
    let is_shared = folder.mode() & SHARED == SHARED;
    let own = rustix::process::geteuid().as_raw();
    is_shared && ![own, folder.uid()].contains(&link.uid())
}

#[cfg(not(unix))]
fn is_foreign(_: &Metadata, _: &Metadata) -> bool {
    false
}
