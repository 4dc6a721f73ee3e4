use serde_json::Value;
use swaplist::{Position, Rules};

use crate::run::{Folder, fens, lines};

/// One position of each kind.
const QUIET: &str = "4k3/8/8/8/8/8/8/4K3 w - - 0 1";
const HANGING: &str = "4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1";
const CHECK: &str = "4k3/8/8/8/8/8/8/r3K3 w - - 0 1";
/// White has no capture; the black rook would take the pawn.
const THREATENED: &str = "4k3/8/8/8/8/3r4/3P4/7K w - - 0 1";

#[test]
fn kept_lines_are_kept_byte_for_byte() {
    let folder = Folder::new();
    let kept = [
        format!("{QUIET}\r\n"),
        format!("  {QUIET} \t\n"),
        "4k3/8/8/8/8/8/8/4K3 b - - | -12 | 0.5\n".to_owned(),
        "4k3/8/8/8/8/8/8/4K3 w - - bm Kd2; id \"Müller; 1\"; c9 \"1-0\";\n".to_owned(),
        "4k3/8/8/8/8/8/8/4K3 w - -;e1e2 Kd1\n".to_owned(),
        "4k3/8/8/8/8/8/8/4K3 w - - [1.0]".to_owned(), // no newline at the end
    ];
    let dropped = [format!("{HANGING} | 5 | 1.0\r\n"), format!("{CHECK}\n")];
    let passed_over = ["# a comment\n", "\n", "\r\n", "   \n"];
    let input = [
        &kept[0],
        &dropped[0],
        passed_over[0],
        &kept[1],
        passed_over[1],
        &kept[2],
        passed_over[2],
        &dropped[1],
        &kept[3],
        passed_over[3],
        &kept[4],
        &kept[5],
    ]
    .concat();
    folder.write("in.txt", &input);
    let ran = folder.run(&["filter", "in.txt", "-o", "out.txt", "--rejects", "no.txt"]);
    assert_eq!(ran.text(), "");
    assert_eq!(folder.read("out.txt"), kept.concat().into_bytes());
    assert_eq!(folder.read("no.txt"), dropped.concat().into_bytes());
    assert_eq!(folder.files(), ["in.txt", "no.txt", "out.txt"]);
}

#[test]
fn stdin_to_stdout_agrees_with_the_library() {
    let fens = fens(1, 40_000); // several blocks
    let quiet = |fen: &&String| {
        let position: Position = fen.parse().unwrap();
        let verdict = Rules::SWAP.verdict(&position, false);
        !verdict.in_check && verdict.best.is_none_or(|best| best.see <= 0)
    };
    let expected: Vec<&String> = fens.iter().filter(quiet).collect();
    assert!(expected.len() > 1000 && expected.len() < fens.len());
    for threads in ["1", "2", "7"] {
        for input in [
            &["filter", "--threads", threads][..],
            &["filter", "-", "--threads", threads],
        ] {
            let ran = Folder::new().run_with(input, lines(&fens).as_bytes());
            assert!(ran.text() == lines(&expected), "{input:?}");
        }
    }
}

#[test]
fn each_option_has_its_effect() {
    let input = lines(&[QUIET, HANGING, CHECK, THREATENED]);
    for (options, kept) in [
        (&[][..], vec![QUIET, THREATENED]),
        (&["--max-see", "99"], vec![QUIET, THREATENED]),
        (&["--max-see", "100"], vec![QUIET, HANGING, THREATENED]),
        (&["--max-see", "-1"], vec![QUIET, THREATENED]),
        (&["--max-threat", "0"], vec![QUIET]),
        (&["--max-threat", "100"], vec![QUIET, THREATENED]),
        (&["--keep-checks"], vec![QUIET, CHECK, THREATENED]),
        (&["--invert"], vec![HANGING, CHECK]),
        (&["--limit", "1"], vec![QUIET]),
        (&["--invert", "--limit", "2"], vec![HANGING, CHECK]),
        (&["--values", "0,3,3,5,9"], vec![QUIET, HANGING, THREATENED]),
    ] {
        let args = [&["filter"], options].concat();
        let ran = Folder::new().run_with(&args, input.as_bytes());
        assert_eq!(ran.text(), lines(&kept), "{options:?}");
    }
}

#[test]
fn kept_and_rejected_are_the_whole() {
    let folder = Folder::new();
    let mut whole = fens(2, 2_000);
    whole.insert(1000, "no fen".to_owned());
    folder.write("in", lines(&whole));
    let args = [
        "filter",
        "in",
        "-o",
        "out",
        "--rejects",
        "no",
        "--skip-invalid",
    ];
    assert_eq!(folder.run(&args).status, Some(1));
    let both = [folder.read("out"), folder.read("no")].concat();
    let mut both: Vec<&str> = str::from_utf8(&both).unwrap().lines().collect();
    both.sort_unstable();
    whole.sort_unstable();
    assert_eq!(both, whole);
}

