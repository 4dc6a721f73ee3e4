//! Records that another format cannot hold are never written, and never dropped silently.

use crate::games::{epd, write};
use crate::run::{Folder, Ran};

const FEN: &str = "4k3/8/8/8/8/8/4P3/4K3 b - - 0 1";

/// A game or record without a score, in every form, with a result and a played move.
fn unscored() -> [(&'static str, String); 5] {
    let record = |score: &str| format!("fen {FEN}\nmove e8e7\n{score}ply 1\nresult 0\ne\n");
    [
        ("a.pgn", "[Event \"?\"]\n\n1. e4 1/2-1/2\n".to_owned()),
        ("a.plain", record("")),
        ("b.plain", record("score 32002\n")),
        ("a.epd", format!("{FEN} sm Ke7; c9 \"1/2-1/2\";\n")),
        (
            "b.epd",
            format!("{FEN} sm Ke7; ce -32002; c9 \"1/2-1/2\";\n"),
        ),
    ]
}

/// The error, without the notes on losses.
#[track_caller]
pub fn error(ran: &Ran) -> &str {
    assert_eq!(ran.status, Some(2), "{ran:?}");
    ran.stderr.split_once("swaplist: error: ").unwrap().1
}

/// The record in text.
fn text(folder: &Folder, name: &str, format: &str) -> String {
    folder
        .run(&["convert", name, "--from", format, "--to", "text", "-q"])
        .text()
        .to_owned()
}

#[test]
fn unscored_records_are_refused_where_loaders_skip_nothing() {
    for (name, content) in unscored() {
        let folder = Folder::new();
        folder.write(name, content);
        for to in ["bulletformat", "marlinformat"] {
            for command in [&["convert"][..], &["filter", "--preset", "none"]] {
                let args = [command, &[name, "-o", "out.data", "--to", to]].concat();
                let ran = folder.run(&args);
                let needs = format!("{to} needs a score, which this record lacks (32002 means");
                assert!(error(&ran).contains(&needs), "{}", ran.stderr);
                // Games and chains would be lost as a whole.
                let is_alone = !["a.pgn", "a.viriformat", "a.binpack"].contains(&name);
                for (way_out, is_one) in [
                    ("--drop-unscored", true),
                    ("--score N", command == ["convert"]),
                    ("--skip-invalid", is_alone),
                ] {
                    assert_eq!(error(&ran).contains(way_out), is_one, "{}", ran.stderr);
                }
                assert_eq!(folder.files(), [name]);
            }
            let out = |args: &[&str]| {
                let args = [&[name, "-o", "out.data", "--to", to, "--force"], args].concat();
                folder.run(&[&["convert"], &args[..]].concat())
            };
            let ran = out(&["--drop-unscored"]);
            assert_eq!(ran.status, Some(0), "{}", ran.stderr);
            let line = "  unscored    1 (100.0 %), dropped\n";
            assert!(ran.stderr.contains(line), "{}", ran.stderr);
            assert_eq!(folder.read("out.data"), b"");
            let ran = out(&["--score", "-7"]);
            let line = "  unscored    1 (100.0 %), written as -7\n";
            assert!(ran.stderr.contains(line), "{}", ran.stderr);
            let score = if to == "bulletformat" || name == "a.pgn" {
                "-7"
            } else {
                "7"
            };
            let text = text(&folder, "out.data", to);
            assert!(text.contains(&format!(" | {score} | 0.5\n")), "{text}");
            let ran = out(&["--skip-invalid"]);
            assert_eq!(ran.status, Some(1), "{}", ran.stderr);
            std::fs::remove_file(folder.path("out.data")).unwrap();
        }
    }
}

#[test]
fn unscored_records_pass_where_they_are_skipped_and_are_counted() {
    for (name, content) in unscored() {
        let folder = Folder::new();
        folder.write(name, content);
        for to in ["binpack", "sfbin", "viriformat"] {
            for command in [&["convert"][..], &["filter", "--preset", "none"]] {
                let args = [command, &[name, "-o", "out", "--to", to, "--force"]].concat();
                let ran = folder.run(&args);
                assert_eq!(ran.status, Some(0), "{}", ran.stderr);
                let line = "  unscored    1 (100.0 %), written as 32002\n";
                assert!(ran.stderr.contains(line), "{}", ran.stderr);
                let text = text(&folder, "out", to);
                assert!(text.contains(" | 32002 | 0.5\n"), "{text}");
                folder.run(&[&args[..], &["--stats", "stats"]].concat());
                let stats: serde_json::Value =
                    serde_json::from_slice(&folder.read("stats")).unwrap();
                let unscored = &stats["unscored"];
                assert_eq!(unscored["records"], 1);
                assert_eq!(unscored["became"], "written as 32002");
            }
        }
    }
}

/// A filter that drops them, by any rule, needs no further option; one that keeps only them is
/// refused.
#[test]
fn filters_that_drop_unscored_records_write_the_others() {
    let folder = Folder::new();
    folder.write("in.txt", format!("{FEN} | 5 | 0.5\n{FEN} | 32002 | 0.5\n"));
    let filter = |args: &[&str]| {
        let filter = [
            "filter",
            "in.txt",
            "-o",
            "out.bf",
            "--to",
            "bulletformat",
            "--preset",
            "none",
            "--force",
        ];
        folder.run(&[&filter[..], args].concat())
    };
    for rule in [&["--drop-unscored"][..], &["--max-score", "32001"]] {
        assert_eq!(filter(rule).status, Some(0));
        assert_eq!(folder.read("out.bf").len(), 32);
    }
    for rule in [
        &["--max-score", "32002"][..],
        &["--drop-unscored", "--invert"],
    ] {
        let ran = filter(rule);
        assert!(
            error(&ran).contains("line 2: bulletformat needs a score"),
            "{}",
            ran.stderr
        );
    }
}

#[test]
fn a_score_for_all_is_no_mark_and_not_for_copies() {
    let folder = Folder::new();
    folder.write("in.txt", FEN);
    for score in ["32002", "-32002", "40000", "x"] {
        let ran = folder.run(&["convert", "in.txt", "-o", "out.bf", "--score", score]);
        assert_eq!(ran.status, Some(2));
        assert!(
            ran.stderr.contains("from -32001 to 32001"),
            "{}",
            ran.stderr
        );
    }
    let ran = folder.run(&["convert", "in.txt", "-o", "out.txt", "--score", "1"]);
    assert!(error(&ran).contains("records are copied"), "{}", ran.stderr);
    let ran = folder.run(&["convert", "in.txt", "-o", "out.txt", "--drop-unscored"]);
    assert_eq!(ran.status, Some(0), "{}", ran.stderr);
    assert_eq!(folder.read("out.txt"), b"");
}

/// No score is invented.
#[test]
fn records_without_a_result_are_refused() {
    let folder = Folder::new();
    folder.write(
        "in.pgn",
        "[Event \"?\"]\n\n1. e4 {+0.13/22} e5 {-0.10/20} *\n",
    );
    folder.write(
        "in.plain",
        format!("fen {FEN}\nmove e8e7\nscore 5\nply 1\ne\n"),
    );
    folder.write("in.epd", format!("{FEN} sm Ke7; ce 5;\n"));
    for name in ["in.pgn", "in.plain", "in.epd"] {
        for to in [
            "binpack",
            "sfbin",
            "viriformat",
            "bulletformat",
            "marlinformat",
        ] {
            let args = ["convert", name, "-o", "out", "--to", to, "--score", "1"];
            let ran = folder.run(&args);
            let needs = format!("{to} needs a result, which this record lacks; --skip-invalid");
            assert!(error(&ran).contains(&needs), "{}", ran.stderr);
            assert_eq!(folder.files().len(), 3);
        }
    }
}

/// Formats that replay moves, and those with 16-bit scores.
const GAMES: &[&str] = &["binpack", "viriformat"];
const SCORED: &[&str] = &[
    "binpack",
    "viriformat",
    "sfbin",
    "bulletformat",
    "marlinformat",
];

/// Records that a format cannot hold, each between two that it can.
#[test]
fn what_a_format_cannot_hold_is_passed_over_counted_and_named() {
    let record = |fen: &str, played: &str, score: &str| {
        format!("fen {fen}\nmove {played}\nscore {score}\nply 1\nresult 0\ne\n")
    };
    let good = record(FEN, "e8e7", "5");
    let inner = record("4k3/8/8/8/8/8/8/RR2K3 w B - 0 1", "e1e2", "5");
    let large = record(FEN, "e8e7", "40000");
    let late = good.replace("ply 1", "ply 16384");
    let nobody = record(FEN, "e2e4", "5");
    let flies = record(FEN, "e8e2", "5");
    for (bad, formats, reason) in [
        (
            &inner,
            &["binpack"][..],
            "binpack cannot hold the castling right of a rook that is not in",
        ),
        (
            &inner,
            &["sfbin"],
            "sfbin cannot hold the castling right of a rook that is not outermost",
        ),
        (&large, SCORED, "cannot hold the score"),
        (&late, &["binpack"], "binpack cannot hold the ply 16384"),
        (&nobody, GAMES, "illegal move 'e2e4' in the position '4k3/"),
        (&flies, GAMES, "illegal move 'e8e2' in the position '4k3/"),
    ] {
        let folder = Folder::new();
        folder.write("in.plain", [&*good, bad, &good].concat());
        folder.write("good.plain", [&*good, &good].concat());
        for to in formats {
            let refused = folder.run(&["convert", "in.plain", "-o", "out", "--to", to]);
            let start = "in.plain, line 7: ";
            assert!(error(&refused).starts_with(start), "{}", refused.stderr);
            assert!(error(&refused).contains(reason), "{}", refused.stderr);
            assert_eq!(folder.files(), ["good.plain", "in.plain"]);
            let convert = |input: &str| {
                let args = ["convert", input, "-o", "out", "--to", to, "--skip-invalid"];
                let ran = folder.run(&args);
                let out = folder.read("out");
                std::fs::remove_file(folder.path("out")).unwrap();
                (ran, out)
            };
            let (ran, out) = convert("in.plain");
            assert_eq!(ran.status, Some(1), "{}", ran.stderr);
            for line in ["invalid     1, ", "line 7: ", reason, "records     2\n"] {
                assert!(ran.stderr.contains(line), "{line}: {}", ran.stderr);
            }
            assert!(out == convert("good.plain").1, "{to}");
        }
    }
    // Text lines hold scores of any size.
    let folder = Folder::new();
    folder.write("in.plain", large);
    assert!(text(&folder, "in.plain", "plain").contains(" | -40000 | 0.5"));
}

/// A game is dropped as a whole: its other records depend on it.
#[test]
fn games_that_a_format_cannot_hold_are_passed_over_whole() {
    let folder = Folder::new();
    let game = |fen: &str| {
        format!("[Event \"?\"]\n[FEN \"{fen}\"]\n\n1. Ke2 {{+0.05/9}} Ke7 {{+0.05/9}} 1/2-1/2\n\n")
    };
    let good = game("4k3/8/8/8/8/8/8/4K3 w - - 0 1");
    let inner = game("4k3/8/8/8/8/8/8/RR2K3 w B - 0 1");
    folder.write("in.pgn", [&*good, &inner, &good].concat());
    folder.write("good.pgn", [&*good, &good].concat());
    for name in ["in", "good"] {
        let input = format!("{name}.pgn");
        let args = ["convert", &input, "-o", &format!("{name}.viri")];
        folder.run(&args).text();
        for from in ["pgn", "viri"] {
            let (input, out) = (format!("{name}.{from}"), format!("{name}.{from}.binpack"));
            let ran = folder.run(&["convert", &input, "-o", &out, "--skip-invalid"]);
            assert_eq!(ran.status, Some(i32::from(name == "in")), "{}", ran.stderr);
            assert!(ran.stderr.contains("records     4\n"), "{}", ran.stderr);
        }
    }
    assert!(folder.read("in.pgn.binpack") == folder.read("good.pgn.binpack"));
    assert!(folder.read("in.viri.binpack") == folder.read("good.pgn.binpack"));
}

#[test]
fn the_summary_goes_to_a_file() {
    let folder = Folder::new();
    folder.write("in.txt", format!("{FEN} | 5 | 0.5\n"));
    let args = [
        "convert",
        "in.txt",
        "-o",
        "out.bf",
        "--stats",
        "stats.json",
        "-q",
    ];
    folder.run(&args).text();
    let json: serde_json::Value = serde_json::from_slice(&folder.read("stats.json")).unwrap();
    assert_eq!(json["records"], 1);
    assert_eq!(json["unscored"]["records"], 0);
    assert_eq!(json["bytes"]["written"], 32);
    let ran = folder.run(&[
        "convert",
        "in.txt",
        "-o",
        "other.bf",
        "--stats",
        "stats.json",
    ]);
    assert!(error(&ran).contains("stats.json"), "{}", ran.stderr);
    assert_eq!(folder.files(), ["in.txt", "out.bf", "stats.json"]);
}

/// For blocks of any size.
#[test]
fn games_of_single_records_stay_whole() {
    let folder = Folder::new();
    let epd = epd(2, 150); // 1.5 MB: several blocks
    for from in ["plain", "sfbin", "text"] {
        write(&folder, from, from, &epd);
        for (to, unit) in [("viriformat", "games"), ("binpack", "chains")] {
            let args = [
                "convert", from, "--from", from, "-o", "out", "--to", to, "--force",
            ];
            folder.run(&args).text();
            let ran = folder.run(&["count", "out"]);
            let line = format!("\n  {unit:<10}  150\n");
            assert!(ran.text().contains(&line), "{from} {}", ran.text());
        }
    }
}

/// The suggested option works for rejects, games, and formats that cannot be written.
#[test]
fn what_is_refused_names_a_way_out_that_works() {
    let folder = Folder::new();
    let game = "[Result \"1-0\"]\n\n1. e4 {[%eval 0.3]} e5 {[%eval 0.2]} 1-0\n";
    folder.write("in.pgn", game);
    let convert = ["convert", "in.pgn", "-o", "out.data"];
    let ran = folder.run(&convert);
    assert!(
        error(&ran)
            .trim_end()
            .ends_with("--drop-unscored leaves such records out, --score N gives them all one"),
        "{}",
        error(&ran)
    );
    let filter = ["filter", "in.pgn", "-o", "out.data", "--drop-unscored"];
    let ran = folder.run(&[&filter[..], &["--rejects", "rest"]].concat());
    assert!(
        error(&ran).starts_with("rejects in bulletformat cannot hold records without a score"),
        "{}",
        error(&ran)
    );
    assert_eq!(folder.run(&filter).status, Some(0));
    folder.write("in.fen", "4k3/8/8/8/8/8/8/4K3 w - - 0 1\n");
    let ran = folder.run(&["filter", "in.fen", "-o", "out.jsonl"]);
    assert!(
        error(&ran).trim_end().ends_with("choose another name"),
        "{}",
        error(&ran)
    );
}

#[test]
fn marks_that_loaders_do_not_skip_are_spoken_of() {
    let folder = Folder::new();
    folder.write("in.fen", "4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1 | 20 | 1.0\n");
    let convert = ["convert", "in.fen", "-o", "in.bf"];
    assert_eq!(folder.run(&convert).status, Some(0));
    let mark = ["filter", "in.bf", "-o", "out.bf", "--mode", "mark"];
    let ran = folder.run(&mark);
    assert_eq!(ran.status, Some(0), "{}", ran.stderr);
    let note = "note: loaders of bulletformat do not skip marked records";
    assert!(ran.stderr.contains(note), "{}", ran.stderr);
}
