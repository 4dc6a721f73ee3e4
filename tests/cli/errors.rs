use std::fs::File;
use std::io::Read as _;

use crate::run::{Folder, fens, lines};

const FEN: &str = "4k3/8/8/8/8/8/8/4K3 w - - 0 1";

#[test]
fn missing_file() {
    let folder = Folder::new();
    let ran = folder.run(&["filter", "missing.fen", "-o", "out"]);
    assert!(ran.error().starts_with("cannot open 'missing.fen': "));
    assert_eq!(folder.files(), [""; 0]);
}

#[test]
fn directory_as_input_or_output() {
    let folder = Folder::new();
    assert_eq!(
        folder.run(&["score", "."]).error(),
        "'.' is a directory, name a file in it"
    );
    let ran = folder.run_with(&["score", "-o", "."], FEN.as_bytes());
    assert_eq!(ran.error(), "'.' is a directory, name a file in it");
    let ran = folder.run_with(&["score", "-o", "no/out"], FEN.as_bytes());
    assert_eq!(
        ran.error(),
        "cannot create 'no/out': there is no folder 'no'"
    );
}

#[test]
fn existing_output() {
    let folder = Folder::new();
    folder.write("out", "precious");
    for args in [
        &["filter", "-o", "out"][..],
        &["score", "-o", "out"],
        &["verdict", "-o", "out"],
        &["filter", "--rejects", "out"],
        &["filter", "-o", "new", "--stats", "out"],
    ] {
        let ran = folder.run_with(args, FEN.as_bytes());
        assert_eq!(ran.error(), "'out' exists, --force replaces it", "{args:?}");
        assert_eq!(folder.read("out"), b"precious");
        assert_eq!(folder.files(), ["out"]);
    }
    folder
        .run_with(&["filter", "-o", "out", "--force"], FEN.as_bytes())
        .text();
    assert_eq!(folder.read("out"), FEN.as_bytes());
}

