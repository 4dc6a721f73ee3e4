//! Files that do not have their names yet.

use std::fs::{OpenOptions, TryLockError};
use std::io::{self, Seek as _, SeekFrom, Write as _};
use std::path::Path;

use anyhow::{Result, anyhow, bail};
use swaplist::formats::compressed::{Compressed, Compression};
use tempfile::{NamedTempFile, TempPath};

/// A file that does not have its name yet.
pub(super) enum Part {
    Plain(NamedTempFile),
    Compressed(Box<Compressed<NamedTempFile>>),
}

impl Part {
    pub(super) fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        match self {
            Part::Plain(file) => file.write_all(bytes),
            Part::Compressed(file) => file.write_all(bytes),
        }
    }

    pub(super) fn path(&self) -> &Path {
        match self {
            Part::Plain(file) => file.path(),
            Part::Compressed(file) => file.get_ref().path(),
        }
    }

    pub(super) fn finish(self) -> io::Result<NamedTempFile> {
        match self {
            Part::Plain(file) => Ok(file),
            Part::Compressed(file) => file.finish(),
        }
    }

    /// Ends what is compressed, and tells its size then.
    pub(super) fn end(&mut self) -> io::Result<Option<u64>> {
        let Part::Compressed(file) = self else {
            return Ok(None);
        };
        file.end()?;
        Ok(Some(file.get_ref().as_file().metadata()?.len()))
    }
}

const ANEW: &str = "to begin again, remove it and the journal beside it";

/// Goes on behind so many bytes of a file that was not finished.
pub(super) fn open_partial(path: &Path, length: u64) -> Result<NamedTempFile> {
    let mut file = OpenOptions::new()
        .write(true)
        .create(length == 0)
        .truncate(false)
        .open(path)
        .map_err(|error| anyhow!("{error}; {ANEW}"))?;
    // Where files cannot be locked at all, nobody is in the way either.
    if let Err(TryLockError::WouldBlock) = file.try_lock() {
        bail!("another run is writing it");
    }
    if file.metadata()?.len() < length {
        bail!("it is shorter than it was; {ANEW}");
    }
    file.set_len(length)?;
    file.seek(SeekFrom::Start(length))?;
    let mut file = NamedTempFile::from_parts(file, TempPath::try_from_path(path)?);
    file.disable_cleanup(true);
    Ok(file)
}

/// How a file is compressed that is named so, and at which level.
pub(super) fn level_of(
    kind: Option<Compression>,
    asked: Option<u32>,
) -> Result<Option<(Compression, u32)>> {
    let Some(kind) = kind else { return Ok(None) };
    let (levels, level) = (kind.levels(), asked.unwrap_or(kind.default_level()));
    if !levels.contains(&level) {
        let (least, most) = (levels.start(), levels.end());
        bail!("--level {level} is not one of {kind}'s, which are {least} to {most}");
    }
    Ok(Some((kind, level)))
}
