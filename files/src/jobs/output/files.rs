//! The files of a job, and checks that none is used twice.

use std::collections::HashSet;
use std::fs::{self, Metadata};
use std::io;
use std::path::{Path, PathBuf};

use super::super::cancel::Cancel;
use super::super::error::{Access, Context as _, Error, ErrorKind, Result};
use super::super::input::FOREIGN;
use super::super::options::Options;
use super::{Output, leftovers, links};
use crate::report::{self, extension};

/// The files that a job reads and writes, no two of which may be the same.
#[derive(Debug, Default)]
pub struct Files {
    cancel: Cancel,
    replaces: bool,
    read: HashSet<Inode>,
    /// Devices, pipes and standard output, written directly.
    written: HashSet<Inode>,
    paths: HashSet<PathBuf>,
    stdout: bool,
    /// Temporary files that earlier runs left in the folders of the outputs.
    leftovers: Vec<PathBuf>,
}

impl Files {
    /// The files that the options name as read, and no outputs yet. Outputs replace existing files if
    /// the options say so; unfinished ones are removed when the options' `cancel` is cancelled.
    pub fn new(options: &Options) -> Files {
        let mut files = Files {
            cancel: options.cancel.clone(),
            replaces: options.replace,
            ..Files::default()
        };
        for path in &options.reads {
            files.read(path);
        }
        files
    }

    /// Registers a file that is read.
    pub(crate) fn read(&mut self, path: &Path) {
        let metadata = fs::metadata(path).ok();
        self.read.extend(metadata.as_ref().and_then(inode));
        self.paths.insert(absolute(path));
    }

    /// Registers standard input as read.
    pub(crate) fn read_stdin(&mut self) {
        let stdin = metadata_of(io::stdin()).filter(Metadata::is_file);
        self.read.extend(stdin.as_ref().and_then(inode));
    }

    /// Opens a file to write, or standard output for `-`, `/dev/stdout` and `None`. Files are written
    /// atomically. Refuses a file that is in use, and one that exists unless they are replaced.
    /// A name in `.zst` or `.gz` compresses, at this level.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Exists`], [`ErrorKind::Level`], or a write error.
    pub fn create(&mut self, path: Option<&Path>, level: Option<u32>) -> Result<Output> {
        let path = path.filter(|path| !["-", "/dev/stdout"].map(Path::new).contains(path));
        let output = match path {
            Some(path) => self.file(path, level)?,
            None if self.writes_stdout() => {
                return Err(Error::refused(
                    "standard output is used twice, name a file for one of the outputs",
                ));
            }
            // It would be read as it grows.
            None if stdout_file().is_some_and(|file| self.reads(&file)) => {
                return Err(Error::refused(
                    "standard output is the file that is read, choose another output",
                ));
            }
            None => Output::stdout(),
        };
        if level.is_some() && !output.target().is_some_and(Output::would_compress) {
            let message = format!(
                "{} is not compressed and has no level; name a file .zst or .gz",
                output.name()
            );
            return Err(Error::new(ErrorKind::Level, message));
        }
        self.stdout |= path.is_none();
        let metadata = match path {
            Some(path) => fs::metadata(path).ok(),
            None => metadata_of(io::stdout()),
        };
        self.written.extend(metadata.as_ref().and_then(inode));
        self.paths.extend(path.map(absolute));
        Ok(output)
    }

    fn file(&mut self, path: &Path, level: Option<u32>) -> Result<Output> {
        let name = report::path(path);
        let ending = extension(path).unwrap_or_default();
        if FOREIGN.iter().any(|(foreign, _)| *foreign == ending) {
            return Err(Error::refused("swaplist compresses as .zst and .gz only"))
                .doing(Access::BeginWriting, &name);
        }
        let twice = || Error::refused(format!("'{name}' is used twice, choose another output"));
        // A symbolic link stays; the file that it names is replaced, or made.
        let target = links::followed(path).doing(Access::Create, &name)?;
        let metadata = match fs::metadata(path) {
            Ok(metadata) => Some(metadata),
            // A missing folder counts as well: an error says so later.
            Err(error) if is_absent(&error) => None,
            Err(error) => return Err(error).doing(Access::Create, &name),
        };
        match metadata {
            Some(metadata) if metadata.is_dir() => Err(Error::refused(format!(
                "'{name}' is a directory, name a file in it"
            ))),
            Some(metadata) if !metadata.is_file() => {
                if self.writes(&metadata) {
                    return Err(twice());
                }
                Output::direct(path)
            }
            metadata if self.holds(path, metadata.as_ref()) => Err(twice()),
            // A link to a file that does not exist counts as existing.
            _ if !self.replaces && fs::symlink_metadata(path).is_ok() => {
                Err(Error::new(ErrorKind::Exists, format!("'{name}' exists")))
            }
            _ => {
                self.leftovers.extend(leftovers::in_folder_of(&target));
                Output::atomic(name, target, level, self.replaces, &self.cancel)
            }
        }
    }

