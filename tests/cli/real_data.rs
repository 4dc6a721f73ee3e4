//! On real files, which are not part of the project.

use serde_json::Value;

use crate::run::{Folder, text};

fn data(name: &str) -> std::path::PathBuf {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data");
    assert!(path.is_dir(), "no real data at {}", path.display());
    path.join(name)
}

#[test]
#[ignore = "needs ../shared/data"]
fn real_data_edge_lines_are_scored_or_refused() {
    for (name, lines) in [
        ("edge/cozy_invalid.sfens", 9_992),
        ("edge/cw_destruction-test.epd", 106),
    ] {
        let path = data(name);
        let ran = Folder::new().run(&["score", text(&path), "--skip-invalid", "--json"]);
        assert_eq!(ran.status, Some(1), "{}", ran.stderr);
        let summary: Value = serde_json::from_str(&ran.stderr).unwrap();
        let (records, invalid) = (&summary["records"], &summary["invalid"]);
        assert_eq!(
            records.as_u64().unwrap() + invalid.as_u64().unwrap(),
            lines,
            "{name}"
        );
    }
}

#[test]
#[ignore = "needs ../shared/data"]
fn real_data_is_the_same_on_every_path() {
    let path = data("human_100k.fen");
    let ran = Folder::new().run(&["verify", text(&path), "--all-profiles"]);
    assert!(ran.text().contains("records   100,000"), "{}", ran.text());
    assert!(
        ran.text().ends_with("result    all equal\n"),
        "{}",
        ran.text()
    );
}

#[test]
#[ignore = "needs ../shared/data"]
fn real_data_kept_and_rejected_are_the_whole() {
    let folder = Folder::new();
    let path = data("human_100k.fen");
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
