//! Temporary files of outputs.

use std::io::{self, Write as _};
use std::path::Path;

use tempfile::NamedTempFile;

use super::super::error::{Error, ErrorKind, Result};
use crate::formats::compressed::{Compressed, Compression};

/// An output file under its temporary name.
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

    /// Ends the compressed stream and returns its size.
    pub(super) fn end(&mut self) -> io::Result<Option<u64>> {
        let Part::Compressed(file) = self else {
            return Ok(None);
        };
        file.end()?;
        Ok(Some(file.get_ref().as_file().metadata()?.len()))
    }
}

/// The level for this compression; the default unless asked for.
pub(super) fn level_of(
    kind: Option<Compression>,
    asked: Option<u32>,
) -> Result<Option<(Compression, u32)>> {
    let Some(kind) = kind else { return Ok(None) };
    let (levels, level) = (kind.levels(), asked.unwrap_or(kind.default_level()));
    if !levels.contains(&level) {
        let (least, most) = (levels.start(), levels.end());
        let message =
            format!("the level {level} is not one of {kind}'s, which are {least} to {most}");
        return Err(Error::new(ErrorKind::Level, message));
    }
    Ok(Some((kind, level)))
}