#[test]
fn the_same_file_twice() {
    let folder = Folder::new();
    folder.write("in", FEN);
    std::fs::hard_link(folder.path("in"), folder.path("same")).unwrap();
    for args in [
        &["filter", "in", "-o", "in", "--force"][..],
        &["filter", "in", "-o", "./in", "--force"],
        &["filter", "in", "--rejects", "in", "--force"],
        &["filter", "in", "-o", "new", "--rejects", "new"],
        &["filter", "in", "-o", "new", "--rejects", "./new"],
        #[cfg(unix)]
        &["filter", "in", "-o", "same", "--force"],
    ] {
        assert!(
            folder.run(args).error().contains("is used twice"),
            "{args:?}"
        );
        assert_eq!(folder.read("in"), FEN.as_bytes());
        assert_eq!(folder.files(), ["in", "same"]);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn full_disk() {
    let folder = Folder::new();
    for args in [
        &["score", "-o", "/dev/full"][..],
        &["filter", "--rejects", "/dev/full"],
    ] {
        let ran = folder.run_with(args, lines(&fens(6, 100)).as_bytes());
        assert!(
            ran.error()
                .starts_with("cannot write '/dev/full'; make room"),
            "{args:?}"
        );
        assert_eq!(folder.files(), [""; 0]);
    }
    let full = File::options().write(true).open("/dev/full").unwrap();
    let mut score = folder.command(&["explain", "startpos"]);
    let output = score.stdout(full).output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    let error = "swaplist: error: cannot write standard output; make room";
    assert!(stderr.starts_with(error), "{stderr}");
    folder
        .run_with(&["score", "-o", "/dev/null"], FEN.as_bytes())
        .text();
    assert!(std::path::Path::new("/dev/null").exists());
}

#[cfg(unix)]
#[test]
fn unreadable_file() {
    let folder = Folder::new();
    folder.write("in", FEN);
    let ran = folder.run(&["score", "in/side"]);
    assert_eq!(ran.error(), "cannot open 'in/side': Not a directory");
}

#[test]
fn the_first_invalid_line_stops_the_command() {
    let folder = Folder::new();
    let mut input = fens(7, 60_000); // many blocks, several of them invalid
    for line in [33_333, 33_334, 59_999] {
        input[line - 1] = format!("broken {line}");
    }
    folder.write("in", lines(&input));
    for threads in ["1", "2", "8"] {
        for command in ["score", "verdict", "filter"] {
            let ran = folder.run(&[command, "in", "-o", "out", "--threads", threads]);
            let expected = "in, line 33333: too few fields for a FEN (2, expected board, side to \
                            move, castling, en passant); --skip-invalid skips such records";
            assert_eq!(ran.error(), expected);
            assert_eq!(folder.files(), ["in"]);
        }
    }
}

#[test]
fn what_stands_before_an_invalid_line_is_streamed() {
    let fens = fens(8, 100);
    let input = lines(&fens) + "broken\n" + &lines(&fens);
    let ran = Folder::new().run_with(
        &["filter", "--max-see", "9999", "--keep-checks"],
        input.as_bytes(),
    );
    assert!(ran.error().starts_with("standard input, line 101: "));
    assert_eq!(ran.stdout, lines(&fens).into_bytes());
}

#[test]
fn skip_invalid_counts_and_exits_with_1() {
    let input = lines(&[FEN, "broken", FEN, "broken too"]);
    let ran = Folder::new().run_with(&["filter", "--skip-invalid"], input.as_bytes());
    assert_eq!(ran.status, Some(1));
    assert_eq!(ran.stdout, lines(&[FEN, FEN]).into_bytes());
    assert!(
        ran.stderr.contains("invalid     2, 18 bytes skipped\n"),
        "{}",
        ran.stderr
    );
}

#[test]
fn illegal_and_ambiguous_moves_name_move_position_and_line() {
    for (line, problem) in [
        (
            "4k3/8/8/8/8/8/8/4K3 w - -;e1e3",
            "illegal move 'e1e3' in the position '4k3/8/8/8/8/8/8/4K3 w - -'",
        ),
        (
            "4k3/8/8/8/8/8/8/4K3 w - -;Nf3",
            "illegal move 'Nf3' in the position",
        ),
        (
            "4k3/8/8/8/8/4K3/8/R6R w - -;Rd1",
            "ambiguous move 'Rd1' in the position",
        ),
        (
            "4k3/8/8/8/8/8/8/4K3 w - -;what",
            "'what' is not a move in UCI or SAN",
        ),
    ] {
        let ran = Folder::new().run_with(&["score"], format!("{FEN}\n{line}\n").as_bytes());
        let expected = format!("standard input, line 2: {problem}");
        assert!(ran.error().starts_with(&expected), "{}", ran.stderr);
    }
}

#[test]
fn a_huge_line_is_an_error_of_that_line() {
    let folder = Folder::new();
    let mut input = format!("{FEN}\n").into_bytes();
    input.resize(input.len() + 5_000_000, b'x');
    input.extend_from_slice(format!("\n{FEN}\n").as_bytes());
    let ran = folder.run_with(&["filter"], &input);
    assert!(
        ran.error()
            .starts_with("standard input, line 2: longer than 1048576 bytes")
    );
    let ran = folder.run_with(&["filter", "--skip-invalid"], &input);
    assert_eq!(ran.status, Some(1));
    assert_eq!(ran.stdout, lines(&[FEN, FEN]).into_bytes());
    // Rejects hold the whole line, and all commands count it.
    let rejects = ["--rejects", "rejects", "--backend", "cpu"];
    for (command, more) in [
        ("filter", &rejects[..]),
        ("convert", &["--to", "text"]),
        ("verdict", &[]),
    ] {
        let args = [command, "-o", "out", "--force", "--skip-invalid", "--json"];
        let ran = folder.run_with(&[&args, more].concat(), &input);
        let json: serde_json::Value = serde_json::from_slice(&ran.stdout).unwrap();
        assert_eq!(json["invalid_bytes"], 5_000_001, "{command}");
    }
    assert!(folder.read("rejects") == input[FEN.len() + 1..input.len() - FEN.len() - 1]);
}

#[test]
fn bytes_that_are_no_text() {
    let line = b"4k3/8/8/8/8/8/8/4K3 w - - id \"\xff\";";
    let ran = Folder::new().run_with(&["score"], line);
    assert!(
        ran.error().contains("line 1: not UTF-8 text at byte 31"),
        "{}",
        ran.stderr
    );
    let ran = Folder::new().run_with(&["score"], b"\0");
    assert!(
        ran.error()
            .starts_with("standard input is in no known format"),
        "{}",
        ran.stderr
    );
    let ran = Folder::new().run_with(&["score", "--from", "text"], b"\0");
    assert!(
        ran.error().contains("line 1: not text: a NUL at byte 1"),
        "{}",
        ran.stderr
    );
}

#[test]
fn usage_errors_exit_with_2_and_say_what_was_expected() {
    for (args, expected) in [
        (
            &["score", "--profile", "best"][..],
            "expected one of: swap, sf8, sf, legal",
        ),
        (
            &["score", "--values", "1,2,3"],
            "five whole numbers P,N,B,R,Q",
        ),
        (&["score", "--values", "1,2,3,4,30001"], "exceeds ±30000"),
        (
            &["score", "--pins", "x"],
            "expected one of: none, sf8, sf, legal",
        ),
        (
            &["score", "--backend", "x"],
            "expected auto, cpu, gpu or gpu:NAME",
        ),
        (&["score", "--threads", "0"], "--threads"),
        (
            &["score", "--threads", "-1"],
            "out of range, expected a number of threads from 1 to 1024",
        ),
        (
            &["convert", "--to", "csv"],
            "bulletformat, marlinformat, viriformat, sfbin, plain\n",
        ),
        (
            &["score", "--profile", "sf", "--profile", "sf8"],
            "cannot be used multiple times",
        ),
        (
            &["verify", "--all-profiles", "--profile", "sf"],
            "cannot be used with",
        ),
        (&["filter", "--limit", "0"], "--limit"),
        (&["filter", "--nonsense"], "--nonsense"),
        (&["nonsense"], "nonsense"),
        (&[], "Usage"),
    ] {
        let ran = Folder::new().run(args);
        assert_eq!(ran.status, Some(2), "{args:?}");
        assert!(ran.stderr.contains(expected), "{args:?}: {}", ran.stderr);
        let is_error = ran.stderr.starts_with("swaplist: error: ");
        assert_eq!(is_error, !args.is_empty(), "{}", ran.stderr);
    }
}

#[test]
fn every_help_has_an_example_and_the_exit_statuses() {
    for command in [
        "score", "verdict", "filter", "explain", "verify", "convert", "count", "validate",
    ] {
        let help = Folder::new().run(&[command, "--help"]);
        assert!(help.text().contains("Example"), "{command}");
        assert!(help.text().contains("Exit status: 0"), "{command}");
        assert!(
            help.text().contains(&format!("  swaplist {command} ")),
            "{command}"
        );
    }
}

#[test]
fn empty_input_is_no_error() {
    for input in ["", "\n", "# nothing\n\r\n"] {
        let ran = Folder::new().run_with(&["filter"], input.as_bytes());
        assert_eq!(ran.text(), "");
        let ran = Folder::new().run_with(&["score"], input.as_bytes());
        assert_eq!(ran.text(), "fen\tmove\tsee\n");
        let note = match input {
            "" => "swaplist: note: the input is empty\n",
            _ => "swaplist: note: the input holds no records\n",
        };
        assert!(ran.stderr.starts_with(note), "{}", ran.stderr);
    }
}

/// For any name and any command.
#[test]
fn an_empty_file_is_one_of_no_records() {
    let folder = Folder::new();
    for name in [
        "a.binpack",
        "a.viriformat",
        "a.bin",
        "a.data",
        "a.plain",
        "a.fen",
        "a.jsonl",
    ] {
        folder.write(name, "");
        for args in [
            &["filter", name, "-o", "out"][..],
            &["filter", name, "--out-dir", "many"],
            &["count", name],
            &["validate", name],
            &["convert", name, "-o", "out.fen"],
        ] {
            let ran = folder.run(args);
            assert_eq!(ran.status, Some(0), "{args:?} {}", ran.stderr);
            assert!(
                ran.stderr.contains("the input is empty\n"),
                "{}",
                ran.stderr
            );
        }
        assert_eq!(folder.read("out"), b"", "{name}");
        assert_eq!(folder.read(&format!("many/{name}")), b"", "{name}");
        std::fs::remove_file(folder.path("out")).unwrap();
        std::fs::remove_file(folder.path("out.fen")).unwrap();
    }
    folder.write("a.fen.zst", "");
    let ran = folder.run(&["count", "a.fen.zst"]);
    assert_eq!(
        ran.error(),
        "cannot read 'a.fen.zst': named .zst, but is empty"
    );
}

/// Nobody reads the output, so the command has read a few MiB of 24 when the file is cut to 12.
#[test]
fn a_file_that_gets_shorter_while_it_is_read() {
    const LINE: &str = "4k3/8/8/8/8/8/8/4K3 w - - 0 1\n";
    let folder = Folder::new();
    folder.write("a.fen", LINE.repeat(800_000));
    let args = ["filter", "a.fen", "--preset", "none", "--threads", "2"];
    let mut child = folder.command(&args).spawn().unwrap();
    let mut stdout = child.stdout.take().unwrap();
    stdout.read_exact(&mut [0; LINE.len()]).unwrap();
    let file = File::options().write(true).open(folder.path("a.fen"));
    let half = LINE.len() as u64 * 400_000;
    file.unwrap().set_len(half).unwrap();
    std::io::copy(&mut stdout, &mut std::io::sink()).unwrap();
    let output = child.wait_with_output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    let shorter = "a.fen: cannot read: the file got shorter while it was read";
    assert!(stderr.contains(shorter), "{stderr}");
    assert_eq!(output.status.code(), Some(2), "{stderr}");
}
