//! Outputs: standard output, atomically written files, devices.

use std::fs::OpenOptions;
use std::io::{self, IsTerminal as _, Write};
use std::path::{Path, PathBuf};

use swaplist::Choice;
use tempfile::NamedTempFile;

use super::cancel::Cancel;
use super::error::{Access, Context as _, Error, ErrorKind, Result};
use crate::formats::Format;
use crate::formats::compressed::{Compression, Encoder};
use crate::report::{self, STDOUT, extension, quoted};

mod files;
mod leftovers;
mod links;

pub(crate) use files::FileIdentity;
pub use files::Files;

/// Extensions of tables, which other tools write from records.
const TABLES: [&str; 4] = ["arrow", "feather", "json", "parquet"];

/// An output that is open for writing: a file, standard output, or a writer of yours.
pub struct Output {
    name: String,
    sink: Sink,
    pub(crate) is_terminal: bool,
    /// Bytes written, before compression.
    pub(crate) written: u64,
}

enum Sink {
    /// Standard output, a device, a pipe or any other writer.
    Writer(Box<dyn Write + Send>),
    Atomic {
        /// Under its temporary name.
        file: NamedTempFile,
        /// Writes to it, if it is compressed.
        encoder: Option<Box<dyn Encoder>>,
        target: PathBuf,
        replace: bool,
    },
}

impl Output {
    /// Any writer, under a name for messages. It gets the bytes as they are, whatever the name.
    pub(crate) fn to(name: impl Into<String>, writer: impl Write + Send + 'static) -> Output {
        Output::new(name.into(), Sink::Writer(Box::new(writer)), false)
    }

    /// Whether a file of this name is compressed.
    pub(crate) fn would_compress(path: &Path) -> bool {
        Compression::split(path).1.is_some()
    }

    /// A file's name with the extension of another format, or unchanged without one; the compression
    /// stays.
    pub fn renamed(name: &Path, to: Option<Format>) -> PathBuf {
        let Some(to) = to else {
            return name.to_owned();
        };
        let (stem, compression) = Compression::split(name);
        let mut renamed = stem.with_extension(to.extensions()[0]).into_os_string();
        if let Some(kind) = compression {
            renamed.push(".");
            renamed.push(kind.extension());
        }
        renamed.into()
    }

    /// Standard output, to which bytes are written uncompressed.
    pub fn stdout() -> Output {
        let stdout = io::stdout();
        let name = STDOUT.to_owned();
        let is_terminal = stdout.is_terminal();
        Output::new(name, Sink::Writer(Box::new(stdout)), is_terminal)
    }

    /// A device or a pipe.
    fn direct(path: &Path) -> Result<Output> {
        let name = report::path(path);
        let file = OpenOptions::new()
            .write(true)
            .open(path)
            .doing(Access::BeginWriting, &name)?;
        let is_terminal = file.is_terminal();
        Ok(Output::new(name, Sink::Writer(Box::new(file)), is_terminal))
    }

    const fn new(name: String, sink: Sink, is_terminal: bool) -> Output {
        Output {
            name,
            sink,
            is_terminal,
            written: 0,
        }
    }

    /// The final path, if it is a file.
    pub(crate) fn target(&self) -> Option<&Path> {
        match &self.sink {
            Sink::Atomic { target, .. } => Some(target),
            Sink::Writer(_) => None,
        }
    }

    /// Whether it is compressed.
    pub(crate) fn compresses(&self) -> bool {
        matches!(
            self.sink,
            Sink::Atomic {
                encoder: Some(_),
                ..
            }
        )
    }

    /// The name in messages: the path, or `standard output`.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Ends the compressed stream and returns its size. It may be ended again.
    pub(crate) fn end(&mut self) -> Result<Option<u64>> {
        let Sink::Atomic {
            file,
            encoder: Some(encoder),
            ..
        } = &mut self.sink
        else {
            return Ok(None);
        };
        let ended = encoder.end().and_then(|()| file.as_file().metadata());
        let metadata = ended.doing(Access::Write, &self.name)?;
        Ok(Some(metadata.len()))
    }

    /// The format to write: the one asked for, or else the one that the file's name asks for; `None`
    /// if it asks for none.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Misnamed`] if the name belongs to other formats than the one asked for, or
    /// [`ErrorKind::Refused`] for the name of a table.
    pub fn format(&self, asked: Option<Format>) -> Result<Option<Format>> {
        let format = asked.or(self.named_format());
        if let Some(format) = format {
            self.check_name(format, asked)?;
        }
        Ok(format)
    }

    /// The format that the file's name asks for; of several with the same extension, the one that is
    /// written unless another is asked for.
    pub(crate) fn named_format(&self) -> Option<Format> {
        Format::from_output_extension(&self.extension()?)
    }

    /// Refuses a name that belongs to other formats than the one that is written. The extension that
    /// several binary formats share (`.bin`) is accepted for any binary format if one was asked for.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Misnamed`], or [`ErrorKind::Refused`] for the name of a table.
    pub(crate) fn check_name(&self, to: Format, asked: Option<Format>) -> Result<()> {
        let Some(extension) = self.extension() else {
            return Ok(());
        };
        let named = Format::all_of_extension(&extension);
        let name = &self.name;
        let to_name = to.name();
        let Some(first) = named.first() else {
            if !TABLES.contains(&&*extension) {
                return Ok(());
            }
            return Err(Error::refused(format!(
                "'{name}' is named as {extension}, which is not written, but {to_name} would be; \
                 choose another name"
            )));
        };
        let is_shared = Format::from_extension(&extension).is_none();
        if named.contains(&to) || (asked.is_some() && is_shared && !to.is_text()) {
            return Ok(());
        }
        let words: Vec<_> = named.iter().map(|format| format.name()).collect();
        let all = words.join(" or ");
        let message = format!("'{name}' is named as {all}, but {to_name} would be written");
        Err(Error::new(ErrorKind::Misnamed(*first), message))
    }

