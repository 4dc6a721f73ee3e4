//! Compressions that swaplist does not read: names the program that does.

use std::path::Path;

use super::shown::{self, extension};

pub struct Packer {
    extension: &'static str,
    /// The first bytes of such files.
    magic: &'static [u8],
    /// The command that writes the content of a file to standard output.
    unpack: &'static str,
    /// The command that compresses a file, given both names or only the input's.
    pack: &'static str,
    names_both: bool,
}

const PACKERS: [Packer; 4] = [
    Packer {
        extension: "xz",
        magic: b"\xfd7zXZ\0",
        unpack: "xz -dc",
        pack: "xz",
        names_both: false,
    },
    Packer {
        extension: "bz2",
        magic: b"BZh",
        unpack: "bzip2 -dc",
        pack: "bzip2",
        names_both: false,
    },
    Packer {
        extension: "zip",
        magic: b"PK\x03\x04",
        unpack: "unzip -p",
        pack: "zip",
        names_both: true,
    },
    Packer {
        extension: "7z",
        magic: b"7z\xbc\xaf\x27\x1c",
        unpack: "7z x -so",
        pack: "7z a",
        names_both: true,
    },
];

/// Finds the compression by the file's name.
pub fn of_name(path: &Path) -> Option<&'static Packer> {
    let extension = extension(path)?;
    PACKERS.iter().find(|packer| packer.extension == extension)
}

/// Finds the compression by the file's first bytes.
pub fn of_head(head: &[u8]) -> Option<&'static Packer> {
    let begins = |packer: &&Packer| head.starts_with(packer.magic);
    // Text may begin with `BZh`, too.
    let is_text = |packer: &&Packer| packer.extension == "bz2" && head.get(4..6) != Some(b"1A");
    PACKERS
        .iter()
        .find(begins)
        .filter(|packer| !is_text(packer))
}

impl Packer {
    /// Why a file is not read, and what to do instead; `path` is `None` for standard input.
    pub fn not_read(&self, name: &str, path: Option<&Path>) -> String {
        let (extension, unpack) = (self.extension, self.unpack);
        let file = path.map_or_else(|| "FILE".to_owned(), quoted);
        format!(
            "{name} is compressed as .{extension}, which swaplist does not read; \
             {unpack} {file} | swaplist ... does"
        )
    }

    /// The same for an output.
    pub fn not_written(&self, path: &Path) -> String {
        let pack = self.pack;
        let plain = path.with_extension("");
        let both = if self.names_both {
            quoted(path) + " "
        } else {
            String::new()
        };
        let (path, plain) = (quoted(path), quoted(&plain));
        format!(
            "cannot write {path}: swaplist compresses as .zst and .gz only; name it so, or write \
             {plain} and then {pack} {both}{plain}"
        )
    }
}

fn quoted(path: &Path) -> String {
    format!("'{}'", shown::path(path))
}
