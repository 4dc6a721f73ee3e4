//! Folders in which others write too: their files are left alone, and their links not followed.

#![cfg(target_os = "linux")]

use std::fs::{self, Permissions};
use std::io::Write as _;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, lchown, symlink};
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use crate::run::{Folder, fens, lines, words};

/// Starts a run that waits for more input, with its temporary file.
fn waiting(folder: &Folder, output: &str) -> Child {
    let parts = parts(folder).len();
    let mut command = folder.command(&["filter", "-", "--from", "text", "-q", "-o", output]);
    let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
    // Nothing is written before the first bytes are there. The child keeps its end open.
    let stdin = child.stdin.as_mut().unwrap();
    stdin.write_all(lines(&fens(9, 100)).as_bytes()).unwrap();
    let started = Instant::now();
    while parts == self::parts(folder).len() {
        assert!(started.elapsed() < Duration::from_secs(20));
        std::thread::sleep(Duration::from_millis(5));
    }
    child
}

/// The names of temporary files.
fn parts(folder: &Folder) -> Vec<String> {
    let names = folder.files().into_iter();
    names
        .filter(|name| Path::new(name).extension().is_some_and(|end| end == "part"))
        .collect()
}

/// Whether a run calls files left over.
fn tells_of_leftovers(folder: &Folder) -> bool {
    let ran = folder.run(&words("filter in -o probe --force"));
    assert_eq!(ran.status, Some(0));
    ran.stderr.contains("was left by a run") || ran.stderr.contains("were left by runs")
}

/// Runs that begin at the same time look for leftovers while the others make their files.
#[test]
fn files_of_running_jobs_are_not_left_over() {
    let folder = Folder::new();
    folder.write("in", lines(&fens(9, 3_000)));
    for round in 0..6 {
        let start = |number: usize| {
            let output = format!("{round}-{number}");
            let mut command = folder.command(&["filter", "in", "-o", &output]);
            command.spawn().unwrap()
        };
        let started: Vec<Child> = (0..8).map(start).collect();
        for child in started {
            let ran = child.wait_with_output().unwrap();
            let said = String::from_utf8_lossy(&ran.stderr);
            assert!(ran.status.success(), "{said}");
            assert!(!said.contains("left by"), "{said}");
        }
    }
    assert_eq!(parts(&folder), [""; 0]);
}

/// To look for leftovers leaves the files of others locked.
#[test]
fn what_a_killed_run_left_is_told_and_nothing_else() {
    let folder = Folder::new();
    folder.write("in", lines(&fens(9, 100)));
    let mut child = waiting(&folder, "out");
    for _ in 0..3 {
        assert!(!tells_of_leftovers(&folder));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(tells_of_leftovers(&folder));
    // Of another machine, or from before this one was started, nothing is known.
    let [name] = &parts(&folder)[..] else {
        panic!("one file is left");
    };
    let (system, own) = name
        .strip_prefix(".swaplist-")
        .unwrap()
        .split_once('-')
        .unwrap();
    let other = format!(
        ".swaplist-{}-{own}",
        system.chars().rev().collect::<String>()
    );
    fs::rename(folder.path(name), folder.path(&other)).unwrap();
    folder.write(".swaplist-abc.part", "");
    assert!(!tells_of_leftovers(&folder));
}

/// The rights of the file that is replaced, without those that run it as its owner; never more than
/// that, not even at first.
#[test]
fn a_replaced_file_s_rights_stay() {
    let folder = Folder::new();
    folder.write("in", lines(&fens(9, 100)));
    for (mode, expected) in [
        (0o4755, 0o755),
        (0o2640, 0o640),
        (0o600, 0o600),
        (0o666, 0o666),
    ] {
        folder.write("out", "");
        fs::set_permissions(folder.path("out"), Permissions::from_mode(mode)).unwrap();
        let ran = folder.run(&words("filter in -o out --force -q"));
        assert_eq!(ran.status, Some(0), "{}", ran.stderr);
        let rights = fs::metadata(folder.path("out")).unwrap().mode() & 0o7777;
        assert_eq!(rights, expected, "{mode:o}");
    }
}

/// As by Linux's `fs.protected_symlinks`. Only an administrator can make files of others.
#[test]
fn a_link_of_somebody_else_in_a_shared_folder_is_refused() {
    const NOBODY: u32 = 65_534;
    let folder = Folder::new();
    folder.write("in", lines(&fens(9, 100)));
    fs::create_dir(folder.path("shared")).unwrap();
    fs::create_dir(folder.path("private")).unwrap();
    fs::set_permissions(folder.path("shared"), Permissions::from_mode(0o1777)).unwrap();
    let link = folder.path("shared/out");
    let filter = |output: &str| {
        let ran = folder.run(&["filter", "in", "-q", "--force", "-o", output]);
        (ran.status, ran.stderr)
    };
    // The user's own link is followed, to a file that is there or not.
    symlink(folder.path("private/victim"), &link).unwrap();
    for _ in 0..2 {
        assert_eq!(filter("shared/out"), (Some(0), String::new()));
        assert!(folder.read("private/victim").len() > 100);
    }
    if lchown(&link, Some(NOBODY), None).is_err() {
        eprintln!("LEFT OUT: links of others, which only root can make");
        return;
    }
    for victim in ["old", ""] {
        fs::remove_file(folder.path("private/victim")).unwrap_or_default();
        if !victim.is_empty() {
            folder.write("private/victim", victim);
        }
        let (status, said) = filter("shared/out");
        assert_eq!(status, Some(2), "{said}");
        assert!(said.contains("cannot create 'shared/out': "), "{said}");
        assert!(
            said.contains("a link that another user has laid in a shared folder"),
            "{said}"
        );
        let found = fs::read_to_string(folder.path("private/victim")).unwrap_or_default();
        assert_eq!(found, victim);
        // Also by a link of one's own that leads to it.
        symlink("shared/out", folder.path("own")).unwrap();
        assert_eq!(filter("own").0, Some(2));
        fs::remove_file(folder.path("own")).unwrap();
    }
    // Not in a folder in which only some may write.
    fs::set_permissions(folder.path("shared"), Permissions::from_mode(0o755)).unwrap();
    assert_eq!(filter("shared/out"), (Some(0), String::new()));
}

/// An error other than that a file is missing is told; the file may well be there.
#[test]
fn a_path_that_cannot_be_looked_at_is_an_error() {
    let folder = Folder::new();
    folder.write("in", lines(&fens(9, 100)));
    symlink("loop", folder.path("loop")).unwrap();
    let ran = folder.run(&words("filter in -o loop --force"));
    assert_eq!(ran.status, Some(2));
    assert!(
        ran.stderr.contains("cannot create 'loop'"),
        "{}",
        ran.stderr
    );
}