    /// What to say of the temporary files that earlier runs left beside the outputs, once.
    pub(crate) fn leftovers_note(&mut self) -> Option<String> {
        const NAMED: usize = 3;
        let left = core::mem::take(&mut self.leftovers);
        let quoted: Vec<String> = left
            .iter()
            .take(NAMED)
            .map(|path| format!("'{}'", report::path(path)))
            .collect();
        let more = match left.len().saturating_sub(NAMED) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let names = quoted.join(", ") + &more;
        match left.len() {
            0 => None,
            1 => Some(format!(
                "{names} was left by a run that was killed and can be deleted"
            )),
            _ => Some(format!(
                "{names} were left by runs that were killed and can be deleted"
            )),
        }
    }

    fn holds(&self, path: &Path, metadata: Option<&Metadata>) -> bool {
        if self.paths.contains(&absolute(path)) {
            return true;
        }
        metadata.is_some_and(|metadata| {
            let file = inode(metadata);
            let stdout = stdout_file().as_ref().and_then(inode);
            let is_stdout = file.is_some() && file == stdout;
            let is_written = file.is_some_and(|file| self.written.contains(&file));
            self.reads(metadata) || is_written || is_stdout
        })
    }

    fn reads(&self, metadata: &Metadata) -> bool {
        inode(metadata).is_some_and(|file| self.read.contains(&file))
    }

    /// Whether standard output is already written to, under any name.
    pub fn writes_stdout(&self) -> bool {
        self.stdout || metadata_of(io::stdout()).is_some_and(|file| self.writes(&file))
    }

    /// Whether this file is already written to; `/dev/null` may be used twice.
    fn writes(&self, metadata: &Metadata) -> bool {
        let null = fs::metadata("/dev/null").ok().as_ref().and_then(inode);
        let file = inode(metadata);
        file != null && file.is_some_and(|file| self.written.contains(&file))
    }

    /// Renames the finished outputs.
    ///
    /// # Errors
    ///
    /// If one cannot be renamed; those before it keep their names.
    pub fn finish(&self, outputs: impl IntoIterator<Item = Output>) -> Result<()> {
        let outputs: Vec<Output> = outputs.into_iter().collect();
        let unfinished: Vec<PathBuf> = outputs.iter().filter_map(Output::unfinished).collect();
        self.cancel.name(&unfinished, || {
            outputs.into_iter().try_for_each(Output::finish)
        })
    }
}

/// The file that standard output is redirected to.
fn stdout_file() -> Option<Metadata> {
    metadata_of(io::stdout()).filter(Metadata::is_file)
}

#[cfg(unix)]
fn metadata_of(stream: impl std::os::fd::AsFd) -> Option<Metadata> {
    let stream = stream.as_fd().try_clone_to_owned().ok()?;
    fs::File::from(stream).metadata().ok()
}

#[cfg(not(unix))]
fn metadata_of<S>(_: S) -> Option<Metadata> {
    None
}

/// Whether an error says that there is no such file, or no folder that could hold it.
fn is_absent(error: &io::Error) -> bool {
    use io::ErrorKind::{NotADirectory, NotFound};
    [NotADirectory, NotFound].contains(&error.kind())
}

/// The canonical path of a file that may not exist yet: its folder may have several paths.
fn absolute(path: &Path) -> PathBuf {
    fs::canonicalize(path)
        .ok()
        .or_else(|| {
            let path = std::path::absolute(links::followed(path).ok()?).ok()?;
            let folder = fs::canonicalize(path.parent()?).ok()?;
            Some(folder.join(path.file_name()?))
        })
        .unwrap_or_else(|| path.to_owned())
}

/// A file, however it is named: paths to one file have the same identity, also through links of
/// either kind. A hard link is not recognised on Windows.
#[derive(Debug, PartialEq, Eq, Hash)]
pub enum FileIdentity {
    Inode(Inode),
    /// The canonical path, where the system does not tell more.
    Path(PathBuf),
}

impl FileIdentity {
    /// The identity of the file to which a path leads.
    pub fn from_path(path: &Path) -> FileIdentity {
        let metadata = fs::metadata(path).ok();
        match metadata.as_ref().and_then(inode) {
            Some(inode) => FileIdentity::Inode(inode),
            None => FileIdentity::Path(absolute(path)),
        }
    }
}

/// The numbers of a file's device and inode.
type Inode = [u64; 2];

#[cfg(unix)]
#[allow(clippy::unnecessary_wraps)] // other systems do not tell
fn inode(file: &Metadata) -> Option<Inode> {
    use std::os::unix::fs::MetadataExt as _;
    Some([file.dev(), file.ino()])
}

#[cfg(not(unix))]
fn inode(_: &Metadata) -> Option<Inode> {
    None // paths are compared too
}
