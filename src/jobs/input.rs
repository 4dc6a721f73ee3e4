//! Where records come from: a file or standard input, in which format.

use std::fs::{File, Metadata};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::error::{Error, ErrorKind, Of as _, Result};
use super::packed;
use super::shown::{self, extension};
use crate::formats::compressed::{Compression, decompressed};
use crate::formats::{Detected, Format, HEAD};

/// An open input: a file, standard input or anything that can be read.
pub struct Input {
    /// As messages call it.
    pub(super) name: String,
    /// Of the file, if it is one.
    pub(super) path: Option<PathBuf>,
    /// In bytes, where it is known.
    length: Option<u64>,
    /// Of the file, if it is one.
    pub(super) metadata: Option<Metadata>,
    /// How many bytes of the file were read so far, compressed if it is.
    pub(super) read: Arc<AtomicU64>,
    /// The content, decompressed.
    pub(super) stream: Box<dyn Read + Send>,
    /// Whether it has to be decompressed.
    pub(super) compressed: bool,
    /// What its name ends with, behind the last dot.
    pub(super) extension: Option<String>,
}

/// A stream that counts what is read from it. It fails if a file ends before the
/// length that it was opened with, so that no record is lost unnoticed.
struct Counted<R> {
    inner: R,
    read: Arc<AtomicU64>,
    /// When the file was opened, if it is one.
    length: Option<u64>,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let bytes = self.inner.read(buffer)?;
        let read = self.read.fetch_add(bytes as u64, Ordering::Relaxed) + bytes as u64;
        match self.length {
            Some(length) if bytes == 0 && !buffer.is_empty() && read < length => {
                Err(io::Error::other(format!(
                    "the file got shorter while it was read, from {length} bytes to {read}; \
                     run again when nothing else changes it"
                )))
            }
            _ => Ok(bytes),
        }
    }
}

impl Input {
    /// Opens a file, or standard input for `-` and none. What is compressed as `.zst` or
    /// `.gz` is decompressed.
    ///
    /// # Errors
    ///
    /// Why it cannot be opened or read.
    pub fn open(path: Option<&Path>) -> Result<Input> {
        match path {
            Some(path) if path != Path::new("-") => Input::file(path),
            _ => Input::reader("standard input", io::stdin()),
        }
    }

    /// Anything that can be read, by what messages are to call it.
    ///
    /// # Errors
    ///
    /// Why its first bytes cannot be read.
    pub fn reader(name: &str, reader: impl Read + Send + 'static) -> Result<Input> {
        Input::new(name.to_owned(), None, None, Box::new(reader), None)
    }

    fn file(path: &Path) -> Result<Input> {
        let name = shown::path(path);
        let file = File::open(path).map_err(|error| cannot_open(&name, &error))?;
        let metadata = file
            .metadata()
            .map_err(|error| cannot_open(&name, &error))?;
        if metadata.is_dir() {
            return Err(Error::refused(format!(
                "'{name}' is a directory, name a file in it"
            )));
        }
        let length = metadata.is_file().then_some(metadata.len());
        let (stem, named) = Compression::split(path);
        let mut input = Input::new(name, length, Some(metadata), Box::new(file), named)?;
        input.extension = extension(stem);
        input.path = Some(path.to_owned());
        Ok(input)
    }

    /// As messages call it.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// How many bytes the file has, if it is one.
    #[must_use]
    pub const fn length(&self) -> Option<u64> {
        self.length
    }

    /// How many of these were read so far, kept up to date.
    #[must_use]
    pub fn bytes_read(&self) -> Arc<AtomicU64> {
        Arc::clone(&self.read)
    }

    /// The content, decompressed.
    #[must_use]
    pub fn into_stream(self) -> Box<dyn Read + Send> {
        self.stream
    }

    fn new(
        name: String,
        length: Option<u64>,
        metadata: Option<Metadata>,
        inner: Box<dyn Read + Send>,
        compression: Option<Compression>,
    ) -> Result<Input> {
        let read = Arc::new(AtomicU64::new(0));
        let counted = Counted {
            inner,
            read: Arc::clone(&read),
            length,
        };
        let (stream, found) =
            decompressed(counted, compression).of(format_args!("cannot read '{name}'"))?;
        Ok(Input {
            extension: None,
            compressed: found.is_some(),
            path: None,
            name,
            length,
            metadata,
            read,
            stream,
        })
    }

