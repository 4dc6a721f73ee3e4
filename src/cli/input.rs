//! Where records come from: a file or standard input.

use std::fs::{File, Metadata};
use std::io::{self, IsTerminal as _, Read, Write as _};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use anyhow::{Result, anyhow, bail};

/// An open input.
pub struct Input {
    /// As messages call it.
    pub name: String,
    /// In bytes, where it is known.
    pub length: Option<u64>,
    /// Of the file, if it is one.
    pub metadata: Option<Metadata>,
    /// How many bytes were read so far.
    pub read: Arc<AtomicU64>,
    pub stream: Counted,
}

/// A stream that counts what is read from it.
pub struct Counted {
    inner: Box<dyn Read + Send>,
    read: Arc<AtomicU64>,
}

impl Read for Counted {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let bytes = self.inner.read(buffer)?;
        self.read.fetch_add(bytes as u64, Ordering::Relaxed);
        Ok(bytes)
    }
}

impl Input {
    /// Opens a file, or standard input for `-` and none.
    pub fn open(path: Option<&Path>) -> Result<Input> {
        match path {
            Some(path) if path != Path::new("-") => Input::file(path),
            _ => Ok(Input::stdin()),
        }
    }

    fn file(path: &Path) -> Result<Input> {
        let name = path.display().to_string();
        let file = File::open(path).map_err(|error| cannot_open(&name, &error))?;
        let metadata = file
            .metadata()
            .map_err(|error| cannot_open(&name, &error))?;
        if metadata.is_dir() {
            bail!("'{name}' is a directory, name a file in it");
        }
        let length = metadata.is_file().then_some(metadata.len());
        Ok(Input::new(name, length, Some(metadata), Box::new(file)))
    }

    fn stdin() -> Input {
        if io::stdin().is_terminal() {
            let _ = writeln!(
                io::stderr(),
                "swaplist: reading positions from the terminal"
            );
        }
        Input::new(
            "standard input".to_owned(),
            None,
            None,
            Box::new(io::stdin()),
        )
    }

    fn new(
        name: String,
        length: Option<u64>,
        metadata: Option<Metadata>,
        inner: Box<dyn Read + Send>,
    ) -> Input {
        let read = Arc::new(AtomicU64::new(0));
        let stream = Counted {
            inner,
            read: Arc::clone(&read),
        };
        Input {
            name,
            length,
            metadata,
            read,
            stream,
        }
    }
}

fn cannot_open(name: &str, error: &io::Error) -> anyhow::Error {
    let hint = match error.kind() {
        io::ErrorKind::NotFound => "; check the name",
        io::ErrorKind::PermissionDenied => "; make it readable",
        _ => "",
    };
    anyhow!("cannot open '{name}': {error}{hint}")
}
