//! Presets, flags and rule files.

use serde_json::Value;
use swaplist::filter::{Preset, Reason, Settings};

use crate::run::{Folder, fens, lines};

/// Records with every field that a rule may need.
const CALM: &str = "4k3/8/8/8/8/8/4P3/4K3 w - - 0 20 sm e2e4; ce 30; c9 \"1/2-1/2\";";
const EARLY: &str = "4k3/8/8/8/8/8/4P3/4K3 w - - 0 8 sm e2e4; ce 30; c9 \"1/2-1/2\";";
const HANGING: &str = "4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 20 sm e4e5; ce 90; c9 \"1-0\";";
const TAKES: &str = "4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 20 sm e4d5; ce 90; c9 \"1-0\";";
const LOSES: &str = "4k3/8/4p3/3p4/8/8/8/3QK3 w - - 0 20 sm Qxd5; ce -500; c9 \"0-1\";";
const CASTLES: &str = "4k3/8/8/8/8/8/8/4K2R w K - 0 20 sm O-O; ce 500; c9 \"1-0\";";
const WON: &str = "4k3/8/8/8/8/8/4P3/4K3 w - - 0 20 sm e2e4; ce 31000; c9 \"1-0\";";
const NONE: &str = "4k3/8/8/8/8/8/4P3/4K3 w - - 0 20 sm e2e4; ce 32002; c9 \"1-0\";";
const CHECK: &str = "4k3/8/8/8/8/8/8/r3K3 w - - 0 20 sm Kd2; ce -500; c9 \"0-1\";";

const ALL: [&str; 9] = [
    CALM, EARLY, HANGING, TAKES, LOSES, CASTLES, WON, NONE, CHECK,
];

fn kept(args: &[&str]) -> Vec<String> {
    let args = [&["filter"], args].concat();
    let ran = Folder::new().run_with(&args, lines(&ALL).as_bytes());
    ran.text().lines().map(str::to_owned).collect()
}

#[test]
fn presets_and_what_changes_them() {
    for (args, expected) in [
        (
            &["--preset", "quiet"][..],
            &[CALM, EARLY, LOSES, CASTLES, WON, NONE][..],
        ),
        (&["--preset", "bullet"], &[CALM, HANGING]),
        (
            &["--preset", "viriformat", "--min-pieces", "0"],
            &[CALM, HANGING, CASTLES, WON],
        ),
        (&["--preset", "viriformat"], &[HANGING]),
        (
            &["--preset", "nnue-pytorch"],
            &[CALM, EARLY, HANGING, CASTLES, WON],
        ),
        (
            &["--preset", "see-ge0"],
            &[CALM, EARLY, HANGING, LOSES, CASTLES, WON, NONE],
        ),
        (&["--preset", "none"], &ALL),
        (&["--preset", "bullet", "--max-see", "0"], &[CALM]),
        (
            &["--preset", "bullet", "--played", "any", "--max-see", "0"],
            &[CALM, LOSES, CASTLES],
        ),
        (
            &["--preset", "bullet", "--keep-checks", "--min-ply", "15"],
            &[CALM, HANGING, CHECK],
        ),
        (
            &["--preset", "bullet", "--max-score", "none"],
            &[CALM, HANGING, WON, NONE],
        ),
        (
            &["--max-see", "none", "--min-ply", "15"],
            &[CALM, HANGING, TAKES, LOSES, CASTLES, WON, NONE],
        ),
        (&["--preset", "none", "--max-played-see", "-1"], &[LOSES]),
        (&["--preset", "none", "--min-played-see", "1"], &[TAKES]),
        (
            &["--preset", "none", "--max-pieces", "3", "--invert"],
            &[HANGING, TAKES, LOSES],
        ),
        (&["--keep-fraction", "0"], &[]),
    ] {
        assert_eq!(kept(args), expected, "{args:?}");
    }
}

#[test]
fn a_file_of_rules_and_flags_over_it() {
    let folder = Folder::new();
    folder.write(
        "viridithas.toml",
        "min_ply = 30\nmin_pieces = 0\nfilter_tactical = false\nmax_eval = 31000\n",
    );
    folder.write(
        "own.toml",
        "preset = 'none'\nplayed = 'see-ge0'\nmax_pieces = 4\n",
    );
    let stdin = lines(&ALL);
    for (args, expected) in [
        (
            &["--config", "viridithas.toml"][..],
            &[CALM, HANGING, TAKES, LOSES, CASTLES][..],
        ),
        (
            &[
                "--config",
                "viridithas.toml",
                "--played",
                "quiet",
                "--min-ply",
                "0",
            ],
            &[CALM, EARLY, HANGING, CASTLES],
        ),
        (
            &["--config", "own.toml"],
            &[CALM, EARLY, HANGING, CASTLES, WON, NONE, CHECK],
        ),
        (
            &["--config", "own.toml", "--preset", "bullet"],
            &[CALM, HANGING, CASTLES],
        ),
        (
            &[
                "--config",
                "own.toml",
                "--max-pieces",
                "none",
                "--min-pieces",
                "5",
            ],
            &[LOSES],
        ),
    ] {
        let args = [&["filter"], args].concat();
        let ran = folder.run_with(&args, stdin.as_bytes());
        assert_eq!(ran.text(), lines(expected), "{args:?}");
    }
}