#[test]
fn the_limit_is_exact_in_any_block() {
    let fens = fens(3, 30_000);
    let all = Folder::new().run_with(&["filter"], lines(&fens).as_bytes());
    let all: Vec<&str> = all.text().lines().collect();
    for limit in [1, 1000, all.len() - 1, all.len(), all.len() + 1] {
        let folder = Folder::new();
        let text = limit.to_string();
        let args = ["filter", "--limit", &text, "--rejects", "no"];
        let ran = folder.run_with(&args, lines(&fens).as_bytes());
        let kept: Vec<&str> = ran.text().lines().collect();
        assert!(kept == all[..limit.min(all.len())], "{limit}");
        // Rejects come from before the last kept record.
        let rejected = folder
            .read("no")
            .split_inclusive(|&byte| byte == b'\n')
            .count();
        if limit < all.len() {
            let last = fens.iter().position(|fen| fen == kept[limit - 1]);
            assert!(rejected + limit > last.unwrap());
            assert!(rejected + limit < fens.len());
        }
    }
}

#[test]
fn what_follows_the_limit_is_not_looked_at() {
    let input = lines(&[QUIET, "no fen"]);
    let ran = Folder::new().run_with(&["filter", "--limit", "1"], input.as_bytes());
    assert_eq!(ran.text(), lines(&[QUIET]));
    let ran = Folder::new().run_with(&["filter", "--limit", "2"], input.as_bytes());
    assert!(ran.error().contains("line 2"));
}

#[test]
fn stats_tell_counts_rules_and_results() {
    let folder = Folder::new();
    let input = lines(&[
        format!("{QUIET} | 0 | 1.0"),
        format!("{HANGING} | 0 | 0.5"),
        format!("{CHECK} | 0 | 0.0"),
        "nonsense".to_owned(),
    ]);
    let args = [
        "filter",
        "-o",
        "out",
        "--stats",
        "stats.json",
        "--skip-invalid",
        "--profile",
        "sf",
    ];
    let ran = folder.run_with(&args, input.as_bytes());
    assert_eq!(ran.status, Some(1));
    assert!(
        ran.stderr.contains("line 4: too few fields"),
        "{}",
        ran.stderr
    );
    let stats: Value = serde_json::from_slice(&folder.read("stats.json")).unwrap();
    assert_eq!(stats["records"], 3);
    assert_eq!(stats["kept"], 1);
    assert_eq!(stats["invalid"], 1);
    assert_eq!(stats["dropped"]["see"], 1);
    assert_eq!(stats["dropped"]["in_check"], 1);
    assert_eq!(stats["results"]["read"]["draw"], 1);
    assert_eq!(stats["results"]["kept"]["white"], 1);
    assert_eq!(stats["rules"]["profile"], "sf");
    assert_eq!(stats["rules"]["en_passant"], "zero");
}

#[test]
fn the_summary_says_what_was_done() {
    let ran = Folder::new().run_with(
        &["filter", "--pins", "sf"],
        lines(&[QUIET, CHECK]).as_bytes(),
    );
    for part in [
        "records     2",
        "kept        1 (50.0 %)",
        "1 (50.0 %), in check",
        "pins sf, en-passant exact",
    ] {
        assert!(ran.stderr.contains(part), "{}", ran.stderr);
    }
    let quiet = Folder::new().run_with(&["filter", "-q"], lines(&[QUIET]).as_bytes());
    assert_eq!(quiet.stderr, "");
    let json = Folder::new().run_with(&["filter", "--json"], lines(&[QUIET]).as_bytes());
    let json: Value = serde_json::from_str(&json.stderr).unwrap();
    assert_eq!(json["kept"], 1);
}

#[cfg(unix)]
#[test]
fn a_new_file_has_the_rights_of_a_new_file() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = Folder::new();
    folder
        .run_with(&["filter", "-o", "out"], lines(&[QUIET]).as_bytes())
        .text();
    folder.write("plain", "");
    let mode = |name: &str| folder.path(name).metadata().unwrap().permissions().mode();
    assert_eq!(mode("out"), mode("plain"));
}

#[test]
fn force_replaces_through_a_symbolic_link() {
    let folder = Folder::new();
    folder.write("file", "old");
    #[cfg(unix)]
    std::os::unix::fs::symlink("file", folder.path("link")).unwrap();
    #[cfg(not(unix))]
    folder.write("link", "old");
    let args = ["filter", "-o", "link", "--force"];
    folder.run_with(&args, lines(&[QUIET]).as_bytes()).text();
    assert_eq!(folder.read("link"), lines(&[QUIET]).into_bytes());
    #[cfg(unix)]
    assert_eq!(folder.read("file"), lines(&[QUIET]).into_bytes());
}

/// Records after the last one are read ahead, more of them by more threads.
#[test]
fn the_bytes_read_under_a_limit_are_those_of_the_records_seen() {
    let fens = fens(21, 30_000);
    let folder = Folder::new();
    folder.write("in", lines(&fens));
    for limit in ["1", "100", "1000"] {
        for threads in ["1", "2", "5"] {
            let args = [
                "filter",
                "in",
                "-o",
                "out",
                "--force",
                "--limit",
                limit,
                "--threads",
                threads,
                "--backend",
                "cpu",
                "--json",
            ];
            let ran = folder.run(&args);
            let json: Value = serde_json::from_str(ran.text()).unwrap();
            let seen = json["records"].as_u64().unwrap() as usize;
            assert!(seen < fens.len(), "{seen}");
            assert_eq!(
                json["bytes"]["read"],
                lines(&fens[..seen]).len(),
                "{limit} {threads}"
            );
        }
    }
}
