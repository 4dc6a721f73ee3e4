//! Storage for a bench: files without a name, in memory if there is room.

use std::fs::File;
use std::io::{self, Seek as _};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use swaplist_files::report::path;

/// Where Linux keeps files in memory.
const MEMORY: &str = "/dev/shm";

/// A folder for files that nobody else sees. They have no name, so the system frees their room when
/// the process ends, however it ends. (On Windows they have one until they are closed.)
pub struct Scratch {
    folder: PathBuf,
    /// Whether its files are in memory.
    pub in_memory: bool,
}

impl Scratch {
    /// A folder with room for so many bytes: the one asked for, or memory, or that of temporary
    /// files. Fails if there is no such room.
    pub fn new(asked: Option<&Path>, bytes: u64) -> Result<Scratch> {
        let memory = Path::new(MEMORY);
        if asked.is_none() && memory.is_dir() && fits_memory(bytes) && room(memory)? >= bytes {
            return Ok(Scratch {
                folder: memory.to_owned(),
                in_memory: true,
            });
        }
        let folder = asked.map_or_else(std::env::temp_dir, Path::to_owned);
        let name = path(&folder);
        let room = room(&folder).with_context(|| format!("cannot use the folder '{name}'"))?;
        if room < bytes {
            bail!(
                "no room in '{name}': a copy of the file and two outputs may need {} MiB, and {} MiB \
                 are free; name another folder with --scratch",
                bytes.div_ceil(1 << 20),
                room >> 20
            );
        }
        let in_memory = folder.starts_with(memory);
        Ok(Scratch { folder, in_memory })
    }

    /// An empty file.
    pub fn file(&self) -> Result<File> {
        tempfile::tempfile_in(&self.folder)
            .with_context(|| format!("cannot write in '{}'", path(&self.folder)))
    }

    /// A copy of a file, and how many bytes it has.
    pub fn copy(&self, from: &mut File) -> Result<(File, u64)> {
        from.rewind()?;
        let mut file = self.file()?;
        let bytes = io::copy(from, &mut file)
            .with_context(|| format!("cannot copy the file to '{}'", path(&self.folder)))?;
        Ok((file, bytes))
    }

    /// The folder, as text.
    pub fn name(&self) -> String {
        path(&self.folder)
    }
}

/// The free bytes of a folder.
fn room(folder: &Path) -> io::Result<u64> {
    fs4::available_space(folder)
}

/// Whether so many bytes leave a quarter of the memory that is free now. A file system in memory may
/// promise more than there is.
fn fits_memory(bytes: u64) -> bool {
    let info = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let free = info.lines().find_map(|line| {
        let number = line.strip_prefix("MemAvailable:")?.trim();
        number.strip_suffix(" kB")?.parse::<u64>().ok()
    });
    free.is_some_and(|kib| bytes <= kib * 1024 / 4 * 3)
}
