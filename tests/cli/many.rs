use serde_json::Value;

use crate::games::{epd, write};
use crate::run::Folder;

#[test]
fn names_are_kept_and_a_bad_file_is_passed_over() {
    let folder = Folder::new();
    write(&folder, "a.binpack", "binpack", &epd(1, 5));
    write(&folder, "c.viriformat", "viriformat", &epd(2, 5));
    folder.write("b.bin", [0_u8; 100]);
    let args = [
        "filter",
        "a.binpack",
        "b.bin",
        "c.viriformat",
        "--out-dir",
        "out",
        "--stats",
        "stats",
        "--mode",
        "drop",
    ];
    let ran = folder.run(&args);
    assert_eq!(ran.status, Some(1), "{}", ran.stderr);
    assert!(
        ran.stderr
            .contains("swaplist: error: 'b.bin' is in no known format"),
        "{}",
        ran.stderr
    );
    assert!(
        ran.stderr.contains("3 files, 1 of them failed"),
        "{}",
        ran.stderr
    );
    let mut kept = 0;
    for name in ["a.binpack", "c.viriformat"] {
        let alone = [
            "filter", name, "-o", "alone", "--mode", "drop", "--force", "--json",
        ];
        let ran = folder.run(&alone);
        let json: Value = serde_json::from_str(&ran.stderr).unwrap();
        kept += json["kept"].as_u64().unwrap();
        assert!(
            folder.read(&format!("out/{name}")) == folder.read("alone"),
            "{name}"
        );
    }
    let stats: Value = serde_json::from_slice(&folder.read("stats")).unwrap();
    assert_eq!(stats["kept"], kept);
    let left = std::fs::read_dir(folder.path("out")).unwrap().count();
    assert_eq!(left, 2);
}

#[test]
fn nothing_is_replaced_unasked() {
    let folder = Folder::new();
    write(&folder, "a.viriformat", "viriformat", &epd(3, 2));
    let here = folder.run(&["filter", "a.viriformat", "--out-dir", ".", "--force"]);
    assert_eq!(here.status, Some(1));
    assert!(here.stderr.contains("is used twice"), "{}", here.stderr);
    let args = ["filter", "a.viriformat", "--out-dir", "out"];
    folder.run(&args).text();
    let again = folder.run(&args);
    assert_eq!(again.status, Some(1));
    assert!(
        again.stderr.contains("exists, --force replaces it"),
        "{}",
        again.stderr
    );
    let twice = folder.run(&[
        "filter",
        "a.viriformat",
        "out/a.viriformat",
        "--out-dir",
        "new",
    ]);
    assert!(
        twice.error().contains("would be written twice"),
        "{}",
        twice.stderr
    );
}

#[test]
fn another_format_changes_the_extension() {
    let folder = Folder::new();
    write(&folder, "a.viriformat.zst", "viriformat", &epd(4, 2));
    let args = [
        "filter",
        "a.viriformat.zst",
        "--out-dir",
        "out",
        "--to",
        "marlinformat",
    ];
    folder.run(&args).text();
    assert!(!folder.read("out/a.marlinformat.zst").is_empty());
}
