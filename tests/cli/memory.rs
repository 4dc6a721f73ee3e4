//! Memory does not grow with the length of the input.

#![cfg(target_os = "linux")]

use std::fmt::Write as _;
use std::fs;
use std::io::{self, Write as _};
use std::process::Stdio;
use std::time::Duration;

use crate::run::{Folder, lines, words};
use crate::streams::MOST_MOVES;

const MIB: usize = 1 << 20;

/// Games of 80 moves with scores.
fn pgn(games: usize) -> String {
    let mut game = String::from("[Result \"1/2-1/2\"]\n\n");
    for _ in 0..40 {
        for san in ["Nf3", "Nf6", "Ng1", "Ng8"] {
            write!(game, "{san} {{[%eval 0.20]}} ").unwrap();
        }
    }
    game.push_str("1/2-1/2\n\n");
    game.repeat(games)
}

/// The same games in another format, about 1 MiB of them.
fn megabyte(format: &str) -> Vec<u8> {
    let folder = Folder::new();
    folder.write("one.pgn", pgn(10));
    let mut convert = vec!["convert", "one.pgn", "--to", format, "-o", "one", "-q"];
    if format == "marlinformat" {
        // A game's first position has no score.
        convert.extend(["--score", "20"]);
    }
    assert_eq!(folder.run(&convert).status, Some(0));
    let one = folder.read("one");
    one.repeat(MIB / one.len() + 1)
}

/// The most memory that a process took so far, in bytes.
fn peak(process: u32) -> usize {
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM:"));
    let kib: usize = line
        .unwrap()
        .split_whitespace()
        .nth(1)
        .unwrap()
        .parse()
        .unwrap();
    kib * 1024
}

/// The peak memory of the command after half of its input, and after all.
fn peaks(args: &[&str], megabyte: &[u8], times: usize) -> [usize; 2] {
    let folder = Folder::new();
    let mut command = folder.command(args);
    let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let mut stdout = child.stdout.take().unwrap();
    let reader = std::thread::spawn(move || io::copy(&mut stdout, &mut io::sink()).unwrap());
    let mut feed = |times| {
        for _ in 0..times {
            stdin.write_all(megabyte).unwrap();
        }
        peak(child.id())
    };
    let peaks = [feed(times / 2), feed(times / 2)];
    drop(stdin);
    assert!(child.wait().unwrap().success(), "{args:?}");
    assert!(reader.join().unwrap() > 0, "{args:?}");
    peaks
}

/// After half of the input all buffers are in use.
#[test]
fn buffers_do_not_pile_up() {
    for (format, mode, times) in [
        ("viriformat", "mark", 96),
        ("viriformat", "drop", 64),
        ("marlinformat", "drop", 64),
        ("sfbin", "mark", 64),
        ("text", "drop", 64),
    ] {
        let mut args = vec!["filter", "-", "--from", format, "--threads", "2", "-q"];
        args.extend(["--preset", "none", "--min-ply", "20", "--backend", "cpu"]);
        args.extend(["--mode", mode]);
        let [half, all] = peaks(&args, &megabyte(format), times);
        assert!(all < 64 * MIB, "{format} {mode}: {all}");
        assert!(all < half + 6 * MIB, "{format} {mode}: {half} to {all}");
    }
}

/// Also for games assembled from blocks.
#[test]
fn blocks_of_whole_games_do_not_pile_up() {
    for (from, to) in [("plain", "viriformat"), ("sfbin", "binpack")] {
        let mut args = vec!["convert", "-", "--from", from, "--to", to];
        args.extend(["-o", "-", "--threads", "2", "-q"]);
        let [half, all] = peaks(&args, &megabyte(from), 64);
        assert!(all < 64 * MIB, "{from}: {all}");
        assert!(all < half + 6 * MIB, "{from}: {half} to {all}");
    }
}

/// Nobody reads the output: the command must wait instead of collecting it.
#[test]
fn memory_is_bounded_by_what_comes_out() {
    let folder = Folder::new();
    folder.write("in", lines(&vec![MOST_MOVES; 100_000]));
    let args = "score in --moves all --backend cpu -q --threads 4";
    let mut child = folder.command(&words(args)).spawn().unwrap();
    // Until it stops growing, at most half a minute.
    let mut before = 0;
    let mut still = 0;
    for _ in 0..150 {
        std::thread::sleep(Duration::from_millis(200));
        let now = peak(child.id());
        still = if now == before { still + 1 } else { 0 };
        before = now;
        if still == 10 {
            break;
        }
    }
    let ended = child.try_wait().unwrap();
    assert!(ended.is_none(), "it was to be stopped by the pipe");
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(before < 150 * MIB, "{before}");
}
