//! Options and outputs at their limits.

use crate::run::{Folder, fens, lines};

const FEN: &str = "4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1";

/// Kept records, rejects and the summary would be mixed.
#[test]
fn standard_output_is_used_once() {
    let folder = Folder::new();
    for args in [
        &["filter", "--rejects", "-"][..],
        &["filter", "--stats", "-"],
        &["filter", "-o", "-", "--stats", "-"],
        &["filter", "-o", "out", "--rejects", "-", "--stats", "-"],
    ] {
        let ran = folder.run_with(args, FEN.as_bytes());
        let error = "standard output is used twice, name a file for one of the outputs";
        assert_eq!(ran.error(), error, "{args:?}");
        assert!(ran.stdout.is_empty(), "{args:?}");
        assert_eq!(folder.files(), [""; 0], "{args:?}");
    }
    let ran = folder.run_with(&["filter", "-o", "out", "--rejects", "-"], FEN.as_bytes());
    assert_eq!(ran.text(), FEN);
    assert_eq!(folder.read("out"), b"");
}

/// Where nothing is read, nothing is written.
#[cfg(target_os = "linux")]
#[test]
fn a_closed_standard_output_is_an_error() {
    let folder = Folder::new();
    folder.write("in.fen", FEN);
    for (args, status) in [
        (&["filter", "in.fen"][..], 2),
        (&["score", "in.fen"], 2),
        (&["count", "in.fen"], 2),
        (&["explain", "startpos"], 2),
        (
            &["filter", "in.fen", "--out-dir", "many", "--stats", "-"],
            2,
        ),
        (&["filter", "in.fen", "-o", "out.fen"], 0),
    ] {
        let swaplist = env!("CARGO_BIN_EXE_swaplist");
        let mut shell = std::process::Command::new("sh");
        shell
            .args(["-c", "exec \"$0\" \"$@\" >&-", swaplist])
            .args(args);
        let output = shell.current_dir(folder.path("")).output().unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(status), "{args:?} {stderr}");
        let is_said = stderr.contains("error: standard output is closed; ");
        assert_eq!(is_said, status == 2, "{args:?} {stderr}");
    }
}

/// The run is not lost with it.
#[cfg(target_os = "linux")]
#[test]
fn an_output_is_kept_when_its_side_file_cannot_be_written() {
    let folder = Folder::new();
    for side in ["--report", "--stats"] {
        let args = ["filter", "-o", "out", side, "/dev/full", "--force"];
        let ran = folder.run_with(&args, format!("{FEN}\n").as_bytes());
        let error = ran.error();
        assert!(error.starts_with("cannot write '/dev/full'; "), "{error}");
        assert!(error.ends_with("; 'out' is written"), "{error}");
        assert_eq!(folder.files(), ["out"]);
        std::fs::remove_file(folder.path("out")).unwrap();
    }
}

/// Even before the file exists, by any name of its folder.
#[cfg(unix)]
#[test]
fn an_output_is_known_through_linked_folders() {
    let folder = Folder::new();
    std::os::unix::fs::symlink(".", folder.path("link")).unwrap();
    for second in ["--rejects", "--stats"] {
        let args = ["filter", "-o", "kept", second, "link/kept", "--force"];
        let ran = folder.run_with(&args, FEN.as_bytes());
        assert!(ran.error().contains("is used twice"), "{second}");
        assert!(!folder.path("kept").exists(), "{second}");
    }
}

/// What is read is not written, neither through redirections.
#[cfg(unix)]
#[test]
fn redirected_files_are_known() {
    use std::fs::File;

    let folder = Folder::new();
    let file = || {
        File::options()
            .read(true)
            .append(true)
            .open(folder.path("in"))
    };
    let from_input = [
        &["filter", "-o", "in", "--force"][..],
        &["filter", "-o", "out", "--rejects", "in", "--force"],
        &["count", "--stats", "in", "--force"],
        &["filter"],
        &["score"],
    ];
    for args in from_input {
        folder.write("in", FEN);
        let mut command = folder.command(args);
        command.stdin(file().unwrap()).stdout(file().unwrap());
        let output = command.output().unwrap();
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{args:?} {error}");
        assert_eq!(folder.read("in"), FEN.as_bytes(), "{args:?}");
        assert_eq!(folder.files(), ["in"], "{args:?}");
    }
    // By its name, and what the command prints.
    for args in [
        &["filter", "in"][..],
        &["filter", "-o", "in", "--json", "--force"],
    ] {
        let mut command = folder.command(args);
        let output = command.stdout(file().unwrap()).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert_eq!(folder.read("in"), FEN.as_bytes(), "{args:?}");
    }
}