#[test]
fn each_reason_is_counted() {
    let folder = Folder::new();
    let args = [
        "filter",
        "--preset",
        "bullet",
        "--max-see",
        "0",
        "-o",
        "out",
        "--stats",
        "stats.json",
    ];
    let ran = folder.run_with(&args, lines(&ALL).as_bytes());
    assert_eq!(ran.status, Some(0), "{}", ran.stderr);
    assert!(
        ran.stderr.contains("2 (22.2 %), a capture was played"),
        "{}",
        ran.stderr
    );
    let stats: Value = serde_json::from_slice(&folder.read("stats.json")).unwrap();
    let counts = [
        ("ply", 1),
        ("score", 2),
        ("in_check", 1),
        ("played_capture", 2),
        ("played_castling", 1),
        ("see", 1),
    ];
    for reason in Reason::all().map(Reason::name) {
        let count = counts.iter().find(|(name, _)| *name == reason);
        let expected = count.map_or(0, |&(_, count)| count);
        assert_eq!(stats["dropped"][reason], expected, "{reason}");
    }
    assert_eq!(
        (&stats["kept"], &stats["mode"]),
        (&1.into(), &"drop".into())
    );
}

#[test]
fn explain_says_the_rules_and_reads_nothing() {
    for preset in Preset::ALL {
        let folder = Folder::new();
        let args = [
            "filter",
            "missing",
            "-o",
            "out",
            "--preset",
            preset.name(),
            "--explain",
        ];
        let ran = folder.run(&args);
        assert!(ran.text().starts_with(&format!("preset {preset}: ")));
        for (reason, words) in preset.filter().clauses() {
            let line = ran.text().lines().find(|line| line.ends_with(&words));
            assert!(line.unwrap().trim_start().starts_with(reason.name()));
        }
        assert_eq!((ran.stderr.as_str(), folder.files()), ("", Vec::new()));
    }
    let ran = Folder::new().run(&["filter", "--explain", "--preset", "see-ge0"]);
    assert!(ran.text().contains("SEE: profile sf, values 1,3,3,5,9\n"));
    // Unlike the original tool, whose pins are faulty.
    assert!(ran.text().contains("5 of 27,983 records otherwise"));
    let ran = Folder::new().run(&[
        "filter",
        "--explain",
        "--preset",
        "see-ge0",
        "--profile",
        "legal",
        "--max-see",
        "5",
        "--invert",
    ]);
    for part in [
        "Changed by the options given",
        "A record is kept, for",
        "a SEE above 5",
        "SEE: profile legal, values 1,3,3,5,9\n",
        "Each record must have a played move, a score.",
    ] {
        assert!(ran.text().contains(part), "{}", ran.text());
    }
}

#[test]
fn explain_names_what_records_must_have() {
    let bullet = Folder::new().run(&["filter", "--preset", "bullet", "--explain"]);
    let needs = "Each record must have a played move, a score, a move number.";
    assert!(bullet.text().contains(needs), "{}", bullet.text());
}

#[test]
fn what_cannot_be_is_refused_before_anything_is_read() {
    let folder = Folder::new();
    folder.write("bad.toml", "min_ply = 3\n\nmax_sea = 4\n");
    for (args, error) in [
        (
            &["--mode", "mark"][..],
            "records of the format text cannot be marked",
        ),
        (
            &["--config", "bad.toml"],
            "'bad.toml': line 3: unknown field `max_sea`",
        ),
        (&["--config", "missing.toml"], "cannot read 'missing.toml'"),
    ] {
        let args = [&["filter", "-o", "out"], args].concat();
        let ran = folder.run(&args);
        assert!(ran.error().starts_with(error), "{}", ran.error());
        assert_eq!(folder.files(), ["bad.toml"]);
    }
    for args in [
        &["--preset", "best"][..],
        &["--played", "silent"],
        &["--max-see", "much"],
        &["--max-score=-1"],
        &["--keep-fraction", "2"],
    ] {
        let ran = folder.run(&[&["filter"], args].concat());
        assert_eq!(ran.status, Some(2));
        assert!(ran.stderr.contains("invalid value"), "{}", ran.stderr);
    }
}

#[test]
fn thinning_is_the_same_for_any_number_of_threads() {
    let fens = lines(&fens(6, 30_000));
    let thinned = |args: &[&str]| {
        let args = [
            &["filter", "--preset", "none", "--keep-fraction", "0.1"],
            args,
        ]
        .concat();
        let ran = Folder::new().run_with(&args, fens.as_bytes());
        ran.text().to_owned()
    };
    let one = thinned(&["--threads", "1", "--seed", "5"]);
    assert!(one.lines().count().abs_diff(3_000) < 260);
    assert!(one == thinned(&["--threads", "7", "--seed", "5"]));
    assert!(one != thinned(&["--threads", "7"]));
}

/// Flags and keys are the same settings.
#[test]
fn every_flag_of_the_filter_is_a_key_of_its_file() {
    let help = Folder::new().run(&["filter", "--help"]);
    let section = help.text().split("\nFilter:\n").nth(1).unwrap();
    let section = section.split("\nRules:\n").next().unwrap();
    let flags: Vec<&str> = section
        .lines()
        .filter_map(|line| line.trim().strip_prefix("--"))
        .map(|flag| flag.split([' ', '[']).next().unwrap())
        .filter(|flag| !["config", "explain", "limit"].contains(flag))
        .collect();
    assert_eq!(flags.len(), 17, "{flags:?}");
    for flag in flags {
        let key = flag.replace('-', "_");
        let error = Settings::from_toml(&format!("{key} = [[1]]"))
            .unwrap_err()
            .to_string();
        assert!(!error.contains("unknown field"), "{flag}: {error}");
    }
}
