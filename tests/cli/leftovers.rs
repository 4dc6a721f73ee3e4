//! Files left by killed runs are named by the next run.

#![cfg(unix)]

use std::io::Write as _;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use crate::run::{Folder, fens, lines};

/// A run that continues until its input ends.
fn running(folder: &Folder) -> Child {
    let before = folder.files().len();
    let mut command = folder.command(&["filter", "-", "-o", "out.fen"]);
    let child = command.stdin(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.as_ref().unwrap();
    stdin.write_all(lines(&fens(9, 30_000)).as_bytes()).unwrap();
    let started = Instant::now();
    while folder.files().len() == before {
        assert!(started.elapsed() < Duration::from_mins(1));
        std::thread::sleep(Duration::from_millis(5));
    }
    // Until the file is locked, nobody owns it.
    std::thread::sleep(Duration::from_millis(100));
    child
}

fn kill(mut child: Child) {
    child.kill().unwrap();
    child.wait().unwrap();
}

fn hidden(folder: &Folder) -> Vec<String> {
    let files = folder.files().into_iter();
    files
        .filter(|name| name.starts_with(".swaplist-"))
        .collect()
}

#[test]
fn parts_of_killed_runs_are_named_and_those_of_others_are_not() {
    let folder = Folder::new();
    folder.write("in.fen", lines(&fens(9, 10)));
    let next = ["filter", "in.fen", "-o", "next.fen", "--force"];
    let alive = running(&folder);
    let ran = folder.run(&next);
    assert!(!ran.stderr.contains("note"), "{}", ran.stderr);

    let of_alive = hidden(&folder);
    kill(running(&folder));
    let left = hidden(&folder);
    let left = left.iter().find(|name| !of_alive.contains(name)).unwrap();
    let note =
        format!("swaplist: note: killed runs left files behind; rm './{left}' removes them\n");
    let ran = folder.run(&next);
    assert!(ran.stderr.starts_with(&note), "{}", ran.stderr);
    assert_eq!(folder.run(&[&next[..], &["-q"]].concat()).stderr, "");
    // Any output into that folder; once for any number of files.
    for args in [
        &["count", "in.fen", "--report", "page", "--stats", "stats"][..],
        &[
            "filter",
            "in.fen",
            "-o",
            "a",
            "--rejects",
            "b",
            "--stats",
            "c",
        ],
        &["convert", "in.fen", "-o", "a.plain"],
        &["filter", "in.fen", "--out-dir", ".", "--to", "plain"],
    ] {
        let ran = folder.run(&[args, &["--force"]].concat());
        assert_eq!(
            ran.stderr.matches(left.as_str()).count(),
            1,
            "{args:?} {ran:?}"
        );
    }
    let shell = ran.stderr.split_once("; ").unwrap().1;
    let shell = shell.split_once(" removes").unwrap().0;
    let mut remove = std::process::Command::new("sh");
    remove.args(["-c", shell]).current_dir(folder.path(""));
    assert!(remove.status().unwrap().success());
    assert_eq!(hidden(&folder), of_alive);
    assert!(!folder.run(&next).stderr.contains("note"));
    kill(alive);
    assert!(folder.run(&next).stderr.contains(&of_alive[0]));
}