/// By any of its names.
#[cfg(target_os = "linux")]
#[test]
fn standard_output_is_known_by_other_names() {
    let folder = Folder::new();
    for args in [
        &["filter", "--rejects", "/dev/stdout"][..],
        &["filter", "-o", "/dev/stdout", "--rejects", "/dev/fd/1"],
        &["filter", "-o", "/proc/self/fd/1", "--stats", "-"],
        &["count", "--stats", "/dev/stdout"],
    ] {
        let ran = folder.run_with(args, FEN.as_bytes());
        assert!(ran.error().contains("is used twice"), "{args:?}");
        assert!(ran.stdout.is_empty(), "{args:?}");
    }
    // Where nothing can be mixed.
    let nowhere = ["filter", "-o", "/dev/null", "--rejects", "/dev/null"];
    let ran = folder.run_with(&nowhere, FEN.as_bytes());
    assert_eq!(ran.status, Some(0), "{}", ran.stderr);
    let ran = folder.run_with(&["filter", "-o", "/dev/stdout"], FEN.as_bytes());
    assert_eq!(ran.status, Some(0), "{}", ran.stderr);
}

#[test]
fn numbers_out_of_range_are_refused_with_the_range() {
    let threads = "expected a number of threads from 1 to 1024";
    for (args, expected) in [
        (&["score", "--threads", "0"][..], threads),
        (&["score", "--threads", "1025"], threads),
        (&["verify", "--threads", "1000000"], threads),
        (&["convert", "--to", "text", "--threads", "x"], threads),
        (
            &["filter", "--limit", "0"],
            "expected a whole number, 1 or more",
        ),
        (
            &["check", "--limit", "5001"],
            "expected a whole number up to 5000",
        ),
        (
            &["filter", "--max-see", "1e3"],
            "expected a whole number (of centipawns, unless the piece values have another unit), or 'none'",
        ),
        (
            &["filter", "--max-threat", "99999999999"],
            "out of range, expected a whole number (of centipawns",
        ),
        (
            &["filter", "--max-score=-1"],
            "-1 is out of range, expected a whole number, 0 or more, or 'none'",
        ),
        (
            &["filter", "--min-ply", "2.5"],
            "expected a whole number, 0 or more",
        ),
        (
            &["filter", "--max-pieces", "few"],
            "expected a whole number, 0 or more, or 'none'",
        ),
        (
            &["filter", "--keep-fraction", "1/2"],
            "1/2 is not a probability, expected a number from 0 to 1",
        ),
        (
            &["filter", "--seed", "x"],
            "expected a whole number, 0 or more",
        ),
        (
            &["score", "--audit", "all"],
            "expected a whole number of answers, 0 or more",
        ),
    ] {
        let ran = Folder::new().run(args);
        assert_eq!(ran.status, Some(2), "{args:?}");
        assert!(ran.stderr.contains(expected), "{args:?}: {}", ran.stderr);
    }
}

#[test]
fn as_many_threads_as_are_allowed() {
    let args = ["filter", "--threads", "1024", "--backend", "cpu", "-q"];
    let input = lines(&fens(20, 50));
    let one = ["filter", "--threads", "1", "--backend", "cpu", "-q"];
    let folder = Folder::new();
    let (many, one) = (
        folder.run_with(&args, input.as_bytes()),
        folder.run_with(&one, input.as_bytes()),
    );
    assert_eq!(many.text(), one.text());
}

/// Like under a limit on processes: a one-line error, and no panic.
#[cfg(target_os = "linux")]
#[test]
fn threads_that_cannot_be_started() {
    let folder = Folder::new();
    folder.write("in", FEN);
    let command = folder.command(&["filter", "in", "--backend", "cpu", "--threads", "512"]);
    let limited = "ulimit -v 400000; exec \"$0\" \"$@\"";
    let output = std::process::Command::new("sh")
        .args(["-c", limited])
        .arg(command.get_program())
        .args(command.get_args())
        .current_dir(folder.path(""))
        .output()
        .unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{stderr}");
    let start = "swaplist: error: cannot start 512 worker threads: ";
    assert!(stderr.starts_with(start), "{stderr}");
    let hint = "; ask for fewer with --threads N\n";
    assert!(stderr.ends_with(hint), "{stderr}");
    assert_eq!(stderr.lines().count(), 1, "{stderr}");
}

#[cfg(unix)]
#[test]
fn a_replaced_file_keeps_its_permissions() {
    use std::fs::{Permissions, metadata, set_permissions};
    use std::os::unix::fs::PermissionsExt as _;
    let folder = Folder::new();
    for mode in [0o600, 0o640, 0o664] {
        folder.write("out", "precious");
        set_permissions(folder.path("out"), Permissions::from_mode(mode)).unwrap();
        let args = ["score", "-o", "out", "--force"];
        folder.run_with(&args, FEN.as_bytes()).text();
        assert!(folder.read("out").starts_with(b"fen\tmove\tsee\n"));
        let kept = metadata(folder.path("out")).unwrap().permissions().mode();
        assert_eq!(kept & 0o777, mode);
    }
}

#[cfg(unix)]
#[test]
fn a_link_to_nothing_is_not_replaced_unasked() {
    let folder = Folder::new();
    std::os::unix::fs::symlink("nothing", folder.path("out")).unwrap();
    let ran = folder.run_with(&["score", "-o", "out"], FEN.as_bytes());
    assert!(ran.error().starts_with("cannot create 'out': "), "{ran:?}");
    assert!(ran.error().ends_with(", --force replaces it"), "{ran:?}");
    assert_eq!(folder.files(), ["out"]);
}

