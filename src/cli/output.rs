//! Where data goes: standard output, a file that appears when it is complete, or
//! a device.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, IsTerminal as _, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use anyhow::{Context as _, Result, anyhow, bail};
use swaplist::formats::Format;
use swaplist::formats::compressed::Compressed;
use tempfile::NamedTempFile;

use super::input::{extension, split_compression};

/// Files that are being written, to be removed if the command is interrupted.
static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

fn unfinished() -> MutexGuard<'static, Vec<PathBuf>> {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// From now on Ctrl-C removes unfinished files and ends the command with 130.
pub fn remove_on_interrupt() -> Result<()> {
    ctrlc::set_handler(|| {
        // Held to the end, so that nothing is begun or finished meanwhile.
        let paths = unfinished();
        for path in paths.iter() {
            let _ = fs::remove_file(path);
        }
        let _ = writeln!(io::stderr(), "{}", interrupted(!paths.is_empty()));
        std::process::exit(130);
    })
    .context("cannot set the interrupt handler")
}

/// What is said then, on a line of its own behind a terminal's `^C`.
fn interrupted(writing: bool) -> String {
    let line = if io::stderr().is_terminal() { "\n" } else { "" };
    let files = if writing {
        ", no incomplete output file is left"
    } else {
        ""
    };
    format!("{line}swaplist: interrupted{files}")
}

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

/// A file that does not have its name yet.
enum Part {
    Plain(NamedTempFile),
    Compressed(Box<Compressed<NamedTempFile>>),
}

impl Part {
    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        match self {
            Part::Plain(file) => file.write_all(bytes),
            Part::Compressed(file) => file.write_all(bytes),
        }
    }

    fn path(&self) -> &Path {
        match self {
            Part::Plain(file) => file.path(),
            Part::Compressed(file) => file.get_ref().path(),
        }
    }

    fn finish(self) -> io::Result<NamedTempFile> {
        match self {
            Part::Plain(file) => Ok(file),
            Part::Compressed(file) => file.finish(),
        }
    }
}

impl Output {
    /// Opens a file, or standard output for `-` and none. Refuses a file that
    /// exists, unless forced, and one that is read from or written to already.
    /// Standard output is taken once it was added to those by its name `-`.
    pub fn open(path: Option<&Path>, force: bool, taken: &Taken) -> Result<Output> {
        match path {
            Some(path) if path != Path::new("-") => Output::file(path, force, taken),
            _ if taken.stdout => {
                bail!("standard output is used twice, name a file for one of the outputs")
            }
            _ => Ok(Output {
                name: "standard output".to_owned(),
                sink: Sink::Stdout(io::stdout()),
                written: 0,
            }),
        }
    }

    fn file(path: &Path, force: bool, taken: &Taken) -> Result<Output> {
        let name = path.display().to_string();
        let sink = match fs::metadata(path) {
            Ok(metadata) if metadata.is_dir() => {
                bail!("'{name}' is a directory, name a file in it")
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
                Sink::atomic(&name, target, force)?
            }
            Err(_) if taken.holds(path, None) => {
                bail!("'{name}' is used twice, choose another output")
            }
            Err(_) => Sink::atomic(&name, path.to_owned(), force)?,
        };
        Ok(Output {
            name,
            sink,
            written: 0,
        })
    }

    /// As messages call it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// How many bytes were written so far.
    pub fn written(&self) -> u64 {
        self.written
    }

    /// Whether a person would read it.
    pub fn is_terminal(&self) -> bool {
        match &self.sink {
            Sink::Stdout(stdout) => stdout.is_terminal(),
            Sink::Direct(file) => file.is_terminal(),
            Sink::Atomic { .. } => false,
        }
    }

    /// The format that the file's name names beyond doubt.
    pub fn named_format(&self) -> Option<Format> {
        match self.sink {
            Sink::Atomic { .. } => {
                let (stem, _) = split_compression(Path::new(&self.name));
                Format::of_extension(&extension(stem)?)
            }
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

    fn cannot_write(&self) -> String {
        let left = match self.sink {
            Sink::Atomic { .. } => "nothing is left there; ",
            _ => "",
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
    fn atomic(name: &str, target: PathBuf, force: bool) -> Result<Sink> {
        let folder = match target.parent() {
            Some(folder) if folder != Path::new("") => folder,
            _ => Path::new("."),
        };
        if !folder.is_dir() {
            let folder = folder.display();
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
        unfinished.push(file.path().to_owned());
        #[cfg(unix)]
        if let Ok(replaced) = fs::metadata(&target) {
            file.as_file()
                .set_permissions(replaced.permissions())
                .with_context(|| format!("cannot create '{name}'"))?;
        }
        let file = match split_compression(&target).1 {
            None => Part::Plain(file),
            Some(kind) => Part::Compressed(Box::new(
                kind.compress(file)
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
    unfinished.clear();
    Ok(())
}

/// Gives some outputs their names, while others are still being written.
pub fn finish_some(outputs: impl IntoIterator<Item = Output>) -> Result<()> {
    let mut unfinished = unfinished();
    for output in outputs {
        if let Sink::Atomic { file, .. } = &output.sink {
            let path = file.path().to_owned();
            unfinished.retain(|other| *other != path);
        }
        output.finish()?;
    }
    Ok(())
}

/// Files that are in use, which no output may be.
#[derive(Default)]
pub struct Taken {
    files: Vec<Metadata>,
    paths: Vec<PathBuf>,
    stdout: bool,
}

impl Taken {
    /// A path of `-` is standard output.
    pub fn add(&mut self, path: Option<&Path>, metadata: Option<&Metadata>) {
        self.files.extend(metadata.cloned());
        self.stdout |= path == Some(Path::new("-"));
        self.paths
            .extend(path.filter(|path| *path != Path::new("-")).map(absolute));
    }

    fn holds(&self, path: &Path, metadata: Option<&Metadata>) -> bool {
        let same = |file: &Metadata| metadata.is_some_and(|metadata| same_file(file, metadata));
        self.paths.contains(&absolute(path)) || self.files.iter().any(same)
    }
}

fn absolute(path: &Path) -> PathBuf {
    fs::canonicalize(path)
        .or_else(|_| std::path::absolute(path))
        .unwrap_or_else(|_| path.to_owned())
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
