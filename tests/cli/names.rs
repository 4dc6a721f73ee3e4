//! File names: the formats they mean, and how they are shown.

use crate::run::{Folder, fens, lines};

#[cfg(unix)]
#[test]
fn control_characters_are_shown_escaped() {
    let folder = Folder::new();
    let (name, shown) = ("a\x1b[31m\nb.fen", r"a\u{1b}[31m\nb.fen");
    folder.write(name, lines(&fens(3, 10)));
    let other = "c\x1b.plain";
    for args in [
        &["filter", name, "-o", "out.fen"][..],
        &["filter", name, "-o", name, "--force"],
        &["filter", "out.fen", "-o", name],
        &["filter", "out.fen", "-o", "no\x1b/out"],
        &["filter", "out.fen", "no\x1b", "-o", "x"],
        &["filter", name, "--out-dir", "many\x1b", "--force"],
        &["filter", "--config", "no\x1b"],
        &[
            "filter", "out.fen", "-o", other, "--to", "plain", "--report", "page",
        ],
        &["convert", name, "-o", "again.plain"],
        &["score", "no\x1b"],
        &["score", name, "-o", "scores"],
        &["verdict", name, "-o", "verdicts", "--json"],
        &["count", name],
        &["count", name, "--json"],
        &["validate", name],
        &["verify", name, "--backend", "cpu"],
        &["check", name],
        &["check", "no\x1b"],
        &["bench", "no\x1b"],
        &["explain", "4k3\x1b w - -"],
    ] {
        let ran = folder.run(args);
        let said = String::from_utf8_lossy(&ran.stdout) + &*ran.stderr;
        assert!(!said.contains('\x1b'), "{args:?} {said:?}");
        let is_shown = said.contains(r"\u{1b}") || said.contains(r"\\u{1b}");
        assert!(is_shown, "{args:?} {said:?}");
    }
    let missing = folder.run(&["score", "no\x1b"]);
    assert!(missing.error().starts_with(r"cannot open 'no\u{1b}'"));
    let summary = folder.run(&["filter", name, "-o", "again"]).stderr;
    assert!(
        summary.contains(&format!("  input       {shown}, text\n")),
        "{summary}"
    );
}

/// Text in files can contain control characters, too.
#[test]
fn control_characters_of_records_are_shown_escaped() {
    let folder = Folder::new();
    let fen = &fens(3, 1)[0];
    for line in [
        "\x1b[31m",
        &format!("{fen};\x1b[31m"),
        &format!("{fen} | \x1b | 1.0"),
    ] {
        folder.write("in.fen", line);
        for args in [
            &["score", "in.fen", "--from", "text"][..],
            &["filter", "in.fen", "--from", "text", "--skip-invalid"],
            &["validate", "in.fen", "--from", "text"],
            &["check", "in.fen"],
        ] {
            let ran = folder.run(args);
            let said = String::from_utf8_lossy(&ran.stdout) + &*ran.stderr;
            assert!(!said.contains('\x1b'), "{args:?} {said:?}");
        }
    }
}

#[test]
fn a_file_named_data_is_bulletformat() {
    let folder = Folder::new();
    let input: Vec<_> = fens(3, 10)
        .iter()
        .map(|fen| format!("{fen} | 5 | 1.0"))
        .collect();
    folder.write("in.fen", lines(&input));
    folder.run(&["convert", "in.fen", "-o", "out.data"]).text();
    folder.run(&["convert", "in.fen", "-o", "out.bf"]).text();
    assert_eq!(folder.read("out.data").len(), 320);
    assert!(folder.read("out.data") == folder.read("out.bf"));
    let asked = [
        "convert",
        "in.fen",
        "-o",
        "asked.data",
        "--to",
        "marlinformat",
    ];
    folder.run(&asked).text();
    assert!(folder.read("asked.data") != folder.read("out.bf"));
    let ran = folder.run(&["convert", "in.fen", "-o", "out.bin"]);
    assert!(ran.error().starts_with("which format to write?"), "{ran:?}");
}

#[test]
fn archives_of_other_kinds_are_refused() {
    let folder = Folder::new();
    folder.write("in.fen", lines(&fens(3, 10)));
    folder.write("text.xz", lines(&fens(3, 10)));
    for (extension, magic) in [
        ("xz", &b"\xfd7zXZ\0\0\x04"[..]),
        ("bz2", b"BZh91AY&SY"),
        ("zip", b"PK\x03\x04\x14\0"),
        ("7z", b"7z\xbc\xaf\x27\x1c\0\x04"),
    ] {
        folder.write("any", magic);
        for command in [
            "filter", "count", "validate", "verify", "check", "score", "bench",
        ] {
            let ran = folder.run(&[command, "any"]);
            let error = format!(
                "'any' is compressed as .{extension}, which swaplist does not read; decompress it \
                 first"
            );
            assert_eq!(ran.error(), error);
        }
        let name = format!("a.fen.{extension}");
        let ran = folder.run(&["filter", "in.fen", "-o", &name]);
        let error = format!("cannot write '{name}': swaplist compresses as .zst and .gz only");
        assert_eq!(ran.error(), error);
        assert!(!folder.files().contains(&name));
    }
    let ran = folder.run(&["count", "text.xz"]);
    assert!(ran.error().contains("compressed as .xz"), "{ran:?}");
    // Named so, but read with --from; and text that begins like bzip2.
    folder.run(&["count", "text.xz", "--from", "text"]).text();
    let ran = folder.run_with(&["count"], b"BZh is no position\n");
    assert!(
        ran.error().starts_with("standard input, line 1: "),
        "{ran:?}"
    );
}
