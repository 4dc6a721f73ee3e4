//! Runs the command in its own folder.

use std::ffi::OsStr;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use shakmaty::EnPassantMode;
use shakmaty::fen::Fen;
use tempfile::TempDir;

/// An empty folder in which the command runs.
pub struct Folder(TempDir);

/// The result of a run.
#[derive(Debug)]
pub struct Ran {
    pub status: Option<i32>,
    pub stdout: Vec<u8>,
    pub stderr: String,
}

impl Folder {
    pub fn new() -> Folder {
        Folder(TempDir::new().unwrap())
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        fs::write(self.path(name), bytes).unwrap();
    }

    pub fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).unwrap()
    }

    /// The names of all files, including hidden ones.
    pub fn files(&self) -> Vec<String> {
        let entries = fs::read_dir(self.0.path()).unwrap();
        let mut names: Vec<String> = entries
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_swaplist"));
        command.current_dir(self.0.path()).args(args);
        // Silences a software adapter's driver.
        command.env("XDG_RUNTIME_DIR", self.0.path());
        command.stdin(Stdio::null());
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    pub fn run(&self, args: &[&str]) -> Ran {
        self.run_with(args, b"")
    }

    /// Arguments without spaces in them, as in a shell.
    pub fn run_line(&self, line: &str) -> Ran {
        self.run(&words(line))
    }

    pub fn run_with(&self, args: &[&str], stdin: &[u8]) -> Ran {
        let mut child = self.command(args).stdin(Stdio::piped()).spawn().unwrap();
        let mut pipe = child.stdin.take().unwrap();
        let stdin = stdin.to_vec();
        // The command may end before reading everything.
        let writer = std::thread::spawn(move || drop(pipe.write_all(&stdin)));
        let output = child.wait_with_output().unwrap();
        writer.join().unwrap();
        Ran {
            status: output.status.code(),
            stdout: output.stdout,
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

impl Ran {
    /// Standard output of a successful run.
    #[track_caller]
    pub fn text(&self) -> &str {
        assert_eq!(self.status, Some(0), "{}", self.stderr);
        str::from_utf8(&self.stdout).unwrap()
    }

    /// The one-line error of a failed run.
    #[track_caller]
    pub fn error(&self) -> &str {
        assert_eq!(self.status, Some(2), "{self:?}");
        let error = self.stderr.strip_prefix("swaplist: error: ").unwrap();
        let line = error.strip_suffix('\n').unwrap();
        assert!(!line.contains('\n'), "{line}");
        line
    }
}

/// FENs of random games.
pub fn fens(seed: u64, count: usize) -> Vec<String> {
    crate::boards::playouts(seed)
        .take(count)
        .map(|chess| Fen::from_position(&chess, EnPassantMode::Legal).to_string())
        .collect()
}

pub fn words(line: &str) -> Vec<&str> {
    line.split(' ').collect()
}

pub fn lines(lines: &[impl AsRef<str>]) -> String {
    lines
        .iter()
        .map(|line| line.as_ref().to_owned() + "\n")
        .collect()
}

pub fn text(path: &Path) -> &str {
    OsStr::to_str(path.as_os_str()).unwrap()
}
