//! `swaplist mix`: killed, interrupted, without room.

#![cfg(unix)]

use std::fs;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::run::Folder;

/// A large file of boards, and one run of the shuffle that all tests try.
fn prepared() -> Folder {
    let folder = Folder::new();
    let data = concat!(env!("CARGO_MANIFEST_DIR"), "/../data/sample.binpack");
    let made = folder.run(&["convert", data, "-o", "one.data", "-q"]);
    assert_eq!(made.status, Some(0), "{}", made.stderr);
    let one = folder.read("one.data");
    folder.write("in.data", one.repeat(60));
    fs::remove_file(folder.path("one.data")).unwrap();
    folder
}

const MIX: [&str; 7] = [
    "mix",
    "in.data",
    "-o",
    "out.data",
    "--shuffle",
    "--memory",
    "16MB",
];

#[test]
fn killed_at_any_moment_it_leaves_the_inputs_whole() {
    let folder = prepared();
    let input = folder.read("in.data");
    let started = Instant::now();
    assert_eq!(folder.run(&MIX).status, Some(0));
    let whole = started.elapsed();
    let expected = folder.read("out.data");
    fs::remove_file(folder.path("out.data")).unwrap();
    for moment in 0..10 {
        let mut child = folder.command(&MIX).spawn().unwrap();
        std::thread::sleep(whole * moment / 10);
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(folder.read("in.data") == input);
        // What was to become the output, but no temporary file of the shuffle.
        for name in folder.files() {
            let is_part = name.starts_with(".swaplist-") && name != "out.data";
            assert!(is_part || name == "in.data" || name == "out.data", "{name}");
            if is_part {
                fs::remove_file(folder.path(&name)).unwrap();
            }
        }
        if folder.path("out.data").exists() {
            assert!(folder.read("out.data") == expected, "a part of the output");
            fs::remove_file(folder.path("out.data")).unwrap();
        }
    }
    assert_eq!(folder.run(&MIX).status, Some(0));
    assert!(folder.read("out.data") == expected);
}

#[test]
fn ctrl_c_removes_all_outputs_and_temporary_files() {
    let folder = prepared();
    for moment in [20, 100, 300] {
        let args = [&MIX[..], &["--split", "9:1"]].concat();
        let child = folder.command(&args).spawn().unwrap();
        let started = Instant::now();
        while folder.files().len() < 2 && started.elapsed() < Duration::from_secs(20) {
            std::thread::sleep(Duration::from_millis(2));
        }
        std::thread::sleep(Duration::from_millis(moment));
        let id = child.id().to_string();
        Command::new("kill").args(["-INT", &id]).status().unwrap();
        let output = child.wait_with_output().unwrap();
        let files = folder.files();
        match output.status.code() {
            Some(130) => assert_eq!(files, ["in.data"]),
            // It was faster.
            Some(0) => {
                assert_eq!(files, ["in.data", "out-1.data", "out-2.data"]);
                for name in &files[1..] {
                    fs::remove_file(folder.path(name)).unwrap();
                }
            }
            _ => panic!("{output:?}"),
        }
    }
}

/// A limit on the size of files stands for a full disk.
#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_names_the_folder() {
    let folder = prepared();
    let swaplist = env!("CARGO_BIN_EXE_swaplist");
    fs::create_dir(folder.path("temp")).unwrap();
    for (kib, words) in [
        (
            900,
            "cannot write temporary files in 'temp'; make room or choose another folder",
        ),
        (
            12_000,
            "cannot write 'out.data'; make room or choose another output",
        ),
    ] {
        let script = format!(
            "trap '' XFSZ; ulimit -f {kib}; {swaplist} mix in.data -o out.data --shuffle --memory 16MB \
             --temp temp"
        );
        let mut shell = Command::new("bash");
        shell.args(["-c", &script]).current_dir(folder.path(""));
        let output = shell.stdin(Stdio::null()).output().unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{stderr}");
        assert!(stderr.contains(words), "{stderr}");
        assert!(stderr.contains("File too large"), "{stderr}");
        assert_eq!(folder.files(), ["in.data", "temp"]);
        assert_eq!(fs::read_dir(folder.path("temp")).unwrap().count(), 0);
    }
}
