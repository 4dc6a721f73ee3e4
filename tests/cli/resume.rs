//! Runs that are interrupted and gone on with.

#![cfg(unix)]

use std::fs;
use std::os::unix::process::ExitStatusExt as _;
use std::process::{Command, ExitStatus};
use std::time::Duration;

use serde_json::Value;

use crate::games::{epd, scored, write};
use crate::run::{Folder, Ran};

/// Blocks are small where there are many threads.
const FILTER: &[&str] = &["filter", "data", "--threads", "160", "--json"];
const RESUME: &[&str] = &["-o", "out", "--rejects", "no", "--resume=0"];

/// Several blocks of a format.
fn many_blocks(format: &str) -> Folder {
    let folder = Folder::new();
    let epd = epd(5, 60);
    if format == "text" {
        // Lines that are no records, so that lines and records differ in number.
        folder.write("data", format!("# games\n\n{}", scored(&epd)));
    } else {
        write(&folder, "data", format, &epd);
    }
    // Chunks come whole, so that blocks of them are large.
    let bytes = if format == "binpack" {
        8_000_000
    } else {
        3_000_000
    };
    let times = bytes / folder.read("data").len() + 1;
    folder.write("data", folder.read("data").repeat(times));
    folder
}

/// What an uninterrupted run writes and says, without what it leaves in the folder.
fn uninterrupted(folder: &Folder, options: &[&str]) -> ([Vec<u8>; 2], Value) {
    let outputs = ["-o", "whole", "--rejects", "others"];
    let ran = folder.run(&[FILTER, &outputs, options].concat());
    let written = ["whole", "others"].map(|name| folder.read(name));
    for name in ["whole", "others"] {
        fs::remove_file(folder.path(name)).unwrap();
    }
    assert!(written.iter().all(|bytes| bytes.len() > 1000), "{ran:?}");
    (written, summary(&ran))
}

/// Without what depends on time, and on the names of outputs.
fn summary(ran: &Ran) -> Value {
    let mut summary: Value = serde_json::from_slice(&ran.stdout).unwrap();
    for key in ["seconds", "records_per_second", "output"] {
        summary.as_object_mut().unwrap().remove(key).unwrap();
    }
    summary
}

fn journal(folder: &Folder) -> Value {
    serde_json::from_slice(&folder.read("out.journal")).unwrap()
}

/// A run that may write so many bytes to a file and is killed at the next.
fn killed_at(folder: &Folder, args: &[&str], bytes: usize) -> ExitStatus {
    let mut shell = Command::new("sh");
    let limit = format!("ulimit -c 0; ulimit -f {}; exec \"$@\"", bytes / 512);
    shell.args(["-c", &limit, "sh", env!("CARGO_BIN_EXE_swaplist")]);
    shell.current_dir(folder.path("")).args(args);
    shell.env("XDG_RUNTIME_DIR", folder.path(""));
    shell.output().unwrap().status
}

/// Kills the run in the middle of each of its blocks or nearly so, and compares.
#[track_caller]
fn survives_kills(format: &str, options: &[&str]) {
    let folder = many_blocks(format);
    let (expected, said) = uninterrupted(&folder, options);
    let args = [FILTER, RESUME, options].concat();
    let largest = expected.iter().map(Vec::len).max().unwrap();
    let mut before = 0;
    for part in 1..5 {
        let status = killed_at(&folder, &args, largest * part / 5);
        assert!(status.signal().is_some(), "{format}: {status}");
        let left = ["data", "no.partial", "out.journal", "out.partial"];
        assert_eq!(folder.files(), left);
        let records = journal(&folder)["tally"]["records"].as_u64().unwrap();
        assert!(records > before, "{format}: {records} at {part}");
        before = records;
    }
    let ran = folder.run(&args);
    assert_eq!(ran.status, Some(0), "{}", ran.stderr);
    let note = "swaplist: going on behind ";
    assert!(ran.stderr.starts_with(note), "{}", ran.stderr);
    assert_eq!(summary(&ran), said, "{format}");
    assert!(folder.read("out") == expected[0], "{format}");
    assert!(folder.read("no") == expected[1], "{format}");
    assert_eq!(folder.files(), ["data", "no", "out"]);
}

#[test]
fn killed_runs_of_text_go_on() {
    survives_kills("text", &["--keep-fraction", "0.4", "--seed", "3"]);
}

