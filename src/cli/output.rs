//! Where data goes: standard output, a file that appears when it is complete, or
//! a device.

use std::fs::{self, File, OpenOptions};
use std::io::{self, IsTerminal as _, Write as _};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, anyhow, bail};
use swaplist::formats::Format;

use super::input::{Input, extension, split_compression};
use super::{packed, shown};

mod part;
mod taken;
mod unfinished;

use part::{Part, level_of};
pub use taken::Taken;
pub use unfinished::{folder_of, remove_on_interrupt, temporary_folder};
use unfinished::{lock, unfinished};

/// An open output.
pub struct Output {
    name: String,
    sink: Sink,
    /// How many bytes were written, before compression.
    written: u64,
}

enum Sink {
    Stdout(io::Stdout),
    Direct(File),
    Atomic {
        file: Part,
        target: PathBuf,
        force: bool,
    },
}

impl Output {
    /// Opens a file, or standard output for `-` and none. Refuses a file that
    /// exists, unless forced, and one that is read from or written to already.
    /// Standard output is taken once it was added to those by its name `-`.
    pub fn open(path: Option<&Path>, force: bool, taken: &Taken) -> Result<Output> {
        Output::open_at(None, path, force, taken)
    }

    /// The same with a level at which a file is compressed, if its name asks for that.
    pub fn open_at(
        level: Option<u32>,
        path: Option<&Path>,
        force: bool,
        taken: &Taken,
    ) -> Result<Output> {
        match path {
            Some(path) if path != Path::new("-") => Output::file(level, path, force, taken),
            _ if taken.writes_stdout() => {
                bail!("standard output is used twice, name a file for one of the outputs")
            }
            _ => Ok(Output {
                name: "standard output".to_owned(),
                sink: Sink::Stdout(io::stdout()),
                written: 0,
            }),
        }
    }

    fn file(level: Option<u32>, path: &Path, force: bool, taken: &Taken) -> Result<Output> {
        if let Some(packer) = packed::of_name(path) {
            bail!("{}", packer.not_written(path));
        }
        let name = shown::path(path);
        let sink = match fs::metadata(path) {
            Ok(metadata) if metadata.is_dir() => {
                bail!("'{name}' is a directory, name a file in it")
            }
            Ok(metadata) if !metadata.is_file() && taken.writes(&metadata) => {
                bail!("'{name}' is used twice, choose another output")
            }
            Ok(metadata) if !metadata.is_file() => Sink::Direct(
                OpenOptions::new()
                    .write(true)
                    .open(path)
                    .with_context(|| format!("cannot write '{name}'"))?,
            ),
            Ok(metadata) => {
                if taken.holds(path, Some(&metadata)) {
                    bail!("'{name}' is used twice, choose another output");
                }
                if !force {
                    bail!("'{name}' exists, --force replaces it");
                }
                // Through a symbolic link to the file that it names.
                let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
                Sink::atomic(&name, target, level, force)?
            }
            Err(_) if taken.holds(path, None) => {
                bail!("'{name}' is used twice, choose another output")
            }
            Err(_) => Sink::atomic(&name, path.to_owned(), level, force)?,
        };
        Ok(Output {
            name,
            sink,
            written: 0,
        })
    }

    /// The file that it will be, if it is one.
    pub fn target(&self) -> Option<&Path> {
        match &self.sink {
            Sink::Atomic { target, .. } => Some(target),
            _ => None,
        }
    }

    /// As messages call it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// How many bytes were written so far.
    pub fn written(&self) -> u64 {
        self.written
    }

    /// Ends what is compressed, and tells its size then.
    pub fn end(&mut self) -> Result<Option<u64>> {
        let size = match &mut self.sink {
            Sink::Atomic { file, .. } => file.end(),
            _ => Ok(None),
        };
        size.with_context(|| self.cannot_write())
    }

    pub fn is_compressed(&self) -> bool {
        matches!(
            &self.sink,
            Sink::Atomic {
                file: Part::Compressed(_),
                ..
            }
        )
    }

    /// Whether a person would read it.
    pub fn is_terminal(&self) -> bool {
        match &self.sink {
            Sink::Stdout(stdout) => stdout.is_terminal(),
            Sink::Direct(file) => file.is_terminal(),
            Sink::Atomic { .. } => false,
        }
    }

    /// The format that the file's name asks for.
    pub fn named_format(&self) -> Option<Format> {
        let extension = self.extension()?;
        // What most trainers write, though some read marlinformat under this name.
        let data = (extension == "data").then_some(Format::Bulletformat);
        Format::of_extension(&extension).or(data)
    }

