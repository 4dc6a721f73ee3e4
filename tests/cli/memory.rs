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

/// The most memory that a process took so far, in bytes; `None` if it has ended.
fn peak(process: u32) -> Option<usize> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    let kib: usize = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kib * 1024)
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
        peak(child.id()).unwrap()
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

/// Inputs whose records are as small or as long as a stranger can make them, with their formats:
/// some 6 MB of small ones, and 16 MB of long ones, so that each thread gets one.
fn crafted() -> Vec<(&'static str, Vec<u8>)> {
    const FEN: &str = "8/8/4k3/8/8/4K3/8/8 w - - 0 1";
    let game = |moves: usize| {
        let moves = "Nf3 Nf6 Ng1 Ng8 ".repeat(moves / 4);
        format!("[Result \"1-0\"]\n\n{moves}1-0\n\n")
    };
    let fill = |head: &str, piece: &str| {
        let bytes = if piece.len() < 50_000 { 6 } else { 16 };
        let times = (bytes * MIB).div_ceil(piece.len());
        [head, &piece.repeat(times)].concat().into_bytes()
    };
    let evaluations = vec!["{\"pvs\":[]}"; 90_000].join(",");
    vec![
        ("pgn", fill("", &game(160))),
        ("pgn", fill("", &game(20_000))),
        ("pgn", fill("", &game(64_000))),
        // A game that is too long, one that is too long to be read in blocks, and many faults.
        ("pgn", fill("", &game(250_000))),
        ("pgn", fill("", &game(4_000_000))),
        ("pgn", fill("", "1. x *\n")),
        ("csv", fill(&format!("n,fen\n1,{FEN}\n"), "x\n")),
        (
            "csv",
            fill(
                &format!("n,fen\n1,{FEN}\n"),
                &format!("1,{}\n", "\u{7f}".repeat(60)),
            ),
        ),
        (
            "plain",
            fill(&format!("fen {FEN}\nscore 0\nply 0\nresult 0\ne\n"), "e\n"),
        ),
        ("jsonl", fill(&format!("{{\"fen\":\"{FEN}\"}}\n"), "{}\n")),
        (
            "jsonl",
            fill(
                "",
                &format!("{{\"fen\":\"{FEN}\",\"evals\":[{evaluations}]}}\n"),
            ),
        ),
        ("text", fill(&format!("{FEN}\n"), "x\n")),
        ("text", fill("", &format!("{FEN}\n"))),
    ]
}

/// The most memory that the command takes for a file, some of whose records may be invalid.
fn peak_for(folder: &Folder, args: &[&str]) -> usize {
    let mut command = folder.command(args);
    // As on a machine with many cores: each thread has a heap of its own.
    command.env("MALLOC_ARENA_MAX", "64");
    let mut child = command.stderr(Stdio::null()).spawn().unwrap();
    let mut stdout = child.stdout.take().unwrap();
    let reader = std::thread::spawn(move || io::copy(&mut stdout, &mut io::sink()).unwrap());
    let mut most = 0;
    while child.try_wait().unwrap().is_none() {
        // Nothing is left of one that has just ended.
        most = most.max(peak(child.id()).unwrap_or(0));
        std::thread::sleep(Duration::from_millis(2));
    }
    let status = child.wait().unwrap().code();
    assert!(matches!(status, Some(0 | 1)), "{args:?}: {status:?}");
    reader.join().unwrap();
    most
}

/// Whatever is in a file, and for any number of threads, as docs/formats.md says.
#[test]
fn memory_is_bounded_for_every_input() {
    let folder = Folder::new();
    for (number, (format, bytes)) in crafted().into_iter().enumerate() {
        folder.write("in", &bytes);
        // What grows most: to text, where records have no move, which `plain` needs.
        let to = match format {
            "pgn" | "plain" => "plain",
            _ => "text",
        };
        let convert = format!("convert -o - --to {to}");
        let verdict = "verdict --json --backend cpu";
        // Fewer threads need less, and each run takes seconds; one thread goes about it otherwise.
        // `count` does what `verdict` does, and writes nothing.
        for (threads, job) in [("1", convert.as_str()), ("64", &convert), ("64", verdict)] {
            let mut args = words(job);
            args.extend(["in", "-q", "--skip-invalid"]);
            args.extend(["--from", format, "--threads", threads]);
            let most = peak_for(&folder, &args);
            assert!(most > 0);
            assert!(most < 256 * MIB, "{number}: {args:?}: {} MiB", most / MIB);
        }
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
        let now = peak(child.id()).unwrap();
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
