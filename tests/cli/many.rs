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
    assert!(ran.stderr.contains("3 files, 1 failed"), "{}", ran.stderr);
    let mut kept = 0;
    for name in ["a.binpack", "c.viriformat"] {
        let alone = [
            "filter", name, "-o", "alone", "--mode", "drop", "--force", "--json",
        ];
        let ran = folder.run(&alone);
        let json: Value = serde_json::from_slice(&ran.stdout).unwrap();
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

/// Marked records are in the output, and must not be reported as dropped.
#[test]
fn marked_and_dropped_records_are_told_apart() {
    let folder = Folder::new();
    write(&folder, "a.binpack", "binpack", &epd(1, 5));
    write(&folder, "b.viriformat", "viriformat", &epd(2, 5));
    let json = |args: &[&str]| -> Value {
        let args = [&["filter"], args, &["--json", "--force"]].concat();
        serde_json::from_slice(&folder.run(&args).stdout).unwrap()
    };
    let [a, b] = ["a.binpack", "b.viriformat"].map(|name| json(&[name, "-o", "alone"]));
    let not_kept =
        |json: &Value| json["records"].as_u64().unwrap() - json["kept"].as_u64().unwrap();
    assert_eq!((&a["mode"], &b["mode"]), (&"mark".into(), &"drop".into()));
    assert_eq!(
        (&a["marked"], &b["marked"]),
        (&not_kept(&a).into(), &0.into())
    );
    let both = ["a.binpack", "b.viriformat", "--out-dir", "out"];
    let all = json(&both);
    assert_eq!(
        (&all["mode"], &all["marked"]),
        (&"drop or mark".into(), &a["marked"])
    );
    assert_eq!(not_kept(&all), not_kept(&a) + not_kept(&b));
    let ran = folder.run(&[&["filter", "--force"], &both[..]].concat());
    let marked = format!("  marked      {} of these", not_kept(&a));
    assert!(ran.stderr.contains(&marked), "{}", ran.stderr);
    assert!(ran.stderr.contains("  not kept    "), "{}", ran.stderr);
    assert!(!ran.stderr.contains("  dropped "), "{}", ran.stderr);
}

/// As for a single file that does not exist.
#[test]
fn sizes_of_compressed_files_say_so() {
    let folder = Folder::new();
    write(&folder, "a.viriformat.zst", "viriformat", &epd(1, 9));
    write(&folder, "b.viriformat", "viriformat", &epd(2, 9));
    let size = |name: &str| folder.read(name).len() as u64;
    let run = |args: &[&str]| -> Value {
        let ran = folder.run(&[&["filter"], args, &["--json", "--force"]].concat());
        serde_json::from_slice::<Value>(&ran.stdout).unwrap()["bytes"].clone()
    };
    let a = run(&["a.viriformat.zst", "-o", "out.viriformat.gz"]);
    assert_eq!(a["read_compressed"], size("a.viriformat.zst"));
    assert_eq!(a["written_compressed"], size("out.viriformat.gz"));
    let b = run(&["b.viriformat", "-o", "out.viriformat"]);
    assert_eq!(
        (&b["read"], &b["written"]),
        (&size("b.viriformat").into(), &size("out.viriformat").into())
    );
    assert_eq!(
        (&b["read_compressed"], &b["written_compressed"]),
        (&Value::Null, &Value::Null)
    );
    let all = run(&["b.viriformat", "a.viriformat.zst", "--out-dir", "out"]);
    assert_eq!(
        all["read"],
        a["read"].as_u64().unwrap() + b["read"].as_u64().unwrap()
    );
    assert_eq!(
        all["read_compressed"],
        size("a.viriformat.zst") + size("b.viriformat")
    );
    let written = size("out/a.viriformat.zst") + size("out/b.viriformat");
    assert_eq!(all["written_compressed"], written);
    let ran = folder.run(&["count", "a.viriformat.zst"]);
    let line = format!(
        " bytes before compression ({} after), ",
        size("a.viriformat.zst")
    );
    assert!(
        ran.text().replace(',', "").contains(&line.replace(',', "")),
        "{}",
        ran.text()
    );
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
    write(&folder, "b.viriformat", "viriformat", &epd(4, 2));
    let both = ["filter", "a.viriformat", "b.viriformat", "--out-dir", "out"];
    let before = folder.read("out/a.viriformat");
    let ran = folder.run(&[&both[..], &["--skip-existing"]].concat());
    assert_eq!(ran.status, Some(0), "{}", ran.stderr);
    assert!(ran.stderr.contains("2 files, 1 skipped"), "{}", ran.stderr);
    assert!(folder.path("out/b.viriformat").exists());
    assert_eq!(folder.read("out/a.viriformat"), before);
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

#[test]
fn a_note_about_many_files_is_made_once() {
    let folder = Folder::new();
    let names = ["a.viriformat", "b.viriformat", "c.viriformat"];
    for name in names {
        write(&folder, name, "viriformat", &epd(4, 1));
    }
    let args = ["--out-dir", "out", "--to", "bulletformat"];
    let ran = folder.run(&[&["filter"], &names[..], &args[..]].concat());
    let notes = ran.stderr.lines().filter(|line| line.contains("note: "));
    let notes: Vec<&str> = notes.collect();
    let lost = "not carried over to bulletformat: side to move, ";
    let [first, others] =
        ["a.viriformat", "2 more files"].map(|files| format!("swaplist: note: {files}: {lost}"));
    assert_eq!(notes.len(), 2, "{}", ran.stderr);
    assert!(notes[0].starts_with(&first), "{}", ran.stderr);
    assert!(notes[1].starts_with(&others), "{}", ran.stderr);
}

#[test]
fn every_message_about_a_file_names_it() {
    let folder = Folder::new();
    let sound = epd(5, 1);
    folder.write("a.epd", format!("{sound}hello\n"));
    folder.write("b.epd", format!("4k3/8 w - - 0 1\n{sound}"));
    folder.write("c.epd", &sound);
    let args = ["filter", "a.epd", "b.epd", "c.epd", "--out-dir", "out"];
    let ran = folder.run(&args);
    assert_eq!(ran.status, Some(1), "{}", ran.stderr);
    let lines = sound.lines().count() + 1;
    for start in [
        format!("swaplist: error: a.epd, line {lines}: "),
        "swaplist: error: b.epd, line 1: ".to_owned(),
    ] {
        assert!(ran.stderr.contains(&start), "{start} in {}", ran.stderr);
    }
    let ran = folder.run(&[&args[..], &["--skip-invalid", "--force"]].concat());
    for message in [
        format!("a.epd, line {lines}: "),
        "b.epd, line 1: ".to_owned(),
    ] {
        assert!(ran.stderr.contains(&message), "{message} in {}", ran.stderr);
    }
    // Notes before a run name the format; errors too.
    write(&folder, "d.viriformat", "viriformat", &sound);
    write(&folder, "e.bf", "bulletformat", &sound);
    let ran = folder.run(&[
        "filter",
        "d.viriformat",
        "e.bf",
        "--out-dir",
        "two",
        "--to",
        "plain",
    ]);
    assert_eq!(ran.status, Some(0), "{}", ran.stderr);
    let note = "swaplist: note: e.bf: bulletformat does not tell who moves";
    assert!(ran.stderr.contains(note), "{}", ran.stderr);
    assert!(
        ran.stderr
            .contains("seen by White, or in bulletformat the side to move\n"),
        "{}",
        ran.stderr
    );
    let ran = folder.run(&[
        "filter",
        "c.epd",
        "e.bf",
        "--out-dir",
        "no",
        "--to",
        "binpack",
    ]);
    let error = "swaplist: error: e.bf: bulletformat cannot be converted to binpack";
    assert!(ran.stderr.contains(error), "{}", ran.stderr);
}

/// Regression: with `-o` the other inputs were silently ignored.
#[test]
fn no_file_is_left_out_unsaid() {
    let folder = Folder::new();
    folder.write("a.fen", epd(1, 2));
    for output in [&["-o", "out.fen"][..], &["--limit", "3"], &[]] {
        let args = [&["filter", "a.fen", "b.fen"], output].concat();
        let ran = folder.run(&args);
        assert_eq!(ran.status, Some(2), "{}", ran.stderr);
        let error = "swaplist: error: b.fen: several inputs need --out-dir FOLDER";
        assert!(ran.stderr.contains(error), "{}", ran.stderr);
        assert!(!folder.path("out.fen").exists());
    }
}
