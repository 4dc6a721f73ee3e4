//! What differs on Windows: names of files, files that others hold open, Ctrl-C, pipes.

#![cfg(windows)]

use std::fs::File;
use std::io::Write as _;
use std::os::windows::fs::OpenOptionsExt as _;
use std::os::windows::process::CommandExt as _;
use std::process::Stdio;
use std::time::{Duration, Instant};

use crate::run::{Folder, fens, lines, text};

fn sample(folder: &Folder, name: &str) -> Vec<u8> {
    folder.write(name, lines(&fens(3, 300)));
    folder.run(&["filter", name, "-o", "kept.fen"]).text();
    folder.read("kept.fen")
}

#[test]
fn paths_of_each_kind_and_names_in_other_alphabets() {
    let folder = Folder::new();
    let kept = sample(&folder, "in.fen");
    let name = "Шахматы 棋 ♞.fen";
    folder.write(name, folder.read("in.fen"));
    let path = folder.path(name);
    let whole = text(&path);
    assert_eq!(&whole[1..3], r":\");
    let verbatim = format!(r"\\?\{whole}");
    for (input, output) in [
        (name, r".\a.fen"),
        (whole, r"sub\..\b.fen"),
        (&*verbatim, "c.fen"),
        (&*whole.replace('\\', "/"), "d.fen"),
    ] {
        std::fs::create_dir_all(folder.path("sub")).unwrap();
        folder.run(&["filter", input, "-o", output]).text();
        assert_eq!(folder.read(output), kept, "{input} {output}");
    }
    let verbatim_output = format!(r"\\?\{}", text(&folder.path("e.fen")));
    folder.run(&["filter", name, "-o", &verbatim_output]).text();
    assert_eq!(folder.read("e.fen"), kept);
    folder
        .run(&["filter", name, "in.fen", "--out-dir", "many"])
        .text();
    assert_eq!(folder.read(&format!(r"many\{name}")), kept);
}

/// The same file under two names is not written over itself.
#[test]
fn names_are_compared_as_windows_does() {
    let folder = Folder::new();
    sample(&folder, "in.fen");
    let before = folder.read("in.fen");
    for other in [
        r".\in.fen",
        "IN.FEN",
        &text(&folder.path("in.fen")).replace('\\', "/"),
    ] {
        let refused = folder.run(&["filter", "in.fen", "-o", other, "--force"]);
        assert!(!refused.error().is_empty());
        assert_eq!(folder.read("in.fen"), before, "{other}");
    }
}

#[test]
fn a_file_that_another_program_holds_open() {
    let folder = Folder::new();
    let kept = sample(&folder, "in.fen");
    // Open for reading and shared: read all the same, and replaced.
    let reader = File::open(folder.path("in.fen")).unwrap();
    folder
        .run(&["filter", "in.fen", "-o", "kept.fen", "--force"])
        .text();
    drop(reader);
    // Open and not shared: neither is possible.
    let alone = |name| {
        let mut options = File::options();
        options
            .read(true)
            .share_mode(0)
            .open(folder.path(name))
            .unwrap()
    };
    let input = alone("in.fen");
    let refused = folder.run(&["filter", "in.fen", "-o", "no.fen"]);
    assert!(
        refused.error().contains("cannot open 'in.fen'"),
        "{refused:?}"
    );
    drop(input);
    let output = alone("kept.fen");
    let not_replaced = folder.run(&["filter", "in.fen", "-o", "kept.fen", "--force"]);
    assert!(
        not_replaced.error().contains("kept.fen"),
        "{not_replaced:?}"
    );
    drop(output);
    assert_eq!(folder.read("kept.fen"), kept);
    assert_eq!(folder.files(), ["in.fen", "kept.fen"]);
}

#[test]
fn pipes_are_binary() {
    let folder = Folder::new();
    let scored: Vec<String> = fens(3, 3000)
        .iter()
        .map(|fen| format!("{fen} | 26 | 0.5"))
        .collect();
    folder.write("in.fen", lines(&scored));
    folder.run(&["convert", "in.fen", "-o", "a.bf"]).text();
    let boards = folder.read("a.bf");
    // Ends of lines and of text files, to a C library.
    assert!(boards.contains(&0x1a) && boards.contains(&b'\n'));
    folder.run(&["filter", "a.bf", "-o", "b.bf"]).text();
    let args = ["filter", "-", "--from", "bulletformat", "-o", "-"];
    let piped = folder.run_with(&args, &boards);
    assert_eq!(piped.status, Some(0), "{}", piped.stderr);
    assert_eq!(piped.stdout, folder.read("b.bf"));
}

#[test]
fn ctrl_c_leaves_nothing_behind() {
    /// A group of its own, which alone gets the signal.
    const CREATE_NEW_PROCESS_GROUP: u32 = 0x200;
    const CTRL_BREAK_EVENT: u32 = 1;
    #[allow(unsafe_code)]
    unsafe extern "system" {
        safe fn GenerateConsoleCtrlEvent(event: u32, group: u32) -> i32;
    }
    let folder = Folder::new();
    let mut command = folder.command(&["filter", "-", "-o", "out.fen"]);
    command.creation_flags(CREATE_NEW_PROCESS_GROUP);
    let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(lines(&fens(9, 30_000)).as_bytes()).unwrap();
    let started = Instant::now();
    while folder.files().is_empty() {
        assert!(started.elapsed() < Duration::from_secs(20));
        std::thread::sleep(Duration::from_millis(5));
    }
    assert_ne!(GenerateConsoleCtrlEvent(CTRL_BREAK_EVENT, child.id()), 0);
    assert_eq!(child.wait().unwrap().code(), Some(130));
    drop(stdin);
    assert_eq!(folder.files(), [""; 0]);
}
