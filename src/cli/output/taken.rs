//! Which files are in use.

use std::fs::{self, File, Metadata};
use std::io;
use std::path::{Path, PathBuf};

/// Files that are in use, which no output may be.
#[derive(Default)]
pub struct Taken {
    files: Vec<Metadata>,
    /// What is written to directly: devices, pipes, standard output.
    written: Vec<Metadata>,
    paths: Vec<PathBuf>,
    stdout: bool,
}

impl Taken {
    /// A path of `-` is standard output.
    pub fn add(&mut self, path: Option<&Path>, metadata: Option<&Metadata>) {
        self.files.extend(metadata.cloned());
        let stdout = path == Some(Path::new("-"));
        self.stdout |= stdout;
        self.written.extend(if stdout {
            stdout_metadata()
        } else {
            path.and_then(|path| fs::metadata(path).ok())
        });
        self.paths
            .extend(path.filter(|path| *path != Path::new("-")).map(absolute));
    }

    pub fn holds(&self, path: &Path, metadata: Option<&Metadata>) -> bool {
        let same = |file: &Metadata| metadata.is_some_and(|metadata| same_file(file, metadata));
        let mut files = self.files.iter().chain(&self.written);
        self.paths.contains(&absolute(path)) || files.any(same)
    }

    /// Whether standard output is written to already, by whichever name.
    pub fn writes_stdout(&self) -> bool {
        self.stdout || stdout_metadata().is_some_and(|file| self.writes(&file))
    }

    /// Whether something is written there already, and somebody could read it.
    pub fn writes(&self, metadata: &Metadata) -> bool {
        let is_null = fs::metadata("/dev/null").is_ok_and(|null| same_file(&null, metadata));
        !is_null && self.written.iter().any(|file| same_file(file, metadata))
    }
}

/// Of what standard output goes to.
#[cfg(unix)]
fn stdout_metadata() -> Option<Metadata> {
    use std::os::fd::AsFd as _;
    let stdout = io::stdout().as_fd().try_clone_to_owned().ok()?;
    File::from(stdout).metadata().ok()
}

#[cfg(not(unix))]
fn stdout_metadata() -> Option<Metadata> {
    None
}

/// The one path of a file, which need not exist as yet: its folder may have several.
fn absolute(path: &Path) -> PathBuf {
    let in_folder = || {
        let path = std::path::absolute(path).ok()?;
        let folder = fs::canonicalize(path.parent()?).ok()?;
        Some(folder.join(path.file_name()?))
    };
    fs::canonicalize(path)
        .ok()
        .or_else(in_folder)
        .unwrap_or_else(|| path.to_owned())
}

#[cfg(unix)]
fn same_file(a: &Metadata, b: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    (a.dev(), a.ino()) == (b.dev(), b.ino())
}

#[cfg(not(unix))]
fn same_file(_: &Metadata, _: &Metadata) -> bool {
    false // paths are compared too
}