#[test]
fn killed_runs_of_boards_go_on() {
    survives_kills("bulletformat", &["--keep-fraction", "0.4"]);
    survives_kills("marlinformat", &["--mode", "mark"]);
}

#[test]
fn killed_runs_of_games_go_on() {
    survives_kills("viriformat", &[]);
}

#[test]
fn killed_runs_of_chains_go_on() {
    survives_kills("binpack", &[]);
    survives_kills("binpack", &["--mode", "drop", "--keep-fraction", "0.5"]);
}

/// Where the blocks end decides how chains do.
#[test]
fn killed_runs_into_another_format_go_on() {
    survives_kills("plain", &["--to", "viriformat", "--mode", "drop"]);
}

/// Runs until some records are done, and then sends a signal. A run that was done
/// before it came is undone.
fn signalled(folder: &Folder, args: &[&str], signal: &str) -> (ExitStatus, String) {
    loop {
        let mut child = folder.command(args).spawn().unwrap();
        let journal = folder.path("out.journal");
        let done = || serde_json::from_slice::<Value>(&fs::read(&journal).ok()?).ok();
        let records = || done()?["tally"]["records"].as_u64();
        let before = records();
        let same = || records().is_none_or(|records| Some(records) <= before.or(Some(0)));
        while same() && child.try_wait().unwrap().is_none() {
            std::thread::sleep(Duration::from_millis(1));
        }
        let id = child.id().to_string();
        Command::new("kill").args([signal, &id]).status().unwrap();
        let ended = child.wait_with_output().unwrap();
        if !ended.status.success() {
            return (ended.status, String::from_utf8(ended.stderr).unwrap());
        }
        for name in ["out", "no"] {
            fs::remove_file(folder.path(name)).unwrap();
        }
    }
}

#[test]
fn ctrl_c_and_kill_say_and_keep_what_is_done() {
    let folder = many_blocks("text");
    let (expected, said) = uninterrupted(&folder, &["--backend", "cpu", "--cpu", "scalar"]);
    let args = [FILTER, RESUME, &["--backend", "cpu", "--cpu", "scalar"]].concat();
    let (status, stderr) = signalled(&folder, &args, "-INT");
    assert_eq!(status.code(), Some(130), "{stderr}");
    let records = journal(&folder)["tally"]["records"].as_u64().unwrap();
    let told = stderr
        .strip_prefix("swaplist: interrupted after ")
        .and_then(|rest| rest.strip_suffix(" records; the same command goes on from there\n"))
        .unwrap_or_else(|| panic!("{stderr}"));
    assert_eq!(told.replace(',', ""), records.to_string());
    let (status, _) = signalled(&folder, &args, "-KILL");
    assert_eq!(status.signal(), Some(9));
    let left: Vec<_> = folder.files();
    // One that was being written when it was killed may be left, too.
    let left = left.iter().filter(|name| !name.starts_with(".swaplist-"));
    assert!(left.eq(["data", "no.partial", "out.journal", "out.partial"].iter()));
    let ran = folder.run(&args);
    assert_eq!(ran.status, Some(0), "{}", ran.stderr);
    assert_eq!(summary(&ran), said);
    assert!(folder.read("out") == expected[0] && folder.read("no") == expected[1]);
    assert_eq!(folder.files(), ["data", "no", "out"]);
}