    /// The extension of the name as it was given, which may be a link's, without that of the
    /// compression.
    pub(crate) fn extension(&self) -> Option<String> {
        match self.sink {
            Sink::Atomic { .. } => extension(Compression::split(Path::new(&self.name)).0),
            Sink::Writer(_) => None,
        }
    }

    /// Appends bytes to the output.
    ///
    /// # Errors
    ///
    /// If they cannot be written, also when the reader has closed the output.
    pub fn write(&mut self, bytes: &[u8]) -> Result<()> {
        let written = match &mut self.sink {
            // Whoever reads a pipe sees each block as soon as it is done.
            Sink::Writer(writer) => writer.write_all(bytes).and_then(|()| writer.flush()),
            Sink::Atomic { file, encoder, .. } => match encoder {
                // Errors of `NamedTempFile` would show the temporary name.
                None => file.as_file_mut().write_all(bytes),
                Some(encoder) => encoder.write_all(bytes),
            },
        };
        self.written += bytes.len() as u64;
        written.doing(Access::Write, &self.name)
    }

    pub(crate) fn quoted(&self) -> String {
        quoted(&self.name)
    }

    /// Ends the output and gives the file its name.
    fn finish(mut self) -> Result<()> {
        self.end()?;
        let Sink::Atomic {
            file,
            target,
            replace,
            ..
        } = self.sink
        else {
            return Ok(());
        };
        let persisted = if replace {
            file.persist(&target)
        } else {
            file.persist_noclobber(&target)
        };
        let created = persisted.map(drop).map_err(|error| {
            let kind = match error.error.kind() {
                io::ErrorKind::AlreadyExists => ErrorKind::Exists,
                kind => ErrorKind::Io(kind),
            };
            Error::from(error.error).with_kind(kind)
        });
        created.doing(Access::Create, &self.name)
    }

    /// A hidden temporary file beside the target, with the permissions of the file that it replaces or
    /// else of a new file. Cancelling deletes it. The folder must exist.
    fn atomic(
        name: String,
        target: PathBuf,
        level: Option<u32>,
        replace: bool,
        cancel: &Cancel,
    ) -> Result<Output> {
        let kind_and_level =
            level_of(Compression::split(&target).1, level).doing(Access::Create, &name)?;
        let parent = target.parent();
        let folder = parent
            .filter(|folder| !folder.as_os_str().is_empty())
            .unwrap_or(Path::new("."));
        if !folder.is_dir() {
            let folder = report::path(folder);
            return Err(Error::refused(format!("there is no folder '{folder}'")))
                .doing(Access::Create, &name);
        }
        let file = cancel
            .file(|| {
                // As above, only the kind of the error is kept.
                temporary(folder, &target).map_err(|error| io::Error::from(error.kind()))
            })
            .doing(Access::Create, &name)?;
        let encoder = kind_and_level
            .map(|(kind, level)| kind.compress_at(level, file.as_file().try_clone()?))
            .transpose();
        let sink = Sink::Atomic {
            encoder: encoder.doing(Access::BeginWriting, &name)?,
            file,
            target,
            replace,
        };
        Ok(Output::new(name, sink, false))
    }

    /// The path of the temporary file.
    fn unfinished(&self) -> Option<PathBuf> {
        match &self.sink {
            Sink::Atomic { file, .. } => Some(file.path().to_owned()),
            Sink::Writer(_) => None,
        }
    }
}

/// A temporary file with the permissions of the file that it is to replace, from the beginning, or
/// else of a new file. The bits that run a file as its owner or its group are left out, as these may
/// be others now.
#[cfg(unix)]
fn temporary(folder: &Path, target: &Path) -> io::Result<NamedTempFile> {
    use std::fs::{Permissions, symlink_metadata};
    use std::os::unix::fs::PermissionsExt as _;
    match symlink_metadata(target) {
        Ok(replaced) => {
            let mode = replaced.permissions().mode() & 0o777;
            let file = leftovers::create(folder, mode)?;
            // The process's mask has taken some away.
            file.as_file()
                .set_permissions(Permissions::from_mode(mode))?;
            Ok(file)
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => leftovers::create(folder, 0o666),
        Err(error) => Err(error),
    }
}

#[cfg(not(unix))]
fn temporary(folder: &Path, _: &Path) -> io::Result<NamedTempFile> {
    leftovers::create(folder)
}

/// The compression with its level, by default its own; `None` if nothing is compressed, whatever was
/// asked for.
fn level_of(kind: Option<Compression>, asked: Option<u32>) -> Result<Option<(Compression, u32)>> {
    let Some(kind) = kind else { return Ok(None) };
    let levels = kind.levels();
    let level = asked.unwrap_or(kind.default_level());
    if !levels.contains(&level) {
        let least = levels.start();
        let most = levels.end();
        let message =
            format!("the level {level} is not one of {kind}'s, which are {least} to {most}");
        return Err(Error::new(ErrorKind::Level, message));
    }
    Ok(Some((kind, level)))
}
