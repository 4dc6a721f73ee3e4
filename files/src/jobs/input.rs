//! Opening inputs and detecting their format.

use core::ops::Range;
use std::fs::{File, Metadata};
use std::io::{self, Read, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::error::{Access, Context as _, Error, ErrorKind, Result};
use super::part::Part;
use crate::formats::compressed::{Compression, Counter, Frame, decompressed, nested};
use crate::formats::{Format, HEAD, LabelColumns, Naming, Place, UTF16, is_utf16};
use crate::report::{self, extension};
use swaplist::Choice;

/// Archives that swaplist does not read, by extension and first bytes.
pub(crate) const FOREIGN: [(&str, &[u8]); 4] = [
    ("xz", b"\xfd7zXZ\0"),
    ("bz2", b"BZh91AY&SY"),
    ("zip", b"PK\x03\x04"),
    ("7z", b"7z\xbc\xaf\x27\x1c"),
];

const LONGEST_MAGIC: usize = 10;

/// An open input: a file, standard input or anything that can be read.
pub struct Input {
    /// The name in messages: the path, or `standard input`.
    pub name: String,
    /// If it is a file.
    pub(crate) path: Option<PathBuf>,
    pub(crate) is_stdin: bool,
    /// The file's length in bytes, if it is a file.
    pub length: Option<u64>,
    /// Bytes read so far, before decompression; updated while reading.
    pub read: Arc<AtomicU64>,
    /// The content, decompressed.
    pub(crate) stream: Box<dyn Read + Send>,
    pub(crate) compression: Option<Compression>,
    /// The lower-case extension of the name, without that of the compression.
    pub(crate) extension: Option<String>,
    /// If it is a part of a file.
    pub(crate) part: Option<Part>,
}

impl Input {
    /// Opens a file, or standard input for `-` and `None`. `.zst` and `.gz` are decompressed.
    ///
    /// # Errors
    ///
    /// If it cannot be opened or read.
    pub fn open(path: Option<&Path>) -> Result<Input> {
        match path {
            Some(path) if path != Path::new("-") => Input::file(path),
            _ => {
                let mut input = Input::reader("standard input", io::stdin())?;
                input.is_stdin = true;
                Ok(input)
            }
        }
    }

    /// Reads from anything, under a name for messages.
    ///
    /// # Errors
    ///
    /// If the first bytes cannot be read.
    pub fn reader(name: &str, reader: impl Read + Send + 'static) -> Result<Input> {
        Input::new(name.to_owned(), None, None, Box::new(reader))
    }

    /// Opens a part of a file.
    ///
    /// # Errors
    ///
    /// If it cannot be read, or was changed since it was cut.
    pub fn part(path: &Path, part: &Part) -> Result<Input> {
        let name = report::path(path);
        let (mut file, metadata) = opened(path, &name)?;
        part.check(&name, &metadata)?;
        let Range { start, end } = part.bytes;
        let opened = match &part.packed {
            None => file
                .seek(SeekFrom::Start(start))
                .map(|_| Box::new(file) as _),
            Some((kind, frames)) => unpacked(file, *kind, frames.start, start),
        };
        let stream: Box<dyn Read + Send> = opened.doing(Access::Read, &name)?;
        let known_end = part.packed.is_none().then_some(end);
        let (counted, read) = Counter::new(stream.take(end - start), start, known_end);
        Ok(Input {
            name,
            path: Some(path.to_owned()),
            is_stdin: false,
            length: Some(end - start),
            read,
            stream: Box::new(counted),
            compression: part.packed.as_ref().map(|(kind, _)| *kind),
            extension: extension(path),
            part: Some(part.clone()),
        })
    }

    /// Appends to an error `is it FORMAT, as asked for?`, if the file could not be read and looks
    /// like another format.
    pub(super) fn doubt(&self, error: Error, asked: Option<Format>) -> Error {
        let is_unread = match *error.kind() {
            ErrorKind::Invalid { is_broken, .. } => is_broken,
            ref kind => *kind == ErrorKind::Broken,
        };
        let looks = |path: &PathBuf| Input::open(Some(path))?.looks_like();
        // Not of a pipe, which cannot be read again.
        let is_readable_again = is_unread && self.length.is_some();
        let path = self.path.as_ref().filter(|_| is_readable_again);
        let (Some(asked), Some(Ok(Ok(seen)))) = (asked, path.map(looks)) else {
            return error;
        };
        // Text is what looks like nothing else.
        if [asked, Format::Text].contains(&seen) {
            return error;
        }
        error.and(&format!(
            "; is it {}, as asked for? it looks like {}",
            asked.name(),
            seen.name()
        ))
    }

    fn file(path: &Path) -> Result<Input> {
        let name = report::path(path);
        let (file, metadata) = opened(path, &name)?;
        let length = metadata.is_file().then_some(metadata.len());
        let mut input = Input::new(name, Some(path), length, Box::new(file))?;
        input.path = Some(path.to_owned());
        Ok(input)
    }

    /// Reads what is a file elsewhere: its name tells the format and the compression.
    ///
    /// # Errors
    ///
    /// If the first bytes cannot be read, or are not compressed as the name says.
    pub fn named(name: &str, reader: impl Read + Send + 'static) -> Result<Input> {
        let path = Some(Path::new(name));
        Input::new(report::text(name), path, None, Box::new(reader))
    }

    /// Bytes read before decompression, if it is compressed.
    pub(crate) fn packed(&self) -> Option<u64> {
        let of_part = self.part.as_ref().and_then(|part| part.packed.as_ref());
        self.compression.map(|_| match of_part {
            Some((_, frames)) => frames.end.packed - frames.start.packed,
            None => self.read.load(Ordering::Relaxed),
        })
    }

    /// The content from its first byte, decompressed while it is read; damage is an error of the
    /// stream.
    pub fn into_stream(self) -> Box<dyn Read + Send> {
        self.stream
    }

    /// A name of a file tells the format and the compression.
    fn new(
        name: String,
        of_file: Option<&Path>,
        length: Option<u64>,
        inner: Box<dyn Read + Send>,
    ) -> Result<Input> {
        let split = of_file.map(Compression::split);
        let (counted, read) = Counter::new(inner, 0, length);
        let (stream, found) =
            decompressed(counted, split.and_then(|(_, named)| named)).doing(Access::Read, &name)?;
        let mut input = Input {
            extension: split.and_then(|(stem, _)| extension(stem)),
            compression: found,
            path: None,
            is_stdin: false,
            name,
            length,
            read,
            stream,
            part: None,
        };
        // No more than needed: a stream may be slow.
        let head = input.peek(LONGEST_MAGIC)?;
        let is = |(_, magic): &&(&str, &[u8])| head.starts_with(magic);
        let problem = if let Some((foreign, _)) = FOREIGN.iter().find(is) {
            format!(
                "is compressed as .{foreign}, which swaplist does not read; decompress it first"
            )
        } else if let Some(both) = nested(input.compression, &head) {
            format!("is {both}, compressed twice; decompress it once")
        } else if is_utf16(&head) {
            format!("cannot be read: {UTF16}")
        } else {
            return Ok(input);
        };
        let quote = of_file.map_or("", |_| "'");
        let name = &input.name;
        Err(Error::refused(format!("{quote}{name}{quote} {problem}")))
    }

    /// The format asked for, or else the one detected by content and name. If the column of the FEN
    /// is named, it must be a table.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::UnknownFormat`], or a read error, or if a column is named and it is in another
    /// format.
    pub fn format(&mut self, from: Option<Format>, fen_column: Option<&str>) -> Result<Format> {
        if fen_column.is_some() {
            return self.table(from);
        }
        let of_part = self.part.as_ref().map(|part| part.format);
        if let Some(format) = of_part.or(from) {
            return Ok(format);
        }
        self.looks_like()?.map_err(|formats| {
            let names: Vec<_> = formats.iter().map(|format| format.name()).collect();
            let which = match names[..] {
                [] => format!("is in no known format{}", self.cut_off_boards()),
                _ => format!("can be {}", names.join(" or ")),
            };
            let message = format!("{} {which}", self.quoted());
            Error::new(ErrorKind::UnknownFormat(formats), message)
        })
    }

    /// What is wrong with the length of a file that is named as one of records of one size: what
    /// follows `is in no known format`. Empty if the length fits, or is not known.
    fn cut_off_boards(&self) -> String {
        let Some(length) = self.length.filter(|_| self.compression.is_none()) else {
            return String::new();
        };
        let name = self.extension.as_deref().unwrap_or_default();
        let named = Format::all_of_extension(name);
        let fits_one = named.iter().any(|format| {
            let record = format.record_bytes();
            record.is_none_or(|bytes| length.is_multiple_of(bytes as u64))
        });
        if named.is_empty() || fits_one {
            return String::new();
        }
        let sizes: Vec<String> = named
            .iter()
            .filter_map(|format| Some(format!("{} ({})", format.name(), format.record_bytes()?)))
            .collect();
        let bytes = report::counted(length, "byte");
        let sizes = sizes.join(" or ");
        format!(
            ": {bytes} are not a whole number of records of {sizes}, so it is cut off at one end"
        )
    }

    /// Whether it is a table, by its format, its name or its content.
    pub(crate) fn is_table(&mut self, from: Option<Format>) -> Result<bool> {
        let extension = self.extension.as_deref();
        let named = extension.and_then(Format::from_extension);
        match from {
            Some(format) => Ok(format == Format::Csv),
            None if named == Some(Format::Csv) => Ok(true),
            None => Ok(self.looks_like()? == Ok(Format::Csv)),
        }
    }

    fn table(&mut self, from: Option<Format>) -> Result<Format> {
        let format = match from {
            Some(format) => format,
            None => match self.looks_like()? {
                // A header without a known name looks like text.
                Err(_) | Ok(Format::Text) => Format::Csv,
                Ok(format) => format,
            },
        };
        if format == Format::Csv {
            return Ok(format);
        }
        let quoted = self.quoted();
        let name = format.name();
        Err(Error::refused(format!(
            "{quoted} is {name}, which has no columns to name; only tables (csv) have"
        )))
    }

    /// The format by content and name, or those that it can be.
    pub(crate) fn looks_like(&mut self) -> Result<Result<Format, Vec<Format>>> {
        Ok(Format::from_file(
            &self.peek(HEAD)?,
            self.extension.as_deref(),
        ))
    }

    /// An error if a header ends in the first bytes and is not this format's.
    pub(crate) fn check_header(&mut self, format: Format, naming: &Naming<'_>) -> Result<()> {
        let head = self.peek(HEAD)?;
        if !format.spec().has_header || !head.contains(&b'\n') {
            return Ok(());
        }
        let checked = format.code().header(&head, 1, naming);
        checked.map(drop).map_err(|broken| {
            let place = Place::Line(1 + u64::from(broken.offset));
            let error = Error::new(ErrorKind::Broken, broken.reason);
            error.at(place).about(&self.name)
        })
    }

    /// What to tell a user whose table has columns with the names of scores or results that are not
    /// read, as none is named.
    pub(crate) fn note_on_labels(
        &mut self,
        format: Format,
        naming: &Naming<'_>,
    ) -> Result<Option<String>> {
        const SCORES: &[&str] = &["score", "eval", "evaluation", "cp"];
        const RESULTS: &[&str] = &["result", "outcome", "wdl", "game_result"];
        if !format.spec().has_header {
            return Ok(None);
        }
        let head = self.peek(HEAD)?;
        let is_column = |name: &&&str| {
            let labels = LabelColumns {
                score: Some((**name).to_owned()),
                ..LabelColumns::NONE
            };
            let naming = Naming {
                labels: &labels,
                ..*naming
            };
            let header = format.code().header(&head, 1, &naming);
            header.is_ok_and(|columns| columns != 0)
        };
        let of_scores = SCORES.iter().filter(|_| naming.labels.score.is_none());
        let of_results = RESULTS.iter().filter(|_| naming.labels.result.is_none());
        let names = of_scores.chain(of_results).filter(is_column).copied();
        let names: Vec<&str> = names.collect();
        Ok((!names.is_empty()).then(|| {
            format!(
                "not read: {}; --score-column and --result-column name the columns of scores and \
                 results",
                names.join(", ")
            )
        }))
    }

    /// The first bytes, without consuming them.
    fn peek(&mut self, bytes: usize) -> Result<Vec<u8>> {
        let mut head = Vec::new();
        let mut limited = self.stream.by_ref().take(bytes as u64);
        limited
            .read_to_end(&mut head)
            .doing(Access::ReadOn, &self.name)?;
        let rest = core::mem::replace(&mut self.stream, Box::new(io::empty()));
        self.stream = Box::new(io::Cursor::new(head.clone()).chain(rest));
        Ok(head)
    }

    fn quoted(&self) -> String {
        match self.extension {
            None if self.path.is_none() => self.name.clone(),
            _ => format!("'{}'", self.name),
        }
    }
}

pub(super) fn opened(path: &Path, name: &str) -> Result<(File, Metadata)> {
    let opened = File::open(path).and_then(|file| Ok((file.metadata()?, file)));
    let (metadata, file) = opened.doing(Access::Open, name)?;
    if metadata.is_dir() {
        return Err(Error::refused(format!(
            "'{name}' is a directory, name a file in it"
        )));
    }
    Ok((file, metadata))
}

/// A compressed file from a decompressed byte on, in this frame.
fn unpacked(
    mut file: File,
    kind: Compression,
    frame: Frame,
    start: u64,
) -> io::Result<Box<dyn Read + Send>> {
    file.seek(SeekFrom::Start(frame.packed))?;
    let mut stream = kind.decompress(file, frame)?;
    let mut before = stream.by_ref().take(start - frame.unpacked);
    io::copy(&mut before, &mut io::sink())?;
    Ok(Box::new(stream))
}