    /// All formats that the name could mean; none if it says nothing.
    pub fn named_formats(&self) -> Vec<Format> {
        let extension = self.extension();
        extension.map_or_else(Vec::new, |extension| Format::all_of_extension(&extension))
    }

    /// Whether it has the extension of an input.
    pub fn is_named_as(&self, input: &Input) -> bool {
        self.extension() == input.extension
    }

    pub fn is_named(&self, extension: &str) -> bool {
        self.extension().is_some_and(|named| named == extension)
    }

    /// Of a file, without that of its compression.
    fn extension(&self) -> Option<String> {
        match self.sink {
            Sink::Atomic { .. } => extension(split_compression(Path::new(&self.name)).0),
            _ => None,
        }
    }

    pub fn write(&mut self, bytes: &[u8]) -> Result<()> {
        let written = match &mut self.sink {
            Sink::Stdout(stdout) => stdout.write_all(bytes).and_then(|()| stdout.flush()),
            Sink::Direct(file) => file.write_all(bytes),
            Sink::Atomic { file, .. } => file.write_all(bytes),
        };
        self.written += bytes.len() as u64;
        written.with_context(|| self.cannot_write())
    }

    /// Whether nothing is left there if the command ends early.
    pub fn is_all_or_nothing(&self) -> bool {
        matches!(self.sink, Sink::Atomic { .. })
    }

    fn cannot_write(&self) -> String {
        let left = if self.is_all_or_nothing() {
            "nothing is left there; "
        } else {
            ""
        };
        let name = &self.name;
        format!("cannot write '{name}'; {left}make room or choose another output")
    }

    fn finish(self) -> Result<()> {
        let cannot_write = self.cannot_write();
        let Sink::Atomic {
            file,
            target,
            force,
        } = self.sink
        else {
            return Ok(());
        };
        let file = file.finish().context(cannot_write)?;
        let persisted = if force {
            file.persist(&target)
        } else {
            file.persist_noclobber(&target)
        };
        match persisted {
            Ok(_) => Ok(()),
            Err(error) => {
                let exists = error.error.kind() == io::ErrorKind::AlreadyExists;
                let hint = if exists { "; --force replaces it" } else { "" };
                let (name, error) = (self.name, error.error);
                Err(anyhow!("cannot create '{name}': {error}{hint}"))
            }
        }
    }
}

impl Sink {
    /// A hidden file beside the target, with the rights of the file that it
    /// replaces, or else those that a new file gets.
    fn atomic(name: &str, target: PathBuf, level: Option<u32>, force: bool) -> Result<Sink> {
        let compression = level_of(split_compression(&target).1, level)
            .with_context(|| format!("cannot create '{name}'"))?;
        let folder = folder_of(&target);
        if !folder.is_dir() {
            let folder = shown::path(folder);
            bail!("cannot create '{name}': there is no folder '{folder}'");
        }
        let mut builder = tempfile::Builder::new();
        builder.prefix(".swaplist-").suffix(".part");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            builder.permissions(fs::Permissions::from_mode(0o666));
        }
        let mut unfinished = unfinished();
        let file = builder
            .tempfile_in(folder)
            .map_err(|error| anyhow!(io::Error::from(error.kind())))
            .with_context(|| format!("cannot create '{name}'"))?;
        unfinished.paths.push(file.path().to_owned());
        lock(file.as_file());
        #[cfg(unix)]
        if let Ok(replaced) = fs::metadata(&target) {
            file.as_file()
                .set_permissions(replaced.permissions())
                .with_context(|| format!("cannot create '{name}'"))?;
        }
        let file = match compression {
            None => Part::Plain(file),
            Some((kind, level)) => Part::Compressed(Box::new(
                kind.compress_at(level, file)
                    .with_context(|| format!("cannot write '{name}'"))?,
            )),
        };
        Ok(Sink::Atomic {
            file,
            target,
            force,
        })
    }
}

/// Gives all outputs their names: an interrupt comes before or after, not amid.
pub fn finish(outputs: impl IntoIterator<Item = Output>) -> Result<()> {
    let mut unfinished = unfinished();
    for output in outputs {
        output.finish()?;
    }
    unfinished.paths.clear();
    Ok(())
}

/// Gives some outputs their names, while others are still being written.
pub fn finish_some(outputs: impl IntoIterator<Item = Output>) -> Result<()> {
    let mut unfinished = unfinished();
    for output in outputs {
        if let Sink::Atomic { file, .. } = &output.sink {
            let path = file.path().to_owned();
            unfinished.paths.retain(|other| *other != path);
        }
        output.finish()?;
    }
    Ok(())
}
