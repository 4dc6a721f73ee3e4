//! Real files, which are not part of the repository.

use serde_json::Value;

use crate::data;
use crate::run::{Folder, text};

#[test]
#[ignore = "needs SWAPLIST_DATA"]
fn real_data_edge_lines_are_scored_or_refused() {
    for (name, lines) in [
        ("edge/cozy_invalid.sfens", 9_992),
        ("edge/cw_destruction-test.epd", 106),
    ] {
        let path = data::path(name);
        let ran = Folder::new().run(&["score", text(&path), "--skip-invalid", "--json"]);
        assert_eq!(ran.status, Some(1), "{}", ran.stderr);
        let summary: Value = serde_json::from_str(&ran.stderr).unwrap();
        let records = &summary["records"];
        let invalid = &summary["invalid"];
        assert_eq!(
            records.as_u64().unwrap() + invalid.as_u64().unwrap(),
            lines,
            "{name}"
        );
    }
}

#[test]
#[ignore = "needs SWAPLIST_DATA"]
fn real_data_is_the_same_on_every_path() {
    let path = data::path("human_100k.fen");
    let ran = Folder::new().run(&["verify", text(&path), "--all-profiles"]);
    assert!(ran.text().contains("records     100,000"), "{}", ran.text());
    assert!(ran.text().ends_with("result      all equal\n"));
}

#[test]
#[ignore = "needs SWAPLIST_DATA"]
fn real_data_kept_and_rejected_are_the_whole() {
    let folder = Folder::new();
    let path = data::path("human_100k.fen");
    let ran = folder.run(&["filter", text(&path), "-o", "kept", "--rejects", "rest"]);
    ran.text();
    let parts = [folder.read("kept"), folder.read("rest")].concat();
    let whole = std::fs::read(&path).unwrap();
    let sorted = |bytes: &[u8]| {
        let mut lines: Vec<Vec<u8>> = bytes
            .split(|&byte| byte == b'\n')
            .map(<[u8]>::to_vec)
            .collect();
        lines.retain(|line| !line.is_empty());
        lines.sort_unstable();
        lines
    };
    assert!(sorted(&parts) == sorted(&whole));
    assert!(!folder.read("kept").is_empty() && !folder.read("rest").is_empty());
}

/// viriformat back and forth; binpack as its trainer wrote it.
#[test]
#[ignore = "needs SWAPLIST_DATA"]
fn real_data_converts_there_and_back() {
    let folder = Folder::new();
    let games = data::path("formats/sf_small.viriformat");
    for args in [
        ["convert", text(&games), "-o", "there", "--to", "binpack"],
        ["convert", "there", "-o", "back", "--to", "viriformat"],
    ] {
        folder.run(&args).text();
    }
    assert!(folder.read("back") == std::fs::read(&games).unwrap());
    let chains = data::path("formats/sf_small.binpack");
    for args in [
        [
            "convert",
            text(&chains),
            "-o",
            "there",
            "--to",
            "viriformat",
            "--force",
        ],
        [
            "convert", "there", "-o", "back", "--to", "binpack", "--force",
        ],
        [
            "convert",
            "back",
            "-o",
            "again",
            "--to",
            "viriformat",
            "--force",
        ],
    ] {
        folder.run(&args).text();
    }
    assert!(folder.read("again") == folder.read("there"));
}

#[test]
#[ignore = "needs SWAPLIST_DATA"]
fn real_data_fens_of_games_are_those_of_single_positions() {
    let folder = Folder::new();
    let path = data::path("formats/sf_small.binpack");
    let name = "data.marlinformat";
    folder
        .run(&["convert", text(&path), "-o", name, "-q", "--score", "0"])
        .text();
    let whole = folder.run(&["verdict", text(&path), "-q"]);
    let single = folder.run(&["verdict", name, "-q"]);
    assert!(whole.text() == single.text());
}