    /// The format asked for, or else the one that the content shows, with the
    /// help of the name.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::UnknownFormat`], or why nothing can be read.
    pub fn format(&mut self, from: Option<Format>) -> Result<Format> {
        if let Some(format) = from {
            return Ok(format);
        }
        let head = self.peek(HEAD)?;
        if head.is_empty() {
            return Ok(self.format_of_nothing());
        }
        self.refuse_packed()?;
        match Format::detect(&head, self.extension.as_deref()) {
            Detected::Format(format) => Ok(format),
            Detected::Ambiguous(formats) => {
                let names: Vec<_> = formats.iter().map(|format| format.name()).collect();
                let message = format!("{} can be {}", self.quoted(), names.join(" or "));
                Err(Error::new(ErrorKind::UnknownFormat(formats), message))
            }
            Detected::Unknown => self.format_of_broken(&head),
        }
    }

    /// Refuses what other programs have to decompress.
    ///
    /// # Errors
    ///
    /// If it is such.
    pub fn refuse_packed(&mut self) -> Result<()> {
        let head = self.peek(HEAD)?;
        let named = || self.path.as_deref().and_then(packed::of_name);
        match packed::of_head(&head).or_else(named) {
            Some(packer) => Err(Error::refused(
                packer.not_read(&self.quoted(), self.path.as_deref()),
            )),
            None => Ok(()),
        }
    }

    /// An empty file has no records of any format: what its name allows is as good as
    /// any.
    fn format_of_nothing(&self) -> Format {
        let named = self.extension.as_deref().map(Format::all_of_extension);
        let first = named.and_then(|formats| formats.first().copied());
        first.unwrap_or_default()
    }

    /// What is broken from the start is worth a message about its records.
    fn format_of_broken(&self, head: &[u8]) -> Result<Format> {
        let named = self.extension.as_deref().and_then(Format::of_extension);
        if let Some(named) = named {
            return Ok(named);
        }
        if is_like_text(head) {
            return Ok(Format::Text);
        }
        Err(Error::new(
            ErrorKind::UnknownFormat(Vec::new()),
            format!("{} is in no known format", self.quoted()),
        ))
    }

    /// The first bytes, up to so many, which will be read again.
    fn peek(&mut self, bytes: usize) -> Result<Vec<u8>> {
        let mut head = Vec::new();
        let mut limited = self.stream.by_ref().take(bytes as u64);
        limited
            .read_to_end(&mut head)
            .of(format_args!("cannot read {}", self.quoted()))?;
        let rest = core::mem::replace(&mut self.stream, Box::new(io::empty()));
        self.stream = Box::new(io::Cursor::new(head.clone()).chain(rest));
        Ok(head)
    }

    fn quoted(&self) -> String {
        match self.extension {
            None if self.metadata.is_none() => self.name.clone(),
            _ => format!("'{}'", self.name),
        }
    }
}

/// Without the control characters that are in every binary record.
fn is_like_text(head: &[u8]) -> bool {
    !head
        .iter()
        .any(|&byte| byte < b' ' && !matches!(byte, b'\n' | b'\r' | b'\t'))
}

fn cannot_open(name: &str, error: &io::Error) -> Error {
    let hint = match error.kind() {
        io::ErrorKind::NotFound => "; check the name",
        io::ErrorKind::PermissionDenied => "; make it readable",
        _ => "",
    };
    Error::new(
        ErrorKind::Io(error.kind()),
        format!("cannot open '{name}': {error}{hint}"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads a file of ten bytes that was opened with so many, from some offset on.
    fn read(length: Option<u64>, offset: u64) -> io::Result<usize> {
        let mut counted = Counted {
            inner: &[0; 10][offset as usize..],
            read: Arc::new(AtomicU64::new(offset)),
            length,
        };
        assert_eq!(counted.read(&mut [])?, 0);
        counted.read_to_end(&mut Vec::new())
    }

    #[test]
    fn a_file_may_grow_but_not_shrink() {
        for length in [None, Some(0), Some(9), Some(10)] {
            assert_eq!(read(length, 0).unwrap(), 10);
            assert_eq!(read(length, 4).unwrap(), 6);
        }
        for offset in [0, 4, 10] {
            let error = read(Some(11), offset).unwrap_err().to_string();
            assert!(error.contains("got shorter while it was read, from 11 bytes to 10"));
        }
    }
}