#[test]
fn a_summary_as_json_is_given_though_quiet() {
    for command in ["score", "verdict", "filter"] {
        let ran = Folder::new().run_with(&[command, "--json", "-q"], FEN.as_bytes());
        let json: serde_json::Value = serde_json::from_str(&ran.stderr).unwrap();
        assert_eq!(json["records"], 1, "{command}");
        let ran = Folder::new().run_with(&[command, "-q"], FEN.as_bytes());
        assert_eq!(ran.stderr, "", "{command}");
    }
}

#[test]
fn what_a_line_is_instead_of_a_position() {
    for (line, expected) in [
        ("[Event \"Casual\"]", "not a position, looks like PGN"),
        (&format!("fen {FEN}"), "--from plain reads it"),
        (
            &FEN.replace(' ', "\t"),
            "its fields are separated by spaces",
        ),
        (&format!("{FEN};0-0"), "illegal move '0-0'"),
        ("8/4P1k1/8/8/8/8/8/4K3 w - - 0 1;e7e8", "as in 'e7e8q'"),
        (
            "4k3/8/8/8/8/8/8/4K3 w - - id \"\0\";",
            "not text: a NUL at byte 31",
        ),
    ] {
        let ran = Folder::new().run_with(&["score", "--from", "text"], line.as_bytes());
        assert!(ran.error().contains(expected), "{}", ran.stderr);
    }
}

#[test]
fn limits_are_in_the_help() {
    for command in ["score", "filter", "verdict", "verify", "check"] {
        let help = Folder::new().run(&[command, "--help"]);
        let words: Vec<_> = help.text().split_whitespace().collect();
        let help = words.join(" ");
        assert!(help.contains("between -30000 and 30000"), "{command}");
        assert!(help.contains("1 MiB long at most"), "{command}");
    }
}

/// From the position with the most legal moves: the output is far larger than the input.
const MOST_MOVES: &str = "R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1";

#[test]
fn much_output_is_whole_and_in_order_on_any_number_of_threads() {
    let folder = Folder::new();
    // Distinguished by the move number.
    let fens: Vec<_> = (1..=4_000)
        .map(|number| format!("{} {number}", MOST_MOVES.strip_suffix(" 1").unwrap()))
        .collect();
    folder.write("in", lines(&fens));
    let score = |threads| {
        let args = [
            "score",
            "in",
            "--moves",
            "all",
            "--backend",
            "cpu",
            "-q",
            "--threads",
        ];
        folder.run(&[&args[..], &[threads]].concat())
    };
    let one = score("1");
    let mut rows = one.text().lines().skip(1);
    for fen in &fens {
        assert!(rows.by_ref().take(218).all(|row| row.starts_with(fen)));
    }
    assert_eq!(rows.next(), None);
    assert!(one.stdout == score("4").stdout);
}

/// Nobody reads the output: the command must wait instead of collecting it.
#[cfg(target_os = "linux")]
#[test]
fn memory_is_bounded_by_what_comes_out() {
    use std::time::Duration;
    let folder = Folder::new();
    folder.write("in", lines(&vec![MOST_MOVES; 100_000]));
    let args = [
        "score",
        "in",
        "--moves",
        "all",
        "--backend",
        "cpu",
        "-q",
        "--threads",
        "4",
    ];
    let mut child = folder.command(&args).spawn().unwrap();
    let status = format!("/proc/{}/status", child.id());
    let peak = || {
        let status = std::fs::read_to_string(&status).unwrap();
        let line = status.lines().find(|line| line.starts_with("VmHWM:"));
        let kilobytes = line.unwrap().split_whitespace().nth(1).unwrap();
        kilobytes.parse::<u64>().unwrap() >> 10
    };
    // Until it stops growing, at most half a minute.
    let (mut before, mut still) = (0, 0);
    for _ in 0..150 {
        std::thread::sleep(Duration::from_millis(200));
        let now = peak();
        still = if now == before { still + 1 } else { 0 };
        before = now;
        if still == 10 {
            break;
        }
    }
    assert!(
        child.try_wait().unwrap().is_none(),
        "it was to be stopped by the pipe"
    );
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(before < 150, "{before} MiB");
}

/// The reader of one output has closed it, but the other would silently be incomplete.
#[test]
fn a_reader_who_leaves_one_of_two_outputs_is_an_error() {
    let folder = Folder::new();
    folder.write("in", lines(&vec![FEN; 100_000]));
    for (args, status) in [
        (&["filter", "in", "-o", "out", "--rejects", "-"][..], 2),
        (&["filter", "in", "--rejects", "out", "--max-see", "900"], 2),
        (&["filter", "in", "--max-see", "900"], 0),
    ] {
        let mut child = folder.command(args).spawn().unwrap();
        drop(child.stdout.take());
        let ran = child.wait_with_output().unwrap();
        let stderr = String::from_utf8(ran.stderr).unwrap();
        assert_eq!(ran.status.code(), Some(status), "{args:?} {stderr}");
        assert_eq!(stderr.contains("cannot write"), status == 2, "{stderr}");
        assert_eq!(folder.files(), ["in"], "{args:?}");
    }
}