/// An interrupted run of text, and the arguments that go on with it.
fn interrupted(options: &[&'static str]) -> (Folder, Vec<&'static str>) {
    let folder = many_blocks("text");
    let args = [FILTER, RESUME, options].concat();
    assert!(killed_at(&folder, &args, 600_000).signal().is_some());
    (folder, args)
}

#[test]
fn invalid_records_and_counts_are_remembered() {
    let options = ["--skip-invalid", "--stats", "stats"];
    let folder = many_blocks("text");
    let mut data = folder.read("data");
    data.splice(0..0, *b"broken\n");
    data.extend(b"4k3/8/8/8/8/8/8/8 w - - 0 1\n");
    folder.write("data", data);
    let (expected, said) = uninterrupted(&folder, &options);
    assert_eq!(said["invalid"], 2);
    let timeless = |folder: &Folder| {
        let mut stats: Value = serde_json::from_slice(&folder.read("stats")).unwrap();
        for key in ["seconds", "records_per_second", "output"] {
            stats.as_object_mut().unwrap().remove(key).unwrap();
        }
        fs::remove_file(folder.path("stats")).unwrap();
        stats
    };
    let stats = timeless(&folder);
    let args = [FILTER, RESUME, &options].concat();
    assert!(killed_at(&folder, &args, 600_000).signal().is_some());
    let without: Vec<_> = args
        .iter()
        .filter(|arg| **arg != "--skip-invalid")
        .collect();
    let without: Vec<&str> = without.into_iter().copied().collect();
    let ran = folder.run(&without);
    assert!(ran.error().contains("add --skip-invalid"), "{ran:?}");
    let ran = folder.run(&args);
    assert_eq!(ran.status, Some(1), "{}", ran.stderr);
    assert!(folder.read("out") == expected[0] && folder.read("no") == expected[1]);
    assert_eq!(timeless(&folder), stats);
    assert!(stats["counts"]["read"]["positions"].as_u64() > Some(10_000));
}

/// What ended at an invalid record goes on where these are passed over.
#[test]
fn an_error_leaves_what_is_done() {
    let folder = many_blocks("text");
    let mut data = folder.read("data");
    data.extend(b"broken\n");
    folder.write("data", data);
    let args = [FILTER, RESUME].concat();
    let ran = folder.run(&args);
    assert_eq!(ran.status, Some(2));
    let (error, note) = ran.stderr.split_once('\n').unwrap();
    assert!(error.contains("too few fields"), "{error}");
    let records = journal(&folder)["tally"]["records"].as_u64().unwrap();
    let told = note.replace(',', "");
    let expected = format!("swaplist: {records} records are done --resume goes on");
    assert!(told.starts_with(&expected), "{note}");
    let ran = folder.run(&[&args[..], &["--skip-invalid"]].concat());
    assert_eq!(ran.status, Some(1), "{}", ran.stderr);
    let (expected, said) = uninterrupted(&folder, &["--skip-invalid"]);
    assert_eq!(summary(&ran), said);
    assert!(folder.read("out") == expected[0] && folder.read("no") == expected[1]);
    assert_eq!(folder.files(), ["data", "no", "out"]);
}

/// They could be worth an hour, so they are told of and not removed.
#[test]
fn a_run_without_resume_tells_of_what_another_left() {
    let (folder, _) = interrupted(&[]);
    let left = ["out.journal", "out.partial"].map(|name| folder.read(name));
    let plain = ["filter", "data", "-o", "out", "--force"];
    let ran = folder.run(&plain);
    let note = "swaplist: note: 'out.partial' and 'out.journal' stay from an interrupted run: \
                the same command with --resume goes on with it, or remove them\n";
    assert!(ran.stderr.starts_with(note), "{}", ran.stderr);
    assert_eq!(ran.status, Some(0));
    let quiet = folder.run(&[&plain[..], &["-q"]].concat());
    assert_eq!(quiet.stderr, "");
    assert!(left == ["out.journal", "out.partial"].map(|name| folder.read(name)));
    // No journal of ours.
    folder.write("out.journal", "dear diary");
    assert!(!folder.run(&plain).stderr.contains("note"));
}

#[test]
fn what_could_not_come_out_the_same_is_refused() {
    let (folder, args) = interrupted(&[]);
    for (option, name) in [
        (&["--max-see", "7"][..], "the filter: was "),
        (
            &["--keep-fraction", "0.5", "--seed", "9"],
            "the filter: was ",
        ),
        (&["--values", "1-3-3-5-9"], "the rules: was "),
        (&["--to", "plain"], "--to: was text, now plain"),
        (&["--stats", "stats"], "--stats or --report: was false"),
    ] {
        let ran = folder.run(&[&args, option].concat());
        let expected = "cannot go on by 'out.journal' (to begin again, remove it and \
                        'out.partial' and 'no.partial'): ";
        assert!(ran.error().starts_with(expected), "{ran:?}");
        assert!(ran.error().contains(name), "{ran:?}");
    }
    let mut data = folder.read("data");
    data.pop();
    folder.write("data", &data);
    let ran = folder.run(&args);
    assert!(ran.error().contains("bytes of the input: was "), "{ran:?}");
    data.push(b' ');
    folder.write("data", &data);
    let ran = folder.run(&args);
    assert!(ran.error().contains("last change"), "{ran:?}");
}

#[test]
fn broken_journals_and_missing_parts_are_refused() {
    let (folder, args) = interrupted(&[]);
    let sound = folder.read("out.journal");
    let fails = |with: &str| {
        let ran = folder.run(&args);
        assert!(ran.error().contains(with), "{ran:?}");
    };
    for garbage in [
        &b""[..],
        b"\xff\0",
        b"{}",
        b"[1, 2]",
        &sound[..sound.len() / 2],
    ] {
        folder.write("out.journal", garbage);
        fails("it is broken");
    }
    let far = |part: &str, value: u64| {
        let mut journal: Value = serde_json::from_slice(&sound).unwrap();
        journal["next"][part] = value.into();
        folder.write("out.journal", journal.to_string());
    };
    for part in ["offset", "lines"] {
        far(part, u64::MAX);
        fails("no such place");
    }
    folder.write("out.journal", &sound);
    let partial = folder.read("out.partial");
    folder.write("out.partial", &partial[..1000]);
    fails("it is shorter than it was");
    fs::remove_file(folder.path("out.partial")).unwrap();
    fails("cannot go on with 'out.partial'");
    folder.write("out.partial", &partial);
    fs::remove_file(folder.path("out.journal")).unwrap();
    fails("no journal to go on by");
    // Nothing of this has touched what was there.
    folder.write("out.journal", &sound);
    folder.write("out", "");
    fails("'out' exists, --force replaces it");
    let ran = folder.run(&[&args[..], &["--force"]].concat());
    assert_eq!(ran.status, Some(0), "{ran:?}");
    assert_eq!(folder.files(), ["data", "no", "out"]);
}

#[test]
fn one_run_at_a_time() {
    let (folder, args) = interrupted(&[]);
    let partial = fs::File::open(folder.path("out.partial")).unwrap();
    partial.lock().unwrap();
    let ran = folder.run(&args);
    assert!(ran.error().contains("another run is writing it"), "{ran:?}");
    drop(partial);
    assert_eq!(folder.run(&args).status, Some(0));
}

#[test]
fn what_cannot_be_gone_on_with_is_refused_and_leaves_nothing() {
    let folder = Folder::new();
    folder.write("in", "4k3/8/8/8/8/8/8/4K3 w - - 0 1\nbroken\n");
    folder.run(&[
        "convert",
        "in",
        "--to",
        "text",
        "-o",
        "in.zst",
        "--skip-invalid",
    ]);
    for (args, with) in [
        (&["-", "-o", "out"][..], "needs an input that is a file"),
        (&["in.zst", "-o", "out"], "cannot seek in compressed data"),
        (&["in", "-o", "out.gz"], "cannot write compressed files"),
        (&["in"], "needs an output that is a file"),
        (&["in", "-o", "/dev/null"], "needs an output that is a file"),
        (
            &["in", "-o", "out", "--rejects", "out.partial"],
            "used twice",
        ),
        (
            &["in", "-o", "out", "--rejects", "out.journal"],
            "used twice",
        ),
        (&["in", "-o", "out"], "line 2"),
    ] {
        let ran = folder.run(&[&["filter", "--resume"], args].concat());
        assert!(ran.error().contains(with), "{args:?}: {ran:?}");
        assert_eq!(folder.files(), ["in", "in.zst"], "{args:?}");
    }
}

/// A file named as the journal's next could be is nobody's business.
#[test]
fn nothing_beside_the_journal_is_touched() {
    let folder = Folder::new();
    let epd = epd(3, 1);
    folder.write("data", scored(&epd));
    folder.write("precious", "mine");
    std::os::unix::fs::symlink("precious", folder.path("out.journal.new")).unwrap();
    let ran = folder.run(&["filter", "data", "-o", "out", "--resume=0"]);
    assert_eq!(ran.status, Some(0), "{}", ran.stderr);
    assert_eq!(folder.read("precious"), b"mine");
    assert_eq!(
        folder.files(),
        ["data", "out", "out.journal.new", "precious"]
    );
}

#[test]
fn a_partial_that_cannot_be_gone_on_with_leaves_a_way_out() {
    let folder = Folder::new();
    folder.write("data", scored(&epd(3, 1)));
    std::os::unix::fs::symlink("nowhere/else", folder.path("out.partial")).unwrap();
    let ran = folder.run(&["filter", "data", "-o", "out", "--resume"]);
    assert!(
        ran.error()
            .contains("to begin again, remove it and the journal"),
        "{}",
        ran.stderr
    );
    assert_eq!(folder.files(), ["data", "out.partial"]);
}
