//! Ctrl-C.

#![cfg(unix)]

use std::io::{Read as _, Write as _};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::run::{Folder, fens, lines};

#[test]
fn ctrl_c_leaves_nothing_behind() {
    let folder = Folder::new();
    let args = [
        "filter",
        "-",
        "-o",
        "out",
        "--rejects",
        "no",
        "--stats",
        "stats",
    ];
    let mut child = folder.command(&args).stdin(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(lines(&fens(9, 30_000)).as_bytes()).unwrap();
    let started = Instant::now();
    while folder.files().len() < 3 {
        assert!(
            started.elapsed() < Duration::from_secs(20),
            "{:?}",
            folder.files()
        );
        std::thread::sleep(Duration::from_millis(5));
    }
    ends_interrupted(child);
    assert_eq!(folder.files(), [""; 0]);
    drop(stdin); // open until here, so the command did not end by itself
}

/// No file is mentioned if none was asked for.
#[test]
fn ctrl_c_while_writing_to_standard_output() {
    let folder = Folder::new();
    let mut command = folder.command(&["score", "-"]);
    let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(lines(&fens(9, 100)).as_bytes()).unwrap();
    stdin.write_all(&[b'\n'; 8192]).unwrap();
    let mut header = [0; 3];
    child
        .stdout
        .as_mut()
        .unwrap()
        .read_exact(&mut header)
        .unwrap();
    ends_interrupted(child);
    drop(stdin);
}

/// Presses Ctrl-C.
pub fn interrupt(child: &Child) {
    let id = child.id().to_string();
    let killed = Command::new("kill").args(["-INT", &id]).status().unwrap();
    assert!(killed.success());
}

/// Presses Ctrl-C, and waits for the end.
fn ends_interrupted(child: Child) {
    interrupt(&child);
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130));
    assert_eq!(output.stderr, b"swaplist: interrupted\n");
}
